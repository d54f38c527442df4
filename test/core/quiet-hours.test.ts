import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isNight,
  nextStartAt,
  nightOf,
  type QuietHours,
  readQuietHours,
} from "../../src/core/quiet-hours.ts";
import { isZone } from "../../src/core/time.ts";
import { readCaseFile } from "../conformance/case-files.ts";
import { caseKind } from "../conformance/quiet-hours.ts";
import { changesOf, timeOf, wallOf } from "./wall-clocks.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** `QUIET_HOURS_RUNS=100000 npx vitest run test/core/quiet-hours.test.ts` looks longer. */
const runs = Number(process.env.QUIET_HOURS_RUNS ?? 3_000);

function hoursOf(window: string, zone: string): QuietHours {
  const read = readQuietHours(window, zone);
  if (!read.ok) throw new Error(`${window} ${zone}: ${read.reason}`);
  return read.hours;
}

/** The night around an instant, as UTC text. */
function night(window: string, zone: string, at: string): readonly (string | undefined)[] | undefined {
  const found = nightOf(hoursOf(window, zone), Date.parse(at));
  return found && [iso(found.startAt), iso(found.endAt)];
}

function iso(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString().replace(":00.000Z", "Z");
}

describe("the table of quiet hours", () => {
  const file = readCaseFile(join(import.meta.dirname, "../cases/time/quiet-hours.json"));
  for (const verdict of caseKind.run(file)) {
    test(verdict.id, () => {
      expect(verdict).toEqual({ id: verdict.id, ok: true });
    });
  }
});

describe("what a window is", () => {
  test("field 57: start after end means overnight, start = end is refused, 00:00-24:00 is the whole day", () => {
    const over = hoursOf("22:00-08:00", "UTC");
    for (const [time, expected] of [
      ["21:59:59.999", false],
      ["22:00:00.000", true],
      ["23:59:59.999", true],
      ["00:00:00.000", true],
      ["07:59:59.999", true],
      ["08:00:00.000", false],
    ] as const) {
      expect([time, isNight(over, Date.parse(`2026-07-06T${time}Z`))]).toEqual([time, expected]);
    }
    expect(readQuietHours("08:00-08:00", "UTC")).toEqual({ ok: false, reason: "window-empty" });
    const always = hoursOf("00:00-24:00", "Europe/Berlin");
    for (let hour = 0; hour < 24; hour += 1) {
      expect(isNight(always, Date.UTC(2026, 6, 6, hour))).toBe(true);
    }
    expect(nightOf(always, 0)).toEqual({ startAt: undefined, endAt: undefined });
    expect(nextStartAt(always, 0)).toBeUndefined();
  });

  test.each([
    ["", "UTC", "window-invalid"],
    ["22:00", "UTC", "window-invalid"],
    ["22:00-", "UTC", "window-invalid"],
    ["-08:00", "UTC", "window-invalid"],
    ["2:00-08:00", "UTC", "window-invalid"],
    [" 22:00-08:00", "UTC", "window-invalid"],
    ["22:00-08:00\n", "UTC", "window-invalid"],
    ["22:00–08:00", "UTC", "window-invalid"],
    ["22:00 - 08:00", "UTC", "window-invalid"],
    ["٢٢:٠٠-٠٨:٠٠", "UTC", "window-invalid"],
    ["10pm-8am", "UTC", "window-invalid"],
    ["25:00-08:00", "UTC", "window-time-invalid"],
    ["22:60-08:00", "UTC", "window-time-invalid"],
    ["22:00-24:01", "UTC", "window-time-invalid"],
    ["24:00-06:00", "UTC", "window-time-invalid"],
    ["24:00-24:00", "UTC", "window-time-invalid"],
    ["00:00-00:00", "UTC", "window-empty"],
    ["22:00-08:00", "Europe/Berlinn", "zone-invalid"],
    ["22:00-08:00", "europe/berlin", "zone-invalid"],
    ["22:00-08:00", "+02:00", "zone-invalid"],
    ["22:00-08:00", "", "zone-invalid"],
  ])("field 59: %j in %j is refused as %s, and never means no limits", (window, zone, reason) => {
    expect(readQuietHours(window, zone)).toEqual({ ok: false, reason });
  });
});

