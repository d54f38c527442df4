import type { Ack } from "../domain/command.ts";
import { type Instant, type QuestionId, questionId } from "../domain/ids.ts";
import { type Effect, longestGatherMs, type SenderCounter, type TurnSnapshot } from "../domain/store.ts";
import type { Heard } from "./heard.ts";
import { isLetter } from "./letter-words.ts";

const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
/** Refusals of one sender within a minute that get a receipt of their own. */
const mostRefusals = 6;

export type ReceiptSettings = {
  readonly now: Instant;
  /** What the reply was about. */
  readonly question?: QuestionId;
  /** What is known of their message stays as it is. */
  readonly keepEarlier?: true;
};

/**
 * The one message that answers a typed reply, and what must be remembered of it. What has a toast needs none. Beyond
 * six refusals in a minute the rest of that minute is gathered into one message that names each.
 */
export function receiptFor(
  snapshot: TurnSnapshot,
  heard: Heard,
  ack: Ack,
  settings: ReceiptSettings,
): readonly Effect[] {
  const { now } = settings;
  const pressed = heard.said.press !== undefined;
  if ((pressed && heard.buttonsOnly === undefined) || heard.toast || ack.text === "") return [];
  if (isLetter(heard.said)) return letterReceipt(snapshot, heard, ack, settings);
  if (heard.said.token === null && !heard.speaker) return hintOnce(snapshot, heard, ack, now);
  if (!ack.accepted && ack.reason === "unmatched") return helpOnce(snapshot, heard, ack, now);
  if (pressed && ack.accepted) return isShown(snapshot, heard, ack) ? [] : sent(heard, ack.text);
  const kept = settings.keepEarlier ? [] : remember(heard, ack, settings.question);
  if (ack.accepted) return [...kept, ...sent(heard, ack.text)];
  const before = counted(snapshot, "refusals", now, longestGatherMs);
  const counter = { ...before, channel: heard.channel, sender: heard.sender, value: before.value + 1 };
  const count: Effect = { type: "count", counter };
  if (counter.value <= mostRefusals) return [...kept, count, ...refusal(heard, ack)];
  const { channel, sender, destination, message, said } = heard;
  if (destination === undefined) return [...kept, count];
  const text = `“${shown(said.text)}”: ${ack.text.split("\n", 1)[0]}`;
  const line = {
    channel,
    sender,
    destination,
    ...(message === undefined ? {} : { replyTo: message }),
    text,
    dueAt: before.sinceAt + longestGatherMs,
  };
  return [...kept, count, { type: "gather", line }];
}

/** One line of help a minute: text that is no reply must not make a conversation. */
function helpOnce(snapshot: TurnSnapshot, heard: Heard, ack: Ack, now: Instant): readonly Effect[] {
  const before = counted(snapshot, "help", now, minuteMs);
  if (before.value > 0) return [];
  const { channel, sender } = heard;
  return [{ type: "count", counter: { ...before, channel, sender, value: 1 } }, ...sent(heard, ack.text)];
}

/**
 * On a channel that knows nobody anybody may have said it, again and again: one hint a minute, and it is no receipt of one's
 * own reply.
 */
function hintOnce(snapshot: TurnSnapshot, heard: Heard, ack: Ack, now: Instant): readonly Effect[] {
  return helpOnce(snapshot, heard, ack, now).map((effect) =>
    effect.type === "send" && effect.job.notice
      ? { ...effect, job: { ...effect.job, notice: { ...effect.job.notice, kind: "hint" } } }
      : effect,
  );
}

/** What a press has changed, or what was so already, stands in the message of its question, unless nobody knows of one there. */
function isShown({ copies }: TurnSnapshot, { channel, destination, said }: Heard, ack: Ack): boolean {
  if (ack.accepted && ack.state === "told") return true;
  const id = said.press?.question;
  return [...copies].some(
    ([question, known]) =>
      question === id && known.some((copy) => copy.channel === channel && copy.destination === destination),
  );
}

/** A press that was refused for the night comes back with the buttons that count now. */
function refusal(heard: Heard, ack: Ack): readonly Effect[] {
  const question = questionId(heard.said.press?.question ?? "");
  const offers = !ack.accepted && ack.reason === "needs-confirmation" && heard.buttonsOnly !== undefined;
  return question && offers ? offered(heard, question, "offer", ack.text) : sent(heard, ack.text);
}

