import type { Command, Sender } from "../../domain/command.ts";
import type { Instant, QuestionId } from "../../domain/ids.ts";
import type { Role } from "../../domain/person.ts";
import type { StoredQuestion } from "../../domain/question.ts";
import { oneLine } from "../../domain/text.ts";
import type { Form } from "../grammar/reading.ts";
import { type Doer, mayAnswer, mayOverride, whoMayAnswer } from "../people.ts";
import { isPermission, keyChoice, optionWords, shorten, standing, timeWords } from "../wording.ts";

/** Who reads the words, and how a verb is typed there. */
export type Reader = {
  readonly sender: Sender;
  /** Absent for the owner of this machine, who may do everything. */
  readonly role?: Role;
  readonly now: Instant;
  /** The mark before a verb; absent: `/`. */
  readonly mark?: "/" | "!";
  /** A verb without a question's id is heard only where the bot is mentioned. */
  readonly byId?: true;
  /** When the night is over; absent by day, and where quiet hours have no end. */
  readonly morningAt?: Instant;
  /** Nothing that is typed there counts, so nobody is told to type. */
  readonly buttonsOnly?: true;
};

/** Who it is, for what they may do. */
export function doerOf({ sender, role }: Reader): Doer {
  return {
    ...(role === undefined ? {} : { role }),
    ...(sender.by === undefined ? {} : { name: sender.by }),
  };
}

export function acceptedText(
  after: StoredQuestion,
  command: Exclude<Command, { verb: "steer" | "override" }>,
  form: Form | undefined,
  reader: Reader,
): string {
  return `${decidedText(after, command, form, reader)}${commentText(command)}`;
}

/** A person's words beside a choice. */
function commentText(command: Command): string {
  return "comment" in command && command.comment !== undefined ? " The comment goes with it." : "";
}

function decidedText(
  after: StoredQuestion,
  command: Exclude<Command, { verb: "steer" | "override" }>,
  form: Form | undefined,
  reader: Reader,
): string {
  const { question } = after;
  if (isPermission(question)) return permissionText(after, command);
  const passed =
    after.defaultAction === "stay_parked" ? "the task was still parked" : "this replaces the default";
  const late = after.outcome === "overridden" ? ` The deadline had passed; ${passed}.` : "";
  switch (command.verb) {
    case "choose":
      return `Answered: ${optionWords(question, command.key)}; it applies at the next iteration on ${question.task}.${late}`;
    case "answer":
      return `Answered in words; they reach the next iteration on ${question.task}.${late}`;
    case "skip":
      return `Skipped: ${question.task} stays blocked and the loop goes on with the rest.${tomorrow(after, form, reader)}`;
    default:
      return `Retry: ${question.task} runs again without an answer.`;
  }
}

/** Only the agent that waits gets it; after the deadline it has gone on without. */
function permissionText(
  { question, answer }: StoredQuestion,
  command: Exclude<Command, { verb: "steer" | "override" }>,
): string {
  const told = answer?.late
    ? "The deadline had passed: nothing is allowed by it."
    : "The agent that waits is told.";
  switch (command.verb) {
    case "choose":
      return `Answered: ${optionWords(question, command.key)}. ${told}`;
    case "answer":
      return `Answered in words, so not allowed. ${told}`;
    case "skip":
      return `Skipped, so not allowed. ${told}`;
    default:
      return `Retry, so not allowed. ${told}`;
  }
}

/** What was left out at night is asked again. */
function tomorrow({ zone }: StoredQuestion, form: Form | undefined, { morningAt, now }: Reader): string {
  if (form === undefined || morningAt === undefined) return "";
  return ` It is asked again at ${timeWords(morningAt, zone, now)}.`;
}

export function changedText(
  { question }: StoredQuestion,
  command: Extract<Command, { verb: "override" }>,
): string {
  const changed = `Changed to ${optionWords(question, command.key)}`;
  return `${changed}; it applies at the next iteration on ${question.task}.${commentText(command)}`;
}

export function repeatedText(stored: StoredQuestion, reader: Reader): string {
  return `Already recorded: ${stored.question.id} is ${standing(stored, reader.now)}.`;
}

/** Decided and not taken: who, when, and how to change it. */
export function alreadyText(stored: StoredQuestion, reader: Reader): string {
  const { id } = stored.question;
  return `${id} is already ${standing(stored, reader.now)}. ${overrideHint(stored, reader)}`;
}

/** Taken or over: what was done instead. */
export function tooLateText(stored: StoredQuestion, { now }: Reader): string {
  const { id } = stored.question;
  const where = standing(stored, now);
  return stored.state === "cancelled" ? `${id} was ${where}.` : `${id} can no longer be changed: ${where}.`;
}

/** There is nothing that could be changed by an override. */
export function nothingToChangeText(stored: StoredQuestion, reader: Reader, unanswered: boolean): string {
  if (!unanswered) return tooLateText(stored, reader);
  return `${stored.question.id}: there is no answer to change yet; answer it instead.`;
}

