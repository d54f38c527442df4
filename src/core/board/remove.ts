import type { BoardSnapshot } from "../../domain/board.ts";
import type { Claim, TaskId } from "../../domain/ids.ts";
import type { Decision } from "../../domain/store.ts";
import { hasRunOut } from "../../domain/task.ts";
import { noSuchTask } from "./change.ts";
import { closeQuestions, familyEffects, logTask } from "./family.ts";
import { refusal } from "./graph.ts";
import type { BoardAnswer, BoardSettings } from "./settings.ts";

/** Takes a task off the board, with what waited for it and the questions it was parked for. `task` of the answer is what it was. */
export function decideRemove(
  snapshot: BoardSnapshot,
  { id, claim }: { readonly id: TaskId; readonly claim?: Claim },
  settings: BoardSettings,
): Decision<BoardAnswer> {
  const stored = snapshot.tasks.get(id);
  if (!stored) return { effects: [], value: noSuchTask(id) };
  const { task, children } = stored;
  const { actor, now } = settings;
  if (children.all > 0) {
    const message = `${id} has ${children.all} ${children.all === 1 ? "task" : "tasks"} of its own: delete or move those first.`;
    return { effects: [], value: refusal("has-children", message) };
  }
  const held = stored.claim !== null && task.status === "In Progress" && !hasRunOut(stored.claim, now);
  if (held && stored.claim?.token !== claim) {
    const message = `${stored.claim?.by} works on ${id}: take it away first (owlpost task release ${id} --force).`;
    return { effects: [], value: refusal("claimed", message) };
  }
  return {
    effects: [
      { type: "delete-task", board: task.board, id, revision: task.revision },
      // Only now: a question that is cancelled writes into the task that it parks.
      ...closeQuestions(snapshot, stored, `the task ${id} was deleted`),
      logTask(task, "task.deleted", { title: task.title, status: task.status, by: actor.name }),
      ...familyEffects(snapshot, { before: task, after: undefined }, settings),
    ],
    value: { ok: true, task },
  };
}
