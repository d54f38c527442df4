import Database from "better-sqlite3";
import type { Event } from "../../src/domain/event.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import type { State } from "../../src/domain/question.ts";
import type { TaskStatus } from "../../src/domain/task.ts";

export type TaskRow = {
  readonly n: number;
  readonly project: string;
  readonly id: string;
  readonly revision: number;
  readonly status: TaskStatus;
  readonly parent: number | null;
  readonly open_blockers: number;
  readonly children: number;
  readonly open_children: number;
  readonly done_children: number;
  readonly claim: string | null;
  readonly lease_until_at: number | null;
  readonly dispatched_at: number | null;
  readonly error_message: string;
  readonly context: string;
};

/** Everything that a file says about its board, as it lies in the tables: what the store counts is not believed. */
export type BoardRows = {
  readonly tasks: readonly TaskRow[];
  readonly dependencies: readonly {
    readonly task: number;
    readonly blocked_by: number;
    readonly counts: number;
  }[];
  /** Numbers of tasks that are not through with their dependants. */
  readonly unsettled: readonly number[];
  readonly parkings: readonly { readonly question: string; readonly task: number; readonly open: boolean }[];
  readonly questions: ReadonlyMap<string, { readonly state: State; readonly outcome: string | null }>;
  /** Of tasks, the oldest first. */
  readonly events: readonly Event[];
};

export function readBoard(path: string): BoardRows {
  const database = new Database(path, { readonly: true });
  const all = <Row>(sql: string): Row[] => database.prepare<[], Row>(sql).all();
  try {
    const ids = new Map<number, string>();
    const questions = new Map<string, { state: State; outcome: string | null }>();
    for (const { n, run, part, seq, state, outcome } of all<{
      n: number;
      run: string;
      part: string;
      seq: number;
      state: State;
      outcome: string | null;
    }>("SELECT n, run, part, seq, state, outcome FROM questions")) {
      const id = mintQuestionId(run as RunId, part, seq);
      ids.set(n, id);
      questions.set(id, { state, outcome });
    }
    return {
      tasks: all<TaskRow>("SELECT * FROM tasks ORDER BY n"),
      dependencies: all("SELECT task, blocked_by, counts FROM task_dependencies"),
      unsettled: all<{ blocker: number }>("SELECT blocker FROM unsettled_blockers").map(
        ({ blocker }) => blocker,
      ),
      parkings: all<{ question: number; task: number; open: number }>(
        "SELECT question, task, open FROM parkings",
      ).map(({ question, task, open }) => ({ question: ids.get(question) ?? "", task, open: open === 1 })),
      questions,
      events: all<Omit<Event, "data"> & { data: string }>(
        "SELECT seq, at, kind, question, task, project, data FROM events WHERE kind LIKE 'task.%' ORDER BY seq",
      ).map((row) => ({ ...row, data: JSON.parse(row.data) as Event["data"] })),
    };
  } finally {
    database.close();
  }
}

/** A task's events in short: `claimed`, `moved Done`, `cascaded In Progress`. */
export function logOf({ events }: Pick<BoardRows, "events">, id: string): string[] {
  return events
    .filter(({ task }) => task === id)
    .map(({ kind, data }) => {
      const what = kind.slice("task.".length);
      return ["moved", "cascaded", "freed"].includes(what) ? `${what} ${String(data.to)}` : what;
    });
}
