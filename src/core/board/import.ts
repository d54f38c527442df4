import type { BoardSnapshot } from "../../domain/board.ts";
import type { Decision } from "../../domain/store.ts";
import { changedTask, type Task } from "../../domain/task.ts";
import { logTask } from "./family.ts";
import { checkBlockers, checkParent } from "./graph.ts";
import type { BoardSettings } from "./settings.ts";

export type Imported = {
  /** `same`: it was on the board as it is, or but for what it names; `taken`: another task has its id. */
  readonly kind: "new" | "same" | "taken";
  /** What is not kept: a parent or blocker that is not there or would break a rule. */
  readonly dropped: readonly string[];
};

/**
 * Takes a task over as it is, whatever its status: it was judged where it comes from. No parent moves because of it. The
 * snapshot must hold its id, its parent and its blockers. The same again, as long as nobody has changed the task, adds the
 * parent and the blockers that were not there before.
 */
export function decideImport(
  snapshot: BoardSnapshot,
  task: Task,
  { actor }: BoardSettings,
): Decision<Imported> {
  const known = snapshot.tasks.get(task.id);
  const dropped: string[] = [];
  const there = task.blockedBy.filter((id) => snapshot.tasks.has(id));
  for (const id of task.blockedBy)
    if (!there.includes(id)) dropped.push(`its blocker ${id}, which is not there`);
  let { parentTask } = task;
  if (parentTask !== null) {
    const wrong = checkParent({
      id: task.id,
      parent: parentTask,
      found: snapshot.tasks.get(parentTask)?.task,
      children: known?.children ?? { all: 0, open: 0, done: 0 },
      blockedBy: there,
    });
    if (wrong) {
      dropped.push(`its parent ${parentTask}: ${wrong.message}`);
      parentTask = null;
    }
  }
  const wrong = checkBlockers({
    id: task.id,
    blockedBy: there,
    parent: parentTask,
    exists: () => true,
    blockersOf: snapshot.blockersOf,
  });
  if (wrong) dropped.push(`its blockers: ${wrong.message}`);
  const kept = changedTask(task, { parentTask, blockedBy: wrong ? [] : there });
  if (known) return knownAlready(known.task, kept, { actor, dropped });
  return {
    effects: [
      { type: "insert-task", task: kept },
      logTask(task, "task.imported", { title: task.title, status: task.status, by: actor.name }),
    ],
    value: { kind: "new", dropped },
  };
}

function knownAlready(
  stored: Task,
  kept: Task,
  { actor, dropped }: Pick<BoardSettings, "actor"> & Pick<Imported, "dropped">,
): Decision<Imported> {
  if (isSame(stored, kept)) return { effects: [], value: { kind: "same", dropped } };
  const { parentTask, blockedBy } = kept;
  const lacksSome =
    (stored.parentTask === null || stored.parentTask === parentTask) &&
    stored.blockedBy.every((id) => blockedBy.includes(id));
  const isUntouched = stored.revision === 1 && isSame(changedTask(stored, { parentTask, blockedBy }), kept);
  if (!lacksSome || !isUntouched) return { effects: [], value: { kind: "taken", dropped: [] } };
  const fields = [
    ...(stored.parentTask === parentTask ? [] : ["parentTask"]),
    ...(stored.blockedBy.length === blockedBy.length ? [] : ["blockedBy"]),
  ];
  const { board, id, revision } = stored;
  return {
    effects: [
      { type: "update-task", board, id, revision, change: { parentTask, blockedBy } },
      logTask(stored, "task.edited", { fields, by: actor.name }),
    ],
    value: { kind: "same", dropped },
  };
}

/** What changes by being stored does not count. */
function isSame(stored: Task, task: Task): boolean {
  const names = Object.keys(task) as (keyof Task)[];
  return names
    .filter((name) => name !== "revision" && name !== "updatedAt" && name !== "board")
    .every((name) => JSON.stringify(stored[name]) === JSON.stringify(task[name]));
}

/** Parents and blockers before those that name them, as far as there is such an order; else as they came. */
export function importOrder(tasks: readonly Task[]): readonly Task[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ordered = new Set<Task>();
  const begun = new Set<Task>();
  for (const first of tasks) {
    const way: Task[] = [first];
    for (let task = way.at(-1); task; task = way.at(-1)) {
      begun.add(task);
      const names = [task.parentTask ?? [], task.blockedBy].flat();
      const next = names.map((id) => byId.get(id)).find((each) => each !== undefined && !begun.has(each));
      if (next) way.push(next);
      else ordered.add(way.pop() as Task);
    }
  }
  return [...ordered];
}
