import type { ChannelId, Instant } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Outage } from "../domain/store.ts";
import { oneLine, shorten } from "../domain/text.ts";
import { notice } from "./notice.ts";
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
 * The copies that stood on the channel while nobody listened; none of a decided question, nor of one that nobody has answered
 * for a day.
 */
function stoodThere(
  stored: StoredQuestion,
  copies: readonly Copy[],
  channel: ChannelId,
  outage: Outage,
): readonly Copy[] {
  if (!mayStillBeAnswered(stored) || stored.deadlineAt < outage.from - lateMs) return [];
  return copies.filter((copy) => copy.channel === channel && copy.postedAt < outage.to);
}

/** One edit for each of them. */
export function touchUp(
  stored: StoredQuestion | undefined,
  copies: readonly Copy[],
  channel: ChannelId,
  outage: Outage,
): readonly Effect[] {
  if (!stored) return [];
  return stoodThere(stored, copies, channel, outage).map(({ destination, question }) => ({
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

/** A question with its copies. */
export type Shown = { readonly stored: StoredQuestion; readonly copies: readonly Copy[] };
export type AwayNotices = { readonly effects: readonly Effect[]; readonly questions: number };

/** Questions that are named in one notice. */
const mostNamed = 10;

/** Where messages cannot be edited: one notice for each destination, which names what waits there, and not one for each question. */
export function awayNotices(
  shown: readonly Shown[],
  channel: ChannelId,
  outage: Outage,
  zone: string,
): AwayNotices {
  const places = new Map<string, StoredQuestion[]>();
  const touched = new Set<StoredQuestion>();
  for (const { stored, copies } of shown) {
    for (const { destination } of stoodThere(stored, copies, channel, outage)) {
      const there = places.get(destination) ?? [];
      if (!there.includes(stored)) places.set(destination, [...there, stored]);
      touched.add(stored);
    }
  }
  const from = timeWords(outage.from, zone, outage.to);
  const to = timeWords(outage.to, zone, outage.to);
  const words = `From ${from} to ${to} nobody listened here — if you tapped or wrote, do so again:`;
  return {
    questions: touched.size,
    effects: [...places].flatMap(([destination, there]) =>
      notice("away", [words, ...named(there)].join("\n"), [{ channel, destination }]),
    ),
  };
}

function named(questions: readonly StoredQuestion[]): readonly string[] {
  const lines = questions
    .slice(0, mostNamed)
    .map(({ question: { id, title } }) => `[${id}] ${shorten(oneLine(title), 80)}`);
  const more = questions.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}
