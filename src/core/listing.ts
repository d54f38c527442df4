import type { Instant, RunId } from "../domain/ids.ts";
import type { Role } from "../domain/person.ts";
import { isOpen, type StoredQuestion, titleLine } from "../domain/question.ts";
import type { ChannelHealth } from "../domain/store.ts";
import { formAt, morningAfter, type NightRules } from "./night.ts";
import { questionWakeWords, wakeLines, wakeOf } from "./wake.ts";
import { keyChoice, shorten, standing, timeWords } from "./wording.ts";

/** Texts that list what is open; every line is short enough for a phone, and what is to be sent stands on a line of its own. */

const mostListed = 10;
/** UTF-16 units of a list; the smallest message that any channel takes is not much longer. */
const mostUnits = 3_000;

export type Mark = "/" | "!";

/** Where a list is read, and what the night makes of its questions. */
export type ListReader = {
  readonly role: Role;
  readonly mark: Mark;
  readonly now: Instant;
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
  /** A reply belongs to its question by the id in it, and a verb without one is heard only where the bot is mentioned. */
  readonly byId?: true;
  /** Read in a group, where only what mentions the bot is heard outside of a question's own thread. */
  readonly inGroup?: true;
};

/** What stands before a text that is to be sent, where it is said to nobody without it. */
export const withMention = ", with a mention of me";

