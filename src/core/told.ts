import type { Instant } from "../domain/ids.ts";
import type { Answer, StoredQuestion } from "../domain/question.ts";
import { answerSender, isPermission, notAllowed, optionWords, senderWords, timeWords } from "./wording.ts";

/**
 * What an agent is told of its question. Silence is never consent: what nobody decided is called a default or no answer, in
 * these words, and nobody is said to have chosen it. `later` is how the agent gets an answer that comes later: a clause that
 * begins in lower case.
 */
export function toldText(
  stored: StoredQuestion,
  now: Instant,
  later: { readonly open: string; readonly expired: string } = byTool,
): string {
  const { question, answer, state, defaultAction } = stored;
  const by = `${timeWords(stored.deadlineAt, stored.zone, now)} (${stored.zone})`;
  if (state === "cancelled") {
    return `${question.id} was cancelled${stored.why === undefined ? "" : `: ${stored.why}`}. Nobody decided it: do not act on any of its options.`;
  }
  if (answer) return answeredText(stored, now);
  if (state === "pending" || state === "posted") {
    return `No answer yet. ${question.id} waits until ${by}; then, without an answer${isPermission(question) ? ", it is" : ":"} ${defaultTold(stored)}. Until then nothing is decided: go on with other work, and ${later.open}.`;
  }
  if (isPermission(question)) return `No answer by ${by}, so ${notAllowed}. Nobody decided ${question.id}.`;
  if (defaultAction === "stay_parked") {
    return `No answer by ${by}. Nobody decided ${question.id}: nothing is permitted by it, and the task stays parked. It may still be answered: ${later.expired}.`;
  }
  return `No answer by ${by}. Nobody decided ${question.id}; its default counts: ${defaultTold(stored)}.`;
}

const byTool = {
  open: "call get_answer with this id later",
  expired: "call get_answer again later",
};

function answeredText(stored: StoredQuestion, now: Instant): string {
  const { question, answer } = stored;
  if (!answer) return "";
  const who = `${senderWords(answerSender(answer))} at ${timeWords(answer.at, stored.zone, now)}`;
  const words = answer.text === undefined ? "" : ` Their words: ${JSON.stringify(answer.text)}`;
  if (answer.outcome === "skipped") {
    return `${question.id} was skipped ${who}: leave this task as it is, blocked, and go on with the next one.${words}`;
  }
  if (answer.outcome === "retried") {
    return `${question.id} was sent back ${who}: run the task again, without an answer to the question.${words}`;
  }
  if (answer.option === undefined) return `${question.id} was answered in words ${who}.${words}`;
  const tooLate = answer.late && isPermission(question) ? ` That was too late, so ${notAllowed}.` : "";
  return `${question.id} was ${answeredHow(answer)} ${who}: option ${optionWords(question, answer.option)}.${words}${tooLate}`;
}

/** A late answer beats a default that nobody had chosen: there was no choice to change. */
function answeredHow({ late, outcome }: Answer): string {
  if (late) return "answered after the deadline";
  return outcome === "overridden" ? "answered (changed from an earlier choice)" : "answered";
}

/** What the default does, after a colon. */
function defaultTold({ question, defaultAction }: StoredQuestion): string {
  if (isPermission(question)) return notAllowed;
  if (defaultAction === "skip_spec")
    return "the spec is skipped, the task stays blocked, and the loop goes on with the next one";
  if (defaultAction === "stay_parked") return "the task stays parked until somebody answers";
  const recommended = question.options.find((option) => option.recommended === true);
  return recommended
    ? `the recommendation that was agreed on beforehand is taken, option ${optionWords(question, recommended.key)}; it is a default, and no answer`
    : "the spec is skipped";
}
