import type { Instant } from "../domain/ids.ts";
import type { Question, StoredQuestion } from "../domain/question.ts";
import type { Deafness, OutcomeShare, Report, Said, Span } from "../domain/report.ts";
import { oneLine } from "../domain/text.ts";
import { serviceName } from "./report-events.ts";
import { localClock, localDate } from "./time.ts";
import {
  isPermission,
  notAllowed,
  optionWords,
  senderWords,
  shorten,
  takerWords,
  timeWords,
} from "./wording.ts";

/** Words that the report is put together from. Whoever stands in them as acting has acted. */

const minuteMs = 60_000;

/** `45 s`, `12 min`, `1 h 05 min`, `2 d 03 h`. */
export function lengthWords(ms: number): string {
  if (ms < minuteMs) return `${Math.round(ms / 1000)} s`;
  const minutes = Math.round(ms / minuteMs);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} d ${String(hours % 24).padStart(2, "0")} h`;
}

/** `Mon 2026-07-06 22:00 to Tue 2026-07-07 08:05, Europe/Berlin`; the day once where both lie in it. */
export function periodWords({ fromAt, toAt, zone }: Report): string {
  const [from, to] = [localDate(fromAt, zone), localDate(toAt, zone)];
  const end = from === to ? localClock(toAt, zone) : `${to} ${localClock(toAt, zone)}`;
  return `${from} ${localClock(fromAt, zone)} to ${end}, ${zone}`;
}

export function spanWords({ fromAt, toAt }: Span, zone: string, now: Instant): string {
  return `${timeWords(fromAt, zone, now)} to ${timeWords(toAt, zone, now)}`;
}

const outcomeNames: Readonly<Record<OutcomeShare["outcome"], string>> = {
  answered: "answered",
  skipped: "skipped",
  retried: "sent back for another run",
  overridden: "changed or answered late",
  defaulted: "with no answer (the default ran)",
  expired: "with no answer (nothing has run)",
  cancelled: "cancelled",
  open: "still open",
};

export function outcomeName(outcome: OutcomeShare["outcome"]): string {
  return outcomeNames[outcome];
}

/** `12 questions: 7 answered, 1 skipped, …`. */
export function summaryWords({ figures }: Report): string {
  const { questions, outcomes } = figures;
  if (questions === 0) return "A quiet night: no question was asked, and none was decided.";
  const parts = outcomes.map(({ outcome, count }) => `${count} ${outcomeNames[outcome]}`);
  return `${counted(questions, "question")}: ${parts.join(", ")}.`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `1 — Refresh-token rotation: No schema change (recommended)`. */
function roadWords(option: Question["options"][number]): string {
  const recommended = option.recommended ? " (recommended)" : "";
  return oneLine(`${option.key} — ${option.label}${recommended}: ${option.consequence}`);
}

/** Every option but the one that was taken. */
export function roadsNotTaken(question: Question, taken: string | undefined): readonly string[] {
  return question.options.filter(({ key }) => key !== taken).map(roadWords);
}

/** The option that an answer, or a default that has run, took. */
export function roadTaken(stored: StoredQuestion): string | undefined {
  const { answer, state, defaultAction, question } = stored;
  if (answer) return answer.option;
  const hasRun = state === "default_applied" || state === "resolved";
  return hasRun && defaultAction === "take_recommended" ? recommendedKey(question) : undefined;
}

function recommendedKey({ options }: Question): string | undefined {
  return options.find((option) => option.recommended === true)?.key;
}

/** `option 2 — Extend the TTL`, `in words: “…”`. */
export function saidWords(question: Question, said: Said): string {
  if (said.option !== undefined) return oneLine(`option ${optionWords(question, said.option)}`);
  if (said.outcome === "skipped") return "skip";
  if (said.outcome === "retried") return "retry";
  return said.text === undefined ? "no option" : `in words: “${oneLine(shorten(said.text, 160))}”`;
}

/** `by eric on telegram`, `in the local inbox on owl`. */
export function whoWords(sender: { via: string; host?: string; by?: string }): string {
  const isHere = sender.via === "cli" || sender.via === "inbox";
  const where = isHere || sender.by === undefined ? "" : ` on ${sender.via}`;
  return oneLine(`${senderWords(sender)}${where}`);
}

/** Where an answer was given, and whether the loop has come for it. */
export function takenWords(stored: StoredQuestion, now: Instant): string {
  const { claim, state, result, zone, question } = stored;
  if (!claim && isPermission(question)) return "not picked up: the agent no longer waits";
  if (!claim)
    return state === "resolved" ? `closed as ${result ?? "resolved"}` : "not picked up by the loop yet";
  const closed = result === undefined ? "" : `, closed as ${result}`;
  return `picked up by ${takerWords(question, claim)} at ${timeWords(claim.takenAt, zone, now)}${closed}`;
}

/** What was done where nobody answered. */
export function ranWords(stored: StoredQuestion): string {
  const { question, defaultAction } = stored;
  if (isPermission(question)) return notAllowed;
  if (defaultAction === "skip_spec") return "spec skipped";
  if (defaultAction === "stay_parked") return "the task stayed parked";
  const key = roadTaken(stored);
  return key === undefined
    ? "recommendation taken"
    : oneLine(`recommendation taken: ${optionWords(question, key)}`);
}

/** What will be done where nobody answered. */
export function willRunWords(stored: StoredQuestion): string {
  const { question, defaultAction } = stored;
  if (isPermission(question)) return `it is ${notAllowed}`;
  if (defaultAction === "skip_spec") return "the spec will be skipped at the loop's next stop";
  if (defaultAction === "stay_parked") return "the task stays parked until it is answered";
  const key = recommendedKey(question);
  return key === undefined
    ? "the recommendation will be taken at the loop's next stop"
    : oneLine(`will be taken at the loop's next stop: ${optionWords(question, key)}`);
}

/** What would have been done, had nobody answered after all. */
export function wouldHaveRunWords({ question, defaultAction }: StoredQuestion): string {
  if (isPermission(question)) return notAllowed;
  if (defaultAction === "skip_spec") return "the spec was to be skipped";
  if (defaultAction === "stay_parked") return "the task was parked";
  const key = recommendedKey(question);
  return key === undefined
    ? "the recommendation was to be taken"
    : oneLine(`was to be taken: ${optionWords(question, key)}`);
}

const refusals: Readonly<Record<string, string>> = {
  "unknown-sender": "from somebody who is not known here",
  "not-allowed": "from somebody who may not do that",
  "bad-command": "with a command that does not exist or is incomplete",
  "no-such-question": "to a question that does not exist",
  ambiguous: "that fitted several questions",
  "not-open": "to a question that was decided already",
  "bad-option": "with an option that does not exist",
  "needs-confirmation": "that the night does not take",
  "not-taken": "to close what was not taken",
};

/** `4 from somebody who is not known here (unknown-sender)`. */
export function refusedWords(reason: string, count: number): string {
  const words = refusals[reason];
  return words === undefined ? `${count}: ${oneLine(reason)}` : `${count} ${words} (${reason})`;
}

export function deafName(channel: string): string {
  return channel === serviceName ? "owlpost itself did not run" : channel;
}

export function deafWords({ spans, totalMs }: Deafness, zone: string, now: Instant): string {
  const shown = spans.slice(0, 6).map((span) => spanWords(span, zone, now));
  const rest = spans.length - shown.length;
  return `${lengthWords(totalMs)} (${shown.join("; ")}${rest > 0 ? `; and ${rest} more` : ""})`;
}
