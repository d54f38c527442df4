import type { Ack } from "../domain/command.ts";
import { type Instant, type QuestionId, questionId } from "../domain/ids.ts";
import { type Effect, longestGatherMs, type SenderCounter, type TurnSnapshot } from "../domain/store.ts";
import type { Heard } from "./heard.ts";

const minuteMs = 60_000;
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
 * The one message that answers a typed reply, and what must be remembered of it. A press has its toast instead. Beyond
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
  if ((pressed && heard.buttonsOnly === undefined) || ack.text === "") return [];
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

function sent({ channel, destination, message }: Heard, text: string): readonly Effect[] {
  if (destination === undefined) return [];
  const notice = { kind: "receipt", text };
  const replyTo = message === undefined ? {} : { replyTo: message };
  return [{ type: "send", job: { channel, destination, kind: "receipt", notice, ...replyTo } }];
}

/** What they typed, in one short line. */
function shown(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const points = [...line.slice(0, 80)];
  return points.length > 32 ? `${points.slice(0, 31).join("")}…` : line;
}
