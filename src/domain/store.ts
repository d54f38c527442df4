import type { Abort } from "./abort.ts";
import type { BoardNeed, BoardSnapshot, NextNeed } from "./board.ts";
import type { Ack } from "./command.ts";
import type { Effect, NewJob, NewNote } from "./effect.ts";
import type { Event } from "./event.ts";
import type { ChannelId, Claim, Cursor, Instant, MessageRef, QuestionId, RunId, TaskId } from "./ids.ts";
import type { Binding, PairingCode } from "./person.ts";
import type { TaskFilter, TaskSort } from "./provider.ts";
import type { Copy, State, StoredQuestion } from "./question.ts";
import type {
  AskNeed,
  AskSnapshot,
  NightMark,
  NightNeed,
  NightSnapshot,
  NightState,
  PeopleSnapshot,
  SenderCounter,
  SweepSnapshot,
  TakeNeed,
  TakeSnapshot,
  Turn,
  TurnInput,
  TurnNeed,
  TurnSnapshot,
} from "./store-snapshots.ts";

import type { StoredTask, Task } from "./task.ts";

export type * from "./effect.ts";
export type * from "./store-snapshots.ts";

export type Decision<Value> = { readonly effects: readonly Effect[]; readonly value: Value };

export type Job = NewJob & {
  readonly id: number;
  readonly attempts: number;
  readonly notBeforeAt: Instant;
  readonly createdAt: Instant;
  /** Idempotency key, the same for every attempt. */
  readonly key: string;
};

export type Note = NewNote & { readonly id: number; readonly at: Instant };

/** The process that owns the channels of a home. */
export type ServiceRecord = {
  readonly pid: number;
  /** The kernel's start time of that pid: a reused pid has another. */
  readonly startedAt: string;
  readonly token: string;
  readonly host: string;
  readonly socket: string;
  readonly port: number | undefined;
  readonly sinceAt: Instant;
};

/** Lines of a receipt are gathered for so long at most. */
export const longestGatherMs = 60_000;

/** A silence in which a platform has dropped presses. */
export type Outage = { readonly from: Instant; readonly to: Instant };

/** A destination that takes no messages until somebody there does something. */
export type RefusedPlace = { readonly destination: string; readonly since: Instant; readonly detail: string };

export type ChannelHealth = {
  readonly channel: ChannelId;
  /** Can the platform be talked to? */
  readonly up: boolean;
  readonly since: Instant;
  readonly lastReceiveAt?: Instant;
  readonly detail?: string;
  /** The latest outage that was longer than presses are kept. */
  readonly outage?: Outage;
  /** Absent where every destination takes messages, as far as is known. */
  readonly refused?: readonly RefusedPlace[];
};

/** No message waits longer than this for its next attempt: one that seems to was postponed before the clock was set back. */
export const longestRestMs = 3_600_000;

/** May this job go out now? */
export function isDue({ notBeforeAt }: Pick<Job, "notBeforeAt">, now: Instant): boolean {
  return notBeforeAt <= now || notBeforeAt > now + longestRestMs;
}

export type QuestionFilter = {
  readonly states?: readonly State[];
  readonly project?: string;
  readonly task?: string;
  readonly run?: string;
  /** Not those for which there is nothing to take: nobody answered, and their default is to stay parked. */
  readonly takeable?: true;
  /** Questions whose key begins so are left out. */
  readonly leaves?: string;
  /** Newest first where true, else oldest first. */
  readonly newest?: boolean;
  readonly limit: number;
};

/** Where a page of the board ended: the next one begins behind this task. */
export type TaskPlace = Pick<Task, "priority" | "dueDate" | "createdAt" | "id">;

export type StoredTaskQuery = {
  readonly board: string;
  readonly filter: TaskFilter;
  readonly sort: TaskSort;
  readonly after?: TaskPlace;
  readonly limit: number;
};

