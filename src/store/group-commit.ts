import type Database from "better-sqlite3";
import { StoreError } from "../domain/store.ts";
import { isBusy, retryMs } from "./busy.ts";

/** Runs `write` inside a transaction; resolves once it is on disk. */
export type Commit = <Value>(write: () => Value) => Promise<Value>;

/** So many writes share a commit at most: the event loop must not stand still for long. */
export const groupLimit = 256;

type Waiting = {
  readonly write: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};
type Ended = { readonly waiting: Waiting; readonly value: unknown };

/**
 * Writes that are asked for in the same turn of the event loop share one transaction, hence one fsync: that is where
 * nearly all the time of a commit goes. Each then runs in a savepoint of its own, so that one that throws takes
 * back only what it did itself. A write that comes alone pays for none of this.
 *
 * Another process may hold the only lock for a while (a take of a thousand answers). SQLite would wait for it inside the
 * call and stop everything else that this process does, so most of the waiting happens between calls.
 */
export function groupCommit(
  db: Database.Database,
  fault: (error: unknown) => unknown,
  busyTimeoutMs: number,
): { commit: Commit; drain: () => Promise<void> } {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const end = db.prepare("COMMIT");
  const undo = db.prepare("ROLLBACK");
  const save = db.prepare("SAVEPOINT one");
  const keep = db.prepare("RELEASE one");
  const undoOne = db.prepare("ROLLBACK TO one");
  const queue: Waiting[] = [];
  let closed = false;
  let busySince: number | undefined;

  /** False: another process writes just now, and there is time left to wait for it. */
  function tryBegin(): boolean {
    try {
      begin.run();
      busySince = undefined;
      return true;
    } catch (error) {
      const now = performance.now();
      busySince ??= now;
      if (isBusy(error) && now - busySince < busyTimeoutMs) return false;
      busySince = undefined;
      throw error;
    }
  }

  function rollback(): void {
    // SQLite has rolled back by itself after some faults (disk full, I/O error).
    if (db.inTransaction) undo.run();
  }

  function runAlone(waiting: Waiting): void {
    let value: unknown;
    try {
      value = waiting.write();
      end.run();
    } catch (error) {
      waiting.reject(rollbackAfter(error));
      return;
    }
    waiting.resolve(value);
  }

  function rollbackAfter(error: unknown): unknown {
    try {
      rollback();
    } catch {
      // The first fault says more than the failing rollback; SQLite undoes the rest when the file is opened again.
    }
    return fault(error);
  }

  /** Throws when the whole transaction is lost. */
  function runOne(waiting: Waiting, ended: Ended[]): void {
    save.run();
    let value: unknown;
    try {
      value = waiting.write();
    } catch (error) {
      if (!db.inTransaction) throw error;
      undoOne.run();
      keep.run();
      waiting.reject(fault(error));
      return;
    }
    keep.run();
    ended.push({ waiting, value });
  }

  function runGroup(group: readonly Waiting[]): void {
    const ended: Ended[] = [];
    try {
      for (const waiting of group) runOne(waiting, ended);
      end.run();
    } catch (error) {
      const told = rollbackAfter(error);
      // Those that were rejected before stay rejected for their own reason.
      for (const waiting of group) waiting.reject(told);
      return;
    }
    for (const { waiting, value } of ended) waiting.resolve(value);
  }

  function flush(): void {
    try {
      if (!tryBegin()) {
        setTimeout(flush, retryMs);
        return;
      }
    } catch (error) {
      const told = fault(error);
      for (const waiting of queue.splice(0)) waiting.reject(told);
      return;
    }
    const group = queue.splice(0, groupLimit);
    if (queue.length > 0) setImmediate(flush);
    const only = group[0];
    if (only && group.length === 1) runAlone(only);
    else runGroup(group);
  }

  function commit<Value>(write: () => Value): Promise<Value> {
    return new Promise<Value>((resolve, reject) => {
      if (closed) {
        reject(
          new StoreError("closed", "the store was closed before this change was asked for: open it again"),
        );
        return;
      }
      if (queue.length === 0) setImmediate(flush);
      queue.push({ write, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  return {
    commit,
    /** Takes no more writes, and resolves when those that wait have ended. */
    drain: async () => {
      closed = true;
      while (queue.length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}
