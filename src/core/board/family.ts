import type { BoardSnapshot } from "../../domain/board.ts";
import type { EventKind } from "../../domain/event.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { Effect } from "../../domain/store.ts";
import type { StoredTask, Task, TaskStatus } from "../../domain/task.ts";
import { move } from "../moves.ts";
import { addBoardNote } from "./blocks.ts";
import { type ChildChange, cascadeOf, countedAfter } from "./cascade.ts";
import type { BoardSettings } from "./settings.ts";

/** A task before and after a change; undefined where it is not there. */
export type Change = { readonly before: Task | undefined; readonly after: Task | undefined };

/** What the parents of a task do because of its change: the one that it leaves, and the one that it comes to. */
export function familyEffects(
  snapshot: BoardSnapshot,
  { before, after }: Change,
  settings: BoardSettings,
): readonly Effect[] {
  const from = before?.parentTask ?? null;
  const to = after?.parentTask ?? null;
  const steps: readonly (readonly [TaskId | null, TaskStatus | undefined, TaskStatus | undefined])[] =
    from === to
      ? [[from, before?.status, after?.status]]
      : [
          [from, before?.status, undefined],
          [to, undefined, after?.status],
        ];
  return steps.flatMap(([parent, was, is]) => {
    const stored = parent === null ? undefined : snapshot.tasks.get(parent);
    return stored ? parentEffects(snapshot, stored, { before: was, after: is }, settings) : [];
  });
}

function parentEffects(
  snapshot: BoardSnapshot,
  stored: StoredTask,
  change: ChildChange,
  settings: BoardSettings,
): readonly Effect[] {
  const { task } = stored;
  const cascade = cascadeOf(task.status, countedAfter(stored.children, change), change);
  if (!cascade) return [];
  const { to, note } = cascade;
  return [
    {
      type: "update-task",
      board: task.board,
      id: task.id,
      revision: task.revision,
      change: {
        status: to,
        context: addBoardNote(task.context, note, settings.iso),
        ...(task.status === "Blocked" ? { errorMessage: "" } : {}),
        claim: null,
      },
    },
    logTask(task, "task.cascaded", { from: task.status, to, why: note }),
    ...(to === "Done" ? closeQuestions(snapshot, stored, `the task ${task.id} is Done`) : []),
  ];
}

/** A question whose task is over needs no answer. */
export function closeQuestions(
  { questions, copies }: BoardSnapshot,
  { parkedFor }: StoredTask,
  why: string,
): readonly Effect[] {
  return parkedFor.flatMap((id) => {
    const stored = questions.get(id);
    return stored ? (move(stored, "cancel", {}, { why }, copies.get(id) ?? [], { why })?.effects ?? []) : [];
  });
}

export function logTask(
  { id, board }: Pick<Task, "id" | "board">,
  kind: EventKind,
  more: Readonly<Record<string, unknown>> = {},
): Effect {
  return { type: "log", event: { kind, task: id, project: board, data: more } };
}
