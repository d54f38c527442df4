import type { Store } from "../../domain/store.ts";
import { applyEffects } from "../effects.ts";
import type { Commit } from "../group-commit.ts";
import type { Sql } from "../statements.ts";
import { isUnsettled, settleBlockers } from "./blockers.ts";
import { listTasks } from "./query.ts";
import { boardSnapshot, findTask, nextLapseAt, nextTasks } from "./read.ts";
import { coreColumns } from "./write.ts";

type BoardStore = Pick<
  Store,
  | "changeBoard"
  | "settleBlockers"
  | "task"
  | "nextTasks"
  | "tasks"
  | "boards"
  | "nextLapseAt"
  | "missingTaskFields"
  | "addTaskFields"
>;

/** The board of tasks. */
export function board(sql: Sql, commit: Commit): BoardStore {
  return {
    changeBoard: (need, decide, clock) =>
      commit(() => {
        const now = clock();
        const { effects, value } = decide(boardSnapshot(sql, need, now), now);
        applyEffects(sql, effects, now);
        return value;
      }),
    // Nothing is written where nothing waits.
    settleBlockers: async (limit) => isUnsettled(sql) && commit(() => !settleBlockers(sql, limit)),
    task: async (name, id) => findTask(sql, name, id)?.stored,
    nextTasks: async (name, need) => nextTasks(sql, name, need),
    tasks: async (query) => listTasks(sql, query),
    boards: async () => boards(sql),
    nextLapseAt: async (now) => nextLapseAt(sql, now),
    missingTaskFields: async () => missingFields(sql).map(([name]) => name),
    addTaskFields: () =>
      commit(() => {
        for (const [, column] of missingFields(sql)) {
          sql(`ALTER TABLE tasks ADD COLUMN ${column} ${shapes[column] ?? "TEXT NOT NULL DEFAULT ''"}`).run();
        }
      }),
  };
}

/** One seek for each board: nobody looks through all tasks for the names. What was deleted stands on none. */
function boards(sql: Sql): string[] {
  return sql<string>(
    `WITH RECURSIVE names (name) AS (
      SELECT min(project) FROM tasks WHERE project > ''
      UNION ALL SELECT (SELECT min(project) FROM tasks WHERE project > name) FROM names WHERE name IS NOT NULL
    ) SELECT name FROM names WHERE name IS NOT NULL`,
  )
    .pluck()
    .all();
}

const shapes: Readonly<Record<string, string>> = {
  priority: "TEXT",
  executor: "TEXT",
  dispatched_at: "INTEGER",
  requires_review: "INTEGER NOT NULL DEFAULT 0",
  status: "TEXT NOT NULL DEFAULT 'Backlog'",
};

/** Blockers have a table of their own. */
function missingFields(sql: Sql): (readonly [name: string, column: string])[] {
  const columns = new Set(
    sql<{ name: string }>("SELECT name FROM pragma_table_info('tasks')")
      .all()
      .map(({ name }) => name),
  );
  const missing = Object.entries(coreColumns).filter(([, column]) => !columns.has(column));
  return missing;
}
