import { type Sql, scalar } from "../statements.ts";

/** So many dependants are told at once at most; the rest follows in transactions of their own. */
export const mostSettled = 500;

/** A Done or Cancelled task blocks nobody. */
export const finished = `(status = 'Done' OR status = 'Cancelled')`;

/** The task began or ceased to block: its dependants' counters follow, or are noted to follow. */
export function blockingChanged(sql: Sql, blocker: number, blocks: boolean): void {
  if (!settleSome(sql, blocker, blocks ? 1 : 0, mostSettled))
    sql("INSERT OR IGNORE INTO unsettled_blockers (blocker) VALUES (?)").run(blocker);
}

/** One chunk of what is left; true when nothing is. */
export function settleBlockers(sql: Sql, limit: number): boolean {
  const blocker = scalar<number>(sql, "SELECT blocker FROM unsettled_blockers ORDER BY blocker LIMIT 1");
  if (blocker === undefined) return true;
  const isGone = scalar<string>(sql, "SELECT project FROM tasks WHERE n = ?", blocker) === nowhere;
  if (isGone) dropSome(sql, blocker, limit);
  else if (settleSome(sql, blocker, blockingOf(sql, blocker), limit))
    sql("DELETE FROM unsettled_blockers WHERE blocker = ?").run(blocker);
  return false;
}

export function isUnsettled(sql: Sql): boolean {
  return scalar<number>(sql, "SELECT 1 FROM unsettled_blockers LIMIT 1") !== undefined;
}

/** How much it counts with those who wait for it. */
function blockingOf(sql: Sql, blocker: number): 0 | 1 {
  return scalar<number>(sql, `SELECT NOT ${finished} FROM tasks WHERE n = ?`, blocker) === 1 ? 1 : 0;
}

/** True when all of its dependants are counted as they should be. */
function settleSome(sql: Sql, blocker: number, blocks: 0 | 1, limit: number): boolean {
  const dependants = sql<number>(
    "SELECT task FROM task_dependencies WHERE blocked_by = ? AND counts = ? ORDER BY task LIMIT ?",
  )
    .pluck()
    .all(blocker, 1 - blocks, limit);
  if (dependants.length === 0) return true;
  count(sql, blocks === 1 ? 1 : -1, dependants);
  sql(
    `UPDATE task_dependencies SET counts = ? WHERE blocked_by = ? AND task IN (SELECT value FROM json_each(?))`,
  ).run(blocks, blocker, JSON.stringify(dependants));
  return dependants.length < limit;
}

/** So many more blockers are open for each of these. */
function count(sql: Sql, more: 1 | -1, tasks: readonly number[]): void {
  sql("UPDATE tasks SET open_blockers = open_blockers + ? WHERE n IN (SELECT value FROM json_each(?))").run(
    more,
    JSON.stringify(tasks),
  );
}

/** Sets the blockers of a task, and counts the open ones. */
export function putBlockers(sql: Sql, task: number, blockers: readonly number[]): void {
  const before = new Map(
    sql<{ blocked_by: number; counts: number }>(
      "SELECT blocked_by, counts FROM task_dependencies WHERE task = ?",
    )
      .all(task)
      .map(({ blocked_by, counts }) => [blocked_by, counts]),
  );
  let open = 0;
  for (const [blocker, counts] of before) {
    if (blockers.includes(blocker)) continue;
    sql("DELETE FROM task_dependencies WHERE task = ? AND blocked_by = ?").run(task, blocker);
    open -= counts;
  }
  for (const blocker of blockers) {
    if (before.has(blocker)) continue;
    const counts = blockingOf(sql, blocker);
    sql("INSERT INTO task_dependencies (task, blocked_by, counts) VALUES (?, ?, ?)").run(
      task,
      blocker,
      counts,
    );
    open += counts;
  }
  if (open !== 0) sql("UPDATE tasks SET open_blockers = open_blockers + ? WHERE n = ?").run(open, task);
}

/** No board has this name. Here stands what was deleted, until all who waited for it are told. */
const nowhere = "";

/**
 * Deletes a task: whoever waits for it waits no more. One with very many dependants leaves its board at once, and its row
 * goes with the last of them.
 */
export function deleteBlocker(sql: Sql, blocker: number): void {
  if (dropSome(sql, blocker, mostSettled)) return;
  sql("DELETE FROM parkings WHERE task = ?").run(blocker);
  sql(
    `UPDATE tasks SET project = ?, id = n, status = 'Cancelled', parent = NULL, due_date = NULL, lease_until_at = NULL
    WHERE n = ?`,
  ).run(nowhere, blocker);
  sql("INSERT OR IGNORE INTO unsettled_blockers (blocker) VALUES (?)").run(blocker);
}

/** True when the last dependant was told; then the task itself is gone, too. */
function dropSome(sql: Sql, blocker: number, limit: number): boolean {
  const dependants = sql<{ task: number; counts: number }>(
    "SELECT task, counts FROM task_dependencies WHERE blocked_by = ? ORDER BY counts, task LIMIT ?",
  ).all(blocker, limit);
  const tasks = dependants.map(({ task }) => task);
  const counting = dependants.filter(({ counts }) => counts === 1).map(({ task }) => task);
  if (counting.length > 0) count(sql, -1, counting);
  if (tasks.length > 0) {
    sql(
      "DELETE FROM task_dependencies WHERE blocked_by = ? AND task IN (SELECT value FROM json_each(?))",
    ).run(blocker, JSON.stringify(tasks));
  }
  if (dependants.length === limit) return false;
  sql("DELETE FROM tasks WHERE n = ?").run(blocker);
  return true;
}
