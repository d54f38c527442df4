import type { BoardSnapshot } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { Decision } from "../../domain/store.ts";
import { changedTask } from "../../domain/task.ts";
import { addConfirmation } from "./blocks.ts";
import { noSuchTask } from "./change.ts";
import { logTask } from "./family.ts";
import { refusal } from "./graph.ts";
import { inferredLines, withoutMarker } from "./inferred.ts";
import type { BoardAnswer, BoardSettings } from "./settings.ts";

/**
 * The issuer adopts one line: its marker goes, and the confirmation log says so. A program can adopt nothing, least of all
 * what it wrote itself.
 */
export function decideConfirmLine(
  snapshot: BoardSnapshot,
  { id, line }: { readonly id: TaskId; readonly line: number },
  { now, iso, actor }: BoardSettings,
): Decision<BoardAnswer> {
  const stored = snapshot.tasks.get(id);
  if (!stored) return { effects: [], value: noSuchTask(id) };
  if (actor.kind === "agent") {
    const message = "An agent (OWLPOST_AS=agent) may not confirm a line: leave this to a person.";
    return { effects: [], value: refusal("not-allowed", message) };
  }
  const { task } = stored;
  const wanted = inferredLines(task)[line - 1];
  if (!wanted) {
    const message = `${id} has no unconfirmed line ${line}; owlpost task show ${id} lists them.`;
    return { effects: [], value: refusal("no-such-line", message) };
  }
  const before = inferredLines(task).filter(
    (each) => each.field === wanted.field && each.n < wanted.n,
  ).length;
  const change = {
    [wanted.field]: withoutMarker(task[wanted.field], before),
    context: addConfirmation(task.context, wanted.text, actor.name, iso),
  };
  return {
    effects: [
      { type: "update-task", board: task.board, id, revision: task.revision, change },
      logTask(task, "task.line-confirmed", { field: wanted.field, line: wanted.text, by: actor.name }),
    ],
    value: {
      ok: true,
      task: changedTask(task, change, { revision: task.revision + 1, updatedAt: now }),
    },
  };
}