/** The exact text that answers now, whatever else is open: `Send: q-a3f2-012-1 1`. */
function sendWords({ question, zone }: StoredQuestion, { mark, now, night, inGroup }: ListReader): string {
  const how = inGroup ? withMention : "";
  const { id, options } = question;
  const form = formAt(question, night, now);
  if (form === "consent") return `Send${how}: ${id} go, or ${mark}skip ${id}`;
  if (form === "held") {
    const morningAt = morningAfter(night, now);
    const until = morningAt === undefined ? "" : ` until ${timeWords(morningAt, zone, now)}`;
    return `Held${until}. Works now${how}: ${mark}skip ${id}, ${mark}retry ${id}`;
  }
  return `Send${how}: ${id} ${keyChoice(options.map(({ key }) => key))}`;
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

/** What is open for them, until when, and how each is answered; who may only look gets no line to send. */
export function pendingText(open: readonly StoredQuestion[], reader: ListReader): string {
  if (open.length === 0) return nothingOpen(reader.role);
  const lines = fitting(open, (stored) =>
    [
      `• ${shorten(titleLine(stored.question), 80)}`,
      reader.role === "viewer"
        ? `${stored.question.id}, ${standing(stored, reader.now)}`
        : `${standing(stored, reader.now)}. ${sendWords(stored, reader)}`,
    ].join("\n"),
  );
  return [open.length === 1 ? "1 question is open:" : `${open.length} questions are open:`, ...lines].join(
    "\n",
  );
}

/** A member sees what they may answer; others may have questions of their own. */
function nothingOpen(role: Role): string {
  return role === "viewer" ? "No question is open." : "No question waits for you.";
}

export type StatusFacts = {
  readonly channels: readonly ChannelHealth[];
  /** Answered, and the loop has not come for it yet. */
  readonly waiting: number;
  /** IANA, of the times that are told. */
  readonly zone: string;
  /** Runs that are to stop, and whose loop has not confirmed it yet. */
  readonly stopping?: readonly RunId[];
  /** Channels that can ring at all. */
  readonly ringing: readonly string[];
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
};

/** What is open, what waits for the loop, which channels work, and what may ring. */
export function statusText(
  open: readonly StoredQuestion[],
  { channels, waiting, zone, stopping = [], ringing, night }: StatusFacts,
  role: Role,
  mark: Mark,
  now: Instant,
): string {
  const wake = wakeOf({ rules: night, open, channels: ringing }, now);
  const lines = open.slice(0, mostListed).map((stored, index) => {
    const mine = wake.questions[index]?.wake ?? "stands";
    const words = `; ${questionWakeWords(mine, wake, stored.zone, now)}`;
    return `• ${stored.question.id}: ${shorten(titleLine(stored.question), 60)} — ${standing(stored, now)}${words}`;
  });
  const up = channels.filter((each) => each.up).map((each) => each.channel);
  const down = channels.filter((each) => !each.up);
  return [
    open.length === 0 ? nothingOpen(role) : `Open: ${open.length}`,
    ...lines,
    ...(open.length > mostListed ? [`… and ${open.length - mostListed} more: ${mark}pending`] : []),
    ...(waiting > 0 ? [`Answered and not picked up yet: ${waiting}`] : []),
    ...(stopping.length > 0
      ? [`To stop, and the loop has not confirmed it yet: ${stopping.join(", ")}`]
      : []),
    ...(up.length > 0 ? [`Up: ${up.join(", ")}`] : []),
    ...down.map((each) => `Down since ${timeWords(each.since, zone, now)}: ${each.channel}`),
    ...wakeLines(wake, zone, now),
  ].join("\n");
}

/** How to answer, as far as that role may. */
export function helpText(role: Role, mark: Mark, byId = false): string {
  if (byId) return helpById(role, mark);
  const look = [
    `${mark}pending — what is open; ${mark}status — that, and which channels work`,
    `${mark}unpair — owlpost forgets this account`,
  ];
  if (role === "viewer") {
    return ["Here you may look; answering is for owners and members.", ...look].join("\n");
  }
  return [
    "Tap a button, or reply to a question with one of these:",
    ...replyForms(mark),
    `Several open, and no reply to one of them? Name it: q-a3f2-012-1 2, or ${mark}skip q-a3f2-012-1`,
    `${mark}override q-a3f2-012-1 2 — change an answer that was not picked up yet`,
    ...(role === "owner" ? [`${mark}abort a3f2 — stop that run and cancel its open questions`] : []),
    ...look,
  ].join("\n");
}

/** What may be said in reply to a question, where it needs no id. */
export function replyForms(mark: Mark): readonly string[] {
  return [
    "1 — option 1; its whole label does it too",
    "go — in quiet hours: go ahead with what is recommended",
    `${mark}answer … — your own words instead of an option`,
    `${mark}skip — skip the spec; the loop goes on with the rest`,
    `${mark}retry — run the task again, without an answer`,
    `${mark}steer … — a note for the next iteration; the question stays open`,
  ];
}

function helpById(role: Role, mark: Mark): string {
  const id = "q-a3f2-012-1";
  const look = "Mention me with: pending — what is open; status — that, and which channels work; unpair";
  if (role === "viewer") return ["Here you may look; answering is for owners and members.", look].join("\n");
  return [
    "Name the question, in one line:",
    `${id} 2 — option 2; its whole label does it too`,
    `${id} go — in quiet hours: go ahead with what is recommended`,
    `${mark}answer ${id} … — your own words instead of an option`,
    `${mark}skip ${id} — skip the spec; the loop goes on with the rest`,
    `${mark}retry ${id} — run the task again, without an answer`,
    `${mark}steer ${id} … — a note for the next iteration; the question stays open`,
    `${mark}override ${id} 2 — change an answer that was not picked up yet`,
    "Or quote the question and write below it, without the id: 2, or a verb",
    look,
    ...(role === "owner" ? ["And: abort a3f2 — stop that run and cancel its open questions"] : []),
  ].join("\n");
}

/** For text that is no reply, in a private chat: nothing happened, and what would have been understood. */
export function unmatchedText(
  open: readonly StoredQuestion[],
  { role, mark, now, night, byId, inGroup }: ListReader,
): string {
  const only = open.length === 1 ? open[0] : undefined;
  const did = "Nothing was recorded: I could not tell what that answers.";
  const help = byId ? "A mention of me with “help” shows" : `${mark}help shows`;
  if (role === "viewer") return `I did not understand that. ${help} what I do.`;
  if (!only || !isOpen(only.state)) return `${did} ${help} how to say it.`;
  const { id, options } = only.question;
  const form = formAt(only.question, night, now);
  const keys = options.map(({ key }) => key).join(" / ");
  const choice = form === "consent" ? "go" : form === "held" ? `${mark}retry` : keys;
  if (byId) {
    const first =
      form === "consent"
        ? `${id} go`
        : form === "held"
          ? `${mark}retry ${id}`
          : `${id} ${keyChoice(options.map(({ key }) => key))}`;
    const own = form === undefined ? `; in your own words: ${mark}answer ${id} …` : "";
    return `${did} Send: ${first}, or ${mark}skip ${id}${own}; as a note: ${mark}steer ${id} …. ${help} the rest.`;
  }
  const words = form === undefined ? ` in your own words: ${mark}answer …;` : "";
  return `${did} For ${id} send${inGroup ? `${withMention},` : ""} ${choice} or ${mark}skip;${words} as a note: ${mark}steer …; ${mark}help shows the rest.`;
}
