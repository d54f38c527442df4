import { taskDocument } from "../../app/board/document.ts";
import type { Finding } from "../../domain/board.ts";
import { type Task, type TaskClaim, type TaskStatus, taskStatuses } from "../../domain/task.ts";
import { shorten } from "../../domain/text.ts";
import { localTime } from "../local-time.ts";
import { plain } from "../print.ts";
import { iso, type Shape } from "../shapes.ts";

/** `in-progress`, `In Progress` and `in progress` are the same status. */
export function statusNamed(text: string): TaskStatus | undefined {
  const wanted = folded(text);
  return taskStatuses.find((status) => folded(status) === wanted);
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim();
}

export const statusUsage = `the statuses are ${taskStatuses.map((each) => each.toLowerCase().replace(" ", "-")).join(", ")}`;

export function taskShape(task: Task): Shape {
  return taskDocument(task);
}

/** With its token: for whoever holds it alone. */
export function claimShape({ token, by, claimedAt, leaseMs, leaseUntilAt }: TaskClaim): Shape {
  return { token, ...heldShape({ by, claimedAt, leaseMs, leaseUntilAt }) };
}

/** For everybody else. `lease_until` is `null` while the task is parked. */
export function heldShape({
  by,
  claimedAt,
  leaseMs,
  leaseUntilAt,
}: Pick<TaskClaim, "by" | "claimedAt" | "leaseMs" | "leaseUntilAt">): Shape {
  return {
    by,
    claimed_at: iso(claimedAt),
    lease_ms: leaseMs,
    lease_until: leaseUntilAt === null ? null : iso(leaseUntilAt),
  };
}

export function findingText({ field, message }: Finding): string {
  return `${field}: ${message}`;
}

/** Of a title in a table. */
const longestShown = 120;

/** `012-fix-auth  In Progress  High    2026-12-01  cli  Fix the token refresh`, with a line of headings. */
export function taskTable(tasks: readonly Task[]): readonly string[] {
  const rows = tasks.map((task) => [
    task.id,
    task.status,
    task.priority ?? "",
    task.dueDate?.slice(0, 10) ?? "",
    plain(task.executor ?? ""),
    titleWords(task),
  ]);
  return table(["ID", "STATUS", "PRIORITY", "DUE", "EXECUTOR", "TITLE"], rows);
}

function titleWords({ title, status, errorMessage }: Task): string {
  const why = status === "Blocked" ? (errorMessage.split("\n")[0] ?? "") : "";
  // The whole of it is shown by owlpost task show.
  return plain(why === "" ? cut(title) : `${cut(title)}  (${cut(why)})`);
}

function cut(text: string): string {
  return shorten(text, longestShown);
}

/** Columns under their headings; one that is empty everywhere is left out, and the last one has no end. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const shown = headings.map((_heading, at) => rows.some((row) => row[at] !== ""));
  const lines = [headings, ...rows].map((row) => row.filter((_cell, at) => shown[at]));
  const widths = (lines[0] ?? []).map((_cell, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, at) => (at < line.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell))
      .join("  ")
      .trimEnd(),
  );
}

/** What a program or a person needs in order to begin it. */
export function beginLines(task: Task): readonly string[] {
  const line = (name: string, value: string | null): string[] =>
    value === null || value === "" ? [] : [`  ${name.padEnd(9)} ${plain(value)}`];
  return [
    `${task.id}  ${plain(task.title)}`,
    ...line("priority", task.priority),
    ...line("due", task.dueDate),
    ...line("executor", task.executor),
    ...line("folder", task.workingDirectory),
    ...line("branch", task.branch),
  ];
}

/** Until when a claim stands. */
export function leaseWords({ leaseUntilAt }: Pick<TaskClaim, "leaseUntilAt">, zone: string): string {
  return leaseUntilAt === null ? "parked: its clock stands still" : `until ${localTime(leaseUntilAt, zone)}`;
}
