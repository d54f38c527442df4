import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

/** Minutes west of Greenwich in January and in July. */
const offsets: Readonly<Record<string, readonly [january: number, july: number]>> = {
  UTC: [0, 0],
  "America/St_Johns": [210, 150],
  "Pacific/Auckland": [-780, -720],
};

it("field 58: the machine's time zone is one of three, and really is in force here and in child processes", () => {
  const zone = process.env.TZ ?? "none";
  expect(Object.keys(offsets)).toContain(zone);
  expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
  expect([new Date(2026, 0, 15).getTimezoneOffset(), new Date(2026, 6, 15).getTimezoneOffset()]).toEqual(
    offsets[zone],
  );
  const child = execFileSync(process.execPath, ["-p", "new Date(2026, 0, 15).getTimezoneOffset()"]);
  expect(Number(child.toString())).toBe(offsets[zone]?.[0]);
});
