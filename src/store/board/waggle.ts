import Database from "better-sqlite3";
import { StoreError } from "../../domain/store.ts";
import { storeFault } from "../faults.ts";

type Row = Readonly<Record<string, unknown>>;

/**
 * The tasks of a board that waggle-sqlite keeps, as documents with the names of its columns; an older file lacks some of
 * them. The file is only read.
 *
 * @throws StoreError `cannot-open`, `corrupt`, or `no-board` where it holds no such tables
 */
export function readWaggle(path: string): readonly Row[] {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    const tables = new Set(
      db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all(),
    );
    if (!tables.has("tasks") || tables.has("questions")) {
      throw new StoreError("no-board", `${path} is no board of waggle-sqlite: it has no tables of that kind`);
    }
    const blockers = new Map<string, string[]>();
    if (tables.has("task_dependencies")) {
      for (const { task_id, blocked_by_id } of db
        .prepare<[], { task_id: string; blocked_by_id: string }>(
          "SELECT task_id, blocked_by_id FROM task_dependencies ORDER BY task_id, blocked_by_id",
        )
        .all()) {
        blockers.set(task_id, [...(blockers.get(task_id) ?? []), blocked_by_id]);
      }
    }
    return db
      .prepare<[], Row>("SELECT * FROM tasks ORDER BY created_at, id")
      .all()
      .map((row) => ({ ...present(row), blocked_by: blockers.get(String(row.id)) ?? [] }));
  } catch (error) {
    throw storeFault(error, path);
  } finally {
    db?.close();
  }
}

/** A column without a value says nothing. */
function present(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
