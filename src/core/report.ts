import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import { isOpen, type Outcome, outcomes, type StoredQuestion } from "../domain/question.ts";
import type {
  AskedAgain,
  Figures,
  OutcomeShare,
  Overridden,
  Report,
  ReportQuestion,
  TaskResult,
} from "../domain/report.ts";
import type { Note } from "../domain/store.ts";
import { formAt, type NightForm } from "./night.ts";
import type { QuietHours } from "./quiet-hours.ts";
import {
  deafness,
  failuresOf,
  lateReplies,
  quarantinedReplies,
  refusedReplies,
  runsAborted,
  saidIn,
} from "./report-events.ts";
import { expire } from "./sweep.ts";
import { timelineOf } from "./timeline.ts";
import { isPermission } from "./wording.ts";

export type ReportFacts = {
  /** Every question that something happened to, or that still waits; those that were asked again, too. */
  readonly questions: readonly ReportQuestion[];
  /** In their order; may begin earlier, so that it is known which channels were down at the start. */
  readonly events: readonly Event[];
  readonly notes: readonly Note[];
  /** Those that can ring somebody. */
  readonly ringing: readonly string[];
  /** Absent: there are no quiet hours. */
  readonly hours?: QuietHours;
  /** Of the quiet hours: the work of a night is kept apart. Absent: it is not. */
  readonly isolated?: boolean;
};

/** What happened from `since` to `until`, both included. Pure; the lists are in the order in which they are to be read. */
export function reportOf(facts: ReportFacts, since: Instant, until: Instant, zone: string): Report {
  const isIn = (at: Instant | undefined): boolean => at !== undefined && at >= since && at <= until;
  const events = facts.events.filter(({ at }) => isIn(at));
  const questions = facts.questions
    // One clock for the whole report, whatever zone was set when a question was asked.
    .map(({ stored, copies }) => ({ stored: { ...swept(stored, until), zone }, copies }))
    .sort((a, b) => a.stored.askedAt - b.stored.askedAt);
  const all = questions.map(({ stored }) => stored);
  const known = new Map(all.map((stored) => [String(stored.question.id), stored]));
  const again = all.flatMap((stored): AskedAgain[] => {
    const { again: earlier } = stored.question;
    if (earlier === undefined || !isIn(stored.askedAt)) return [];
    const before = known.get(earlier);
    return [{ stored, ...(before === undefined ? {} : { before }) }];
  });
  const askedAnew = new Set(all.map(({ question }) => question.again));
  const told = new Set(again.map(({ stored }) => stored.question.id));
  // Whoever is asked again answers there, so the old one waits for nobody.
  const waits = all.filter(({ question }) => !askedAnew.has(question.id) && !told.has(question.id));
  const isParked = ({ state, defaultAction }: StoredQuestion): boolean =>
    state === "expired" && defaultAction === "stay_parked";
  // Whoever waited for a permission has gone on, even where it was killed before it could take the end.
  const isOver = ({ state, question }: StoredQuestion): boolean =>
    state === "expired" && isPermission(question);
  const answered = all.filter(({ answer }) => isIn(answer?.at));
  const unanswered = all.filter(({ answer, state }) => !answer && !isOpen(state) && state !== "cancelled");
  const results = resultsOf(events, known);
  const happened = new Set(events.flatMap((event) => (changes(event) ? [event.question] : [])));
  const counted = questions.filter(
    ({ stored }) => happened.has(stored.question.id) || isIn(stored.askedAt) || isIn(endOf(stored)),
  );

  return {
    fromAt: since,
    toAt: until,
    zone,
    again,
    parked: waits.filter(isParked),
    waiting: waits.filter(
      (stored) =>
        isOpen(stored.state) || (stored.state === "expired" && !isParked(stored) && !isOver(stored)),
    ),
    answered: answered.toSorted((a, b) => (a.answer?.at ?? 0) - (b.answer?.at ?? 0)),
    defaulted: unanswered.filter((stored) =>
      isOver(stored) ? isIn(stored.deadlineAt) : stored.state !== "expired" && isIn(stored.claim?.takenAt),
    ),
    overridden: overrides(events, known, answered),
    steering: facts.notes.filter(({ at }) => isIn(at)),
    neverShown: questions.filter(wasNeverShown(facts.ringing, isIn)).map(({ stored }) => stored),
    cancelled: all.filter(({ question, state }) => state === "cancelled" && happened.has(question.id)),
    late: lateReplies(events, known),
    refused: refusedReplies(events),
    quarantined: quarantinedReplies(events),
    failures: failuresOf(events),
    deaf: deafness(facts.events, since, until),
    results,
    aborted: runsAborted(events),
    forms: formsAt(all, facts, until),
    figures: figuresOf(
      counted.map(({ stored }) => stored),
      answered,
    ),
    timeline: timelineOf(
      { questions: counted, events: facts.events, ringing: facts.ringing, hours: facts.hours },
      { fromAt: since, toAt: until },
      zone,
    ),
  };
}

