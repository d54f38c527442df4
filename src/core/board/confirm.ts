import type { BoardSnapshot, InferredLine } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { Decision } from "../../domain/store.ts";
import { changedTask, type Task } from "../../domain/task.ts";
import { addConfirmation } from "./blocks.ts";
import { noSuchTask } from "./change.ts";
import { logTask } from "./family.ts";
import { refusal } from "./graph.ts";
import type { BoardAnswer, BoardSettings } from "./settings.ts";

const marker = "[INFERRED]";
const fields = ["acceptanceCriteria", "executionPlan"] as const;

export function inferredLines(task: Pick<Task, (typeof fields)[number]>): readonly InferredLine[] {
  const lines = fields.flatMap((field) =>
    task[field]
      .split(/\r\n?|\n/)
      .filter((line) => line.includes(marker))
      .map((line) => ({ field, text: plainLine(line) })),
  );
  return lines.map((line, at) => ({ ...line, n: at + 1 }));
}

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

/** Takes the marker from the line that has so many marked lines before it; everything else stays, to the character. */
function withoutMarker(text: string, markedBefore: number): string {
  let marked = 0;
  return text
    .split(/(\r\n?|\n)/)
    .map((line) => {
      if (!line.includes(marker)) return line;
      marked += 1;
      return marked === markedBefore + 1 ? line.replaceAll(/\[INFERRED\][ \t]?/g, "") : line;
    })
    .join("");
}

function plainLine(line: string): string {
  return line
    .replaceAll(marker, " ")
    .replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, "")
    .replace(/\s+/g, " ")
    .trim();
}
