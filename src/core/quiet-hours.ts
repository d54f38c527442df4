import type { Instant } from "../domain/ids.ts";
import { clockChangeNear, firstInstantOf, isZone, lastInstantOf, offsetMs } from "./time.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The night window of a zone: two times on the wall, evaluated anew for every instant, never a stored offset. */
export type QuietHours = {
  /** As it was written: `22:00-08:00`. */
  readonly window: string;
  /** Exact IANA name. */
  readonly zone: string;
  /** Since midnight on the wall; inside. */
  readonly startMs: number;
  /** Since midnight on the wall, up to 24 hours; outside. Less than `startMs` where the window crosses midnight. */
  readonly endMs: number;
};

export type QuietHoursRefusal =
  /** Not two times with a dash between them. */
  | "window-invalid"
  /** There is no such time, or 24:00 stands for a start. */
  | "window-time-invalid"
  /** Starts and ends at the same time: nobody knows whether never or always is meant. */
  | "window-empty"
  /** Not an exact IANA name. */
  | "zone-invalid";

export type ReadQuietHours =
  | { readonly ok: true; readonly hours: QuietHours }
  | { readonly ok: false; readonly reason: QuietHoursRefusal };

/** One night as a person counts it. Both are undefined for `00:00-24:00`, which neither begins nor ends. */
export type Night = {
  /** The first instant of it. */
  readonly startAt: Instant | undefined;
  /** The first instant after it: morning. */
  readonly endAt: Instant | undefined;
};

/** Reads `night.window` for a zone. What is not exactly right is refused: a mistaken window must not mean "no limits". */
export function readQuietHours(window: string, zone: string): ReadQuietHours {
  const times = /^([0-9]{2}:[0-9]{2})-([0-9]{2}:[0-9]{2})$/.exec(window);
  if (!times) return { ok: false, reason: "window-invalid" };
  const startMs = timeMs(times[1] ?? "");
  const endMs = timeMs(times[2] ?? "");
  if (startMs === undefined || endMs === undefined || startMs === dayMs) {
    return { ok: false, reason: "window-time-invalid" };
  }
  if (startMs === endMs) return { ok: false, reason: "window-empty" };
  if (!isZone(zone)) return { ok: false, reason: "zone-invalid" };
  return { ok: true, hours: { window, zone, startMs, endMs } };
}

/** Milliseconds since midnight, 24:00 included; undefined where no clock shows that. */
function timeMs(text: string): number | undefined {
  const [hour = 99, minute = 99] = text.split(":").map(Number);
  if (minute > 59 || hour > 24 || (hour === 24 && minute > 0)) return undefined;
  return (hour * 60 + minute) * minuteMs;
}

/** Is it always night? */
export function isAlwaysNight({ startMs, endMs }: QuietHours): boolean {
  return startMs === 0 && endMs === dayMs;
}

/** Is that instant night: does the clock on the wall show a time inside the window? */
export function isNight(hours: QuietHours, at: Instant): boolean {
  const { zone, startMs, endMs } = hours;
  if (isAlwaysNight(hours)) return true;
  const wallMs = wallOf(zone, at);
  const time = wallMs - Math.floor(wallMs / dayMs) * dayMs;
  return startMs < endMs ? time >= startMs && time < endMs : time >= startMs || time < endMs;
}

/**
 * The night that holds `at`; undefined where it is not night.
 *
 * A night runs from one start on the wall to the next end on the wall. Where clocks are set back over either, the window
 * is left and entered again, and both parts are one night: it starts with the first and ends with the last, so that one
 * sleep has one morning. (In the pause between them `isNight` is false, for the wall says so.) Where a gap swallows the
 * whole day between two nights, the two are one.
 */
export function nightOf(hours: QuietHours, at: Instant): Night | undefined {
  if (!isNight(hours, at)) return undefined;
  if (isAlwaysNight(hours)) return { startAt: undefined, endAt: undefined };
  const { zone, startMs, endMs } = hours;
  let startAt = at + 1;
  do {
    startAt = firstInstantOf(timeBefore(wallOf(zone, startAt - 1), startMs), zone);
  } while (isNight(hours, startAt - 1));
  let endAt = at;
  do {
    endAt = lastInstantOf(timeBefore(wallOf(zone, endAt), endMs) + dayMs, zone);
  } while (isNight(hours, endAt));
  return { startAt, endAt };
}

/**
 * The first instant after `at` at which day turns into night; undefined for `00:00-24:00`. Where clocks are set back over
 * the window, a night that is entered again counts, too: from then on nothing may ring again.
 */
export function nextStartAt(hours: QuietHours, at: Instant): Instant | undefined {
  if (isAlwaysNight(hours)) return undefined;
  const { zone, startMs } = hours;
  const first = timeBefore(wallOf(zone, at), startMs) - dayMs;
  const found: Instant[] = [];
  for (let wallMs = first, more = 2; more > 0; wallMs += dayMs) {
    const turns = [firstInstantOf(wallMs, zone), lastInstantOf(wallMs, zone), clockChangeNear(wallMs, zone)];
    for (const turn of turns) {
      if (turn !== undefined && turn > at && isNight(hours, turn) && !isNight(hours, turn - 1))
        found.push(turn);
    }
    // A change of the clocks that belongs to the next day may still come first.
    if (found.length > 0) more -= 1;
  }
  return Math.min(...found);
}

function wallOf(zone: string, at: Instant): number {
  return at + offsetMs(zone, at);
}

/** The last wall-clock time up to `wallMs` at which it is that long after midnight. */
function timeBefore(wallMs: number, sinceMidnightMs: number): number {
  return Math.floor((wallMs - sinceMidnightMs) / dayMs) * dayMs + sinceMidnightMs;
}
