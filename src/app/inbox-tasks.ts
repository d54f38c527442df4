import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import { isFinished, type StoredTask, type TaskStatus, taskStatuses } from "../domain/task.ts";
import { shorten } from "../domain/text.ts";
import { type When, when } from "./inbox-verdict.ts";

export type TaskLine = {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly priority?: string;
  readonly due?: string;
  readonly executor?: string;
  /** Who works on it, and since when. */
  readonly held?: { readonly by: string; readonly since: When };
  /** What holds it up. */
  readonly why?: string;
  /** The open question that it waits for. */
  readonly question?: string;
  /** Blockers that are not finished. */
  readonly blockers: number;
  readonly parts?: { readonly done: number; readonly all: number };
};

/** One project's tasks that are not finished, what is worked on first; at most 50. */
export type BoardLines = {
  readonly board: string;
  readonly tasks: readonly TaskLine[];
  /** There are others behind them. */
  readonly more: boolean;
};

/** How many tasks of one board the page lists, and of how many boards. */
export const taskLimit = 50;
const boardLimit = 8;
/** Of a title, and of what holds a task up: `owlpost task show` shows the whole of it. */
const longestLine = 200;

/** The tasks that are not finished, in the order in which they are offered; one more than is shown. */
export type BoardSource = { readonly board: string; readonly tasks: readonly StoredTask[] };

export async function readBoards(store: Pick<Store, "boards" | "tasks">): Promise<readonly BoardSource[]> {
  const names = await store.boards();
  const status = taskStatuses.filter((each) => !isFinished(each));
  return Promise.all(
    names.slice(0, boardLimit).map(async (board) => ({
      board,
      tasks: await store.tasks({ board, filter: { status }, sort: "priority", limit: taskLimit + 1 }),
    })),
  );
}

/** What somebody should look at stands first. */
const order: readonly TaskStatus[] = ["Blocked", "In Review", "In Progress", "Ready", "Backlog"];

export function boardLines(
  sources: readonly BoardSource[],
  zone: string,
  now: Instant,
): readonly BoardLines[] {
  return sources
    .filter(({ tasks }) => tasks.length > 0)
    .map(({ board, tasks }) => ({
      board,
      tasks: tasks
        .slice(0, taskLimit)
        .map((stored) => taskLine(stored, zone, now))
        .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status)),
      more: tasks.length > taskLimit,
    }));
}

function taskLine(stored: StoredTask, zone: string, now: Instant): TaskLine {
  const { task, claim, openBlockers, children, parkedFor } = stored;
  const why =
    task.status === "Blocked" ? shorten(task.errorMessage.split("\n", 1)[0] ?? "", longestLine) : "";
  const question = parkedFor[0];
  return {
    id: task.id,
    title: shorten(task.title, longestLine),
    status: task.status,
    ...(task.priority === null ? {} : { priority: task.priority }),
    ...(task.dueDate === null ? {} : { due: task.dueDate.slice(0, 10) }),
    ...(task.executor === null ? {} : { executor: task.executor }),
    ...(claim === null ? {} : { held: { by: claim.by, since: when(claim.claimedAt, zone, now) } }),
    ...(why === "" ? {} : { why }),
    ...(question === undefined ? {} : { question }),
    blockers: openBlockers,
    ...(children.all > 0 ? { parts: { done: children.done, all: children.all } } : {}),
  };
}
