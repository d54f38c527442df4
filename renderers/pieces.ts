import type { Capabilities } from "../src/domain/capabilities.ts";
import type { Option } from "../src/domain/question.ts";
import type { AskedView, QuestionView } from "../src/domain/view.ts";
import { areComplete } from "./buttons.ts";
import { same, type Written } from "./markup.ts";
import type { Pen } from "./pen.ts";
import { headerWords, lowFidelityWords, recommendedWords, replyLine } from "./words.ts";

/** What is written once, whatever is cut beside it. */
export type Fixed = {
  readonly greeting: Written;
  readonly bareId: Written;
  readonly title: Written;
  readonly tailLabel: Written | undefined;
  readonly command: Written | undefined;
  readonly diffStat: Written | undefined;
  readonly freeFacts: readonly Written[];
  readonly options: readonly Written[];
  readonly isStanding: boolean;
  readonly deadline: Written;
  readonly branch: Written | undefined;
  readonly reply: Written | undefined;
};

export function fixedPieces(view: QuestionView, row: Capabilities, pen: Pen): Fixed {
  const id = pen.own(`[${view.id}]`);
  const { command, diffStat, branch } = view;
  const ways = { hasButtons: areComplete(view, row), isBare: pen.markup.isBare };
  return {
    greeting: pen.lines([
      pen.join(["🦉 ", pen.strong(pen.own(headerWords(view.kind, view.answerable))), " ", id]),
      pen.inline(`Task: ${view.task}${progressWords(view)}`),
    ]),
    bareId: id,
    title: pen.strong(pen.line(view.title)),
    tailLabel: view.lowFidelity ? pen.own(lowFidelityWords) : undefined,
    command: command === undefined ? undefined : pen.code(`$ ${command}`),
    diffStat: diffStat === undefined ? undefined : pen.inline(`Diff: ${diffStat}`),
    freeFacts: view.freeFacts.map(pen.line),
    options: view.options.map((option) => optionPiece(option, pen)),
    isStanding: view.standing !== undefined,
    deadline: deadlinePiece(view, pen),
    branch: branch === undefined ? undefined : pen.inline(`Branch: ${branch}`),
    reply: view.answerable ? pen.own(replyLine(view, row, ways)) : undefined,
  };
}

function progressWords({ iteration, progress }: QuestionView): string {
  if (iteration === undefined) return progress === undefined ? "" : ` (${progress})`;
  return ` (iteration ${iteration}${progress === undefined ? "" : `, ${progress}`})`;
}

/** When silence becomes something, or what has become of the question. */
export function deadlinePiece({ standing, deadline }: AskedView, pen: Pen): Written {
  const said = standing ?? deadline;
  return said.includes("\n") ? pen.lines(said.split("\n").map(pen.inline)) : pen.inline(said);
}

/**
 *     1️⃣ Refresh-token rotation  ← recommended
 *        No schema change, survives a restart
 */
function optionPiece({ key, label, consequence, recommended }: Option, pen: Pen): Written {
  const mark = recommended === true ? `  ${recommendedWords}` : "";
  return pen.lines([
    pen.join([keyMark(key, pen), " ", pen.strong(pen.inline(label)), mark]),
    pen.join(["   ", pen.line(consequence)]),
  ]);
}

function keyMark(key: string, pen: Pen): Written {
  if (pen.markup.keycaps && key.length === 1 && key >= "0" && key <= "9") return same(`${key}\uFE0F\u20E3`);
  return pen.own(`${key})`);
}