/**
 * The task store. Every method that writes is one durable transaction: when its promise resolves, the change is on disk.
 * Writes that are in flight together may share one commit. `decide` runs inside the transaction, must not do I/O,
 * and may run again when a transaction is repeated. Rejections are faults (`StoreError`) with a sentence that says what to do.
 */
export type Store = {
  ask<Value>(need: AskNeed, decide: (snapshot: AskSnapshot) => Decision<Value>, now: Instant): Promise<Value>;

  /** One transaction for the whole batch: dedup by (channel, key), gather, decide, effects, cursor. An input seen before gives the stored ack. */
  turn<Input extends TurnInput>(
    turn: Turn<Input>,
    gather: (input: Input) => TurnNeed,
    decide: (snapshot: TurnSnapshot, input: Input) => Decision<Ack>,
    now: Instant,
  ): Promise<readonly Ack[]>;

  take<Value>(need: TakeNeed, decide: (snapshot: TakeSnapshot) => Decision<Value>): Promise<Value>;

  /**
   * Marks every question and every abort of that claim confirmed, each with an event that holds `data`. Returns the ids of
   * the questions, then the runs; empty when no such claim stands.
   */
  confirm(
    claim: Claim,
    now: Instant,
    data?: Readonly<Record<string, unknown>>,
  ): Promise<readonly (QuestionId | RunId)[]>;

  /** Reads one question and its copies, decides, commits. */
  move<Value>(
    id: QuestionId,
    decide: (stored: StoredQuestion | undefined, copies: readonly Copy[]) => Decision<Value>,
    now: Instant,
  ): Promise<Value>;

  /** At most `limit` due questions and `limit` lapsed claims in one transaction. */
  sweep<Value>(
    now: Instant,
    limit: number,
    decide: (snapshot: SweepSnapshot) => Decision<Value>,
  ): Promise<Value>;
  /** The next instant at which a sweep has something to do; `now` or earlier where it has already. */
  nextSweepAt(now: Instant): Promise<Instant | undefined>;

  /** One step of the change between day and night: `gather` says from the mark what is to be read. */
  changeNight<Value>(
    gather: (mark: NightMark | undefined) => NightNeed,
    decide: (snapshot: NightSnapshot) => Decision<Value>,
    now: Instant,
  ): Promise<Value>;
  nightState(): Promise<NightState>;
  /** The question that asks this one again. */
  askedAgainAs(id: QuestionId): Promise<QuestionId | undefined>;

  /**
   * People, their bindings and the live codes: read, decided and written in one transaction. `nextId` is the number of the
   * next binding or code.
   */
  pair<Value>(
    decide: (snapshot: PeopleSnapshot, nextId: number) => Decision<Value>,
    now: Instant,
  ): Promise<Value>;
  /** In the order of pairing. */
  bindings(): Promise<readonly Binding[]>;
  /** Those that are live at `now`. */
  codes(now: Instant): Promise<readonly PairingCode[]>;
  counters(channel: ChannelId, sender: string): Promise<readonly SenderCounter[]>;

  /** The key of this home's tokens, base64; the first caller's `fresh` becomes it. */
  tokenKey(fresh: string, now: Instant): Promise<string>;

  /** The board: what `need` names is read, decided on and written in one transaction. */
  changeBoard<Value>(
    need: BoardNeed,
    decide: (snapshot: BoardSnapshot) => Decision<Value>,
    now: Instant,
  ): Promise<Value>;
  /** Where a task with very many dependants ended, the next `limit` of them are told; false when nobody is left. */
  settleBlockers(limit: number): Promise<boolean>;
  task(board: string, id: TaskId): Promise<StoredTask | undefined>;
  /** The task of the board that is held under that claim. */
  claimedTask(board: string, token: Claim): Promise<TaskId | undefined>;
  /** Ready tasks that nothing blocks, in their order. */
  nextTasks(board: string, need: NextNeed): Promise<readonly StoredTask[]>;
  tasks(query: StoredTaskQuery): Promise<readonly StoredTask[]>;
  /** The boards that hold a task, by name. */
  boards(): Promise<readonly string[]>;
  /** The next instant at which the lease of somebody's work is over; `now` or earlier where it is already. */
  nextLapseAt(now: Instant): Promise<Instant | undefined>;
  /** Core fields of a task that the file cannot hold. */
  missingTaskFields(): Promise<readonly string[]>;
  /** Makes them. */
  addTaskFields(): Promise<void>;

  /** Effects that need no snapshot: notices, notes, events. */
  append(effects: readonly Effect[], now: Instant): Promise<void>;

  /** The head of every (channel, destination) queue whose time has come. */
  nextJobs(now: Instant, limit: number): Promise<readonly Job[]>;
  /** The next instant at which a waiting job may go out. Without `now`, what waits for the morning waits still. */
  nextJobAt(now?: Instant): Promise<Instant | undefined>;
  /** The first jobs of one queue, in order, whether their time has come or not. */
  queue(channel: ChannelId, destination: string, limit: number): Promise<readonly Job[]>;
  /** The job was accepted: it leaves the outbox, the copy is recorded, `decide` moves the question. */
  sent(
    job: Job,
    copy: { readonly ref: MessageRef; readonly revision: number } | undefined,
    decide: (stored: StoredQuestion | undefined) => readonly Effect[],
    now: Instant,
  ): Promise<void>;
  /** The job stays and is tried again at `notBeforeAt`. */
  postpone(job: Job, notBeforeAt: Instant): Promise<void>;
  /** The job stays until then and holds up nothing behind it; `release-jobs` ends its wait. */
  waitUntil(job: Job, at: Instant): Promise<void>;
  /** The job leaves the outbox unsent; `effects` say why. */
  drop(job: Job, effects: readonly Effect[], now: Instant): Promise<void>;

  question(id: QuestionId): Promise<StoredQuestion | undefined>;
  questions(filter: QuestionFilter): Promise<readonly StoredQuestion[]>;
  copies(id: QuestionId): Promise<readonly Copy[]>;
  counts(): Promise<Readonly<Record<State, number>>>;
  /** Runs that asked something at or after `since`; of the last 500 questions. */
  runs(since: Instant): Promise<readonly RunId[]>;
  /** Orders to stop a run that no loop has confirmed yet; the oldest first. */
  aborts(): Promise<readonly Abort[]>;
  cursor(channel: ChannelId): Promise<Cursor | undefined>;
  setCursor(channel: ChannelId, cursor: Cursor, now: Instant): Promise<void>;
  /** Events after `since`, oldest first. */
  events(since: number, limit: number, project?: string): Promise<readonly Event[]>;
  lastEvent(): Promise<number>;
  /** Notes after `since`, oldest first. */
  notes(since: number, limit: number, project?: string): Promise<readonly Note[]>;

  /** Takes the home's only service place, when it is free or `isAlive` says that its holder is gone. Returns the living holder, or undefined when we hold it now. */
  acquireService(
    record: ServiceRecord,
    isAlive: (holder: ServiceRecord) => boolean,
  ): Promise<ServiceRecord | undefined>;
  service(): Promise<ServiceRecord | undefined>;
  releaseService(token: string): Promise<void>;

  setHealth(health: ChannelHealth): Promise<void>;
  health(): Promise<readonly ChannelHealth[]>;

  /** Hashes of the inbox's tokens; `link` tokens are used once. */
  addToken(hash: string, kind: "link" | "session", expiresAt: Instant): Promise<void>;
  /** Uses up a link token: true for the first caller only. */
  useLink(hash: string, now: Instant): Promise<boolean>;
  hasSession(hash: string, now: Instant): Promise<boolean>;

  /** Reads the whole file and names what is damaged, at most five lines; nothing where all is well. */
  check(): Promise<readonly string[]>;

  /** A number that changes when any process has committed; for a slow poll. */
  dataVersion(): number;
  close(): Promise<void>;
};

/** A fault of the store. `message` says what happened and what to do next; it holds no secret. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
