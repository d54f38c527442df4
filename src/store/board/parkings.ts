import type { Instant, QuestionId } from "../../domain/ids.ts";
import { type Awaited, leftWords, park, parkingStep } from "../../domain/parking.ts";
import type { Answer, DefaultAction, Outcome, State, StoredQuestion } from "../../domain/question.ts";
import type { Effect } from "../../domain/store.ts";
import type { TaskClaim, TaskStatus } from "../../domain/task.ts";
import { logEvent } from "../events.ts";
import { questionNumber } from "../questions.ts";
import { type IdRow, questionIdOf } from "../rows.ts";
import type { Sql } from "../statements.ts";
import { updateRow } from "./write.ts";

type Move = Extract<Effect, { type: "move-question" }>;

type TaskRow = {
  n: number;
  project: string;
  id: string;
  status: TaskStatus;
  parent: number | null;
  error_message: string;
  dispatched_at: number | null;
  claim: string | null;
  claimed_by: string | null;
  claimed_at: number | null;
  lease_ms: number | null;
  lease_until_at: number | null;
  lease_left_ms: number | null;
};
const taskColumns = `n, project, id, status, parent, error_message, dispatched_at, claim, claimed_by, claimed_at, lease_ms,
  lease_until_at, lease_left_ms`;

/** A question was asked: a task of the board that is In Progress stands still, and one that an earlier question left Blocked waits again. */
export function parkTask(sql: Sql, { question }: StoredQuestion, now: Instant): void {
  const task = sql<TaskRow>(`SELECT ${taskColumns} FROM tasks WHERE project = ? AND id = ?`).get(
    question.project,
    question.task,
  );
  if (!task || (task.status !== "In Progress" && task.status !== "Blocked")) return;
  const earlier = task.status === "Blocked" ? parkingsOf(sql, task.n) : [];
  if (task.status === "Blocked" && earlier.length === 0) return;
  const n = questionNumber(sql, question.id);
  if (n === undefined) return;
  // What an earlier one has left is asked about anew.
  sql("DELETE FROM parkings WHERE task = ? AND open = 0").run(task.n);
  sql("INSERT INTO parkings (question, task) VALUES (?, ?)").run(n, task.n);
  const awaited = parkingsOf(sql, task.n).map(awaitedOf);
  updateRow(sql, task, task.project, park(task.status, claimOf(task), awaited, now), now);
  log(
    sql,
    task,
    "task.parked",
    { from: task.status, to: "Blocked", question: question.id },
    question.id,
    now,
  );
}

const parkedTask = `SELECT ${taskColumns.replaceAll(/(\w+)/g, "t.$1")}
  FROM parkings k JOIN tasks t ON t.n = k.task WHERE k.question = ? AND k.open = 1`;

/** The question of that number has moved: its task goes on, goes back, or stays where it is. Most have no task on the board. */
export function moveParked(sql: Sql, move: Move, n: number, now: Instant): void {
  const row = sql<TaskRow>(parkedTask).get(n);
  if (!row) return;
  const all = parkingsOf(sql, row.n);
  const left = all.filter(({ open }) => open === 0).map(questionIdOf);
  const parking = {
    status: row.status,
    claim: claimOf(row),
    isBegun: row.dispatched_at !== null,
    question: move.id,
    awaited: all.filter(({ open }) => open === 1).map(awaitedOf),
  };
  const moved = parking.awaited.find(({ id }) => id === move.id);
  if (!moved) return;
  const step = parkingStep(
    { ...parking, ...(left.length === 0 ? {} : { left: leftWords(row.error_message, parking, left) }) },
    { ...moved, to: move.to, why: move.why, take: move.claim?.claim, works: move.works },
    now,
  );
  if (!step) return;
  if (step.parking === "over") sql("DELETE FROM parkings WHERE question = ?").run(n);
  if (step.parking === "left") sql("UPDATE parkings SET open = 0 WHERE question = ?").run(n);
  updateRow(sql, row, row.project, step.change, now);
  if (step.event) log(sql, row, step.event.kind, step.event.data, move.id, now);
}

type ParkingRow = IdRow & {
  open: 0 | 1;
  state: State;
  outcome: Outcome | null;
  answer: string | null;
  default_action: DefaultAction;
  deadline_at: number;
  zone: string;
};

function parkingsOf(sql: Sql, task: number): ParkingRow[] {
  return sql<ParkingRow>(
    `SELECT q.run, q.part, q.seq, k.open, q.state, q.outcome, q.answer, q.default_action, q.deadline_at, q.zone
    FROM parkings k JOIN questions q ON q.n = k.question WHERE k.task = ? ORDER BY k.question`,
  ).all(task);
}

function awaitedOf(row: ParkingRow): Awaited {
  return {
    id: questionIdOf(row),
    state: row.state,
    outcome: row.outcome ?? undefined,
    answer: row.answer === null ? undefined : (JSON.parse(row.answer) as Answer),
    defaultAction: row.default_action,
    deadline: localTime(row.deadline_at, row.zone),
  };
}

function claimOf(row: TaskRow): TaskClaim | null {
  const { claim: token, claimed_by: by, claimed_at: claimedAt, lease_ms: leaseMs } = row;
  if (token === null || by === null || claimedAt === null || leaseMs === null) return null;
  return { token, by, claimedAt, leaseMs, leaseUntilAt: row.lease_until_at, leftMs: row.lease_left_ms };
}

function log(
  sql: Sql,
  { project, id }: TaskRow,
  kind: Parameters<typeof logEvent>[1]["kind"],
  data: Readonly<Record<string, unknown>>,
  question: QuestionId,
  now: Instant,
): void {
  logEvent(sql, { kind, question, task: id, project, data }, now);
}

/** `2026-12-01 06:00` in the question's zone. */
function localTime(at: Instant, zone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: zone }).format(
    at,
  );
}