/** A receipt with buttons: `offer`, those of the question as it stands, or `more`, those of the part that is named. */
export function offered(
  { channel, destination }: Heard,
  question: QuestionId,
  kind: "offer" | "more",
  text: string,
): readonly Effect[] {
  if (destination === undefined) return [];
  return [{ type: "send", job: { channel, destination, kind: "receipt", question, notice: { kind, text } } }];
}

/**
 * Whoever is not known hears nothing, but for one line a day to somebody of the same team: only a toast shows it. Nothing
 * tells whether a code was right.
 */
export function strangerLine(
  snapshot: TurnSnapshot,
  { speaker, colleague, channel, sender }: Heard,
  ack: Ack,
  now: Instant,
): { readonly value: Ack; readonly effects: readonly Effect[] } {
  if (speaker || !colleague || ack.accepted || ack.reason !== "unknown-sender" || ack.text !== "") {
    return { value: ack, effects: [] };
  }
  const before = counted(snapshot, "stranger", now, dayMs);
  if (before.value > 0) return { value: ack, effects: [] };
  const text = `owlpost does not know ${sender} yet, so nothing was changed. An owner can change that: owlpost pair, on the machine.`;
  const counter = { ...before, channel, sender, value: 1 };
  return { value: { ...ack, text }, effects: [{ type: "count", counter }] };
}

/** The counter as it stands, or a new one where its time is over. */
function counted(
  { counters = [] }: TurnSnapshot,
  name: SenderCounter["name"],
  now: Instant,
  withinMs: number,
): Pick<SenderCounter, "name" | "value" | "sinceAt"> {
  const known = counters.find((each) => each.name === name);
  const runs = known !== undefined && known.sinceAt <= now && now - known.sinceAt < withinMs;
  return runs ? { name, value: known.value, sinceAt: known.sinceAt } : { name, value: 0, sinceAt: now };
}

function remember(
  { channel, message }: Heard,
  { accepted }: Ack,
  question: QuestionId | undefined,
): readonly Effect[] {
  if (message === undefined) return [];
  const about = question === undefined ? {} : { question };
  return [{ type: "remember", channel, message, accepted, ...about }];
}

function sent(
  { channel, destination, message }: Heard,
  text: string,
  question?: QuestionId,
): readonly Effect[] {
  if (destination === undefined) return [];
  const notice = { kind: "receipt", text };
  const replyTo = message === undefined ? {} : { replyTo: message };
  const about = question === undefined ? {} : { question };
  return [{ type: "send", job: { channel, destination, kind: "receipt", notice, ...replyTo, ...about } }];
}

const hourMs = 3_600_000;
/** Receipts of one sender's letters in an hour; nobody decides more by hand. */
const mostLetters = 12;
/** What changed nothing is answered so often in a day: once, and once more. */
const mostAgain = 2;
/** It stands already, and whoever said it was told so then. */
const mostRepeated = 1;

/**
 * The letter that answers a letter. Another machine may sit at the other end that answers whatever comes: what changed
 * nothing is answered twice a day at most, and nothing more than a dozen times in an hour (RFC 3834). What was decided counts
 * all the same.
 */
function letterReceipt(
  snapshot: TurnSnapshot,
  heard: Heard,
  ack: Ack,
  { now, question }: ReceiptSettings,
): readonly Effect[] {
  const { said } = heard;
  const hourly = counted(snapshot, "help", now, hourMs);
  if (hourly.value >= mostLetters) return [];
  const counts: Effect[] = [count(heard, hourly)];
  if (!ack.accepted || ack.repeated) {
    const again = counted(snapshot, "again", now, 24 * hourMs);
    if (again.value >= (ack.accepted ? mostRepeated : mostAgain)) return [];
    counts.push(count(heard, again));
  }
  const about = question ?? said.token ?? snapshot.thread ?? heard.about;
  const known = about !== undefined && snapshot.questions.has(about) ? about : undefined;
  return [...counts, ...sent(heard, ack.text, known)];
}

function count(
  { channel, sender }: Pick<Heard, "channel" | "sender">,
  before: Pick<SenderCounter, "name" | "value" | "sinceAt">,
): Effect {
  return { type: "count", counter: { ...before, channel, sender, value: before.value + 1 } };
}

/** What they typed, in one short line. */
function shown(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const points = [...line.slice(0, 80)];
  return points.length > 32 ? `${points.slice(0, 31).join("")}…` : line;
}
