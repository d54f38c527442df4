import type { Claim, Instant, QuestionId, TaskId } from "./ids.ts";

export const taskStatuses = [
  "Backlog",
  "Ready",
  "In Progress",
  "In Review",
  "Done",
  "Blocked",
  "Cancelled",
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const priorities = ["Urgent", "High", "Medium", "Low"] as const;
export type Priority = (typeof priorities)[number];

/** Executors that are programs. Any other name is allowed, too: a person, or a program that we do not know. */
export const aiExecutors: readonly string[] = ["cli", "claude-code", "claude-desktop", "cowork"];

/** Nobody waits for it any more: it blocks nothing, and as a child it counts as finished. */
export function isFinished(status: TaskStatus): boolean {
  return status === "Done" || status === "Cancelled";
}

export type TaskPerson = { readonly id: string; readonly name: string };

/** A file that lies elsewhere: a reference and not its bytes. */
export type Attachment = {
  readonly url: string;
  readonly name: string;
  readonly mime_type?: string;
  readonly size?: number;
};

/** What may be written by whoever works with the board; the keys are those of the documents. */
export type TaskFields = {
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: string;
  readonly priority: Priority | null;
  readonly executor: string | null;
  /** Ids of tasks of the same board, in the order of their ids. */
  readonly blockedBy: readonly TaskId[];
  readonly requiresReview: boolean;
  /** Cannot be changed from the moment of dispatch until the task comes back. */
  readonly executionPlan: string;
  /** An absolute path. */
  readonly workingDirectory: string;
  readonly sessionReference: string;
  readonly agentOutput: string;
  readonly errorMessage: string;
  /** At most one line: `PASS hash=5dabf489 @2026-05-19T10:42:00Z v2`. */
  readonly qualityVerdict: string;

  /** Background, constraints, and the blocks that programs keep in it. */
  readonly context: string;
  /** URLs and paths, one a line. */
  readonly artifacts: string;
  readonly repository: string | null;
  /** ISO 8601, a date or an instant. */
  readonly startDate: string | null;
  readonly dueDate: string | null;
  readonly tags: readonly string[];
  readonly parentTask: TaskId | null;
  /** A grouping in free words; which board a task stands on is `board`. */
  readonly project: string | null;
  readonly team: string | null;
  readonly assignee: readonly TaskPerson[];
  readonly attachments: readonly Attachment[];
  readonly branch: string;
  readonly acknowledgedAt: Instant | null;
  readonly sourceMessageId: string | null;
};

export type Task = TaskFields & {
  readonly id: TaskId;
  /** The owlpost project whose board it stands on: ids, blockers and parents are of one board. */
  readonly board: string;
  readonly status: TaskStatus;
  readonly dispatchedAt: Instant | null;
  /** Who made it: never changes. */
  readonly issuer: TaskPerson;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Rises by one with every change. */
  readonly revision: number;
};

export const emptyFields: Omit<TaskFields, "title"> = {
  description: "",
  acceptanceCriteria: "",
  priority: null,
  executor: null,
  blockedBy: [],
  requiresReview: false,
  executionPlan: "",
  workingDirectory: "",
  sessionReference: "",
  agentOutput: "",
  errorMessage: "",
  qualityVerdict: "",
  context: "",
  artifacts: "",
  repository: null,
  startDate: null,
  dueDate: null,
  tags: [],
  parentTask: null,
  project: null,
  team: null,
  assignee: [],
  attachments: [],
  branch: "",
  acknowledgedAt: null,
  sourceMessageId: null,
};

/**
 * The task with other values in some of its fields. Spreading so many properties into a new object costs the engine 100 us
 * and more, and assigning them 10.
 */
export function changedTask(task: Task, ...changes: readonly Partial<Task>[]): Task {
  return Object.assign({}, task, ...changes) as Task;
}

/** Who works on a task. Whoever writes under another token has lost it. */
export type TaskClaim = {
  readonly token: Claim;
  readonly by: string;
  readonly claimedAt: Instant;
  readonly leaseMs: number;
  /** `null` while the task is parked: the clock stands still. */
  readonly leaseUntilAt: Instant | null;
  /** What is left of the lease while it stands still. */
  readonly leftMs: number | null;
};

/** A process looks at the clock before it waits for its turn to write, so another's claim may lie so far ahead of its `now`. */
export const turnSlackMs = 60_000;

/**
 * Is its time over? Never while it is parked. A lease that runs for more than twice its time was taken before the clock was
 * set back; one that is a little ahead was taken by somebody else, meanwhile.
 */
export function hasRunOut({ leaseUntilAt, leaseMs }: TaskClaim, now: Instant): boolean {
  return leaseUntilAt !== null && (leaseUntilAt <= now || leaseUntilAt - now > 2 * leaseMs + turnSlackMs);
}

export type ChildCounts = { readonly all: number; readonly open: number; readonly done: number };

/** A row of the board: the task, and what is known about its place among the others. */
export type StoredTask = {
  readonly task: Task;
  readonly claim: TaskClaim | null;
  /** Blockers that are neither Done nor Cancelled. */
  readonly openBlockers: number;
  /** Blockers that were cancelled: the task is not held up by them, and somebody should look. */
  readonly cancelledBlockers: number;
  readonly children: ChildCounts;
  /** The open questions that it is parked for; the oldest first. */
  readonly parkedFor: readonly QuestionId[];
  /** The questions that have left it Blocked: somebody skipped them, or nobody answered in time. */
  readonly leftBy: readonly QuestionId[];
};
