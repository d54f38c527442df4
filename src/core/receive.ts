import type { Ack } from "../domain/command.ts";
import type { ChannelId, Instant, QuestionId, RunId } from "../domain/ids.ts";
import type { Speaker } from "../domain/person.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, TurnSnapshot } from "../domain/store.ts";
import { oneLine } from "../domain/text.ts";
import { decideAbort } from "./abort.ts";
import { type Known, type Reading, readSaid, type Said } from "./grammar.ts";
import { type Heard, inGroup } from "./heard.ts";
import { isLetter, letterHelpText, pendingLetterText, unmatchedLetterText } from "./letter-words.ts";
import {
  helpText,
  type ListReader,
  type Mark,
  pendingText,
  type StatusFacts,
  statusText,
  unmatchedText,
} from "./listing.ts";
import { decideMore } from "./more.ts";
import { log } from "./moves.ts";
import { formAt, morningAfter, type NightRules } from "./night.ts";
import { mayAnswer, type Place } from "./people.ts";
import { decideQuarantined } from "./quarantine.ts";
import { receiptFor, strangerLine } from "./receipt.ts";
import { refusedText } from "./refused-words.ts";
import { decideReply } from "./reply.ts";
import { shorten } from "./wording.ts";

/** The clocks of a platform and of this machine may differ by so much. */
const clocksApartMs = 60_000;

export type ReceiveSettings = {
  readonly now: Instant;
  readonly mark: Mark;
  /** A reply belongs to its question only by the id in it. */
  readonly byId?: true;
  /** The project of a note that names no question. */
  readonly project: string;
  readonly status: StatusFacts;
  /** Runs that are alive. */
  readonly runs: readonly RunId[];
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
  /** The night is not over before its morning is made: until then its forms stand. */
  readonly beforeMorning?: boolean;
  /** Where owners are told what concerns them alone. */
  readonly places: readonly Place[];
  /** The channel cannot edit: what became of a question is told there in a message of its own. */
  readonly followsUp?: boolean;
  /** Pairing needs people and codes, so it is decided elsewhere. */
  readonly pair: (reading: PairReading) => Decision<Ack>;
};

export type PairReading = { readonly kind: "pair"; readonly code: string } | { readonly kind: "unpair" };

/** What one reply does, with its one receipt. Pure and total. */
export function decideReceived(
  snapshot: TurnSnapshot,
  heard: Heard,
  settings: ReceiveSettings,
): Decision<Ack> {
  const { earlier } = snapshot;
  const { quarantined } = heard;
  if (quarantined !== undefined) {
    const { now, places, status } = settings;
    return decideQuarantined(snapshot, { ...heard, quarantined }, { now, places, zone: status.zone });
  }
  if (heard.edited && earlier?.accepted && heard.speaker) {
    const value = editedAfter(earlier.question, settings.mark);
    return { effects: receiptFor(snapshot, heard, value, { now: settings.now, keepEarlier: true }), value };
  }
  const open = openFor(snapshot, heard.speaker, settings.now);
  const at = saidAt(heard.sentAt, settings.now);
  const known = ({ question, askedAt }: StoredQuestion): Known => {
    const form = formAt(question, settings.night, at);
    const isLater = askedAt > at + clocksApartMs;
    return {
      question,
      ...(form === undefined ? {} : { form }),
      ...(isLater ? { askedLater: true as const } : {}),
    };
  };
  const reading = readSaid(saidBy(heard, snapshot), {
    open: open.map(known),
    question: (id) => {
      const stored = snapshot.questions.get(id);
      return stored && known(stored);
    },
    runs: settings.runs,
  });
  const decided = decide(snapshot, heard, reading, open, settings);
  const told = strangerLine(snapshot, heard, decided.value, settings.now);
  // Whether a code was right is told to nobody.
  const { value, effects: counted } = reading.kind === "pair" ? { value: decided.value, effects: [] } : told;
  const effects = [...decided.effects, ...counted];
  const question = questionOf(reading);
  const about = question === undefined ? {} : { question };
  const receipt = receiptFor(snapshot, heard, value, { now: settings.now, ...about });
  const others = settings.followsUp ? withoutTwin(effects, receipt, heard) : effects;
  // Whoever is paired reads the welcome before the questions that wait for them.
  const all = reading.kind === "pair" ? [...receipt, ...others] : [...others, ...receipt];
  return { effects: all, value };
}

