import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { StoreError } from "../domain/store.ts";

const firstWaitMs = 5;
const longestWaitMs = 100;

/**
 * Runs `work` while nobody else, in this process or another, holds the lock of that file. The kernel drops the lock
 * when its holder dies, so nothing is ever left locked. The file is an SQLite database that stays empty.
 *
 * @param path in a folder that belongs to us alone; made when it is missing
 * @throws StoreError `busy` when the lock is not free within `timeoutMs`
 */
export async function withFileLock<Value>(
  path: string,
  work: () => Promise<Value>,
  timeoutMs: number,
): Promise<Value> {
  const database = open(path);
  try {
    await acquire(database, path, timeoutMs);
    return await work();
  } finally {
    // Closing rolls the open transaction back and with it drops the lock.
    database.close();
  }
}

function open(path: string): Database.Database {
  try {
    // No waiting inside SQLite: it would block this thread, and the holder may be this very process.
    return new Database(path, { timeout: 0 });
  } catch (error) {
    throw new StoreError(
      "cannot-open",
      `the lock ${path} cannot be opened: check that its folder is there and writable`,
      error,
    );
  }
}

async function acquire(database: Database.Database, path: string, timeoutMs: number): Promise<void> {
  const endsAt = performance.now() + timeoutMs;
  let waitMs = firstWaitMs;
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (typeof code !== "string" || !code.startsWith("SQLITE_BUSY")) {
        throw new StoreError(
          "lock",
          `the lock ${path} cannot be taken: remove that file and try again`,
          error,
        );
      }
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) {
        throw new StoreError("busy", `another process holds ${path} for too long: try again`, error);
      }
      await sleep(Math.min(waitMs, leftMs));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  }
}
