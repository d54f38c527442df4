import type { Capabilities } from "../src/domain/capabilities.ts";
import type { Option } from "../src/domain/question.ts";
import type { QuestionView } from "../src/domain/view.ts";
import { areComplete } from "./buttons.ts";
import { same, type Written } from "./markup.ts";
import type { Pen } from "./pen.ts";
import { headerWords, lowFidelityWords, recommendedWords, replyLine } from "./words.ts";

/** What is written once, whatever is cut beside it. */
export type Fixed = {
  readonly opening: Written;
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
  const { markup } = pen;
  const strong = (written: Written): Written => ({ sent: markup.strong(written.sent), shown: written.shown });
  const id = pen.own(`[${view.id}]`);
  const progress = [
    view.iteration === undefined ? undefined : `iteration ${view.iteration}`,
    view.progress,
  ].filter((each) => each !== undefined);
  const where = progress.length === 0 ? "" : ` (${progress.join(", ")})`;
  const hasButtons = areComplete(view, row);
  return {
    opening: markup.opening?.(view.id) ?? same(""),
    greeting: pen.lines([
      pen.join(["🦉 ", strong(pen.own(headerWords(view.kind, view.answerable))), " ", id]),
      pen.inline(`Task: ${view.task}${where}`),
    ]),
    bareId: id,
    title: strong(pen.line(view.title)),
    tailLabel: view.lowFidelity ? pen.own(lowFidelityWords) : undefined,
    command: view.command === undefined ? undefined : pen.code(`$ ${view.command}`),
    diffStat: view.diffStat === undefined ? undefined : pen.inline(`Diff: ${view.diffStat}`),
    freeFacts: view.freeFacts.map((fact) => pen.line(fact)),
    options: view.options.map((option) => optionPiece(option, pen, strong)),
    isStanding: view.standing !== undefined,
    deadline: pen.lines((view.standing ?? view.deadline).split("\n").map(pen.inline)),
    branch: view.branch === undefined ? undefined : pen.inline(`Branch: ${view.branch}`),
    reply: view.answerable ? pen.own(replyLine(view, row, { hasButtons, isBare: markup.isBare })) : undefined,
  };
}

/**
 *     1️⃣ Refresh-token rotation  ← recommended
 *        No schema change, survives a restart
 */
function optionPiece(option: Option, pen: Pen, strong: (written: Written) => Written): Written {
  const mark = option.recommended === true ? `  ${recommendedWords}` : "";
  return pen.lines([
    pen.join([keyMark(option.key, pen), " ", strong(pen.inline(option.label)), mark]),
    pen.join(["   ", pen.line(option.consequence)]),
  ]);
}

function keyMark(key: string, pen: Pen): Written {
  if (pen.markup.keycaps && /^[0-9]$/.test(key)) return same(`${key}\uFE0F\u20E3`);
  return pen.own(`${key})`);
}
