import type { Capabilities, Extent } from "../src/domain/capabilities.ts";
import type { PartName } from "../src/domain/channel.ts";
import type { AskedView, NightView, QuestionView } from "../src/domain/view.ts";
import type { Written } from "./markup.ts";
import { nightForms } from "./night.ts";
import { type Pen, penFor } from "./pen.ts";
import { type Fixed, fixedPieces } from "./pieces.ts";
import { pointer } from "./pointer.ts";
import { fits, type Laid, type Piece, roomOf, sizeOfPieces, tightest, wireExcess } from "./sizes.ts";
import { cutWords, triedWords } from "./words.ts";

/** What is in the message of all that may be left out. */
type Kept = {
  readonly freeFacts: boolean;
  readonly diffStat: boolean;
  readonly branch: boolean;
  readonly tail: Written | undefined;
  readonly context: Written | undefined;
  readonly tried: Written | undefined;
  /** Says that something was left out, and where all of it is. */
  readonly note: boolean;
  /** The greeting and the task; without it only the id stands there. */
  readonly greeting: boolean;
  readonly options: boolean;
};

/** Context keeps this much of its beginning until all of `tried` is gone: it says what the question is about. */
const contextFloor = 120;
const tailLinesKept = 3;
const tailLineMost = 160;

/** How large what is never cut is in that row. Where it is larger than its room, the row shows a pointer in its place. */
export function uncut(view: AskedView, row: Capabilities): Extent {
  const pen = penFor(row);
  return tightest(least(view, row, pen), pen, row);
}

/** May the row show this question with everything that is never cut? */
export function fitsRow(view: AskedView, row: Capabilities): boolean {
  const { size, room } = uncut(view, row);
  return size <= room;
}

function least(view: AskedView, row: Capabilities, pen: Pen): readonly Piece[] {
  if (view.type !== "question") return nightForms(view, row, pen).forms.at(-1) ?? [];
  return composed(sheetOf(view, row, pen), leastKept(view, pen));
}

export function layOut(view: AskedView, row: Capabilities): Laid {
  const pen = penFor(row);
  const within = view.type === "question" ? dayLayOut(view, row, pen) : nightLayOut(view, row, pen);
  let most = roomOf(row);
  for (;;) {
    const laid = within(most);
    const over = wireExcess(laid.pieces, row);
    if (over <= 0 || laid.fit === "pointer") return laid;
    // Each unit of the body is at least one byte on the wire.
    const less = most - over;
    const bare = least(view, row, pen);
    // What is never cut may be cheaper there than the rest: it need not make room for that.
    if (less < sizeOfPieces(bare, pen) && fits(bare, pen, row, most) && wireExcess(bare, row) <= 0)
      return { pieces: bare, fit: "cut" };
    most = less;
  }
}

type LayOutWithin = (most: number) => Laid;

/** What a question is laid out from. */
type Sheet = {
  readonly view: QuestionView;
  readonly row: Capabilities;
  readonly pen: Pen;
  readonly fixed: Fixed;
};

function sheetOf(view: QuestionView, row: Capabilities, pen: Pen): Sheet {
  return { view, row, pen, fixed: fixedPieces(view, row, pen) };
}

function dayLayOut(view: QuestionView, row: Capabilities, pen: Pen): LayOutWithin {
  const sheet = sheetOf(view, row, pen);
  return (most) => layOutWithin(sheet, most);
}

/** So little stands in a night form that it is cut line by line. */
function nightLayOut(view: NightView, row: Capabilities, pen: Pen): LayOutWithin {
  const { forms, ...fixed } = nightForms(view, row, pen);
  return (most) => {
    const at = forms.findIndex((pieces) => fits(pieces, pen, row, most));
    const pieces = forms[at];
    return pieces
      ? { pieces, fit: at === 0 ? "whole" : "cut" }
      : { pieces: pointer(view, pen, fixed, most), fit: "pointer" };
  };
}

function layOutWithin(sheet: Sheet, most: number): Laid {
  const { view, row, pen } = sheet;
  const partMax = Math.min(row.body.partMax ?? most, most);
  const context = clipped(view.context, partMax, pen, "head");
  const tried = clipped(view.tried, partMax, pen, "tail");
  const whole: Kept = {
    freeFacts: true,
    diffStat: true,
    branch: true,
    tail: tailPiece(view.outputTail.join("\n"), pen),
    context: context.written,
    tried: tried.written,
    note: context.cut || tried.cut || view.factsCut === true,
    greeting: true,
    options: true,
  };
  const pieces = composed(sheet, whole);
  if (fits(pieces, pen, row, most)) return { pieces, fit: whole.note ? "cut" : "whole" };
  return shortened(sheet, whole, most);
}