/** Where the receipt goes, the same news would follow in a second message. */
function withoutTwin(
  effects: readonly Effect[],
  receipt: readonly Effect[],
  { channel, destination }: Heard,
): readonly Effect[] {
  if (!receipt.some(({ type }) => type === "send")) return effects;
  return effects.filter(
    (effect) =>
      effect.type !== "send" ||
      effect.job.kind !== "edit" ||
      effect.job.channel !== channel ||
      effect.job.destination !== destination,
  );
}

function decide(
  snapshot: TurnSnapshot,
  heard: Heard,
  reading: Reading,
  open: readonly StoredQuestion[],
  settings: ReceiveSettings,
): Decision<Ack> {
  const { speaker, channel } = heard;
  const { mark, now } = settings;
  const role = speaker?.role ?? "viewer";
  const letter = isLetter(heard.said);
  const reader = { ...settings, role, ...inGroup(heard, settings) };
  switch (reading.kind) {
    case "ignored":
      return speaker
        ? silence("ignored")
        : { ...silence("unknown-sender"), effects: [refusal(channel, "unknown-sender")] };
    case "unmatched":
      return refused("unmatched", unmatchedWords(snapshot, heard, open, reader));
    case "pair":
    case "unpair":
      return settings.pair(reading.kind === "pair" ? reading : { kind: "unpair" });
    case "refused":
      return refusedReading(snapshot, heard, reading, open, settings);
    case "abort":
      return abort(snapshot, heard, reading.run, settings);
    case "command":
      return command(snapshot, heard, reading, settings);
    case "more":
      return decideMore(snapshot, heard, reading.question, now);
    case "help":
      return told(letter ? letterHelpText(role, mark) : helpText(role, mark, settings.byId));
    case "pending":
      return told((letter ? pendingLetterText : pendingText)(open, reader));
    case "status":
      return told(statusText(open, settings.status, role, mark, now));
  }
}

/** A pairing code that others could read is looked at all the same: it must not stay good. */
function refusedReading(
  { questions }: TurnSnapshot,
  { speaker, channel, said, buttonsOnly }: Heard,
  reading: Extract<Reading, { kind: "refused" }>,
  open: readonly StoredQuestion[],
  { mark, pair, byId }: ReceiveSettings,
): Decision<Ack> {
  const { why, reason, question } = reading;
  if (why.code === "code-in-group") return pair({ kind: "pair", code: why.typed });
  const about =
    question && (questions.get(question) ?? open.find((stored) => stored.question.id === question));
  const titles = new Map(open.map((stored) => [stored.question.id, stored.question.title]));
  const title = (known: Known): string => {
    const { id } = known.question;
    return shorten(oneLine(titles.get(id) ?? id), 80);
  };
  // Where only buttons count nobody is known, and everybody is told how to do it right.
  const isTold = speaker !== undefined || (why.code === "no-token" && buttonsOnly !== undefined);
  const letter = isLetter(said) ? { letter: open } : {};
  const text = isTold
    ? refusedText(reading, { mark, title, byId, ...inGroup({ said }, { byId }), ...letter })
    : "";
  return refused(isTold ? reason : "unknown-sender", text, refusal(channel, reason, about));
}

