import type { Instant } from "../domain/ids.ts";
import type { Role } from "../domain/person.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { ChannelHealth } from "../domain/store.ts";
import { oneLine } from "../domain/text.ts";
import { formAt, morningAfter, type NightRules } from "./night.ts";
import { questionWakeWords, wakeLines, wakeOf } from "./wake.ts";
import { shorten, standing, timeWords } from "./wording.ts";

/** Texts that list what is open; every line is short enough for a phone, and what is to be sent stands on a line of its own. */

const mostListed = 10;
/** UTF-16 units of a list; the smallest message that any channel takes is not much longer. */
const mostUnits = 3_000;

export type Mark = "/" | "!";

/** Where a list is read, and what the night makes of its questions. */
export type ListReader = {
  readonly mark: Mark;
  readonly now: Instant;
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
};

/** The exact text that answers now, whatever else is open: `Send: q-a3f2-012-1 1`. */
function sendWords({ question, zone }: StoredQuestion, { mark, now, night }: ListReader): string {
  const { id, options } = question;
  const form = formAt(question, night, now);
  if (form === "consent") return `Send: ${id} go, or ${mark}skip ${id}`;
  if (form === "held") {
    const morningAt = morningAfter(night, now);
    const until = morningAt === undefined ? "" : ` until ${timeWords(morningAt, zone, now)}`;
    return `Held${until}. Works now: ${mark}skip ${id}, ${mark}retry ${id}`;
  }
  const [first, ...others] = options.map(({ key }) => key);
  return `Send: ${id} ${first}${others.length === 0 ? "" : ` (or ${others.join(" / ")})`}`;
}

/**
 * As many entries as a message holds with room to spare, each whole: a text that is cut in the middle is no text to send.
 * The first one stands in any case.
 */
export function fitting<Each>(all: readonly Each[], entry: (each: Each) => string): readonly string[] {
  const kept: string[] = [];
  let units = 0;
  for (const each of all) {
    const text = entry(each);
    units += text.length + 1;
    if (kept.length > 0 && units > mostUnits) break;
    kept.push(text);
  }
  const rest = all.length - kept.length;
  return rest === 0 ? kept : [...kept, `… and ${rest} more: owlpost pending on the machine lists them all.`];
}

/** What is open, until when, and how each is answered. */
export function pendingText(open: readonly StoredQuestion[], reader: ListReader): string {
  if (open.length === 0) return "No question is open.";
  const lines = fitting(open, (stored) =>
    [
      `• ${shorten(oneLine(stored.question.title), 80)}`,
      `  ${standing(stored, reader.now)}. ${sendWords(stored, reader)}`,
    ].join("\n"),
  );
  return [open.length === 1 ? "1 question is open:" : `${open.length} questions are open:`, ...lines].join(
    "\n",
  );
}

export type StatusFacts = {
  readonly channels: readonly ChannelHealth[];
  /** Answered, and the loop has not come for it yet. */
  readonly waiting: number;
  /** Channels that can ring at all. */
  readonly ringing: readonly string[];
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
};

/** What is open, what waits for the loop, which channels work, and what may ring. */
export function statusText(
  open: readonly StoredQuestion[],
  { channels, waiting, ringing, night }: StatusFacts,
  mark: Mark,
  now: Instant,
): string {
  const wake = wakeOf({ rules: night, open, channels: ringing }, now);
  const lines = open.slice(0, mostListed).map((stored, index) => {
    const mine = wake.questions[index]?.wake ?? "stands";
    const words = `; ${questionWakeWords(mine, wake, stored.zone, now)}`;
    return `• ${stored.question.id}: ${shorten(oneLine(stored.question.title), 60)}, ${standing(stored, now)}${words}`;
  });
  const up = channels.filter((each) => each.up).map((each) => each.channel);
  const down = channels.filter((each) => !each.up);
  const zone = night?.hours.zone ?? open[0]?.zone ?? "UTC";
  return [
    open.length === 0 ? "No question is open." : `Open: ${open.length}`,
    ...lines,
    ...(open.length > mostListed ? [`… and ${open.length - mostListed} more: ${mark}pending`] : []),
    ...(waiting > 0 ? [`Answered and not picked up yet: ${waiting}`] : []),
    ...(up.length > 0 ? [`Up: ${up.join(", ")}`] : []),
    ...down.map((each) => `Down since ${timeWords(each.since, zone, now)}: ${each.channel}`),
    ...wakeLines(wake, zone, now),
  ].join("\n");
}

/** How to answer, as far as that role may. */
export function helpText(role: Role, mark: Mark): string {
  const look = [
    `${mark}status or ${mark}pending: what is open`,
    `${mark}unpair: owlpost forgets this account`,
  ];
  if (role === "viewer") return ["You may look, and not answer:", ...look].join("\n");
  return [
    "Tap a button, or reply to a question with one of these:",
    "1: choose option 1; so does its whole label",
    `${mark}answer and some words: answer in your own words`,
    `${mark}skip: skip the spec; the loop goes on with the rest`,
    `${mark}retry: run the task again without an answer`,
    `${mark}steer and some words: a note for the next iteration; the question stays open`,
    "Not in reply to it? Put its id first: q-a3f2-012-1 2",
    `${mark}override q-a3f2-012-1 2: change an answer that was not picked up yet`,
    ...look,
  ].join("\n");
}

/** For text that is no reply, in a private chat: nothing happened, and what would have been understood. */
export function unmatchedText(open: readonly StoredQuestion[], { mark, now, night }: ListReader): string {
  const only = open.length === 1 ? open[0] : undefined;
  const did = "Nothing was recorded: that is no answer I know.";
  if (!only || !isOpen(only.state)) return `${did} ${mark}help shows what is.`;
  const { id, options } = only.question;
  const form = formAt(only.question, night, now);
  const keys = options.map(({ key }) => key).join(" / ");
  const choice = form === "consent" ? "go" : form === "held" ? `${mark}retry` : keys;
  return `${did} For ${id} send ${choice} or ${mark}skip; for a note ${mark}steer and your words; ${mark}help shows the rest.`;
}
