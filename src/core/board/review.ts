import type { BoardRefusal, BoardSnapshot, Finding } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import {
  type AxisMarks,
  axes,
  axisMarks,
  type Review,
  type ReviewMode,
  type VerdictWord,
} from "../../domain/review.ts";
import type { Decision } from "../../domain/store.ts";
import { changedTask, type Task } from "../../domain/task.ts";
import { dropFindings, putFindings, readFindings } from "./blocks.ts";
import { noSuchTask } from "./change.ts";
import { structureOf } from "./conditions.ts";
import { logTask } from "./family.ts";
import { refusal } from "./graph.ts";
import { checkStructure } from "./readiness.ts";
import type { BoardSettings } from "./settings.ts";
import { specHash, verdictStanding, writeVerdict } from "./verdict.ts";

/** The rules in order, the first that fits. */
export function verdictOfAxes(marks: AxisMarks): VerdictWord {
  const found = axes.map((axis) => marks[axis]);
  if (found.includes("✗")) return "REJECT";
  return found.includes("△") ? "NEEDS_REFINEMENT" : "PASS";
}

/** Reads what a reviewer gave; undefined where it is malformed, and then nothing is stored. Six axes are wanted, all of them. */
export function readReview(value: unknown): Review | undefined {
  if (!isRecord(value)) return undefined;
  const gaps = textsOf(value.gaps);
  const fixes = textsOf(value.fixes);
  if (!gaps || !fixes) return undefined;
  // Whoever cannot judge it for want of context has found a gap.
  if (value.verdict === "INSUFFICIENT_CONTEXT") return { verdict: "NEEDS_REFINEMENT", gaps, fixes };
  if (!isRecord(value.axes)) return undefined;
  const read = value.axes;
  const marks = axes.map((axis) => axisMarks.find((mark) => mark === read[axis]));
  if (marks.some((mark) => mark === undefined)) return undefined;
  const found = Object.fromEntries(axes.map((axis, at) => [axis, marks[at]])) as AxisMarks;
  return { axes: found, verdict: verdictOfAxes(found), gaps, fixes };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return undefined;
  return value.filter((each: string) => each.trim() !== "");
}

export type CachedReview = {
  readonly verdict: VerdictWord;
  readonly line: string;
  readonly hash: string;
  readonly version: 1 | 2;
  readonly at: string;
  readonly gaps: readonly string[];
  readonly fixes: readonly string[];
};

export type ReviewPlan =
  | { readonly kind: "hit"; readonly review: CachedReview }
  | { readonly kind: "unreviewed" }
  /** Mended first: the reviewer is not asked. */
  | { readonly kind: "rejected"; readonly findings: readonly Finding[] }
  | { readonly kind: "ask" };

/** What a review in this mode does: use the stored verdict, say that there is none, or ask the reviewer. */
export function planReview(task: Task, hasChildren: boolean, mode: ReviewMode): ReviewPlan {
  const cached = cachedReview(task);
  if (mode === "cache-only") {
    const counts = cached && (cached.version === 2 || cached.verdict === "PASS");
    return counts ? { kind: "hit", review: cached } : { kind: "unreviewed" };
  }
  if (mode === "cache-aware" && cached?.version === 2 && cached.verdict === "PASS")
    return { kind: "hit", review: cached };
  const findings = structuralFindings(task, hasChildren);
  return findings.length > 0 ? { kind: "rejected", findings } : { kind: "ask" };
}

/** The structural checks for Ready, without the verdict: it is only about to be given. */
export function structuralFindings(task: Task, hasChildren: boolean): readonly Finding[] {
  return checkStructure("Ready", { ...structureOf(task, hasChildren), qualityVerdict: "" }).errors;
}

/** The verdict that stands for the text as it is; its findings only where they belong to the same text. */
export function cachedReview(task: Task): CachedReview | undefined {
  const standing = verdictStanding(task);
  if (standing.kind !== "current") return undefined;
  const { verdict, hash, at, version } = standing.line;
  const found = readFindings(task.context);
  const mine = found?.hash === hash && verdict !== "PASS";
  return {
    verdict,
    line: task.qualityVerdict,
    hash,
    version: version === 1 ? 1 : 2,
    at,
    gaps: mine ? found.gaps : [],
    fixes: mine ? found.fixes : [],
  };
}

export type ReviewRequest = {
  readonly id: TaskId;
  /** The hash of what was judged. */
  readonly hash: string;
  readonly review: Review;
  /** Whose judgment it is. */
  readonly reviewer: string;
};

export type ReviewAnswer =
  | { readonly ok: true; readonly task: Task; readonly review: CachedReview }
  | BoardRefusal;

/** Stores a verdict with its findings, when the task is still what was judged. */
export function decideReview(
  snapshot: BoardSnapshot,
  { id, hash, review, reviewer }: ReviewRequest,
  { now, iso, actor }: BoardSettings,
): Decision<ReviewAnswer> {
  const stored = snapshot.tasks.get(id);
  if (!stored) return { effects: [], value: noSuchTask(id) };
  const { task } = stored;
  if (specHash(task) !== hash) {
    const message = `${id} was changed while it was reviewed: review it again.`;
    return { effects: [], value: refusal("changed-meanwhile", message) };
  }
  const { verdict, gaps, fixes } = review;
  const line = writeVerdict(verdict, hash, iso, reviewer);
  const context =
    verdict === "PASS"
      ? dropFindings(task.context)
      : putFindings(task.context, { hash, at: iso, gaps, fixes });
  const change = { qualityVerdict: line, ...(context === task.context ? {} : { context }) };
  const after = changedTask(task, change, { revision: task.revision + 1, updatedAt: now });
  return {
    effects: [
      { type: "update-task", board: task.board, id, revision: task.revision, change },
      logTask(task, "task.reviewed", { verdict, hash, reviewer, by: actor.name }),
    ],
    value: { ok: true, task: after, review: { verdict, line, hash, version: 2, at: iso, gaps, fixes } },
  };
}
