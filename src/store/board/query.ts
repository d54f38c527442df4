import type { TaskFilter } from "../../domain/provider.ts";
import type { StoredTaskQuery } from "../../domain/store.ts";
import { isFinished, type StoredTask, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import type { Bindable, Sql } from "../statements.ts";
import { finished } from "./blockers.ts";
import { assignedTo, placeValues, readTasks, waitsUntold } from "./read.ts";
import { findNumber } from "./write.ts";

/** A page of the board, read from an index in its order, from the place where the page before ended. */
export function listTasks(sql: Sql, query: StoredTaskQuery): StoredTask[] {
  const { filter, sort, limit } = query;
  if (filter.parentTask !== undefined && filter.parentTask !== null) {
    const parent = findNumber(sql, query.board, filter.parentTask);
    return parent === undefined ? [] : readTasks(sql, childrenOf(sql, parent, query));
  }
  if (sort === "created") return readTasks(sql, byAge(sql, query));
  if (sort === "priority") return readTasks(sql, byPriority(sql, query, false));
  const dated = query.after && query.after.dueDate === null ? [] : byDueDate(sql, query);
  const rest =
    dated.length < limit ? byPriority(sql, { ...afterDated(query), limit: limit - dated.length }, true) : [];
  return readTasks(sql, [...dated, ...rest]);
}

/** The tasks without a date come after all others, from their beginning. */
function afterDated(query: StoredTaskQuery): StoredTaskQuery {
  if (query.after?.dueDate === null) return query;
  const { after: _, ...rest } = query;
  return rest;
}

type Condition = { readonly text: string; readonly values: readonly Bindable[] };

/** Open and finished tasks lie in an index each, in this order; a plain `due = '~'` would make SQLite sort it again. */
function byPriority(sql: Sql, query: StoredTaskQuery, undated: boolean): number[] {
  const wanted = statusesOf(query.filter);
  const { text, values } = conditionOf(query.filter);
  const after = query.after ? "AND (rank, due, created_at, id) > (?, ?, ?, ?)" : "";
  const given: Bindable[] = [];
  const part = (
    index: string,
    condition: string,
    statuses: readonly TaskStatus[],
    whole: number,
  ): string[] => {
    if (statuses.length === 0) return [];
    const only = statuses.length < whole;
    given.push(query.board, ...(query.after ? placeValues(query.after) : []));
    if (only) given.push(JSON.stringify(statuses));
    given.push(...values, query.limit);
    return [
      `SELECT * FROM (SELECT n, rank, due, created_at, id FROM tasks INDEXED BY ${index}
      WHERE project = ? AND ${condition} ${after}
      ${only ? "AND status IN (SELECT value FROM json_each(?))" : ""} ${undated ? "AND +due = '~'" : ""} ${text}
      ORDER BY rank, due, created_at, id LIMIT ?)`,
    ];
  };
  const parts = [
    ...part(
      "tasks_open",
      `NOT ${finished}`,
      wanted.filter((status) => !isFinished(status)),
      5,
    ),
    ...part("tasks_finished", finished, wanted.filter(isFinished), 2),
  ];
  if (parts.length === 0) return [];
  return sql<number>(
    `SELECT n FROM (${parts.join(" UNION ALL ")}) ORDER BY rank, due, created_at, id LIMIT ?`,
  )
    .pluck()
    .all(...given, query.limit);
}

function byDueDate(sql: Sql, query: StoredTaskQuery): number[] {
  const { text, values } = withStatus(query.filter);
  const after = query.after ? "AND (due_date, rank, created_at, id) > (?, ?, ?, ?)" : "";
  const [rank = 0, due = "", createdAt = 0, id = ""] = query.after ? placeValues(query.after) : [];
  return sql<number>(
    `SELECT n FROM tasks INDEXED BY tasks_due WHERE project = ? AND due_date IS NOT NULL ${after} ${text}
    ORDER BY due_date, rank, created_at, id LIMIT ?`,
  )
    .pluck()
    .all(query.board, ...(query.after ? [due, rank, createdAt, id] : []), ...values, query.limit);
}

/** In the order of their numbers, which are given as tasks are made. An index of the board alone would be sorted whole for each page. */
function byAge(sql: Sql, query: StoredTaskQuery): number[] {
  const { text, values } = withStatus(query.filter);
  const from = query.after ? (findNumber(sql, query.board, query.after.id) ?? 0) : 0;
  return sql<number>(`SELECT n FROM tasks NOT INDEXED WHERE n > ? AND project = ? ${text} ORDER BY n LIMIT ?`)
    .pluck()
    .all(from, query.board, ...values, query.limit);
}

/** A family is small enough to be put in order. */
function childrenOf(sql: Sql, parent: number, query: StoredTaskQuery): number[] {
  const { text, values } = withStatus(query.filter);
  const order = {
    priority: "rank, due, created_at, id",
    due: "due, rank, created_at, id",
    created: "created_at, id",
  }[query.sort];
  const places = query.after ? placeValues(query.after) : [];
  const [rank = 0, due = "", createdAt = 0, id = ""] = places;
  const place = {
    priority: [rank, due, createdAt, id],
    due: [due, rank, createdAt, id],
    created: [createdAt, id],
  }[query.sort];
  const after = query.after ? `AND (${order}) > (${place.map(() => "?").join(", ")})` : "";
  return sql<number>(
    `SELECT n FROM tasks INDEXED BY tasks_parents WHERE parent = ? ${after} ${text} ORDER BY ${order} LIMIT ?`,
  )
    .pluck()
    .all(parent, ...(query.after ? place : []), ...values, query.limit);
}

function statusesOf({ status, actionable }: TaskFilter): readonly TaskStatus[] {
  const wanted = status ?? taskStatuses;
  return taskStatuses.filter((each) => wanted.includes(each) && (!actionable || each === "Ready"));
}

function withStatus(filter: TaskFilter): Condition {
  const { text, values } = conditionOf(filter);
  if (!filter.status && !filter.actionable) return { text, values };
  const list = JSON.stringify(statusesOf(filter));
  return { text: `${text} AND status IN (SELECT value FROM json_each(?))`, values: [...values, list] };
}

/** Everything but the status. */
function conditionOf(filter: TaskFilter): Condition {
  const texts: string[] = [];
  const values: Bindable[] = [];
  const oneOf = (column: string, wanted: readonly (string | null)[] | undefined): void => {
    if (!wanted) return;
    const orNull = wanted.includes(null) ? ` OR ${column} IS NULL` : "";
    texts.push(`AND (${column} IN (SELECT value FROM json_each(?))${orNull})`);
    values.push(JSON.stringify(wanted.filter((each) => each !== null)));
  };
  const equal = (column: string, wanted: string | undefined): void => {
    if (wanted === undefined) return;
    texts.push(`AND ${column} = ?`);
    values.push(wanted);
  };
  oneOf("priority", filter.priority);
  oneOf("executor", filter.executor);
  if (filter.assignee === null) texts.push("AND assignee = '[]'");
  else if (filter.assignee !== undefined) {
    texts.push(`AND ${assignedTo}`);
    values.push(filter.assignee, filter.assignee);
  }
  equal("issuer", filter.issuer);
  equal("project_name", filter.project);
  equal("source_message_id", filter.sourceMessageId);
  if (filter.tag !== undefined) {
    texts.push("AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)");
    values.push(filter.tag);
  }
  if (filter.parentTask === null) texts.push("AND parent IS NULL");
  if (filter.actionable === true) texts.push(`AND open_blockers = 0 AND NOT ${waitsUntold}`);
  if (filter.actionable === false)
    texts.push(`AND NOT (status = 'Ready' AND open_blockers = 0 AND NOT ${waitsUntold})`);
  return { text: texts.join(" "), values };
}
