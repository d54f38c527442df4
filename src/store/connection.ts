import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { storeFault } from "./faults.ts";
import { migrate } from "./migrate.ts";

/** Opens the file, which is made when it is missing, readable by its owner alone, and brings its schema up to date. */
export function connect(path: string, busyTimeoutMs: number): Database.Database {
  let db: Database.Database | undefined;
  try {
    guardMode(path);
    db = new Database(path, { timeout: busyTimeoutMs });
    useWal(db, busyTimeoutMs);
    // The driver's default under WAL is NORMAL, which does not fsync a commit at all.
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    // Small sorts and savepoints need no file.
    db.pragma("temp_store = MEMORY");
    // In KiB. What was asked in a night stays at hand until it is answered; the default of 2 MB holds a thousand questions.
    db.pragma("cache_size = -8000");
    migrate(db);
    return db;
  } catch (error) {
    db?.close();
    throw storeFault(error, path);
  }
}

/** The journal and the shared memory get the mode of the file itself. */
function guardMode(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) closeSync(openSync(path, "a", 0o600));
  else if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
}

/** Two processes that open a new file at once: SQLite does not wait for a lock here, so we do. */
function useWal(db: Database.Database, busyTimeoutMs: number): void {
  const giveUpAt = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      if (db.pragma("journal_mode", { simple: true }) === "wal") return;
      db.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      const busy = error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
      if (!busy || performance.now() >= giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
