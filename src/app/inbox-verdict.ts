import { localDay } from "../core/time.ts";
import {
  answerSender,
  choiceWords,
  defaultWords,
  isPermission,
  notAllowed,
  optionWords,
  senderWords,
  takerWords,
} from "../core/wording.ts";
import type { Instant } from "../domain/ids.ts";
import { type Answer, isOpen, type Question, type StoredQuestion } from "../domain/question.ts";

/** A time for the page: ISO 8601 in UTC for machines, local words for people. */
export type When = { readonly iso: string; readonly text: string };

export type Verdict = {
  readonly mark: "answered" | "skipped" | "retried" | "deadline" | "cancelled";
  /** The option, the text, or what the deadline did. */
  readonly words: string;
  /** An answer in somebody's own words, whole. */
  readonly text?: string;
  readonly option?: string;
  /** By whom or from where, and when. */
  readonly source?: string;
  readonly at?: When;
  /** What comes next, while it is not taken. */
  readonly next?: string;
  readonly taken?: { readonly words: string; readonly at: When };
  readonly result?: string;
};

export function when(at: Instant, zone: string, now: Instant): When {
  return { iso: new Date(at).toISOString(), text: localDay(at, zone, now) };
}

/** `⏰ No answer by 06:00 → …`: what happens when nobody answers. */
export function deadlineWords(stored: StoredQuestion, at: string): string {
  if (isPermission(stored.question)) return `⏰ No answer by ${at} → ${notAllowed}`;
  if (stored.defaultAction === "skip_spec") {
    const next = stored.question.facts?.next_task;
    const goesOn = typeof next === "string" && next !== "" ? `, then it goes on with ${next}` : "";
    return `⏰ No answer by ${at} → the spec is skipped at the loop's next stop${goesOn}`;
  }
  if (stored.defaultAction === "stay_parked") return `⏰ No answer by ${at} → the task stays parked`;
  const words = defaultWords(stored.question, stored.defaultAction).replace(" will be taken", " is taken");
  return `⏰ No answer by ${at} → ${words}`;
}

/** What came of a question; undefined while it is open. */
export function verdictOf(stored: StoredQuestion, now: Instant): Verdict | undefined {
  if (isOpen(stored.state)) return undefined;
  if (stored.state === "cancelled") {
    return {
      mark: "cancelled",
      words: stored.why === undefined ? "Cancelled" : `Cancelled: ${stored.why}`,
      ...(stored.answer ? { at: when(stored.answer.at, stored.zone, now) } : {}),
    };
  }
  const taken = takenLine(stored, now);
  const more = {
    ...(taken ? { taken } : {}),
    ...(stored.result === undefined ? {} : { result: `Closed: ${stored.result}` }),
  };
  return stored.answer && stored.answer.via !== "deadline"
    ? { ...answeredVerdict(stored, stored.answer, now), ...more }
    : { ...deadlineVerdict(stored, now), ...more };
}

function answeredVerdict(stored: StoredQuestion, answer: Answer, now: Instant): Verdict {
  const { question, state, zone } = stored;
  const mark =
    answer.outcome === "skipped" ? "skipped" : answer.outcome === "retried" ? "retried" : "answered";
  return {
    mark,
    words: answerWords(stored, answer),
    ...(answer.option === undefined ? {} : { option: answer.option }),
    ...(answer.text === undefined ? {} : { text: answer.text }),
    source: senderWords(answerSender(answer)),
    at: when(answer.at, zone, now),
    ...(state === "answered" ? { next: nextWords(mark, question, answer) } : {}),
  };
}

function answerWords(stored: StoredQuestion, answer: Answer): string {
  const denied = isPermission(stored.question) ? `: ${notAllowed}` : "";
  if (answer.outcome === "skipped") return `Skipped${denied}`;
  if (answer.outcome === "retried")
    return denied === "" ? "Run again without an answer" : `Sent back${denied}`;
  const changed = answer.outcome === "overridden" && !answer.late;
  const verb = answer.late ? "Answered after the deadline" : changed ? "Changed to" : "Answered";
  if (answer.option !== undefined) return `${verb}: ${optionWords(stored.question, answer.option)}`;
  return answer.text === undefined
    ? `${verb}: ${choiceWords(stored.question, answer)}`
    : `${verb}, in own words`;
}

function nextWords(mark: Verdict["mark"], question: Question, { late }: Answer): string {
  if (isPermission(question))
    return late ? "Too late: nothing is allowed by it." : "The agent that waits is told.";
  const { task } = question;
  if (mark === "skipped") return `${task} stays blocked; the loop goes on with the rest.`;
  if (mark === "retried") return `${task} runs again at the loop's next stop.`;
  return `Applies at the next iteration on ${task}.`;
}

function deadlineVerdict(stored: StoredQuestion, now: Instant): Verdict {
  const by = localDay(stored.deadlineAt, stored.zone, now);
  if (isPermission(stored.question))
    return { mark: "deadline", words: `⏰ No answer by ${by}, so ${notAllowed}` };
  if (stored.state === "expired") {
    return {
      mark: "deadline",
      words: `⏰ No answer by ${by} — ${defaultWords(stored.question, stored.defaultAction)}`,
      next:
        stored.defaultAction === "stay_parked"
          ? "It can still be answered."
          : "You can still answer until the loop takes it.",
    };
  }
  return {
    mark: "deadline",
    words: `⏰ No answer by ${by} — ${doneWords(stored)}`,
  };
}

function doneWords(stored: StoredQuestion): string {
  if (stored.defaultAction !== "take_recommended") return "spec skipped";
  const recommended = stored.question.options.find((option) => option.recommended === true);
  return recommended
    ? `took option ${optionWords(stored.question, recommended.key)}`
    : "recommendation taken";
}

function takenLine(stored: StoredQuestion, now: Instant): Verdict["taken"] {
  const { claim, zone } = stored;
  if (!claim || stored.state === "answered" || stored.state === "expired") return undefined;
  const at = when(claim.takenAt, zone, now);
  return { words: `▶ Picked up by ${takerWords(stored.question, claim)} at ${at.text}`, at };
}
