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
export type ImportReport = {
  readonly added: number;
  /** On the board already, as they are. */
  readonly same: number;
  /** Not taken over. */
  readonly refused: readonly ImportLine[];
  /** Taken over, without something. */
  readonly dropped: readonly ImportLine[];
};

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
  confirmLine(id: string, line: number): Promise<TaskWritten | BoardRefusal>;
  /** JSON lines, a JSON list, or the canonical `{"results": […]}`. */
  importText(text: string): Promise<ImportReport>;
  /** A board that waggle-sqlite keeps. */
  importWaggle(path: string): Promise<ImportReport>;
  /** Every task as one JSON document, the oldest first. */
  export(): AsyncIterable<string>;
};
