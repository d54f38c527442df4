import { takeMark } from "../../src/core/digest.ts";
import type { Store } from "../../src/domain/store.ts";
import { isFinished } from "../../src/domain/task.ts";
import type { BoardTold } from "./board-line.ts";
import { type BoardRows, logOf, readBoard } from "./board-rows.ts";
import { inspectBoard, inspectTokens } from "./inspect-board.ts";
import type { Entry } from "./ledger.ts";
import type { Scene, TaskEnding } from "./scene.ts";

/** The board of a scene: what it must be, what was acknowledged, and that nobody is offered what cannot be begun. */
export async function inspectBoardScene(
  path: string,
  store: Pick<Store, "nextTasks">,
  scene: Pick<Scene, "tasks">,
  ledger: readonly Entry[],
): Promise<string[]> {
  const rows = readBoard(path);
  const wrong = [
    ...inspectBoard(rows),
    ...inspectTokens(rows),
    ...inspectTold(rows, ledger),
    ...inspectTasks(rows, scene.tasks ?? {}),
  ];
  for (const board of new Set(rows.tasks.map(({ project }) => project))) {
    const offered = (await store.nextTasks(board, { limit: 10_000 })).map(({ task }) => task.id);
    wrong.push(...inspectOffered(rows, board, offered));
  }
  return wrong;
}

/** Exactly those that are Ready and wait for nothing. */
export function inspectOffered(rows: BoardRows, board: string, offered: readonly string[]): string[] {
  const open = new Set(rows.tasks.filter(({ status }) => !isFinished(status)).map(({ n }) => n));
  const waits = new Set(
    rows.dependencies.filter(({ blocked_by: blocker }) => open.has(blocker)).map(({ task }) => task),
  );
  const free = rows.tasks
    .filter(({ n, project, status }) => project === board && status === "Ready" && !waits.has(n))
    .map(({ id }) => id);
  const wrong = offered
    .filter((id) => !free.includes(id))
    .map((id) => `${id} is offered, and cannot be begun`);
  return [...wrong, ...free.filter((id) => !offered.includes(id)).map((id) => `${id} is never offered`)];
}

function inspectTasks(rows: BoardRows, tasks: Readonly<Record<string, TaskEnding>>): string[] {
  const wrong: string[] = [];
  for (const [id, ending] of Object.entries(tasks)) {
    const found = rows.tasks.filter((task) => task.id === id);
    if (found.length > 1) wrong.push(`${id} is there ${found.length} times`);
    if (found[0]?.status !== ending.status)
      wrong.push(`${id} is ${found[0]?.status ?? "gone"}, not ${ending.status ?? "gone"}`);
    const log = logOf(rows, id).join(", ");
    if (log !== ending.log.join(", ")) wrong.push(`${id}: ${log}; it had to be: ${ending.log.join(", ")}`);
  }
  for (const { id } of rows.tasks) if (!(id in tasks)) wrong.push(`${id} was never made`);
  return wrong;
}

/** Whatever a step was told has happened, and the row is not older than that. */
function inspectTold({ tasks, events }: BoardRows, ledger: readonly Entry[]): string[] {
  const wrong: string[] = [];
  for (const { name, value } of ledger) {
    if (!name.startsWith("board ")) continue;
    const { did, id, status, revision = 0, token, reason } = value as BoardTold;
    if (reason !== undefined || id === undefined) continue;
    const own = events.filter((event) => event.task === id);
    const happened = {
      create: () => own.some(({ kind }) => kind === "task.created"),
      edit: () => own.some(({ kind }) => kind === "task.edited"),
      move: () => own.some(({ kind, data }) => kind === "task.moved" && data.to === status),
      claim: () =>
        own.some(({ kind, data }) => kind === "task.claimed" && data.claim === takeMark(token ?? "")),
      beat: () => true,
      release: () => own.some(({ kind }) => kind === "task.released"),
      remove: () => own.some(({ kind }) => kind === "task.deleted"),
      import: () => true,
    }[did];
    if (!happened()) wrong.push(`${name} was acknowledged, and did not happen`);
    const row = tasks.find((task) => task.id === id);
    if (row && row.revision < revision)
      wrong.push(`${name} was acknowledged as revision ${revision}, ${id} has ${row.revision}`);
    if (!row && !own.some(({ kind }) => kind === "task.deleted")) wrong.push(`${name}: ${id} is gone`);
  }
  return wrong;
}