describe("a night", () => {
  test("is nothing by day", () => {
    expect(night("22:00-08:00", "Europe/Berlin", "2026-07-06T10:00:00Z")).toBeUndefined();
  });

  test("field 56: keeps its times on the wall through winter and summer, the spring gap and the autumn overlap", () => {
    const of = (at: string) => night("22:00-08:00", "Europe/Berlin", at);
    expect(of("2026-01-15T23:00:00Z")).toEqual(["2026-01-15T21:00Z", "2026-01-16T07:00Z"]);
    expect(of("2026-07-15T23:00:00Z")).toEqual(["2026-07-15T20:00Z", "2026-07-16T06:00Z"]);
    // One hour shorter, one hour longer.
    expect(of("2026-03-29T02:00:00Z")).toEqual(["2026-03-28T21:00Z", "2026-03-29T06:00Z"]);
    expect(of("2026-10-25T02:00:00Z")).toEqual(["2026-10-24T20:00Z", "2026-10-25T07:00Z"]);
  });

  test("an end or a start that a gap skips is the first instant after the gap", () => {
    expect(night("22:00-02:30", "Europe/Berlin", "2026-03-29T00:59:59.999Z")).toEqual([
      "2026-03-28T21:00Z",
      "2026-03-29T01:00Z",
    ]);
    expect(night("02:30-04:00", "Europe/Berlin", "2026-03-29T01:00:00Z")).toEqual([
      "2026-03-29T01:00Z",
      "2026-03-29T02:00Z",
    ]);
  });

  test("an end that is passed twice: the night ends when it is passed for good, and the pause between is no night", () => {
    // 03:00 becomes 02:00 at 02:00Z.
    const end = ["2026-02-14T21:00Z", "2026-02-15T02:30Z"];
    expect(night("22:00-02:30", "Africa/Casablanca", "2026-02-15T01:29:59.999Z")).toEqual(end);
    expect(night("22:00-02:30", "Africa/Casablanca", "2026-02-15T01:30:00Z")).toBeUndefined();
    expect(night("22:00-02:30", "Africa/Casablanca", "2026-02-15T02:00:00Z")).toEqual(end);
    expect(night("22:00-02:30", "Africa/Casablanca", "2026-02-15T02:30:00Z")).toBeUndefined();
    const hours = hoursOf("22:00-02:30", "Africa/Casablanca");
    expect(iso(nextStartAt(hours, Date.parse("2026-02-15T01:30:00Z")))).toBe("2026-02-15T02:00Z");
  });

  test("a start that is passed twice: one night, from the first to one morning", () => {
    // 02:00 becomes 01:00 at 06:00Z.
    const whole = ["2026-11-01T05:30Z", "2026-11-01T10:00Z"];
    expect(night("01:30-05:00", "America/New_York", "2026-11-01T05:59:59.999Z")).toEqual(whole);
    expect(night("01:30-05:00", "America/New_York", "2026-11-01T06:00:00Z")).toBeUndefined();
    expect(night("01:30-05:00", "America/New_York", "2026-11-01T06:30:00Z")).toEqual(whole);
  });

  test("clocks that go back to just the end leave no second night", () => {
    // 03:00 becomes 02:00 at 01:00Z.
    expect(night("22:00-02:00", "Europe/Berlin", "2026-10-24T23:00:00Z")).toEqual([
      "2026-10-24T20:00Z",
      "2026-10-25T00:00Z",
    ]);
    expect(night("22:00-02:00", "Europe/Berlin", "2026-10-25T01:00:00Z")).toBeUndefined();
  });

  test("a gap that swallows the day between two nights makes them one", () => {
    expect(night("03:00-02:00", "Europe/Berlin", "2026-03-28T12:00:00Z")).toEqual([
      "2026-03-28T02:00Z",
      "2026-03-30T00:00Z",
    ]);
    // Samoa skipped the whole of 30 December 2011.
    expect(night("22:00-08:00", "Pacific/Apia", "2011-12-30T09:00:00Z")).toEqual([
      "2011-12-30T08:00Z",
      "2011-12-30T18:00Z",
    ]);
  });

  test("the next start is the next one, also from within a night", () => {
    const hours = hoursOf("22:00-08:00", "Europe/Berlin");
    const next = (at: string) => iso(nextStartAt(hours, Date.parse(at)));
    expect(next("2026-07-06T19:59:59.999Z")).toBe("2026-07-06T20:00Z");
    expect(next("2026-07-06T20:00:00.000Z")).toBe("2026-07-07T20:00Z");
    expect(next("2026-10-24T22:00:00Z")).toBe("2026-10-25T21:00Z");
  });
});

/** Every zone that this engine and the configuration know. */
const zones = Intl.supportedValuesOf("timeZone").filter(isZone);
const time = fc.integer({ min: 0, max: 1439 }).map((minutes) => clock(minutes));

function clock(minutes: number): string {
  const inDay = ((minutes % 1440) + 1440) % 1440;
  return `${String(Math.floor(inDay / 60)).padStart(2, "0")}:${String(inDay % 60).padStart(2, "0")}`;
}

const anyWindow = fc
  .tuple(time, fc.oneof({ weight: 9, arbitrary: time }, { weight: 1, arbitrary: fc.constant("24:00") }))
  .filter(([start, end]) => start !== end);

/** The same judgement by Intl and by comparing text. */
function isNightByIntl(start: string, end: string, zone: string, at: number): boolean {
  const now = timeOf(zone, at);
  const [from, to] = [`${start}:00`, `${end}:00`];
  return from < to ? from <= now && now < to : now >= from || now < to;
}