/** How to change an answer, in the words of the surface that asks. */
function overrideHint(stored: StoredQuestion, reader: Reader): string {
  const { id } = stored.question;
  if (reader.sender.via === "inbox") return "To change it, press Change.";
  if (!mayOverride(doerOf(reader), stored.question, stored.answer)) return whoMayChange(stored);
  if (reader.buttonsOnly)
    return `To change it, on another channel or on the machine: owlpost override ${id} ${otherKeys(stored)}`;
  return `To change it: ${typed(reader, "override", `${id} ${otherKeys(stored)}`)}`;
}

/** What the answer could be changed to. */
function otherKeys({ question, answer }: StoredQuestion): string {
  return keyChoice(question.options.map(({ key }) => key).filter((key) => key !== answer?.option));
}

function whoMayChange({ question }: StoredQuestion): string {
  const owners = mayAnswer({ role: "owner" }, question.answerable_by);
  return owners ? "An owner can change it, and whoever gave it." : "Whoever gave that answer can change it.";
}

/** A verb as it is typed there. */
function typed({ sender, mark = "/" }: Reader, verb: string, rest: string): string {
  return sender.via === "cli" ? `owlpost ${verb} ${rest}` : `${mark}${verb} ${rest}`;
}

export function notAllowedText({ question }: StoredQuestion): string {
  return `${question.id} waits for ${whoMayAnswer(question)}; nobody else can answer it.`;
}

export function viewerText(): string {
  return "A viewer may look and change nothing: an owner or a member can answer.";
}

export function notTheirsText(stored: StoredQuestion, { now }: Reader): string {
  return `${stored.question.id} is ${standing(stored, now)}. ${whoMayChange(stored)}`;
}

export function badOptionText(stored: StoredQuestion, key: string, form: Form | undefined, reader: Reader) {
  const { question } = stored;
  const none = `${question.id} has no option “${shorten(oneLine(key), 40)}”.`;
  if (form !== undefined) return `${none} ${confirmationText(stored, form, reader)}`;
  const keys = question.options.map((option) => optionWords(question, option.key)).join("; ");
  return `${none} Choose one of: ${keys}.`;
}

/** What a question takes at night, and what to send. */
export function confirmationText(stored: StoredQuestion, form: Form, reader: Reader): string {
  return form === "held" ? heldText(stored, reader) : consentText(stored, reader);
}

/** What to send comes first: a toast is cut at its end. */
function consentText({ question }: StoredQuestion, reader: Reader): string {
  const { id } = question;
  const { via } = reader.sender;
  const presses = via === "inbox" || reader.buttonsOnly === true;
  const recommended = question.options.find((option) => option.recommended === true)?.key;
  const go = presses ? "press Go ahead" : via === "cli" ? `owlpost answer ${id} go` : `send ${id} go`;
  const skip = presses ? "press Skip" : typed(reader, "skip", id);
  // Where quiet hours have no end, nothing is asked again.
  const again = reader.morningAt === undefined ? "" : " to be asked again tomorrow";
  const ahead = recommended === undefined ? "" : ` Go ahead is ${optionWords(question, recommended)}.`;
  return `At night it takes two answers: ${go}, or ${skip}${again}.${ahead}`;
}

function heldText(stored: StoredQuestion, reader: Reader): string {
  const { id } = stored.question;
  const { via } = reader.sender;
  const held = untilWords(stored, reader);
  if (via === "inbox") {
    return `${held} To decide it now, press Show in full and answer now; Skip and Run again work, too.`;
  }
  if (reader.buttonsOnly) return `${held} Works now: Skip.`;
  const now = via === "cli" ? " To decide it now: owlpost inbox, then Show in full and answer now." : "";
  return `${held} Works now: ${typed(reader, "skip", id)}, ${typed(reader, "retry", id)}.${now}`;
}

function untilWords({ deadlineAt, zone }: StoredQuestion, { morningAt, now }: Reader): string {
  if (morningAt === undefined) return "Held as long as quiet hours last; it takes no choice until then.";
  const held = `Held until ${timeWords(morningAt, zone, now)}`;
  return deadlineAt > morningAt
    ? `${held}: it is sent in full then, and takes no choice before.`
    : `${held}: it takes no choice before, and its deadline, ${timeWords(deadlineAt, zone, now)}, comes first.`;
}

export function noSuchQuestionText(id: QuestionId, reader: Reader): string {
  const { via } = reader.sender;
  if (via === "inbox" || reader.buttonsOnly) return `There is no question ${id}.`;
  if (reader.byId) return `There is no question ${id}; a mention of me with “pending” lists the open ones.`;
  return `There is no question ${id}; ${typed(reader, "pending", "").trim()} lists the open ones.`;
}