/** What those that are open take at that instant: by day everything, and they are left out. */
function formsAt(
  all: readonly StoredQuestion[],
  { hours, isolated = false }: ReportFacts,
  at: Instant,
): Report["forms"] {
  const rules = hours && { hours, isolated, autoDefault: false };
  const forms = new Map<string, NightForm>();
  for (const { question, state } of all) {
    const form = isOpen(state) || state === "expired" ? formAt(question, rules, at) : undefined;
    if (form !== undefined) forms.set(question.id, form);
  }
  return forms;
}

/** A deadline that no sweep has seen yet has come all the same; to look at a report changes nothing in the store. */
function swept(stored: StoredQuestion, until: Instant): StoredQuestion {
  const isDue = isOpen(stored.state) && stored.deadlineAt <= until;
  return (isDue ? expire(stored)?.after : undefined) ?? stored;
}

function changes({ kind, question }: Event): boolean {
  return question !== undefined && kind.startsWith("question.") && kind !== "question.late-reply";
}

function endOf({ answer, claim, state, deadlineAt }: StoredQuestion): Instant | undefined {
  return answer?.at ?? claim?.takenAt ?? (state === "expired" ? deadlineAt : undefined);
}

function wasNeverShown(ringing: readonly string[], isIn: (at: Instant) => boolean) {
  return ({ stored, copies }: ReportQuestion): boolean => {
    const { heldUntilAt, deadlineAt, answer, state } = stored;
    const unseen = !copies.some(({ channel }) => ringing.includes(channel));
    const ended = state !== "cancelled" && !isOpen(state) && !answer;
    return heldUntilAt !== undefined && deadlineAt <= heldUntilAt && ended && unseen && isIn(deadlineAt);
  };
}

function overrides(
  events: readonly Event[],
  known: ReadonlyMap<string, StoredQuestion>,
  answered: readonly StoredQuestion[],
): readonly Overridden[] {
  // The event names option and words of what was changed; that it was a skip or a retry stands in the event before.
  const outcomeBefore = new Map<string, Outcome | undefined>();
  const changed = events.flatMap((event): Overridden[] => {
    const id = event.question ?? "";
    const stored = known.get(id);
    if (!stored || (event.kind !== "question.answered" && event.kind !== "question.overridden")) return [];
    const is = saidIn(event.data);
    const outcome = outcomeBefore.get(id);
    outcomeBefore.set(id, is.outcome);
    if (event.kind === "question.answered") return [];
    const was = { ...saidIn(event.data.was), ...(outcome === undefined ? {} : { outcome }) };
    return [{ stored, at: event.at, was, is }];
  });
  // A late choice replaces a default: there was no answer before it.
  const late = answered.flatMap((stored): Overridden[] => {
    const { answer, question } = stored;
    if (!answer?.late || answer.outcome !== "overridden") return [];
    if (changed.some((each) => each.stored.question.id === question.id)) return [];
    return [{ stored, at: answer.at, is: answer }];
  });
  return [...changed, ...late].sort((a, b) => a.at - b.at);
}

/** The last result of each task. */
function resultsOf(
  events: readonly Event[],
  known: ReadonlyMap<string, StoredQuestion>,
): readonly TaskResult[] {
  const found = new Map<string, TaskResult>();
  for (const { kind, question, at } of events) {
    const stored = kind === "question.resolved" ? known.get(question ?? "") : undefined;
    if (!stored?.result) continue;
    const { project, task, id } = stored.question;
    found.set(`${project}\n${task}`, { project, task, result: stored.result, question: id, at });
  }
  return [...found.values()].sort((a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : a.at - b.at));
}

function figuresOf(counted: readonly StoredQuestion[], answered: readonly StoredQuestion[]): Figures {
  const times = answered
    .map(({ answer, askedAt, question }) => ({ question: question.id, ms: (answer?.at ?? 0) - askedAt }))
    // Two clocks, the platform's and this machine's, may disagree by a little.
    .map(({ question, ms }) => ({ question, ms: Math.max(0, ms) }))
    .sort((a, b) => a.ms - b.ms);
  const slowest = times.at(-1);
  const medianMs = medianOf(times.map(({ ms }) => ms));
  return {
    questions: counted.length,
    outcomes: sharesOf(counted),
    ...(medianMs === undefined ? {} : { medianMs }),
    ...(slowest === undefined ? {} : { slowest }),
  };
}

function sharesOf(counted: readonly StoredQuestion[]): readonly OutcomeShare[] {
  const ordered: readonly (Outcome | "open")[] = [...outcomes, "open"];
  return ordered
    .map((outcome) => ({
      outcome,
      count: counted.filter((stored) => (stored.outcome ?? "open") === outcome).length,
    }))
    .filter(({ count }) => count > 0);
}

/** Of values that rise; the mean of the two in the middle where there are two. */
function medianOf(sorted: readonly number[]): number | undefined {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return undefined;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? upper) + upper) / 2);
}
