import type { BoardEffect, TaskChange } from "../../domain/board.ts";
import type { Instant, TaskId } from "../../domain/ids.ts";
import { StoreError } from "../../domain/store.ts";
import { isFinished, type Task, type TaskStatus } from "../../domain/task.ts";
import { type Bindable, type Sql, scalar } from "../statements.ts";
import { blockingChanged, deleteBlocker, putBlockers } from "./blockers.ts";

export function writeBoard(sql: Sql, effect: BoardEffect, now: Instant): void {
  if (effect.type === "insert-task") insertTask(sql, effect.task);
  else if (effect.type === "update-task") updateTask(sql, effect, now);
  else deleteTask(sql, effect);
}

/** How a field lies in the table; what stands nowhere here has a table or a column of another shape. */
const columns = {
  status: "status",
  title: "title",
  description: "description",
  acceptanceCriteria: "acceptance_criteria",
  priority: "priority",
  executor: "executor",
  requiresReview: "requires_review",
  executionPlan: "execution_plan",
  workingDirectory: "working_directory",
  sessionReference: "session_reference",
  dispatchedAt: "dispatched_at",
  agentOutput: "agent_output",
  errorMessage: "error_message",
  qualityVerdict: "quality_verdict",
  context: "context",
  artifacts: "artifacts",
  repository: "repository",
  startDate: "start_date",
  dueDate: "due_date",
  tags: "tags",
  project: "project_name",
  team: "team",
  assignee: "assignee",
  attachments: "attachments",
  branch: "branch",
  acknowledgedAt: "acknowledged_at",
  sourceMessageId: "source_message_id",
} as const satisfies Partial<Record<keyof Task, string>>;

type Field = keyof typeof columns;
const fields = Object.keys(columns) as Field[];

function isField(name: string): name is Field {
  return Object.hasOwn(columns, name);
}

/** The core fields and where they lie, for the check of the schema. */
export const coreColumns: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (
      [
        ["Title", "title"],
        ["Description", "description"],
        ["Acceptance Criteria", "acceptanceCriteria"],
        ["Status", "status"],
        ["Priority", "priority"],
        ["Executor", "executor"],
        ["Requires Review", "requiresReview"],
        ["Execution Plan", "executionPlan"],
        ["Working Directory", "workingDirectory"],
        ["Session Reference", "sessionReference"],
        ["Dispatched At", "dispatchedAt"],
        ["Agent Output", "agentOutput"],
        ["Error Message", "errorMessage"],
        ["Quality Verdict", "qualityVerdict"],
      ] as const
    ).map(([name, field]) => [name, columns[field]]),
  ),
  Issuer: "issuer",
};

function bindable(value: Task[Field]): Bindable {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value as Bindable;
}

const insert = `INSERT INTO tasks (project, id, revision, parent, created_at, updated_at, issuer,
  ${fields.map((field) => columns[field]).join(", ")})
  VALUES (?, ?, ?, ?, ?, ?, ?, ${fields.map(() => "?").join(", ")})`;

function insertTask(sql: Sql, task: Task): void {
  const parent = task.parentTask === null ? null : mustFind(sql, task.board, task.parentTask);
  const { lastInsertRowid } = sql(insert).run(
    task.board,
    task.id,
    task.revision,
    parent,
    task.createdAt,
    task.updatedAt,
    task.issuer.id,
    ...fields.map((field) => bindable(task[field])),
  );
  const n = Number(lastInsertRowid);
  if (task.blockedBy.length > 0) putBlockers(sql, n, numbersOf(sql, task.board, task.blockedBy));
  countChild(sql, { parent: null, status: task.status }, { parent, status: task.status });
}

type Place = { readonly parent: number | null; readonly status: TaskStatus };
type Before = Place & { readonly n: number };

function updateTask(
  sql: Sql,
  { board, id, revision, change }: Extract<BoardEffect, { type: "update-task" }>,
  now: Instant,
): void {
  const before = sql<Before>(
    "SELECT n, parent, status FROM tasks WHERE project = ? AND id = ? AND revision = ?",
  ).get(board, id, revision);
  if (!before) throw conflict(id);
  updateRow(sql, before, board, change, now);
}

