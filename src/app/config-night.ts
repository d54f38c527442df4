import { type QuietHoursRefusal, readQuietHours } from "../core/quiet-hours.ts";
import { type Found, foundText } from "./config-issues.ts";
import type { Config } from "./config-values.ts";

type BadWindow = Exclude<QuietHoursRefusal, "zone-invalid">;

const sentences: Readonly<Record<BadWindow, string>> = {
  "window-invalid": "must be a window such as 22:00-08:00",
  "window-time-invalid": "must be two times from 00:00 to 23:59 (24:00 only as the end), such as 22:00-08:00",
  "window-empty": "must not start and end at the same time; for always write 00:00-24:00",
};

/**
 * Quiet hours are a window and a zone together: neither is judged without the other. What is wrong is added to `found`;
 * a wrong kind of value is left to the schema. `written` is the group `night`, `zone` the one in force and
 * `zoneWritten` whether it stands in the file.
 */
export function readNight(
  written: unknown,
  zone: string,
  zoneWritten: boolean,
  found: Found[],
): Config["night"] {
  if (typeof written !== "object" || written === null) return undefined;
  const { window, isolated, auto_default } = written as Readonly<Record<string, unknown>>;
  if (typeof window !== "string") return undefined;
  const read = readQuietHours(window, zone);
  if (read.ok) return { hours: read.hours, isolated: isolated === true, autoDefault: auto_default === true };
  if (read.reason !== "zone-invalid") {
    found.push({ path: ["night", "window"], message: `${sentences[read.reason]}${foundText(window)}` });
  } else if (!zoneWritten) {
    // One that stands in the file was told already.
    const message = `is needed for night: this machine's own, ${zone}, is no IANA time zone`;
    found.push({ path: ["zone"], message });
  }
  return undefined;
}
