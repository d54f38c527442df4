import { describe, expect, test } from "vitest";
import type { Found } from "../../src/app/config-issues.ts";
import { readNight } from "../../src/app/config-night.ts";

function read(night: unknown, zone = "Europe/Berlin", zoneWritten = true) {
  const found: Found[] = [];
  const config = readNight(night, zone, zoneWritten, found);
  return { config, found: found.map(({ path, message }) => `${path.join(".")}: ${message}`) };
}

describe("night in the configuration", () => {
  test("a window in a zone; what is not said is no", () => {
    expect(read({ window: "22:00-08:00" })).toEqual({
      config: {
        hours: { window: "22:00-08:00", zone: "Europe/Berlin", startMs: 79_200_000, endMs: 28_800_000 },
        isolated: false,
        autoDefault: false,
      },
      found: [],
    });
    expect(read({ window: "00:00-24:00", isolated: true, auto_default: true }).config).toMatchObject({
      isolated: true,
      autoDefault: true,
    });
  });

  test("none is none", () => {
    expect(read(undefined)).toEqual({ config: undefined, found: [] });
  });

  test.each([
    ["10pm-8am", "night.window: must be a window such as 22:00-08:00 (found 10pm-8am)"],
    [
      "24:00-08:00",
      "night.window: must be two times from 00:00 to 23:59 (24:00 only as the end), such as 22:00-08:00 (found 24:00-08:00)",
    ],
    [
      "08:00-08:00",
      "night.window: must not start and end at the same time; for always write 00:00-24:00 (found 08:00-08:00)",
    ],
  ])("field 59: %s is refused, and never means no limits", (window, line) => {
    expect(read({ window })).toEqual({ config: undefined, found: [line] });
  });

  test("field 59: a zone that is none is told once: by the file's own line, or by the need for one", () => {
    expect(read({ window: "22:00-08:00" }, "Europe/Berlinn", true)).toEqual({ config: undefined, found: [] });
    expect(read({ window: "22:00-08:00" }, "Etc/Mars", false)).toEqual({
      config: undefined,
      found: ["zone: is needed for night: this machine's own, Etc/Mars, is no IANA time zone"],
    });
  });

  test("a value of another kind is left to the schema", () => {
    for (const night of [5, null, "22:00-08:00", {}, { window: 2200 }]) {
      expect(read(night)).toEqual({ config: undefined, found: [] });
    }
  });
});
