import type Database from "better-sqlite3";
import { StoreError } from "../domain/store.ts";
import { sql as first } from "./migrations/001-first.ts";
import { sql as people } from "./migrations/002-people.ts";
import { sql as health } from "./migrations/003-health.ts";
import { sql as aborts } from "./migrations/004-aborts.ts";
import { sql as nights } from "./migrations/005-nights.ts";
import { sql as tokens } from "./migrations/006-tokens.ts";
import { sql as board } from "./migrations/007-board.ts";

/** In order; the schema's number is how many of them have run. Never change one that was released: add the next. */
export const migrations: readonly string[] = [first, people, health, aborts, nights, tokens, board];

/**
 * Brings the file to the newest schema, each step in a transaction of its own. Where several processes do it at
 * once, the first does the work and the others find it done.
 */
export function migrate(db: Database.Database, steps: readonly string[] = migrations): void {
  while (schemaOf(db) < steps.length) {
    db.exec("BEGIN IMMEDIATE");
    try {
      // Read again under the lock: another process may have been quicker.
      const schema = schemaOf(db);
      const step = steps[schema];
      if (step !== undefined) {
        db.exec(step);
        db.pragma(`user_version = ${schema + 1}`);
      }
      db.exec("COMMIT");
    } catch (error) {
      if (db.inTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
  const schema = schemaOf(db);
  if (schema > steps.length) {
    throw new StoreError(
      "newer-schema",
      `this home was written by a newer owlpost (schema ${schema}, this one knows ${steps.length}): update owlpost`,
    );
  }
}

function schemaOf(db: Database.Database): number {
  return db.pragma("user_version", { simple: true }) as number;
}
