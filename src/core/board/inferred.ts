import type { InferredLine } from "../../domain/board.ts";
import type { Task } from "../../domain/task.ts";

const marker = "[INFERRED]";
const fields = ["acceptanceCriteria", "executionPlan"] as const;
type Texts = Pick<Task, (typeof fields)[number]>;

/** Lines that a program has guessed and that nobody has adopted. */
export function inferredLines(task: Texts): readonly InferredLine[] {
  const lines = fields.flatMap((field) =>
    linesOf(task[field])
      .filter((line) => line.includes(marker))
      .map((line) => ({ field, text: plainLine(line) })),
  );
  return lines.map((line, at) => ({ ...line, n: at + 1 }));
}

/** Does a guessed line stand there afterwards as if somebody had adopted it? */
export function adoptsGuess(before: Texts, after: Texts): boolean {
  const guessed = new Set(
    inferredLines(before)
      .map(({ text }) => text)
      .filter((text) => text !== ""),
  );
  if (guessed.size === 0) return false;
  const count = (texts: Texts): number =>
    fields
      .flatMap((field) => linesOf(texts[field]))
      .filter((line) => !line.includes(marker) && guessed.has(plainLine(line))).length;
  return count(after) > count(before);
}

/** Takes the marker from the line that has so many marked lines before it; everything else stays, to the character. */
export function withoutMarker(text: string, markedBefore: number): string {
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

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

function plainLine(line: string): string {
  return line
    .replaceAll(marker, " ")
    .replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, "")
    .replace(/\s+/g, " ")
    .trim();
}
