import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isoTime,
  localClock,
  localDate,
  localWeekday,
  resolveSince,
  wallHours,
} from "../../src/core/time.ts";

const hourMs = 3_600_000;
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Pacific/Auckland",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Santiago",
];
const when = fc.integer({ min: Date.parse("2026-01-01T00:00Z"), max: Date.parse("2027-12-31T00:00Z") });

/** By Intl alone: `14:30` and the date, as the wall shows them. */
function wall(
  at: number,
  zone: string,
): { readonly clock: string; readonly date: string; readonly day: string } {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(at);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? "";
  return {
    clock: `${of("hour")}:${of("minute")}`,
    date: `${of("year")}-${of("month")}-${of("day")}`,
    day: of("weekday"),
  };
}

describe("the hours of a timeline", () => {
  test("are all whole hours of the wall and no others, in every zone, a day of 23 or 25 hours included", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), when, fc.integer({ min: 1, max: 36 }), (zone, from, hours) => {
        const to = from + hours * hourMs;
        const expected: number[] = [];
        // Every zone of today lies a multiple of a quarter of an hour from UTC.
        const quarter = hourMs / 4;
        for (let at = Math.ceil(from / quarter) * quarter; at <= to; at += quarter) {
          if (wall(at, zone).clock.endsWith(":00")) expected.push(at);
        }
        expect(wallHours(from, to, zone, 1)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    [2, "22:00 00:00 02:00 04:00 06:00 08:00"],
    [3, "00:00 03:00 06:00"],
    [6, "00:00 06:00"],
    [24, "00:00"],
  ])("by %d hours", (every, clocks) => {
    const hours = wallHours(
      Date.parse("2026-07-06T20:00Z"),
      Date.parse("2026-07-07T06:05Z"),
      "Europe/Berlin",
      every,
    );
    expect(hours.map((at) => localClock(at, "Europe/Berlin")).join(" ")).toBe(clocks);
  });
});

describe("where a report begins", () => {
  const zone = "Europe/Berlin";
  const now = Date.parse("2026-07-07T06:05:00Z");

  test.each([
    ["22:00", "2026-07-06T20:00:00.000Z"],
    ["08:04", "2026-07-07T06:04:00.000Z"],
    ["08:05", "2026-07-06T06:05:00.000Z"],
    ["12h", "2026-07-06T18:05:00.000Z"],
    ["PT90M", "2026-07-07T04:35:00.000Z"],
    ["7d", "2026-06-30T06:05:00.000Z"],
    ["2026-07-06T22:00+02:00", "2026-07-06T20:00:00.000Z"],
    ["2026-07-06T20:00:00Z", "2026-07-06T20:00:00.000Z"],
  ])("%s", (text, expected) => {
    const at = resolveSince(text, now, zone);
    expect(at === undefined ? at : isoTime(at)).toBe(expected);
  });

  test.each([
    "",
    " ",
    "24:00",
    "8:00",
    "0m",
    "12",
    "-1h",
    "yesterday",
    "2026-07-06",
    "2026-07-06T22:00",
    "2026-07-07T06:05:00Z",
    "2030-01-01T00:00Z",
    "999999999d",
  ])("%j is none", (text) => {
    expect(resolveSince(text, now, zone)).toBeUndefined();
  });

  test("a time that a gap skipped is the first instant after it, and of two the first", () => {
    expect(isoTime(resolveSince("02:30", Date.parse("2026-03-29T06:00Z"), zone) ?? 0)).toBe(
      "2026-03-29T01:00:00.000Z",
    );
    expect(isoTime(resolveSince("02:30", Date.parse("2026-10-25T06:00Z"), zone) ?? 0)).toBe(
      "2026-10-25T00:30:00.000Z",
    );
  });
});

test("days as the wall has them", () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), when, (zone, at) => {
      const { date, day } = wall(at, zone);
      expect([localDate(at, zone), localWeekday(at, zone)]).toEqual([`${day} ${date}`, day]);
    }),
    { numRuns: 300 },
  );
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
