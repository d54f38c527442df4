import { DateTime, IANAZone } from "luxon";
import type { Instant } from "../domain/ids.ts";
import { zoneLinks } from "./zone-links.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** 9999-12-31T23:59:59.999Z: the last instant that ISO 8601 writes with a year of four digits. */
const lastInstant: Instant = 253_402_300_799_999;

export type DeadlineRule = "deadline-missing" | "deadline-invalid" | "deadline-past" | "deadline-too-soon";
export type Deadline =
  | { readonly ok: true; readonly deadlineAt: Instant }
  | { readonly ok: false; readonly rule: DeadlineRule };

const durationPattern = /^(?:([0-9]{1,9})([mhd])|PT([0-9]{1,9})([MH]))$/;

/** `<n>m`, `<n>h`, `<n>d`, `PT<n>M`, `PT<n>H` in milliseconds; undefined for anything else. A day is 24 hours. */
export function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  if (!match) return undefined;
  const unit = (match[2] ?? match[4] ?? "").toLowerCase();
  const ms = Number(match[1] ?? match[3]) * (unit === "m" ? minuteMs : unit === "h" ? hourMs : dayMs);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

const zones = new Map<string, IANAZone | undefined>();

/** The zone of that exact IANA name: no other case, no offset, no abbreviation that only some engines know. */
function zoneOf(name: string): IANAZone | undefined {
  if (zones.has(name)) return zones.get(name);
  const zone = isExactName(name) ? IANAZone.create(name) : undefined;
  // Names come from people's configurations: few, but never unbounded.
  if (zones.size >= 256) zones.clear();
  zones.set(name, zone);
  return zone;
}

function isExactName(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]{1,63}$/.test(name) || name.startsWith("SystemV/")) return false;
  if (zoneLinks.has(name)) return IANAZone.isValidZone(name);
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone === name;
  } catch {
    return false;
  }
}

/** Is it an exact IANA name, such as `Europe/Berlin`? */
export function isZone(zone: string): boolean {
  return zoneOf(zone) !== undefined;
}

/** Local time minus UTC at that instant, in milliseconds. Throws RangeError for what is no zone or no instant: both are faults. */
export function offsetMs(zone: string, at: Instant): number {
  const known = zoneOf(zone);
  if (!known) throw new RangeError(`not an IANA time zone: ${JSON.stringify(zone.slice(0, 64))}`);
  const slot = Math.floor(at / slotMs);
  const slots = slotsOf(zone);
  const seen = slots.get(slot);
  if (seen) {
    seen.steadyMs ??= steadyOffsetMs(known, slot);
    return seen.steadyMs === "changes" ? zoneOffsetMs(known, at) : seen.steadyMs;
  }
  const found = zoneOffsetMs(known, at);
  if (slots.size >= mostKept) slots.clear();
  slots.set(slot, { steadyMs: undefined });
  return found;
}

/** No clock is changed there and back within this time: where both ends have one offset, so has all between them. */
const slotMs = 6 * hourMs;

/**
 * Asking Intl costs more than all the rest of a judgement, and most are about now or about the same few deadlines: where a
 * zone is asked about the same quarter of a day again, its offset is kept. A first question about another one costs
 * nothing extra.
 */
type Slot = { steadyMs: number | "changes" | undefined };
const mostKept = 256;
const kept = new Map<string, Map<number, Slot>>();

function slotsOf(zone: string): Map<number, Slot> {
  let slots = kept.get(zone);
  if (!slots) {
    if (kept.size >= mostKept) kept.clear();
    slots = new Map();
    kept.set(zone, slots);
  }
  return slots;
}

function steadyOffsetMs(zone: IANAZone, slot: number): number | "changes" {
  const first = zoneOffsetMs(zone, slot * slotMs);
  return first === zoneOffsetMs(zone, (slot + 1) * slotMs) ? first : "changes";
}

function zoneOffsetMs(zone: IANAZone, at: Instant): number {
  const minutes = zone.offset(at);
  if (Number.isNaN(minutes)) throw new RangeError(`not an instant: ${at}`);
  return Math.round(minutes * minuteMs);
}

/** How the clocks of a zone run around a wall-clock time: where they would show it under the offset of before and of after. */
type Around = { readonly oldAt: Instant; readonly newAt: Instant; readonly changeAt: Instant | undefined };

