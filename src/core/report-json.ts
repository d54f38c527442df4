import type { Instant } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { Report, Said, Span } from "../domain/report.ts";
import { roadTaken } from "./report-words.ts";
import { isoTime } from "./time.ts";

type Shape = Readonly<Record<string, unknown>>;

/** The report as data for programs: snake_case keys, instants as ISO UTC strings, durations in milliseconds. */
export function reportJson(report: Report): Shape {
  const { figures, timeline } = report;
  return {
    since: isoTime(report.fromAt),
    until: isoTime(report.toAt),
    zone: report.zone,
    again: report.again.map(({ stored, before }) => ({
      ...questionShape(stored),
      again: stored.question.again,
      before: before && questionShape(before),
    })),
    parked: report.parked.map(questionShape),
    waiting: report.waiting.map(questionShape),
    answered: report.answered.map(questionShape),
    defaulted: report.defaulted.map(questionShape),
    overridden: report.overridden.map(({ stored, at, was, is }) => ({
      ...about(stored),
      at: isoTime(at),
      was: was ? saidShape(was) : { default: stored.defaultAction },
      is: saidShape(is),
    })),
    steering: report.steering.map(({ at, project, task, run, question, sender, text }) => ({
      at: isoTime(at),
      project,
      task,
      run,
      question,
      ...sender,
      text,
    })),
    never_shown: report.neverShown.map(questionShape),
    cancelled: report.cancelled.map(questionShape),
    late: report.late.map(({ stored, at, said }) => ({
      ...about(stored),
      at: isoTime(at),
      ...saidShape(said),
    })),
    refused: report.refused,
    quarantined: report.quarantined,
    failures: report.failures.map(({ firstAt, lastAt, ...rest }) => ({
      ...rest,
      first_at: isoTime(firstAt),
      last_at: isoTime(lastAt),
    })),
    deaf: report.deaf.map(({ channel, spans, totalMs }) => ({
      channel,
      total_ms: totalMs,
      spans: spans.map(spanShape),
    })),
    results: report.results.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })),
    aborted: report.aborted.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })),
    figures: {
      questions: figures.questions,
      outcomes: Object.fromEntries(figures.outcomes.map(({ outcome, count }) => [outcome, count])),
      median_ms: figures.medianMs,
      slowest: figures.slowest,
    },
    timeline: {
      quiet: timeline.quiet.map(spanShape),
      rows: timeline.rows.map(({ question, marks }) => ({
        question,
        marks: marks.map(({ kind, at }) => ({ kind, at: isoTime(at) })),
      })),
    },
  };
}

function about({ question }: StoredQuestion): Shape {
  return {
    id: question.id,
    project: question.project,
    task: question.task,
    run: question.run,
    title: question.title,
  };
}

function questionShape(stored: StoredQuestion): Shape {
  const { question, answer, claim } = stored;
  const taken = roadTaken(stored);
  return {
    ...about(stored),
    kind: question.kind,
    state: stored.state,
    outcome: stored.outcome,
    asked_at: isoTime(stored.askedAt),
    deadline: isoTime(stored.deadlineAt),
    held_until: iso(stored.heldUntilAt),
    default_action: stored.defaultAction,
    answer: answer && {
      ...saidShape(answer),
      outcome: answer.outcome,
      at: isoTime(answer.at),
      late: answer.late,
    },
    taken: claim && { run: claim.run, at: isoTime(claim.takenAt) },
    not_taken: question.options.filter(({ key }) => key !== taken),
    result: stored.result,
    why: stored.why,
  };
}

function saidShape({ option, text, by, via, host }: Said): Shape {
  return { option, text, by, via, host };
}

function spanShape({ fromAt, toAt }: Span): Shape {
  return { from: isoTime(fromAt), to: isoTime(toAt) };
}

function iso(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : isoTime(at);
}
