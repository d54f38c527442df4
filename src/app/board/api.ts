import type {
  Actor,
  BoardRefusal,
  Finding,
  HoldAnswer,
  InferredLine,
  PassedOver,
} from "../../domain/board.ts";
import type { Claim } from "../../domain/ids.ts";
import type { TaskProvider, TaskWritten } from "../../domain/provider.ts";
import type { Calibration, Review, ReviewMode } from "../../domain/review.ts";
import type { StoredTask, Task, TaskClaim } from "../../domain/task.ts";

export type BoardOptions = {
  /** The owlpost project whose board it is. */
  readonly board: string;
  readonly actor: Actor;
  /** Who makes new tasks; undefined where nobody is known: then none is made. */
  readonly issuer: string | undefined;
};

export type NextRequest = {
  readonly executors?: readonly string[];
  readonly owner?: string;
  /** 1 where absent. */
  readonly limit?: number;
};

/** A Ready task, and what would keep it from being begun on this machine. */
export type NextTask = { readonly stored: StoredTask; readonly findings: readonly Finding[] };

export type ClaimRequest = {
  /** Absent: the next one that can be begun. */
  readonly id?: string;
  /** Absent: a fresh one. The same token again is the same claim. */
  readonly token?: Claim;
  readonly by?: string;
  /** Absent: the configured lease. */
  readonly leaseMs?: number;
  readonly executor?: string;
  readonly executors?: readonly string[];
  readonly owner?: string;
};

export type ClaimOutcome =
  | {
      readonly ok: true;
      readonly task: Task;
      readonly claim: TaskClaim;
      readonly repeated?: true;
      readonly passedOver: readonly PassedOver[];
    }
  | (BoardRefusal & { readonly passedOver: readonly PassedOver[] });

export type ImportLine = {
  /** Of the text, from 1; of a database, the row. */
  readonly line: number;
  readonly id?: string;
  readonly message: string;
};
/** Told while it goes on: so many tasks are done, of so many where that is known. */
export type Progress = (done: number, all?: number) => void;

export type ImportReport = {
  readonly added: number;
  /** On the board already, as they are. */
  readonly same: number;
  /** Not taken over. */
  readonly refused: readonly ImportLine[];
  /** Taken over, without something. */
  readonly dropped: readonly ImportLine[];
};

export type ReviewRequest = {
  readonly id: string;
  /** Absent: the configured one. */
  readonly mode?: ReviewMode;
  /** A person's own judgment: nobody else is asked. */
  readonly said?: Review;
  /** The reviewer is heard and nothing is stored; it need not have been measured. */
  readonly advice?: boolean;
  /** From which the reviewer gets its variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Why the reviewer gave no verdict. */
export type ReviewerReason =
  | "unreviewed"
  | "no-reviewer"
  | "reviewer-disabled"
  | "reviewer-failed"
  | "reviewer-timeout"
  | "reviewer-malformed";
export type ReviewerRefusal = {
  readonly ok: false;
  readonly reason: ReviewerReason;
  readonly message: string;
};

export type ReviewOutcome =
  | {
      readonly ok: true;
      /** `stood`: it was judged before, and has not changed since. */
      readonly how: "stored" | "stood" | "advice";
      readonly id: string;
      readonly review: Review;
      /** The line as it stands on the task; absent from advice. */
      readonly line?: string;
    }
  | BoardRefusal
  | ReviewerRefusal;

export type CalibrationRequest = {
  /** JSON lines or a list: tasks, each with the `verdict` that people gave it. */
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly told?: Progress;
};
export type CalibrationOutcome =
  | { readonly ok: true; readonly calibration: Calibration }
  | ReviewerRefusal
  | BoardRefusal;

/** One board: the provider's seven operations, and what owlpost adds to them. */
export type Board = TaskProvider & {
  readonly name: string;
  stored(id: string): Promise<StoredTask | undefined>;
  /** Ready and actionable, in the order in which they are offered. Looking changes nothing but leases that are over. */
  next(request?: NextRequest): Promise<readonly NextTask[]>;
  claim(request: ClaimRequest): Promise<ClaimOutcome>;
  heartbeat(id: string, token: Claim): Promise<HoldAnswer>;
  release(id: string, how: { readonly token?: Claim; readonly force?: boolean }): Promise<HoldAnswer>;
  /** Lines that nobody has adopted yet. */
  inferred(task: Task): readonly InferredLine[];
  /** What is recommended and missing; nothing is kept from being moved by it. */
  advice(stored: StoredTask): readonly Finding[];
  confirmLine(id: string, line: number): Promise<TaskWritten | BoardRefusal>;
  /** Judges whether a task says enough. */
  review(request: ReviewRequest): Promise<ReviewOutcome>;
  /** Measures how often the configured reviewer agrees with people; below the bar its verdicts do not count. */
  calibrate(request: CalibrationRequest): Promise<CalibrationOutcome>;
  /** The same from a stream of bytes, of which a few thousand lines are in memory at a time; text says why it cannot be read. */
  importStream(chunks: AsyncIterable<Uint8Array>, told?: Progress): Promise<ImportReport | string>;
  /** JSON lines, a JSON list, or the canonical `{"results": […]}`. */
  importText(text: string, told?: Progress): Promise<ImportReport>;
  /** A board that waggle-sqlite keeps. */
  importWaggle(path: string, told?: Progress): Promise<ImportReport>;
  /** Every task as one JSON document, the oldest first. */
  export(): AsyncIterable<string>;
};
