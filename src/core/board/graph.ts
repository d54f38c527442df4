import type { BoardRefusal } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { ChildCounts } from "../../domain/task.ts";

/** Where a task would stand: its parent, as it will be, and its own children. */
export type Placing = {
  readonly id: TaskId;
  readonly parent: TaskId;
  /** Undefined: there is no such task. */
  readonly found: { readonly parentTask: TaskId | null; readonly blockedBy: readonly TaskId[] } | undefined;
  readonly children: ChildCounts;
  readonly blockedBy: readonly TaskId[];
};

/** Two levels, no task its own parent, and none that waits for the parent it belongs to. */
export function checkParent(placing: Placing): BoardRefusal | undefined {
  const { id, parent, found, children, blockedBy } = placing;
  if (parent === id) return refusal("own-parent", `${id} cannot be its own parent.`);
  if (!found)
    return refusal(
      "no-such-parent",
      `There is no task ${parent} on this board: give the id of one there is.`,
    );
  if (found.parentTask !== null)
    return refusal(
      "too-deep",
      `${parent} belongs to ${found.parentTask} already, and a board has two levels: take ${found.parentTask} as the parent.`,
    );
  if (children.all > 0)
    return refusal(
      "too-deep",
      `${id} has tasks of its own, and a board has two levels: it can have no parent.`,
    );
  return blockedBy.includes(parent) ? blockedByParent(id, parent) : undefined;
}

function blockedByParent(id: TaskId, parent: TaskId): BoardRefusal {
  return refusal(
    "blocked-by-parent",
    `${id} belongs to ${parent}, which is Done only after it: it could never begin.`,
  );
}

export type Blocking = {
  readonly id: TaskId;
  readonly blockedBy: readonly TaskId[];
  readonly parent: TaskId | null;
  readonly exists: (id: TaskId) => boolean;
  readonly blockersOf: (id: TaskId) => readonly TaskId[];
};

/** Every blocker is there, and none of them waits for this task, over however many others. */
export function checkBlockers({
  id,
  blockedBy,
  parent,
  exists,
  blockersOf,
}: Blocking): BoardRefusal | undefined {
  if (blockedBy.length === 0) return undefined;
  if (blockedBy.includes(id)) return refusal("blocked-by-itself", `${id} cannot wait for itself.`);
  const missing = blockedBy.find((each) => !exists(each));
  if (missing !== undefined)
    return refusal("no-such-blocker", `There is no task ${missing} on this board: it cannot hold ${id} up.`);
  if (parent !== null && blockedBy.includes(parent)) return blockedByParent(id, parent);
  const way = wayTo(id, blockedBy, blockersOf);
  return way
    ? refusal(
        "blocked-in-a-circle",
        `${[id, ...way].join(" waits for ")}: none of them could ever begin. Leave one of these out.`,
      )
    : undefined;
}

/** From one of the blockers to the task, each waiting for the one behind it; undefined where no way leads there. */
function wayTo(
  id: TaskId,
  blockedBy: readonly TaskId[],
  blockersOf: (id: TaskId) => readonly TaskId[],
): readonly TaskId[] | undefined {
  const cameFrom = new Map<TaskId, TaskId | undefined>(blockedBy.map((each) => [each, undefined]));
  const waiting = [...blockedBy];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const next of blockersOf(at)) {
      if (next === id) return wayFrom(at, cameFrom, id);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      waiting.push(next);
    }
  }
  return undefined;
}

function wayFrom(last: TaskId, cameFrom: ReadonlyMap<TaskId, TaskId | undefined>, id: TaskId): TaskId[] {
  const way: TaskId[] = [id];
  for (let at: TaskId | undefined = last; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}

export function refusal(
  reason: BoardRefusal["reason"],
  message: string,
  findings?: BoardRefusal["findings"],
): BoardRefusal {
  return { ok: false, reason, message, ...(findings ? { findings } : {}) };
}

/** Blockers in the order of their ids, each once: the same blockers are the same list. */
export function orderedBlockers<Fields extends { readonly blockedBy?: readonly TaskId[] }>(
  fields: Fields,
): Fields {
  const { blockedBy } = fields;
  return blockedBy ? { ...fields, blockedBy: [...new Set(blockedBy)].sort() } : fields;
}
