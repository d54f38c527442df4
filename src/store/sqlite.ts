import type { Store } from "../domain/store.ts";
import { waitingAborts } from "./aborts.ts";
import { asking } from "./asking.ts";
import { board } from "./board/board.ts";
import { longestStandMs, patiently } from "./busy.ts";
import { connect } from "./connection.ts";
import { copiesOfId } from "./copies.ts";
import { eventsAfter, lastEvent, notesAfter } from "./events.ts";
import { storeFault } from "./faults.ts";
import { groupCommit } from "./group-commit.ts";
import { nights } from "./nights.ts";
import { pairing } from "./pairing.ts";
import { countQuestions, findQuestion, listQuestions, listRuns } from "./questions.ts";
import { sending } from "./sending.ts";
import { serving } from "./serving.ts";
import { type Sql, scalar, statements } from "./statements.ts";
import { taking } from "./taking.ts";
import { turning } from "./turning.ts";

export type StoreOptions = {
  /** How long a write waits for other processes before it is `busy`; 10,000 where absent. */
  readonly busyTimeoutMs?: number;
};

/**
 * The task store in one SQLite file, which is made when it is missing (its folder is not). Rejects with a
 * `StoreError`: `newer-schema`, `cannot-open`, `corrupt`, `read-only`, `disk-full`, `io` or `busy`.
 */
export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const busyTimeoutMs = options.busyTimeoutMs ?? 10_000;
  const db = connect(path, busyTimeoutMs);
  // From here on most of the waiting happens between calls. Set once: SQLite compiles this anew each time.
  db.pragma(`busy_timeout = ${Math.min(longestStandMs, busyTimeoutMs)}`);
  const sql = statements(db);
  const fault = (error: unknown): unknown => storeFault(error, path);
  const { commit, drain } = groupCommit(db, fault, busyTimeoutMs);
  return named(
    {
      ...asking(sql, commit),
      ...turning(sql, commit),
      ...taking(sql, commit),
      ...nights(sql, commit),
      ...sending(sql, commit),
      ...serving(sql, commit),
      ...pairing(sql, commit),
      ...board(sql, commit),
      ...reading(sql),
      check: async () =>
        sql<{ quick_check: string }>("PRAGMA quick_check(5)")
          .all()
          .map((row) => row.quick_check)
          .filter((line) => line !== "ok"),
      // Commits of other connections, and what this one has changed; both only rise.
      dataVersion: () =>
        (scalar<number>(sql, "PRAGMA data_version") ?? 0) +
        (scalar<number>(sql, "SELECT total_changes()") ?? 0),
      close: async () => {
        await drain();
        db.close();
      },
    },
    fault,
    busyTimeoutMs,
  );
}

function reading(
  sql: Sql,
): Pick<
  Store,
  "question" | "questions" | "copies" | "counts" | "runs" | "aborts" | "events" | "lastEvent" | "notes"
> {
  return {
    question: async (id) => findQuestion(sql, id)?.stored,
    questions: async (filter) => listQuestions(sql, filter),
    copies: async (id) => copiesOfId(sql, id),
    counts: async () => countQuestions(sql),
    runs: async (since) => listRuns(sql, since),
    aborts: async () => waitingAborts(sql),
    events: async (since, limit, project) => eventsAfter(sql, since, limit, project),
    lastEvent: async () => lastEvent(sql),
    notes: async (since, limit, project) => notesAfter(sql, since, limit, project),
  };
}

/** Reads wait for as long as writes, and fail under the same names. */
function named(store: Store, fault: (error: unknown) => unknown, busyTimeoutMs: number): Store {
  const guard =
    <Given extends unknown[], Value>(read: (...given: Given) => Promise<Value>) =>
    (...given: Given): Promise<Value> =>
      patiently(() => read(...given), busyTimeoutMs).catch((error: unknown) => {
        throw fault(error);
      });
  return {
    ...store,
    question: guard(store.question),
    questions: guard(store.questions),
    copies: guard(store.copies),
    counts: guard(store.counts),
    runs: guard(store.runs),
    aborts: guard(store.aborts),
    events: guard(store.events),
    lastEvent: guard(store.lastEvent),
    notes: guard(store.notes),
    cursor: guard(store.cursor),
    nextSweepAt: guard(store.nextSweepAt),
    nightState: guard(store.nightState),
    askedAgainAs: guard(store.askedAgainAs),
    nextJobs: guard(store.nextJobs),
    nextJobAt: guard(store.nextJobAt),
    queue: guard(store.queue),
    service: guard(store.service),
    health: guard(store.health),
    hasSession: guard(store.hasSession),
    bindings: guard(store.bindings),
    codes: guard(store.codes),
    counters: guard(store.counters),
    tokenKey: guard(store.tokenKey),
    task: guard(store.task),
    nextTasks: guard(store.nextTasks),
    tasks: guard(store.tasks),
    boards: guard(store.boards),
    nextLapseAt: guard(store.nextLapseAt),
    missingTaskFields: guard(store.missingTaskFields),
    check: guard(store.check),
  };
}