function around(wallMs: number, zone: string): Around {
  let [low, high] = [wallMs - dayMs, wallMs + dayMs];
  const before = offsetMs(zone, low);
  const after = offsetMs(zone, high);
  if (before === after) return { oldAt: wallMs - before, newAt: wallMs - before, changeAt: undefined };
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(zone, middle) === before) low = middle;
    else high = middle;
  }
  return { oldAt: wallMs - before, newAt: wallMs - after, changeAt: high };
}

/**
 * The instant at which the clocks of `zone` show `wallMs` (a wall-clock time written as if it were UTC): the first one
 * where it occurs twice, and the first instant after the gap where it is skipped.
 */
export function firstInstantOf(wallMs: number, zone: string): Instant {
  const { oldAt, newAt, changeAt } = around(wallMs, zone);
  if (changeAt === undefined || oldAt < changeAt) return oldAt;
  return Math.max(changeAt, newAt);
}

/**
 * The instant from which on the clocks of `zone` show `wallMs` or later for good: where it occurs twice, the second one
 * (unless the clocks go back to just that time), and the first instant after the gap where it is skipped.
 */
export function lastInstantOf(wallMs: number, zone: string): Instant {
  const { oldAt, newAt, changeAt } = around(wallMs, zone);
  if (changeAt === undefined) return oldAt;
  return newAt > changeAt ? newAt : Math.min(changeAt, oldAt);
}

/** The instant within a day of `wallMs` at which the clocks of `zone` are changed; undefined where they are not. */
export function clockChangeNear(wallMs: number, zone: string): Instant | undefined {
  return around(wallMs, zone).changeAt;
}

function nextWallClock(hour: number, minute: number, earliestAt: Instant, zone: string): Instant {
  const localDayMs = Math.floor((earliestAt + offsetMs(zone, earliestAt)) / dayMs) * dayMs;
  const timeMs = hour * hourMs + minute * minuteMs;
  // From the day before: where clocks go back over midnight, that day is not over yet.
  for (let day = -1; ; day += 1) {
    const at = firstInstantOf(localDayMs + day * dayMs + timeMs, zone);
    if (at >= earliestAt) return at;
  }
}

const wallClockPattern = /^([01][0-9]|2[0-3]):([0-5][0-9])$/;
const isoPattern =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3])(?::[0-5][0-9])?)$/;

/** A deadline that was found for an ask at `fromAt` is right for every ask from then until `min_lead` before it. */
type Memo = { readonly fromAt: Instant; readonly deadlineAt: Instant };
const memos = new Map<string, Memo>();

/**
 * What `default.at` means for a question asked at `askedAt`: `HH:MM` in `zone` (the next one that is at least
 * `minLeadMs` away), a duration from the ask, or an instant in extended ISO 8601 with an offset.
 */
export function resolveDeadline(at: string, askedAt: Instant, zone: string, minLeadMs: number): Deadline {
  if (at.trim() === "") return { ok: false, rule: "deadline-missing" };

  const wallClock = wallClockPattern.exec(at);
  if (wallClock) {
    const key = `${at} ${minLeadMs} ${zone}`;
    const memo = memos.get(key);
    if (memo && memo.fromAt <= askedAt && askedAt <= memo.deadlineAt - minLeadMs)
      return { ok: true, deadlineAt: memo.deadlineAt };
    const earliestAt = askedAt + minLeadMs;
    const deadlineAt = nextWallClock(Number(wallClock[1]), Number(wallClock[2]), earliestAt, zone);
    if (memos.size >= 256) memos.clear();
    memos.set(key, { fromAt: askedAt, deadlineAt });
    return { ok: true, deadlineAt };
  }

  const durationMs = parseDuration(at);
  if (durationMs !== undefined) {
    if (durationMs < minLeadMs || durationMs === 0) return { ok: false, rule: "deadline-too-soon" };
    const deadlineAt = askedAt + durationMs;
    return deadlineAt > lastInstant ? { ok: false, rule: "deadline-invalid" } : { ok: true, deadlineAt };
  }

  if (!isoPattern.test(at)) return { ok: false, rule: "deadline-invalid" };
  const deadlineAt = DateTime.fromISO(at, { zone: "utc" }).toMillis();
  if (Number.isNaN(deadlineAt) || deadlineAt > lastInstant) return { ok: false, rule: "deadline-invalid" };
  if (deadlineAt < askedAt) return { ok: false, rule: "deadline-past" };
  if (deadlineAt === askedAt || deadlineAt < askedAt + minLeadMs)
    return { ok: false, rule: "deadline-too-soon" };
  return { ok: true, deadlineAt };
}

