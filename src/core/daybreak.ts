import { type Instant, maxSeq, mintQuestionId, questionIdParts } from "../domain/ids.ts";
import type { Question, StoredQuestion } from "../domain/question.ts";
import type { Effect, EndedQuestion, NightSnapshot } from "../domain/store.ts";
import { digestQuestion } from "./digest.ts";
import { log } from "./moves.ts";
import type { NightRules } from "./night.ts";
import { editsOf } from "./nightfall.ts";
import { notice } from "./notice.ts";
import type { Route } from "./people.ts";
import { isNight } from "./quiet-hours.ts";
import { expire } from "./sweep.ts";
import { isPermission } from "./wording.ts";

export type DaybreakSettings = {
  /** Undefined: quiet hours were taken out of the configuration. */
  readonly rules: NightRules | undefined;
  readonly now: Instant;
  readonly zone: string;
  /** Where a question rings now. */
  readonly routes: (answerableBy?: readonly string[]) => readonly Route[];
  /** How long a question that is asked again waits. */
  readonly againDeadlineMs: number;
  /** What the morning says of the night; absent where there is nothing to say. */
  readonly morning?: string;
};

/**
 * Quiet hours are over: every open question stands in full again, and what was held goes out. A question whose deadline
 * has come meanwhile expires instead.
 */
export function showInFull(
  { open, copies, posting }: NightSnapshot,
  { now, routes }: DaybreakSettings,
  edits: (channel: string) => boolean,
  begunAt: Instant = now,
): readonly Effect[] {
  return (open?.items ?? []).flatMap((stored) => {
    const { question, state, heldUntilAt } = stored;
    const all = copies.get(question.id) ?? [];
    if (stored.deadlineAt <= now) return expire(stored, all)?.effects ?? [];
    // What was asked since then went out in full.
    const shown = stored.askedAt < begunAt ? all.filter(({ channel }) => edits(channel)) : [];
    const wasHeld = heldUntilAt !== undefined;
    if (!wasHeld && shown.length === 0) return [];
    const unsent = wasHeld && state === "pending" && all.length === 0 && !posting.has(question.id);
    return [
      { type: "renew-question", id: question.id, from: state, heldUntilAt: null },
      ...(wasHeld ? [log(stored, "question.released")] : []),
      ...(unsent ? postsOf(question, routes) : editsOf(stored, shown)),
    ] satisfies Effect[];
  });
}

/** What ended in a night without an answer, and whose task still waits for one, is asked again in full. */
export function askEndedAgain(
  ended: readonly EndedQuestion[],
  nightRules: NightRules | undefined,
  settings: DaybreakSettings,
): readonly Effect[] {
  const used = new Map<string, number>();
  return newestOfEach(ended.filter((each) => asksAgain(each, nightRules, settings))).flatMap((each) => {
    // What a stopped run asks is cancelled, and rings nobody.
    if (each.stopping)
      return [log(each.stored, "question.not-asked-again", { reason: "its run is to stop" })];
    const { run, part } = questionIdParts(each.stored.question.id);
    const place = `${run}\n${part}`;
    const seq = Math.max(each.nextSeq, (used.get(place) ?? 0) + 1);
    if (seq > maxSeq)
      return [log(each.stored, "question.not-asked-again", { reason: "all numbers are used" })];
    used.set(place, seq);
    return askAgain(each.stored, seq, settings);
  });
}

function asksAgain(
  { stored, taskStatus, again, reasked }: EndedQuestion,
  nightRules: NightRules | undefined,
  { rules }: DaybreakSettings,
): boolean {
  // Whoever waited for a permission has gone on.
  if (isPermission(stored.question)) return false;
  if (again || reasked || taskStatus === "Done" || taskStatus === "Cancelled") return false;
  const endedAt = unansweredAt(stored);
  if (endedAt !== undefined && stored.answer?.night) return true;
  return endedAt !== undefined && [nightRules, rules].some((each) => each && isNight(each.hours, endedAt));
}

/**
 * When it ended without an answer; undefined where somebody answered, or where the recommendation stands in for that. A
 * recommendation that the loop has not come for yet is still going to be taken, so it is not asked again either.
 */
function unansweredAt({
  outcome,
  answer,
  defaultAction,
  deadlineAt,
  result,
}: StoredQuestion): Instant | undefined {
  if (result === "done") return undefined;
  if (outcome === "skipped") return answer?.at;
  const byDefault = outcome === "expired" || outcome === "defaulted";
  return byDefault && defaultAction !== "take_recommended" ? deadlineAt : undefined;
}

/** The same text that was asked twice in a night is asked again once. */
function newestOfEach(ended: readonly EndedQuestion[]): readonly EndedQuestion[] {
  const newest = new Map(
    ended.map((each) => {
      const { question } = each.stored;
      return [`${question.project}\n${question.run}\n${digestQuestion(question)}`, each] as const;
    }),
  );
  return [...newest.values()];
}

function askAgain(
  { question: old }: StoredQuestion,
  seq: number,
  { now, zone, routes, againDeadlineMs }: DaybreakSettings,
): readonly Effect[] {
  const { auto_default: _, ...text } = old;
  const { run, part } = questionIdParts(old.id);
  const question: Question = {
    ...text,
    id: mintQuestionId(run, part, seq),
    default: { action: "stay_parked", at: `${againDeadlineMs / 60_000}m` },
    again: old.id,
  };
  const row: StoredQuestion = {
    question,
    state: "pending",
    digest: digestQuestion(question),
    revision: 1,
    askedAt: now,
    deadlineAt: now + againDeadlineMs,
    zone,
    defaultAction: "stay_parked",
  };
  return [
    { type: "insert-question", row },
    log(row, "question.asked", { kind: question.kind, title: question.title, again: old.id }),
    ...postsOf(question, routes),
  ];
}

function postsOf({ id, answerable_by }: Question, routes: DaybreakSettings["routes"]): readonly Effect[] {
  return routes(answerable_by).map((route) => ({
    type: "send",
    job: { ...route, kind: "post", question: id },
  }));
}

/** What waited for the morning goes out, and the night is summed up. */
export function decideMorning({ morning, routes }: DaybreakSettings): readonly Effect[] {
  return [{ type: "release-jobs" }, ...(morning === undefined ? [] : notice("morning", morning, routes()))];
}
