import { isZone } from "../core/time.ts";
import { zoneLinks } from "../core/zone-links.ts";
import { nearestKey } from "./nearest-key.ts";

/** What is wrong with a zone's name, with the name that was probably meant; undefined for an exact IANA name. */
export function zoneProblem(name: string): string | undefined {
  if (isZone(name)) return undefined;
  const near = nearestZone(name);
  const meant = near === undefined ? "such as Europe/Berlin" : `did you mean ${near}?`;
  return `is no IANA time zone, exactly as its name is written: ${meant}`;
}

/** `berlin`, `new york` and `Europe/Berln` all mean a zone. */
function nearestZone(typed: string): string | undefined {
  const names = zoneNames();
  const word = typed.trim().replaceAll(/\s+/g, "_").toLowerCase();
  if (word === "") return undefined;
  const whole = names.find((name) => name.toLowerCase() === word);
  const places = new Map(names.map((name) => [name.slice(name.lastIndexOf("/") + 1), name]));
  const place = [...places.keys()].find((each) => each.toLowerCase() === word);
  if (whole ?? place) return whole ?? places.get(place as string);
  if (word.includes("/")) return nearestKey(word, names);
  const near = nearestKey(word, places.keys());
  return near === undefined ? undefined : places.get(near);
}

/** The engine's own names first: it may know one of them by its older name alone. */
function zoneNames(): readonly string[] {
  const names = new Set([...Intl.supportedValuesOf("timeZone"), ...zoneLinks, "UTC"]);
  return [...names].filter(isZone);
}