/** The clock on the wall of that zone: `02:14`. */
export function localClock(at: Instant, zone: string): string {
  return clock(at + offsetMs(zone, at));
}

const weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"] as const;

/** `02:14` on the local day of `now`, `Tue 02:14` within six days of it, else `2026-07-07 02:14`. */
export function localDay(at: Instant, zone: string, now: Instant): string {
  const wallMs = at + offsetMs(zone, at);
  const day = Math.floor(wallMs / dayMs);
  const distance = Math.abs(day - Math.floor((now + offsetMs(zone, now)) / dayMs));
  if (distance === 0) return clock(wallMs);
  // 1970-01-01 was a Thursday.
  if (distance <= 6) return `${weekdays[((day % 7) + 7) % 7]} ${clock(wallMs)}`;
  return `${DateTime.fromMillis(wallMs, { zone: "utc" }).toFormat("yyyy-MM-dd")} ${clock(wallMs)}`;
}

/** `Tue 2026-07-07`, the local day. */
export function localDate(at: Instant, zone: string): string {
  const wallMs = at + offsetMs(zone, at);
  return `${localWeekday(at, zone)} ${DateTime.fromMillis(wallMs, { zone: "utc" }).toFormat("yyyy-MM-dd")}`;
}

/** `Tue`, the local day of the week. */
export function localWeekday(at: Instant, zone: string): string {
  const day = Math.floor((at + offsetMs(zone, at)) / dayMs);
  return weekdays[((day % 7) + 7) % 7] ?? "";
}

/** ISO 8601 in UTC, with milliseconds. Throws RangeError for what is no instant: a fault. */
export function isoTime(at: Instant): string {
  const text = DateTime.fromMillis(at, { zone: "utc" }).toISO();
  if (text === null) throw new RangeError(`not an instant: ${at}`);
  return text;
}

/** `HH:MM`, the last such time on the wall of `zone` before `now`; a duration before it; or an instant with an offset, from 1970 on. Undefined for anything else. */
export function resolveSince(text: string, now: Instant, zone: string): Instant | undefined {
  const wallClock = wallClockPattern.exec(text);
  if (wallClock) {
    const timeMs = Number(wallClock[1]) * hourMs + Number(wallClock[2]) * minuteMs;
    const localDayMs = Math.floor((now + offsetMs(zone, now)) / dayMs) * dayMs;
    for (let day = 1; ; day -= 1) {
      const at = firstInstantOf(localDayMs + day * dayMs + timeMs, zone);
      if (at < now) return at;
    }
  }
  const durationMs = parseDuration(text);
  if (durationMs !== undefined) return durationMs > 0 && durationMs <= now ? now - durationMs : undefined;
  if (!isoPattern.test(text)) return undefined;
  const at = DateTime.fromISO(text, { zone: "utc" }).toMillis();
  return Number.isNaN(at) || at < 0 || at >= now ? undefined : at;
}

/** The instants of a span at which the clocks of `zone` show a whole hour that `everyHours` divides; a time that occurs twice is there twice. */
export function wallHours(
  fromAt: Instant,
  toAt: Instant,
  zone: string,
  everyHours: number,
): readonly Instant[] {
  const found = new Set<Instant>();
  const firstMs = Math.floor((fromAt + offsetMs(zone, fromAt)) / dayMs) * dayMs - dayMs;
  const lastMs = toAt + offsetMs(zone, toAt) + dayMs;
  for (let wallMs = firstMs; wallMs <= lastMs; wallMs += everyHours * hourMs) {
    // Where the clocks go back to just that time, they show it anew at the change.
    for (const at of [
      firstInstantOf(wallMs, zone),
      lastInstantOf(wallMs, zone),
      clockChangeNear(wallMs, zone),
    ]) {
      if (at === undefined || at < fromAt || at > toAt) continue;
      // A gap may have swallowed it: what comes after the gap is another time.
      if ((at + offsetMs(zone, at)) % (everyHours * hourMs) === 0) found.add(at);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function clock(wallMs: number): string {
  const minutes = Math.floor((((wallMs % dayMs) + dayMs) % dayMs) / minuteMs);
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
