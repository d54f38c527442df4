import type { Claim, QuestionId, TaskId } from "./ids.ts";
import type { Copy, StoredQuestion } from "./question.ts";
import type { StoredTask, Task, TaskClaim } from "./task.ts";

/** Who asks for a change: a person, or a program that works for one. */
export type Actor = { readonly kind: "person" | "agent"; readonly name: string };

/** Why a change of the board was refused. A closed union. */
export const boardReasons = [
  "no-such-task",
  "id-taken",
  "field-invalid",
  "unknown-issuer",
  "not-allowed",
  "changed-meanwhile",
  "illegal-move",
  "not-ready",
  "not-dispatch-ready",
  "needs-missing",
  "plan-fixed",
  "claimed",
  "claim-lost",
  "no-such-parent",
  "own-parent",
  "too-deep",
  "no-such-blocker",
  "blocked-by-itself",
  "blocked-by-parent",
  "blocked-in-a-circle",
  "has-children",
  "nothing-ready",
  "no-such-line",
] as const;
export type BoardReason = (typeof boardReasons)[number];

/** One check that did not hold. `field` is the field's name as people read it. */
export type Finding = { readonly field: string; readonly rule: string; readonly message: string };

export type BoardRefusal = {
  readonly ok: false;
  readonly reason: BoardReason;
  readonly message: string;
  readonly findings?: readonly Finding[];
};

/** A Ready task that was passed over, and why. */
export type PassedOver = { readonly task: Task; readonly findings: readonly Finding[] };

/** What became of a heartbeat or a release. */
export type HoldAnswer =
  | { readonly ok: true; readonly task: Task; readonly claim: TaskClaim | null }
  | BoardRefusal;

/** A line that nobody has adopted yet. `n` counts those of a task from 1. */
export type InferredLine = {
  readonly n: number;
  readonly field: "acceptanceCriteria" | "executionPlan";
  /** Without marker and list sign. */
  readonly text: string;
};

/** A task's place in the order of `next`: after this one. */
export type NextPlace = Pick<Task, "priority" | "dueDate" | "createdAt" | "id">;

export type NextNeed = {
  /** Only tasks of these executors; absent: of any, or of none. */
  readonly executors?: readonly string[];
  /** Only tasks that are theirs: assigned to them, or to nobody and made by them. */
  readonly owner?: string;
  readonly after?: NextPlace;
  readonly limit: number;
};

export type BoardNeed = {
  readonly board: string;
  /** Their parents come with them. */
  readonly tasks?: readonly TaskId[];
  readonly next?: NextNeed;
  /** The task whose lease runs under that claim. */
  readonly heldUnder?: Claim;
  /** Claims whose lease is over, of every board. */
  readonly lapsed?: { readonly limit: number };
};

export type BoardSnapshot = {
  readonly tasks: ReadonlyMap<TaskId, StoredTask>;
  /** Ready tasks that nothing blocks, in their order. */
  readonly next: readonly StoredTask[];
  readonly held?: StoredTask;
  readonly lapsed: readonly StoredTask[];
  /** The blockers of a task of the board: read when it is asked for, in the same transaction. */
  readonly blockersOf: (id: TaskId) => readonly TaskId[];
  /** The open questions for which tasks of the snapshot are parked, and where they stand. */
  readonly questions: ReadonlyMap<QuestionId, StoredQuestion>;
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
};

/** What a change sets; absent is unchanged. */
export type TaskChange = Partial<
  Omit<Task, "id" | "board" | "issuer" | "createdAt" | "updatedAt" | "revision">
> & {
  readonly claim?: TaskClaim | null;
};

/** Effects on the board; they are written beside those on questions, in the same transaction. */
export type BoardEffect =
  | { readonly type: "insert-task"; readonly task: Task }
  /** Compare-and-set on the revision; leaving Blocked ends every parking of it. */
  | {
      readonly type: "update-task";
      readonly board: string;
      readonly id: TaskId;
      readonly revision: number;
      readonly change: TaskChange;
    }
  | { readonly type: "delete-task"; readonly board: string; readonly id: TaskId; readonly revision: number };