/** Writes a change of the task with that number, and everything that follows from it in other rows. */
export function updateRow(sql: Sql, before: Before, board: string, change: TaskChange, now: Instant): void {
  let sets = "revision = revision + 1, updated_at = ?";
  const values: Bindable[] = [now];
  for (const field of Object.keys(change) as (keyof TaskChange)[]) {
    if (!isField(field)) continue;
    const value = change[field];
    if (value === undefined) continue;
    sets += `, ${columns[field]} = ?`;
    values.push(bindable(value));
  }
  let { parent } = before;
  if (change.parentTask !== undefined) {
    parent = change.parentTask === null ? null : mustFind(sql, board, change.parentTask);
    sets += ", parent = ?";
    values.push(parent);
  }
  if (change.claim !== undefined) {
    const { claim } = change;
    sets +=
      ", claim = ?, claimed_by = ?, claimed_at = ?, lease_ms = ?, lease_until_at = ?, lease_left_ms = ?";
    values.push(
      claim?.token ?? null,
      claim?.by ?? null,
      claim?.claimedAt ?? null,
      claim?.leaseMs ?? null,
      claim?.leaseUntilAt ?? null,
      claim?.leftMs ?? null,
    );
  }
  sql(`UPDATE tasks SET ${sets} WHERE n = ?`).run(...values, before.n);
  if (change.blockedBy !== undefined) putBlockers(sql, before.n, numbersOf(sql, board, change.blockedBy));
  const status = change.status ?? before.status;
  countChild(sql, before, { parent, status });
  if (status === before.status) return;
  // It stands still no longer, for whatever question it did.
  if (before.status === "Blocked") sql("DELETE FROM parkings WHERE task = ?").run(before.n);
  if (isFinished(status) !== isFinished(before.status)) blockingChanged(sql, before.n, !isFinished(status));
}

function deleteTask(sql: Sql, { board, id, revision }: Extract<BoardEffect, { type: "delete-task" }>): void {
  const before = sql<Before>(
    "SELECT n, parent, status FROM tasks WHERE project = ? AND id = ? AND revision = ?",
  ).get(board, id, revision);
  if (!before) throw conflict(id);
  countChild(sql, before, { parent: null, status: before.status });
  deleteBlocker(sql, before.n);
}

/** Keeps the counts of both parents. */
function countChild(sql: Sql, before: Place, after: Place): void {
  if (before.parent === after.parent && before.status === after.status) return;
  if (before.parent === after.parent) {
    const open = Number(!isFinished(after.status)) - Number(!isFinished(before.status));
    const done = Number(after.status === "Done") - Number(before.status === "Done");
    addToParent(sql, before.parent, 0, open, done);
    return;
  }
  addToParent(sql, before.parent, -1, -Number(!isFinished(before.status)), -Number(before.status === "Done"));
  addToParent(sql, after.parent, 1, Number(!isFinished(after.status)), Number(after.status === "Done"));
}

function addToParent(sql: Sql, parent: number | null, all: number, open: number, done: number): void {
  if (parent === null || (all === 0 && open === 0 && done === 0)) return;
  sql(
    `UPDATE tasks SET children = children + ?, open_children = open_children + ?, done_children = done_children + ?
    WHERE n = ?`,
  ).run(all, open, done, parent);
}

export function findNumber(sql: Sql, board: string, id: string): number | undefined {
  return scalar<number>(sql, "SELECT n FROM tasks WHERE project = ? AND id = ?", board, id);
}

function mustFind(sql: Sql, board: string, id: TaskId): number {
  const n = findNumber(sql, board, id);
  if (n === undefined) throw conflict(id);
  return n;
}

function numbersOf(sql: Sql, board: string, ids: readonly TaskId[]): number[] {
  return ids.map((id) => mustFind(sql, board, id));
}

function conflict(id: TaskId): StoreError {
  return new StoreError("conflict", `the task ${id} was changed meanwhile: look at it, then decide again`);
}
