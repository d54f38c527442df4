import type { ChannelId, Instant } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Outage } from "../domain/store.ts";
import { timeWords } from "./wording.ts";

/** Polls come back at least this often, so a shorter silence is none, however briefly a platform keeps presses. */
const ordinarySilenceMs = 90_000;

/** Was nothing received for so long that the platform has dropped presses? `unlimited`: it drops none. */
export function outageOf(
  lastReceiveAt: Instant | undefined,
  now: Instant,
  pressMs: number | "unlimited",
): Outage | undefined {
  if (lastReceiveAt === undefined || pressMs === "unlimited") return undefined;
  const longest = Math.max(pressMs, ordinarySilenceMs);
  return now - lastReceiveAt > longest ? { from: lastReceiveAt, to: now } : undefined;
}

/** The line that a question gets which may still be answered. It is true whether somebody tapped or not. */
export function awayLine({ from, to }: Outage, zone: string, now: Instant = to): string {
  return `🦉 I was away from ${timeWords(from, zone, now)} to ${timeWords(to, zone, now)} — if you tapped, tap again.`;
}

/** Is it open, or expired with a default that was not taken yet? */
export function mayStillBeAnswered({ state }: StoredQuestion): boolean {
  return isOpen(state) || state === "expired";
}

/** A deadline that came longer ago than this before an outage: whoever wanted to answer after it has done so. */
const lateMs = 24 * 3_600_000;

/**
 * One edit for each copy that stood on the channel while nobody listened; a copy of a decided question needs none, nor
 * does one that nobody has answered for a day.
 */
export function touchUp(
  stored: StoredQuestion | undefined,
  copies: readonly Copy[],
  channel: ChannelId,
  outage: Outage,
): readonly Effect[] {
  if (!stored || !mayStillBeAnswered(stored) || stored.deadlineAt < outage.from - lateMs) return [];
  return copies
    .filter((copy) => copy.channel === channel && copy.postedAt < outage.to)
    .map(({ destination, question }) => ({
      type: "send",
      job: {
        channel,
        destination,
        kind: "edit",
        question,
        notice: { kind: "away", text: awayLine(outage, stored.zone) },
      },
    }));
}
