import type { BoardNeed, BoardSnapshot, NextNeed, NextPlace } from "../../domain/board.ts";
import type { Claim, Instant, QuestionId, TaskId } from "../../domain/ids.ts";
import { type StoredTask, turnSlackMs } from "../../domain/task.ts";
import { copiesOf } from "../copies.ts";
import { findQuestions } from "../questions.ts";
import { type Bindable, type Sql, scalar } from "../statements.ts";
import { isUnsettled } from "./blockers.ts";
import { type FoundTask, foundTask, type TaskRow, taskColumns } from "./rows.ts";

const byId = `SELECT ${taskColumns} FROM tasks t WHERE t.project = ? AND t.id = ?`;
const byNumber = `SELECT ${taskColumns} FROM tasks t WHERE t.n = ?`;

export function findTask(sql: Sql, board: string, id: string): FoundTask | undefined {
  const row = sql<unknown>(byId).raw().get(board, id) as TaskRow | undefined;
  return row && foundTask(row);
}

/** In the order of the list. */
export function readTasks(sql: Sql, numbers: readonly number[]): StoredTask[] {
  return numbers.flatMap((n) => {
    const row = sql<unknown>(byNumber).raw().get(n) as TaskRow | undefined;
    return row ? [foundTask(row).stored] : [];
  });
}

/** Taken so long after `now` that the clock was set back: in SQL what `hasRunOut` says of a claim. */
const isAheadOf = `lease_until_at - ? > 2 * lease_ms + ${turnSlackMs}`;
const ranOut = `(lease_until_at <= ? OR ${isAheadOf})`;

/** What a decision needs to know, read inside its transaction. */
export function boardSnapshot(sql: Sql, need: BoardNeed, now: Instant): BoardSnapshot {
  const tasks = new Map<TaskId, StoredTask>();
  const keep = (id: TaskId): void => {
    if (tasks.has(id)) return;
    const stored = findTask(sql, need.board, id)?.stored;
    if (stored) tasks.set(id, stored);
  };
  for (const id of need.tasks ?? []) keep(id);
  for (const { task } of [...tasks.values()]) if (task.parentTask !== null) keep(task.parentTask);
  const lapsed = need.lapsed ? lapsedTasks(sql, now, need.lapsed.limit) : [];
  const held = need.heldUnder === undefined ? undefined : heldTask(sql, need.board, need.heldUnder);
  const ids = [...tasks.values()].flatMap(({ parkedFor }) => parkedFor);
  const parking = ids.length === 0 ? [] : findQuestions(sql, ids);
  return {
    tasks,
    next: need.next ? nextTasks(sql, need.board, need.next) : [],
    ...(held ? { held } : {}),
    lapsed,
    blockersOf: (id) => blockersOf(sql, need.board, id),
    questions: new Map(parking.map(({ stored }) => [stored.question.id as QuestionId, stored])),
    copies: parking.length === 0 ? new Map() : copiesOf(sql, parking),
  };
}

function blockersOf(sql: Sql, board: string, id: TaskId): TaskId[] {
  return sql<TaskId>(
    `SELECT b.id FROM tasks t JOIN task_dependencies d ON d.task = t.n
    JOIN tasks b ON b.n = d.blocked_by AND b.project = t.project WHERE t.project = ? AND t.id = ?`,
  )
    .pluck()
    .all(board, id);
}

/**
 * One entry of the index for each task, however many there are. While a task that blocks again is not through with its
 * dependants, those that it has not reached are left out here.
 */
export function nextTasks(
  sql: Sql,
  board: string,
  { executors, owner, after, limit }: NextNeed,
): StoredTask[] {
  const conditions: string[] = [];
  const values: Bindable[] = [board];
  if (after) {
    conditions.push("AND (rank, due, created_at, id) > (?, ?, ?, ?)");
    values.push(...placeValues(after));
  }
  if (executors) {
    conditions.push("AND (executor IS NULL OR executor IN (SELECT value FROM json_each(?)))");
    values.push(JSON.stringify(executors));
  }
  if (owner !== undefined) {
    conditions.push(`AND (${assignedTo} OR (assignee = '[]' AND issuer = ?))`);
    values.push(owner, owner, owner);
  }
  if (isUnsettled(sql)) conditions.push(`AND NOT ${waitsUntold}`);
  const numbers = sql<number>(
    `SELECT n FROM tasks INDEXED BY tasks_next WHERE project = ? AND status = 'Ready' AND open_blockers = 0
    ${conditions.join(" ")} ORDER BY rank, due, created_at, id LIMIT ?`,
  )
    .pluck()
    .all(...values, limit);
  return readTasks(sql, numbers);
}

/** Does a task wait for one that blocks again and has not reached it yet? */
export const waitsUntold = `EXISTS (SELECT 1 FROM unsettled_blockers u
  JOIN task_dependencies d ON d.blocked_by = u.blocker AND d.task = tasks.n AND d.counts = 0
  JOIN tasks b ON b.n = u.blocker WHERE NOT (b.status = 'Done' OR b.status = 'Cancelled'))`;

/** Exactly this person, by id or by name. */
export const assignedTo =
  "EXISTS (SELECT 1 FROM json_each(assignee) WHERE value ->> 'id' = ? OR value ->> 'name' = ?)";

export function placeValues({ priority, dueDate, createdAt, id }: NextPlace): Bindable[] {
  const rank = ["Urgent", "High", "Medium", "Low"].indexOf(priority ?? "");
  return [rank < 0 ? 4 : rank, dueDate ?? "~", createdAt, id];
}

/** Among the leases that run, which are few. */
function heldTask(sql: Sql, board: string, token: Claim): StoredTask | undefined {
  const n = scalar<number>(
    sql,
    "SELECT n FROM tasks INDEXED BY tasks_leases WHERE lease_until_at IS NOT NULL AND claim = ? AND project = ?",
    token,
    board,
  );
  return n === undefined ? undefined : readTasks(sql, [n])[0];
}

function lapsedTasks(sql: Sql, now: Instant, limit: number): StoredTask[] {
  const numbers = sql<number>(
    `SELECT n FROM tasks INDEXED BY tasks_leases WHERE lease_until_at IS NOT NULL AND ${ranOut}
    ORDER BY lease_until_at LIMIT ?`,
  )
    .pluck()
    .all(now, now, limit);
  return readTasks(sql, numbers);
}

/** The first that is over; and is there one that runs for longer than it was given for, since the clock was set back? */
export function nextLapseAt(sql: Sql, now: Instant): Instant | undefined {
  const [first, isAhead] = sql<unknown>(lapses).raw().get(now) as [Instant | null, number | null];
  if (first === null) return undefined;
  return isAhead === 1 ? now : first;
}

const lapses = `SELECT
  (SELECT min(lease_until_at) FROM tasks INDEXED BY tasks_leases WHERE lease_until_at IS NOT NULL),
  EXISTS (SELECT 1 FROM tasks INDEXED BY tasks_leases WHERE lease_until_at IS NOT NULL AND ${isAheadOf})`;
