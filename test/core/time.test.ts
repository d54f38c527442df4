import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isZone, localClock, localDay, parseDuration, resolveDeadline } from "../../src/core/time.ts";
import { readCaseFile } from "../conformance/case-files.ts";
import { caseKind } from "../conformance/deadlines.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const file = readCaseFile(join(import.meta.dirname, "../cases/time/deadlines.json"));

describe("the table of deadlines", () => {
  for (const verdict of caseKind.run(file)) {
    test(verdict.id, () => {
      expect(verdict).toEqual({ id: verdict.id, ok: true });
    });
  }
});

/** Zones with DST by an hour and by half an hour, without it, changes at midnight, and rare ones. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Pacific/Auckland",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Africa/Casablanca",
  "America/Havana",
  "America/Scoresbysund",
  "America/Santiago",
  "Asia/Beirut",
  "Pacific/Apia",
  "Pacific/Chatham",
  "Antarctica/Troll",
];

/** The wall clock as the platform's own calendar tells it: nothing of luxon, nothing of ours. */
function wallClock(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}`;
}

/** Walks minute by minute through the wall clock of each day: slow, and too simple to be wrong. */
function walk(at: string, askedAt: number, zone: string, minLeadMs: number): number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  // Every minute from two days before: the first minute of each local day at which the clock shows `at` or later.
  const reached = new Set<string>();
  const start = Math.floor((askedAt - 2 * dayMs) / minuteMs) * minuteMs;
  let seenFirstDay: string | undefined;
  let last = "";
  for (let now = start; now < start + 7 * dayMs; now += minuteMs) {
    const wall = format.format(now);
    const day = wall.slice(0, 10);
    seenFirstDay ??= day;
    // A gap may swallow the rest of a day: its time is then the first minute of the next.
    if (last !== "" && day > last && !reached.has(last)) {
      reached.add(last);
      if (last !== seenFirstDay && now >= askedAt + minLeadMs) return now;
    }
    if (day > last) last = day;
    if (reached.has(day) || wall.slice(11) < at) continue;
    reached.add(day);
    if (day !== seenFirstDay && now >= askedAt + minLeadMs) return now;
  }
  throw new Error("no such time within a week");
}

const anyZone = fc.constantFrom(...zones);
const anyClock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
/** Any instant of eleven years, half of them within two days of a change of the clocks of 2026. */
const changes = [
  "2026-03-08",
  "2026-03-28",
  "2026-04-05",
  "2026-09-06",
  "2026-09-27",
  "2026-10-04",
  "2026-10-25",
  "2026-11-01",
  "2026-02-15",
  "2026-03-22",
];
const anyInstant = fc.oneof(
  fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2031, 0) }),
  fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * dayMs, max: 2 * dayMs }))
    .map(([day, ms]) => Date.parse(`${day}T00:00:00Z`) + ms),
);

describe("HH:MM", () => {
  it("is the next such wall-clock time, by an independent walk through the minutes", () => {
    fc.assert(
      fc.property(
        anyZone,
        anyClock,
        anyInstant,
        fc.integer({ min: 0, max: 180 }),
        (zone, at, asked, lead) => {
          const found = resolveDeadline(at, asked, zone, lead * minuteMs);
          expect(found).toEqual({ ok: true, deadlineAt: walk(at, asked, zone, lead * minuteMs) });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("shows that time on the wall, unless the clocks skip it", () => {
    fc.assert(
      fc.property(anyZone, anyClock, anyInstant, (zone, at, asked) => {
        const found = resolveDeadline(at, asked, zone, 10 * minuteMs);
        if (!found.ok) throw new Error(found.rule);
        expect(found.deadlineAt).toBeGreaterThanOrEqual(asked + 10 * minuteMs);
        const shown = wallClock(found.deadlineAt, zone);
        if (shown.endsWith(at)) return;
        // The minute before is earlier than what was asked for, the minute itself is later: it was skipped. Where the
        // clocks change at midnight (Beirut), the minute before belongs to the day before.
        const before = wallClock(found.deadlineAt - minuteMs, zone);
        const days = [before, shown].map((wall) => wall.slice(0, "yyyy-MM-dd".length));
        const skipped = days.some((day) => before < `${day} ${at}` && shown > `${day} ${at}`);
        expect(skipped).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  let unseen = 0;
  it("gives from memory what a fresh computation gives", () => {
    fc.assert(
      fc.property(
        anyZone,
        anyClock,
        anyInstant,
        fc.array(fc.integer({ min: -dayMs, max: 3 * dayMs }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 1440 }),
        (zone, at, first, moves, lead) => {
          const minLeadMs = lead * minuteMs;
          resolveDeadline(at, first, zone, minLeadMs);
          for (const asked of moves.map((move) => first + move)) {
            const remembered = resolveDeadline(at, asked, zone, minLeadMs);
            // Nobody asked with this lead before; added to an instant, the difference is lost in rounding.
            unseen += 1;
            const fresh = resolveDeadline(at, asked, zone, minLeadMs - unseen * 1e-8);
            const again = resolveDeadline(at, asked, zone, minLeadMs);
            expect(again).toEqual(remembered);
            expect(fresh).toEqual(remembered);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("counts the first of a doubled midnight hour, also when asked in the second", () => {
    // Beirut, 2026-10-24 24:00 → 23:00: 23:30 occurs twice on the 24th.
    const second = Date.parse("2026-10-24T21:15:00Z");
    expect(wallClock(second, "Asia/Beirut")).toBe("2026-10-24 23:15");
    expect(resolveDeadline("23:30", second, "Asia/Beirut", 10 * minuteMs)).toEqual({
      ok: true,
      deadlineAt: Date.parse("2026-10-25T21:30:00Z"),
    });
  });
});

describe("instants", () => {
  const asked = Date.parse("2026-07-06T21:00:00Z");
  const resolve = (at: string, minLeadMs = 10 * minuteMs) =>
    resolveDeadline(at, asked, "Europe/Berlin", minLeadMs);

  it.each([
    ["2026-07-07T06:00:00,5Z", "2026-07-07T06:00:00.500Z"],
    ["2026-07-07T06:00+02", "2026-07-07T04:00:00.000Z"],
    ["2026-07-07T06:00:00.123456789Z", "2026-07-07T06:00:00.123Z"],
    ["2028-02-29T00:00:00-00:00", "2028-02-29T00:00:00.000Z"],
  ])("%s is %s", (at, utc) => {
    expect(resolve(at)).toEqual({ ok: true, deadlineAt: Date.parse(utc) });
  });

  it.each([
    "2026-02-29T00:00:00Z",
    "2026-07-07T24:00:00Z",
    "2026-07-07T23:59:60Z",
    "2026-07-07T06:00:00+0200",
    "2026-07-07T06:00:00+24:00",
    "20260707T060000Z",
    "2026-07-07t06:00:00z",
    "2026-W28-2T06:00:00Z",
    "2026-07-07T06Z",
    "2026-07-07",
    " 06:00",
    "06:00 ",
    "06:00:00",
    "٠٦:٠٠",
    "1.5h",
    "2 h",
    "P1D",
    "PT2h",
    "pt2H",
    "999999999d",
    "99999999d",
    "2026-07-07T06:00:00Z\n",
    "06:00\n",
  ])("%j is none of the forms", (at) => {
    expect(resolve(at)).toEqual({ ok: false, rule: "deadline-invalid" });
  });

  it("never takes now, even without a lead", () => {
    expect(resolve("0m", 0)).toEqual({ ok: false, rule: "deadline-too-soon" });
    expect(resolve("2026-07-06T21:00:00Z", 0)).toEqual({ ok: false, rule: "deadline-too-soon" });
    expect(resolve("2026-07-06T21:00:00.001Z", 0)).toEqual({ ok: true, deadlineAt: asked + 1 });
    expect(resolve("1m", 0)).toEqual({ ok: true, deadlineAt: asked + minuteMs });
  });

  it.each(["", "  ", "\t"])("%j is no deadline at all", (at) => {
    expect(resolve(at)).toEqual({ ok: false, rule: "deadline-missing" });
  });

  it("never throws, and is always at least the lead away", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "binary" }), anyClock), anyInstant, (at, now) => {
        const found = resolveDeadline(at, now, "Europe/Berlin", 10 * minuteMs);
        if (found.ok) expect(found.deadlineAt).toBeGreaterThanOrEqual(now + 10 * minuteMs);
      }),
    );
  });
});

describe("durations", () => {
  it.each([
    ["0m", 0],
    ["45m", 45 * minuteMs],
    ["2h", 120 * minuteMs],
    ["3d", 3 * dayMs],
    ["PT45M", 45 * minuteMs],
    ["PT2H", 120 * minuteMs],
    ["90m", 90 * minuteMs],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "m", "5", "5s", "-5m", "+5m", "5M", "PT5m", "PT5D", "P5D", "PT1H30M", "5m ", "1e3m", "5\n"])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe("zones", () => {
  it.each([
    "Europe/Berlin",
    "UTC",
    "Etc/UTC",
    "GMT",
    "Asia/Kolkata",
    "Asia/Calcutta",
    "Europe/Kyiv",
    "Europe/Kiev",
    "America/Argentina/Buenos_Aires",
    "America/Port-au-Prince",
    "Etc/GMT+5",
    "EST5EDT",
    "US/Pacific",
  ])("%s is one", (zone) => {
    expect(isZone(zone)).toBe(true);
  });

  it.each([
    "",
    "europe/berlin",
    "EUROPE/BERLIN",
    "asia/kolkata",
    "Asia/KOLKATA",
    "utc",
    "gmt",
    "+02:00",
    "-0330",
    "PST",
    "IST",
    "JST",
    "Europe/Berlinn",
    "Europe/Berlin ",
    "local",
    "system",
    "Europe\\Berlin",
    "__proto__",
    "Europe/Berlin\0",
  ])("%j is none", (zone) => {
    expect(isZone(zone)).toBe(false);
  });

  it("knows every zone that the platform lists", () => {
    const unknown = Intl.supportedValuesOf("timeZone").filter((zone) => !isZone(zone));
    expect(unknown).toEqual([]);
  });

  it("is a fault to tell the time where there is none", () => {
    expect(() => localClock(0, "Mars/Olympus")).toThrow(RangeError);
    expect(() => localClock(Number.NaN, "UTC")).toThrow(RangeError);
  });
});

describe("local times as text", () => {
  const at = Date.parse("2026-07-07T00:14:00Z");

  it("tells the clock of the zone", () => {
    expect(localClock(at, "Europe/Berlin")).toBe("02:14");
    expect(localClock(at, "Asia/Kathmandu")).toBe("05:59");
    expect(localClock(Date.parse("2026-07-06T22:00:00Z"), "Europe/Berlin")).toBe("00:00");
  });

  it.each([
    ["2026-07-07T21:00:00Z", "02:14"],
    ["2026-07-06T21:00:00Z", "Tue 02:14"],
    ["2026-07-01T00:00:00Z", "Tue 02:14"],
    ["2026-06-30T21:59:00Z", "2026-07-07 02:14"],
    ["2026-07-13T21:59:00Z", "Tue 02:14"],
    ["2026-07-13T22:00:00Z", "2026-07-07 02:14"],
  ])("seen from %s it is %s", (now, text) => {
    expect(localDay(at, "Europe/Berlin", Date.parse(now))).toBe(text);
  });

  it("agrees with the platform's calendar", () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: -9 * dayMs, max: 9 * dayMs }), (zone, now, move) => {
        const [day = "", clock = ""] = wallClock(now + move, zone).split(" ");
        const weekday = new Intl.DateTimeFormat("en-US", { timeZone: zone, weekday: "short" }).format(
          now + move,
        );
        const today = wallClock(now, zone).slice(0, 10);
        const distance = Math.abs(Date.parse(day) - Date.parse(today)) / dayMs;
        const wanted = distance === 0 ? clock : `${distance <= 6 ? weekday : day} ${clock}`;
        expect(localDay(now + move, zone, now)).toBe(wanted);
        expect(localClock(now + move, zone)).toBe(clock);
      }),
    );
  });
});