describe("against Intl", () => {
  test("field 58: any zone, any window, any instant: the two never disagree", () => {
    expect(zones.length).toBeGreaterThan(400);
    const near = fc.record({
      zone: fc.constantFrom(...zones),
      window: anyWindow,
      at: fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) }),
      // As often as not the window begins or ends just where the clock stands.
      edge: fc.constantFrom("start", "end", "none", "none"),
      byMs: fc.constantFrom(-1, 0, 1, 999, -minuteMs, minuteMs),
    });
    let nights = 0;
    fc.assert(
      fc.property(near, ({ zone, window, at, edge, byMs }) => {
        let [start, end] = window;
        const wall = clock(Math.floor(wallOf(zone, at) / minuteMs));
        if (edge === "start" && wall !== end) start = wall;
        if (edge === "end" && wall !== start) end = wall;
        const when = edge === "none" ? at : Math.floor(at / minuteMs) * minuteMs + byMs;
        const expected = isNightByIntl(start, end, zone, when);
        nights += expected ? 1 : 0;
        return isNight(hoursOf(`${start}-${end}`, zone), when) === expected;
      }),
      { numRuns: runs },
    );
    // Both answers were asked for.
    expect(nights).toBeGreaterThan(runs / 4);
    expect(nights).toBeLessThan((runs * 3) / 4);
  }, 600_000);

  const years = [2000, 2030] as const;
  const changes = new Map<string, number[]>();
  const changesIn = (zone: string): number[] => {
    const known = changes.get(zone) ?? changesOf(zone, ...years);
    changes.set(zone, known);
    return known;
  };

  test("near changes of the clocks, night and start are what a walk through the minutes finds", () => {
    const moment = fc.record({
      zone: fc.constantFrom(...zones),
      pick: fc.nat(),
      awayMinutes: fc.integer({ min: -36 * 60, max: 36 * 60 }),
      // Start and end around the time that the clocks are changed at, or anywhere.
      window: fc.oneof(
        anyWindow,
        fc.tuple(fc.integer({ min: -120, max: 120 }), fc.integer({ min: -120, max: 120 })),
      ),
    });
    let judged = 0;
    fc.assert(
      fc.property(moment, ({ zone, pick, awayMinutes, window }) => {
        const all = changesIn(zone);
        const change = all[pick % Math.max(1, all.length)] ?? Date.UTC(2026, 2, 29, 1);
        const shown = Math.floor(wallOf(zone, change) / minuteMs);
        const edges: readonly (string | number)[] = window;
        const [start, end] = edges.map((each) => (typeof each === "number" ? clock(shown + each) : each));
        if (start === undefined || end === undefined || start === end) return;
        if (start === "00:00" && end === "24:00") return;
        // A walk by minutes sees only clocks that are changed at a full minute.
        const at = Math.floor(change / minuteMs) * minuteMs + awayMinutes * minuteMs;
        const hours = hoursOf(`${start}-${end}`, zone);
        const seen = [nightOf(hours, at), nextStartAt(hours, at)];
        expect(seen, `${start}-${end} ${zone} ${new Date(at).toISOString()}`).toEqual(
          walk(start, end, zone, at),
        );
        judged += 1;
      }),
      { numRuns: Math.ceil(runs / 100) },
    );
    expect(judged).toBeGreaterThan(runs / 125);
  }, 600_000);

  /** The night that holds `at`, and the next start after it, minute by minute. */
  function walk(start: string, end: string, zone: string, at: number): readonly unknown[] {
    const dark = (when: number): boolean => isNightByIntl(start, end, zone, when);
    // Which night is it: counted from its start on the wall.
    const nightNumber = (when: number): number => {
      const [hour = 0, minute = 0] = start.split(":").map(Number);
      return Math.floor((wallOf(zone, when) - hour * hourMs - minute * minuteMs) / dayMs);
    };
    let next = at + minuteMs;
    while (!dark(next) || dark(next - minuteMs)) next += minuteMs;
    if (!dark(at)) return [undefined, next];
    let [from, to] = [at, at + minuteMs];
    for (;;) {
      const [first, last] = [nightNumber(from), nightNumber(to - minuteMs)];
      let [earliest, latest] = [from, to];
      for (let when = from; when > from - 2 * dayMs; when -= minuteMs) {
        if (dark(when) && nightNumber(when) === first) earliest = when;
      }
      for (let when = to; when < to + 2 * dayMs; when += minuteMs) {
        if (dark(when) && nightNumber(when) === last) latest = when + minuteMs;
      }
      // Nights that touch are one.
      if (dark(earliest - minuteMs)) earliest -= minuteMs;
      if (dark(latest)) latest += minuteMs;
      if (earliest === from && latest === to) return [{ startAt: from, endAt: to }, next];
      [from, to] = [earliest, latest];
    }
  }
});
