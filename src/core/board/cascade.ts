import { type ChildCounts, isFinished, type TaskStatus } from "../../domain/task.ts";

/** What happened to a child of a parent, or to a task that became or ceased to be one. */
export type ChildChange = {
  /** Undefined: it was no child of this parent before. */
  readonly before: TaskStatus | undefined;
  /** Undefined: it is no child of this parent any more. */
  readonly after: TaskStatus | undefined;
};

export type Cascade = { readonly to: "Done" | "In Progress"; readonly note: string };

/** The counts after a change. */
export function countedAfter(children: ChildCounts, { before, after }: ChildChange): ChildCounts {
  const one = (holds: boolean): number => (holds ? 1 : 0);
  const all = children.all + one(after !== undefined) - one(before !== undefined);
  const open =
    children.open +
    one(after !== undefined && !isFinished(after)) -
    one(before !== undefined && !isFinished(before));
  const done = children.done + one(after === "Done") - one(before === "Done");
  return { all, open, done };
}

/**
 * Where a parent goes when one of its children changed; undefined where it stays. `children` are the counts afterwards. A
 * Cancelled child counts as finished as long as a sibling is Done, and a Cancelled parent stays.
 */
export function cascadeOf(
  parent: TaskStatus,
  children: ChildCounts,
  change: ChildChange,
): Cascade | undefined {
  if (change.before === change.after) return undefined;
  if (parent === "Cancelled") return undefined;
  if (parent === "Done") return reopened(change);
  // Somebody who attaches a Done task to an open parent has not finished the parent by that.
  const finished = change.before !== undefined && (change.after === undefined || isFinished(change.after));
  return finished && children.open === 0 && children.done > 0
    ? { to: "Done", note: "Status set to Done — all subtasks completed" }
    : undefined;
}

function reopened({ before, after }: ChildChange): Cascade | undefined {
  if (after === undefined || isFinished(after)) return undefined;
  if (before === undefined)
    return { to: "In Progress", note: "Status reverted to In Progress — new subtask added" };
  return isFinished(before)
    ? { to: "In Progress", note: "Status reverted to In Progress — subtask re-opened" }
    : undefined;
}
