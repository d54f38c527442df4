import type { Instant } from "../domain/ids.ts";
import type { Answer, Question, StoredQuestion } from "../domain/question.ts";
import { isOpen } from "../domain/question.ts";
import { oneLine } from "../domain/text.ts";
import {
  answerSender,
  isPermission,
  notAllowed,
  optionWords,
  senderWords,
  shorten,
  takerWords,
  timeWords,
} from "./wording.ts";

/**
 * Addressed to the reader about what may still be done; it says nothing about what anybody did. The only sentence of
 * an outcome that nobody caused in which somebody is spoken to.
 */
export const mayStillAnswer = "You can still answer";

/** `⏰ No answer by 06:00 → spec skipped, loop continues with 013.` */
export function deadlineLine(stored: StoredQuestion, now: Instant): string {
  const { question, defaultAction } = stored;
  const next = nextTask(question);
  const goesOn = next === undefined ? "the loop goes on" : `loop continues with ${next}`;
  const by = `⏰ No answer by ${timeWords(stored.deadlineAt, stored.zone, now)} →`;
  if (isPermission(question)) return `${by} ${notAllowed}.`;
  if (defaultAction === "skip_spec") return `${by} spec skipped, ${goesOn}.`;
  if (defaultAction === "stay_parked") return `${by} the task stays parked, ${goesOn}.`;
  const key = recommendedKey(question);
  return `${by} ${key === undefined ? "the recommendation is taken" : `${key} is taken, as recommended`}.`;
}

/**
 * Where a question stands once it is no longer open, as it is shown in its message: lines that begin with `✅`, `▶`,
 * `⏰` or `🚫`. Undefined while it is open. `held`: it takes no choice before the morning.
 */
export function standingLines(
  stored: StoredQuestion,
  now: Instant,
  { held = false }: { readonly held?: boolean } = {},
): string | undefined {
  if (isOpen(stored.state)) return undefined;
  if (stored.state === "cancelled") {
    return `🚫 Cancelled${stored.why === undefined ? "" : `: ${shorten(oneLine(stored.why), 160)}`}`;
  }
  const { answer } = stored;
  return answer ? answeredLines(stored, answer, now) : unansweredLine(stored, now, held);
}

/**
 * Where a message cannot be edited: has a follow-up anything to tell to whoever saw `seen`, a revision of it? While it is open
 * nothing has come of it. That it is closed is no news to whoever knows that it was picked up, and a claim that lapsed leaves
 * what was said before as true as it was.
 */
export function hasNews({ state, revision }: StoredQuestion, seen: number, lapsed: boolean): boolean {
  if (isOpen(state)) return false;
  return seen < revision - 1 || !(state === "resolved" || lapsed);
}

function answeredLines(stored: StoredQuestion, answer: Answer, now: Instant): string {
  const { question } = stored;
  const time = (at: Instant): string => timeWords(at, stored.zone, now);
  const who = `(${oneLine(senderWords(answerSender(answer)))}, ${time(answer.at)})`;
  const said = `✅ ${decisionWords(question, answer)} ${who}`;
  if (stored.state === "answered") return `${said} — ${effectWords(question, answer)}`;
  return [said, pickedUpLine(stored, now)].filter((line) => line !== undefined).join("\n");
}

function pickedUpLine(stored: StoredQuestion, now: Instant): string | undefined {
  const { claim } = stored;
  const closed = stored.state === "resolved" ? `closed as ${stored.result ?? "resolved"}` : undefined;
  if (!claim) return closed === undefined ? undefined : `▶ Task ${closed}`;
  const picked = `▶ Picked up by ${takerWords(stored.question, claim)} at ${timeWords(claim.takenAt, stored.zone, now)}`;
  return closed === undefined ? picked : `${picked}, ${closed}`;
}

/** `Answered: 1 — Refresh-token rotation`. */
function decisionWords(question: Question, answer: Answer): string {
  // A late answer overrides the default, which nobody chose: there was no answer to change.
  const late = answer.late ? " after the deadline" : "";
  const changed = answer.outcome === "overridden" && !answer.late;
  if (answer.option !== undefined) {
    return `${changed ? "Changed to" : `Answered${late}:`} ${oneLine(optionWords(question, answer.option))}`;
  }
  const denied = isPermission(question) ? `: ${notAllowed}` : "";
  if (answer.outcome === "skipped") return `Skipped${denied}`;
  if (answer.outcome === "retried") return denied === "" ? "Retry" : `Sent back${denied}`;
  const words = answer.text === undefined ? "" : `: “${shorten(answer.text, 80)}”`;
  return `${changed ? "Changed" : "Answered"}${late} in words${words}`;
}

function effectWords(question: Question, answer: Answer): string {
  if (isPermission(question)) return permissionWords(answer);
  if (answer.outcome === "skipped") return `${question.task} stays blocked, the loop goes on`;
  if (answer.outcome === "retried") return `${question.task} runs again without an answer`;
  return `applies at the next iteration on ${question.task}`;
}

/** The agent waits for it and for nothing else; after the deadline it has gone on without. */
function permissionWords({ late }: Answer): string {
  return late ? "too late: nothing is allowed by it" : "the agent that waits is told";
}

function unansweredLine(stored: StoredQuestion, now: Instant, held: boolean): string {
  const { question, defaultAction, claim } = stored;
  const end = `⏰ No answer by ${timeWords(stored.deadlineAt, stored.zone, now)}`;
  if (isPermission(question)) return `${end}, so ${notAllowed}`;
  const by = `${end} —`;
  const key = recommendedKey(question);
  const recommended = key === undefined ? "the recommendation" : oneLine(optionWords(question, key));
  if (stored.state === "expired") {
    const may = (until: string): string => (held ? "" : ` ${mayStillAnswer}${until}.`);
    if (defaultAction === "stay_parked") return `${by} the task stays parked.${may("")}`;
    const happens =
      defaultAction === "skip_spec"
        ? "the spec will be skipped at the loop's next stop"
        : `the recommendation will be taken at the loop's next stop: ${recommended}`;
    return `${by} ${happens}.${may(" until then")}`;
  }
  const at = claim === undefined ? "" : ` at ${timeWords(claim.takenAt, stored.zone, now)}`;
  const closed = stored.state === "resolved" ? `, closed as ${stored.result ?? "resolved"}` : "";
  if (defaultAction === "stay_parked") return `${by} the task stayed parked${closed}`;
  if (defaultAction === "skip_spec") return `${by} spec skipped${at}${closed}`;
  return `${by} recommendation taken${at}: ${recommended}${closed}`;
}

function recommendedKey(question: Question): string | undefined {
  return question.options.find((option) => option.recommended === true)?.key;
}

function nextTask(question: Question): string | undefined {
  const next = question.facts?.next_task;
  return typeof next === "string" && next.trim() !== "" ? shorten(oneLine(next), 64) : undefined;
}
