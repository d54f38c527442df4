import { closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { specHash } from "../../src/core/board/verdict.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { Effect } from "../../src/domain/store.ts";
import { emptyFields, type Priority, type Task, type TaskStatus } from "../../src/domain/task.ts";
import { connect } from "../../src/store/connection.ts";
import { applyEffects } from "../../src/store/effects.ts";
import { type Sql, statements } from "../../src/store/statements.ts";
import { at, newHome } from "./home.ts";
import { duration, timed } from "./measure.ts";

export const boardName = "shop";
/** So many share a commit while a board is loaded. */
const atOnce = 10_000;
const began = Date.UTC(2026, 5, 1);

/** Of ten tasks: four are Ready, and of the others there are some of each kind. */
const statuses: readonly TaskStatus[] = [
  "Ready",
  "Backlog",
  "Ready",
  "Done",
  "Ready",
  "Blocked",
  "Ready",
  "Backlog",
  "Done",
  "Cancelled",
];
const priorities: readonly (Priority | null)[] = ["Urgent", "High", "Medium", "Low", null];

const eric = { id: "eric", name: "eric" };
const assignee = [eric];
const tags = ["auth", "web"];

/** What an agent is given in earnest, about 1.4 KB of it. */
function textOf(shop: number) {
  const text = {
    title: `Renew the token before the session of shop ${shop} ends`,
    description: `Sessions of shop ${shop} end when the browser restarts. They must survive it, without a change of the schema. ${"The middleware in src/auth/session.ts reads the cookie before the token is renewed. ".repeat(6)}`,
    acceptanceCriteria:
      "- a session survives a restart of the browser\n- a token that was revoked stays revoked\n- the suite passes, and a test of its own shows the restart",
    executionPlan:
      "1. a failing test that restarts the browser\n2. rotate the refresh token in src/auth/session.ts\n3. run the suite, then look at the log of the staging shop",
    context: "Reported twice by the shop's own staff. ".repeat(6).trimEnd(),
  };
  // It counts for the very text.
  return { ...text, qualityVerdict: `PASS hash=${specHash(text)} @2026-06-01T00:00:00Z v2` };
}
const texts = Array.from({ length: 100 }, (_, shop) => textOf(shop));

export function benchTask(n: number, changes: Partial<Task> = {}): Task {
  const own = {
    id: `t${n}-renew-token` as TaskId,
    board: boardName,
    status: statuses[n % 10] ?? "Backlog",
    priority: priorities[Math.floor(n / 10) % 5] ?? null,
    executor: "human",
    assignee,
    tags,
    dueDate: n % 7 === 0 ? `2026-08-${String(1 + (n % 28)).padStart(2, "0")}` : null,
    dispatchedAt: null,
    issuer: eric,
    createdAt: began + n * 1000,
    updatedAt: began + n * 1000,
    revision: 1,
  };
  // Spreading so many fields would take as long as storing them.
  return Object.assign({}, emptyFields, at(texts, n % texts.length), own, changes) as Task;
}

/** A home whose board holds so many tasks. */
export async function boardHome(count: number): Promise<string> {
  const home = newHome();
  const took = await timed(() =>
    load(home, function* () {
      for (let n = 0; n < count; n += 1) yield { type: "insert-task", task: benchTask(n) };
    }),
  );
  process.stderr.write(`  ${count} tasks stored in ${duration(took)}\n`);
  return home;
}

/**
 * Writes effects as the store itself does, so that all that it counts is right, but many in one commit, and none of them
 * durable until the end.
 */
export function load(home: string, effects: (sql: Sql) => Iterable<Effect>): void {
  const file = join(home, "owlpost.db");
  const db = connect(file, 10_000);
  db.pragma("journal_mode = OFF");
  db.pragma("synchronous = OFF");
  db.pragma("cache_size = -400000");
  const sql = statements(db);
  let waiting: Effect[] = [];
  const write = db.transaction(() => applyEffects(sql, waiting, began));
  const flush = (): void => {
    write.immediate();
    waiting = [];
  };
  for (const effect of effects(sql)) {
    waiting.push(effect);
    if (waiting.length === atOnce) flush();
  }
  flush();
  db.pragma("journal_mode = WAL");
  db.close();
  // Its pages must not be on their way to the disk while something else is measured.
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Lets every Ready task from Urgent to Medium wait for one open task; so many are they. */
export function blockReady(home: string, blocker: TaskId): number {
  let blocked = 0;
  load(home, function* (sql) {
    const ready = sql<{ id: TaskId; revision: number }>(
      `SELECT id, revision FROM tasks WHERE project = ? AND status = 'Ready' AND rank <= 2 AND id <> ?`,
    ).all(boardName, blocker);
    blocked = ready.length;
    for (const { id, revision } of ready) {
      yield { type: "update-task", board: boardName, id, revision, change: { blockedBy: [blocker] } };
    }
  });
  return blocked;
}