/** Rung by rung, as much as stays of what may be left out. */
function shortened(sheet: Sheet, whole: Kept, most: number): Laid {
  const { view, row, pen, fixed } = sheet;
  const partMax = Math.min(row.body.partMax ?? most, most);
  let kept: Kept = { ...whole, note: true };
  let pieces: readonly Piece[] = [];
  const take = (change: Partial<Kept>): boolean => {
    kept = { ...kept, ...change };
    pieces = composed(sheet, kept);
    return fits(pieces, pen, row, most);
  };
  const laid = (): Laid => ({ pieces, fit: "cut" });
  /** How much room a field has when all the rest stays. */
  const roomFor = (without: Partial<Kept>, name: PartName, glue: number): number => {
    const rest = composed(sheet, { ...kept, ...without });
    const others = rest.filter((piece) => piece.name !== name);
    const own = rest.find((piece) => piece.name === name);
    const inPart = partMax - (own ? pen.size(own.written) : 0) - glue;
    return Math.min(most - sizeOfPieces(rest, pen) - (others.length === rest.length ? 2 : 0) - glue, inPart);
  };

  if (view.freeFacts.length > 0 && take({ freeFacts: false })) return laid();
  if (view.diffStat !== undefined && take({ diffStat: false })) return laid();
  if (view.branch !== undefined && take({ branch: false })) return laid();
  if (kept.tail) {
    const name = view.lowFidelity ? "tail" : "facts";
    const label = fixed.tailLabel ? pen.size(fixed.tailLabel) + pen.newlineSize : 0;
    const glue = pen.size(pen.markup.block("")) + label + 2;
    const tail = shorterTail(view, roomFor({ tail: undefined }, name, glue), pen);
    if (take({ tail })) return laid();
  }
  const cutContext = (least: number): boolean => {
    const room = Math.max(roomFor({ context: undefined }, "context", pen.frame), least);
    return take({ context: pen.head(view.context, room) });
  };
  const floor = Math.min(contextFloor, kept.context ? pen.size(kept.context) : 0);
  if (kept.context && pen.size(kept.context) > contextFloor && cutContext(floor)) return laid();
  if (view.tried !== undefined) {
    const label = pen.size(triedLabel(pen)) + pen.newlineSize;
    const room = roomFor({ tried: undefined }, "tried", label + pen.frame);
    if (take({ tried: pen.tail(view.tried, room) })) return laid();
  }
  if (kept.context && cutContext(0)) return laid();
  if (take({ context: undefined, note: false })) return laid();
  if (take({ greeting: false })) return laid();
  if (take(leastKept(view, pen))) return laid();
  return { pieces: pointer(view, pen, fixed, most), fit: "pointer" };
}

/** What is never cut. */
function leastKept(view: QuestionView, pen: Pen): Kept {
  return {
    freeFacts: false,
    diffStat: false,
    branch: false,
    tail: view.lowFidelity ? shorterTail(view, 0, pen) : undefined,
    context: undefined,
    tried: undefined,
    note: false,
    greeting: false,
    options: view.answerable,
  };
}

function clipped(
  raw: string | undefined,
  room: number,
  pen: Pen,
  side: "head" | "tail",
): { readonly written: Written | undefined; readonly cut: boolean } {
  const trimmed = raw?.trimEnd() ?? "";
  if (trimmed === "") return { written: undefined, cut: false };
  const text = /^[!-~]/.test(trimmed) ? trimmed : trimmed.replace(/^[^\S\n]*\n/, "");
  // Far too long whatever is counted: only the end that is kept is looked at.
  const written = text.length > room * 3 + 4096 ? undefined : pen.text(text);
  const frame = pen.frame + (side === "tail" ? pen.size(triedLabel(pen)) + pen.newlineSize : 0);
  if (written && pen.size(written) + frame <= room) return { written, cut: false };
  return { written: pen[side](text, room - frame), cut: true };
}

function tailPiece(text: string, pen: Pen): Written | undefined {
  return text.trim() === "" ? undefined : pen.block(text);
}

/** Whole lines from the end, as many as fit; a synthesised question keeps three of them, however little room there is. */
function shorterTail(view: QuestionView, room: number, pen: Pen): Written | undefined {
  const lines = view.outputTail;
  for (let from = 1; from < lines.length; from += 1) {
    const written = pen.block(`…\n${lines.slice(from).join("\n")}`);
    if (pen.size(written) <= room) return written;
    if (view.lowFidelity && lines.length - from <= tailLinesKept) break;
  }
  if (view.lowFidelity) {
    const last = lines.slice(-tailLinesKept).map((line) => pen.ending(line, tailLineMost));
    return tailPiece(last.join("\n"), pen);
  }
  const last = pen.ending(lines.at(-1) ?? "", Math.floor(room / 6));
  const written = tailPiece(last, pen);
  return written && last.length > 8 && pen.size(written) <= room ? written : undefined;
}

function composed({ view, pen, fixed }: Sheet, kept: Kept): readonly Piece[] {
  const pieces: Piece[] = [];
  const add = (name: PartName, written: Written | undefined): void => {
    if (written) pieces.push({ name, written: pen.part(written) });
  };
  const branch = kept.branch ? fixed.branch : undefined;
  const front = kept.greeting ? fixed.greeting : fixed.bareId;
  pieces.push({ name: "header", written: pen.opening(view.id, front) });
  add("title", fixed.title);
  if (view.lowFidelity) add("tail", below([kept.tail && fixed.tailLabel, kept.tail], pen));
  add("context", kept.context);
  add("tried", kept.tried && pen.lines([triedLabel(pen), kept.tried]));
  const facts = [
    fixed.command,
    view.lowFidelity ? undefined : kept.tail,
    kept.diffStat ? fixed.diffStat : undefined,
  ];
  if (kept.freeFacts) facts.push(...fixed.freeFacts);
  if (fixed.isStanding) facts.push(branch);
  add("facts", below(facts, pen));
  if (kept.note) add("cut", pen.own(cutWords(view)));
  if (kept.options) for (const option of fixed.options) add("option", option);
  if (fixed.isStanding) add("standing", fixed.deadline);
  else add("deadline", below([fixed.deadline, branch], pen));
  add("reply", fixed.reply);
  return pieces;
}

/** One below the other, those that are there. */
function below(lines: readonly (Written | undefined)[], pen: Pen): Written | undefined {
  const there = lines.filter((line) => line !== undefined);
  return there.length > 1 ? pen.lines(there) : there[0];
}

const triedLabels = new WeakMap<Pen, Written>();

function triedLabel(pen: Pen): Written {
  const known = triedLabels.get(pen);
  if (known) return known;
  const label = pen.strong(pen.own(triedWords));
  triedLabels.set(pen, label);
  return label;
}
