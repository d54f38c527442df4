import type { ChannelId, Instant } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect } from "../domain/store.ts";
import { timeWords } from "./wording.ts";

export type Outage = { readonly from: Instant; readonly to: Instant };

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

/** The line that an open question gets once. It is true whether somebody tapped or not. */
export function awayLine({ from, to }: Outage, zone: string): string {
  return `🦉 I was away from ${timeWords(from, zone, to)} to ${timeWords(to, zone, to)} — if you tapped, tap again.`;
}

/** One edit for each copy that stood on the channel while nobody listened; a copy of a decided question needs none. */
export function touchUp(
  stored: StoredQuestion | undefined,
  copies: readonly Copy[],
  channel: ChannelId,
  outage: Outage,
): readonly Effect[] {
  if (!stored || !isOpen(stored.state)) return [];
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
