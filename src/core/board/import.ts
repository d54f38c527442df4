import type { BoardSnapshot } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { Decision, Effect } from "../../domain/store.ts";
import { changedTask, type Task } from "../../domain/task.ts";
import { logTask } from "./family.ts";
import { checkBlockers, checkParent } from "./graph.ts";
import type { BoardSettings } from "./settings.ts";

/** A task that comes in, and which of its fields its document gave: the others stand at their defaults. */
export type Incoming = { readonly task: Task; readonly given: ReadonlySet<string> };

export type Imported = {
  /** `same`: it was on the board as it is; `taken`: the board's own task of that id says something else. */
  readonly kind: "new" | "same" | "taken";
  /** `taken`: in which fields. */
  readonly differs: readonly string[];
  /** The parent and blockers that could not be kept yet: they are not there, and may still come, or would break a rule. */
  readonly loose: Links | undefined;
};

/**
 * Takes a task over as it is, whatever its status: it was judged where it comes from. No parent moves because of it. The
 * snapshot must hold its id, its parent and its blockers.
 */
export function decideImport(
  snapshot: BoardSnapshot,
  { task, given }: Incoming,
  { actor }: BoardSettings,
): Decision<Imported> {
  const known = snapshot.tasks.get(task.id);
  const { links, dropped } = linksOf(snapshot, task, known?.task);
  const kept = changedTask(task, links);
  const loose = dropped.length > 0 ? without(task, links) : undefined;
  if (known) {
    const differs = [...given].filter((name) => !isEqual(known.task, kept, name as keyof Task));
    // Those that it names came later, or the import was cut short: nobody has touched it since.
    if (known.task.revision === 1 && differs.every(isLink) && holdsAll(links, known.task))
      return {
        effects: tie(known.task, links, actor.name),
        value: { kind: "same", differs: [], loose },
      };
    return {
      effects: [],
      value:
        differs.length > 0 ? { kind: "taken", differs, loose: undefined } : { kind: "same", differs, loose },
    };
  }
  return {
    effects: [
      { type: "insert-task", task: kept },
      logTask(task, "task.imported", { title: task.title, status: task.status, by: actor.name }),
    ],
    value: { kind: "new", differs: [], loose },
  };
}

/**
 * Ties a task that was taken over to those that came after it: a parent may wait for a part of its own, and then neither can
 * come first. Gives what is lost for good. What somebody has changed meanwhile stays; nothing is tied to a task that was there
 * before and was changed since it came.
 */
export function decideTies(
  snapshot: BoardSnapshot,
  { isNew, ...ties }: Ties,
  { actor }: BoardSettings,
): Decision<readonly string[]> {
  const own = snapshot.tasks.get(ties.id)?.task;
  if (!own) return { effects: [], value: [] };
  const { links, dropped } = linksOf(snapshot, ties, own);
  const wanted = {
    parentTask: own.parentTask ?? links.parentTask,
    blockedBy: [...new Set([...own.blockedBy, ...links.blockedBy])].sort(),
  };
  if (isNew || own.revision === 1) return { effects: tie(own, wanted, actor.name), value: dropped };
  const { parentTask, blockedBy } = without(wanted, own);
  const changed = "the board's own task was changed since it came, and stays as it is";
  return {
    effects: [],
    value: [
      ...dropped,
      ...(parentTask === null ? [] : [`its parent ${parentTask}: ${changed}`]),
      ...blockedBy.map((id) => `its blocker ${id}: ${changed}`),
    ],
  };
}

/** Those of the one that the other does not hold. */
function without(all: Links, held: Links): Links {
  return {
    parentTask: all.parentTask === held.parentTask ? null : all.parentTask,
    blockedBy: all.blockedBy.filter((id) => !held.blockedBy.includes(id)),
  };
}

function isLink(name: string): boolean {
  return name === "parentTask" || name === "blockedBy";
}

function holdsAll(links: Links, { parentTask, blockedBy }: Links): boolean {
  return (
    (parentTask === null || parentTask === links.parentTask) &&
    blockedBy.every((id) => links.blockedBy.includes(id))
  );
}

function tie(task: Task, links: Links, by: string): readonly Effect[] {
  const tied = changedTask(task, links);
  const fields = (["parentTask", "blockedBy"] as const).filter((name) => !isEqual(task, tied, name));
  if (fields.length === 0) return [];
  const { board, id, revision } = task;
  return [
    { type: "update-task", board, id, revision, change: links },
    logTask(task, "task.edited", { fields, by }),
  ];
}

export type Links = Pick<Task, "parentTask" | "blockedBy">;
/** What a task still lacks, and whether it came with this import. */
export type Ties = Links & Pick<Task, "id"> & { readonly isNew: boolean };

/**
 * The parent and the blockers that may be kept beside what it has; of what may not, only that is left out. What it has is
 * right already, and nothing waits for a task that is not there: no way is gone for these, however long it would be.
 */
function linksOf(
  snapshot: BoardSnapshot,
  task: Links & Pick<Task, "id">,
  own: Links | undefined,
): { readonly links: Links; readonly dropped: readonly string[] } {
  const dropped: string[] = [];
  const there = task.blockedBy.filter((id) => snapshot.tasks.has(id));
  for (const id of task.blockedBy)
    if (!there.includes(id)) dropped.push(`its blocker ${id}, which is not there`);
  let { parentTask } = task;
  if (parentTask !== null && parentTask !== own?.parentTask) {
    const wrong = checkParent({
      id: task.id,
      parent: parentTask,
      found: snapshot.tasks.get(parentTask)?.task,
      children: snapshot.tasks.get(task.id)?.children ?? { all: 0, open: 0, done: 0 },
      blockedBy: [...(own?.blockedBy ?? []), ...there],
    });
    if (wrong) {
      dropped.push(`its parent ${parentTask}: ${wrong.message}`);
      parentTask = null;
    }
  }
  const wrongOf = (blockedBy: readonly TaskId[]) =>
    checkBlockers({
      id: task.id,
      blockedBy,
      parent: own?.parentTask ?? parentTask,
      exists: () => true,
      blockersOf: own ? snapshot.blockersOf : () => [],
    });
  const held = new Set(own?.blockedBy);
  // Nearly always all of them are right.
  if (!wrongOf(there.filter((id) => !held.has(id))))
    return { links: { parentTask, blockedBy: there }, dropped };
  const blockedBy = there.filter((id) => {
    if (held.has(id)) return true;
    const wrong = wrongOf([id]);
    if (wrong) dropped.push(`its blocker ${id}: ${wrong.message}`);
    return !wrong;
  });
  return { links: { parentTask, blockedBy }, dropped };
}

function isEqual(one: Task, other: Task, name: keyof Task): boolean {
  return JSON.stringify(one[name]) === JSON.stringify(other[name]);
}

/** Parents and blockers before those that name them, as far as there is such an order; else as they came. */
export function importOrder(tasks: readonly Task[]): readonly Task[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ordered = new Set<Task>();
  const begun = new Set<Task>();
  type Step = { readonly task: Task; readonly names: Iterator<TaskId> };
  const stepOf = (task: Task): Step => {
    begun.add(task);
    return { task, names: [task.parentTask ?? [], task.blockedBy].flat().values() };
  };
  for (const first of tasks) {
    if (begun.has(first)) continue;
    const way: Step[] = [stepOf(first)];
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const name = step.names.next();
      if (name.done) {
        ordered.add(step.task);
        way.pop();
        continue;
      }
      const next = byId.get(name.value);
      if (next && !begun.has(next)) way.push(stepOf(next));
    }
  }
  return [...ordered];
}