function command(
  snapshot: TurnSnapshot,
  { speaker, channel, sentAt, said, buttonsOnly }: Heard,
  reading: Extract<Reading, { kind: "command" }>,
  { now, mark, project, night, beforeMorning, byId }: ReceiveSettings,
): Decision<Ack> {
  const at = saidAt(sentAt, now);
  const morningAt = morningAfter(night, at);
  const decided = decideReply(snapshot, reading.command, {
    sender: { via: channel, ...(speaker ? { by: speaker.name } : {}) },
    now,
    ...(sentAt === undefined ? {} : { sentAt }),
    project,
    ...(speaker ? { role: speaker.role } : {}),
    mark,
    ...(byId ? { byId } : {}),
    form: ({ question }) => formAt(question, night, at),
    ...(morningAt === undefined ? {} : { morningAt }),
    ...(said.press && beforeMorning ? { onNightForm: true as const } : {}),
    ...(buttonsOnly === undefined ? {} : { buttonsOnly: true as const }),
  });
  if (reading.conflict === undefined) return decided;
  const { value } = decided;
  const text = `${value.text} The id in the text counted, not the message that it replied to (${reading.conflict}).`;
  return { effects: decided.effects, value: { ...value, text } };
}

/** A reply is judged by the time at which it was said, as far as the platform tells it. */
function saidAt(sentAt: Instant | undefined, now: Instant): Instant {
  return Math.min(sentAt ?? now, now);
}

/** Whoever is not known, and a run that was not looked up, stops nothing. */
function abort(
  snapshot: TurnSnapshot,
  { speaker, channel, sentAt }: Heard,
  run: RunId,
  { now }: ReceiveSettings,
): Decision<Ack> {
  if (!speaker) return refused("unknown-sender", "", refusal(channel, "unknown-sender"));
  return decideAbort(run, snapshot.runs?.get(run) ?? { open: [], projects: [], aborts: [] }, {
    sender: { via: channel, by: speaker.name },
    role: speaker.role,
    now,
    ...(sentAt === undefined ? {} : { sentAt }),
    copies: snapshot.copies,
  });
}

function saidBy({ said, speaker, about }: Heard, snapshot: TurnSnapshot): Said {
  const thread = snapshot.thread ?? about;
  return { ...said, role: speaker?.role, ...(thread === undefined ? {} : { thread }) };
}

/** A question whose deadline has come is not open, whether somebody has swept it or not. */
function openFor({ open = [] }: TurnSnapshot, speaker: Speaker | undefined, now: Instant) {
  if (!speaker) return [];
  return open.filter(
    ({ state, deadlineAt, question }) =>
      isOpen(state) &&
      deadlineAt > now &&
      (speaker.role === "viewer" || mayAnswer(speaker, question.answerable_by)),
  );
}

/** A letter is asked about with what its question takes, for nothing else can be seen where it is written. */
function unmatchedWords(
  { questions }: TurnSnapshot,
  { said }: Heard,
  open: readonly StoredQuestion[],
  reader: ListReader,
): string {
  const stored = said.token ? questions.get(said.token) : undefined;
  return isLetter(said) ? unmatchedLetterText(stored, reader) : unmatchedText(open, reader);
}

/** The question that a reply decides; a note decides none, so an edit of it is not sent to `/override`. */
function questionOf(reading: Reading): QuestionId | undefined {
  return reading.kind === "command" && "question" in reading.command ? reading.command.question : undefined;
}

function editedAfter(question: QuestionId | undefined, mark: Mark): Ack {
  const stands = "What was sent first stands; editing it changes nothing.";
  const text = question
    ? `${stands} To change the answer: ${mark}override ${question} and the option.`
    : `${stands} Send it again as a new message.`;
  return { accepted: false, reason: "not-open", text };
}

function told(text: string): Decision<Ack> {
  return { effects: [], value: { accepted: true, state: "told", text } };
}

function refused(
  reason: Extract<Ack, { accepted: false }>["reason"],
  text: string,
  ...effects: readonly Effect[]
): Decision<Ack> {
  return { effects, value: { accepted: false, reason, text } };
}

function silence(reason: "ignored" | "unknown-sender"): Decision<Ack> {
  return refused(reason, "");
}

/** Counted in the event log, with the project of what it was about. */
function refusal(channel: ChannelId, reason: string, about?: StoredQuestion): Effect {
  const data = { reason, via: channel };
  return about ? log(about, "reply.refused", data) : { type: "log", event: { kind: "reply.refused", data } };
}
