import type { Capabilities, RungName } from "../src/domain/capabilities.ts";
import type { ChannelMessage, Part } from "../src/domain/channel.ts";
import type { Option } from "../src/domain/question.ts";
import type { AskedView, NoticeView, ReceiptView, View } from "../src/domain/view.ts";
import { buttonsFor, restOf } from "./buttons.ts";
import { headEnd, noGrowth, sizeOf } from "./fit.ts";
import { layOut } from "./ladder.ts";
import { shownLine } from "./look.ts";
import type { Written } from "./markup.ts";
import { disown, reveal } from "./neutralise.ts";
import { penFor } from "./pen.ts";
import { type Piece, roomOf, sizeOfPieces } from "./sizes.ts";
import { moreMark, nightReplyLine, noticeWords, recommendedWords, replyLine } from "./words.ts";

/** What is to be said, as one row of the matrix can say it. Pure and total: the same view and row give the same message. */
export function render(view: View, row: Capabilities): ChannelMessage {
  if (view.type === "receipt") return receipt(view, row);
  return view.type === "notice" ? notice(view, row) : question(view, row);
}

function question(view: AskedView, row: Capabilities): ChannelMessage {
  const { pieces, fit } = layOut(view, row);
  const buttons = fit === "pointer" ? { list: [], complete: false } : buttonsFor(view, row);
  const degraded: RungName[] = [];
  if (isBare(row)) degraded.push("markup");
  if (view.answerable && !buttons.complete) degraded.push("buttons");
  if (row.edit === "none") degraded.push("edit");
  if (row.correlation !== "thread") degraded.push("thread");
  if (fit !== "whole") degraded.push("size");
  const mark = markOf(view);
  return {
    headline: headline(mark, view.title, ` [${view.id}]`, row),
    ...joined(pieces),
    buttons: buttons.list,
    degraded,
    // What became of a question never rings, nor one that is held; the question itself may.
    silent: view.standing !== undefined || view.type === "held",
  };
}

/** The first character of the line that says where it stands. */
function markOf(view: AskedView): string {
  const line = view.standing ?? (view.type === "held" ? view.held : undefined);
  return line === undefined ? "" : `${String.fromCodePoint(line.codePointAt(0) ?? 0)} `;
}

/** Our own words, in which an agent's label or title may stand; lines were folded where they were made. */
function receipt(view: ReceiptView, row: Capabilities): ChannelMessage {
  const pen = penFor(row);
  const { offer } = view;
  const rest = offer?.part === undefined ? undefined : restOf(offer.asked, row, offer.part);
  const said = [...reveal(view.text).split("\n"), ...(rest?.options ?? []).flatMap(optionLines)];
  const how = view.asked?.answerable ? answerLine(view.asked, row) : undefined;
  const lines = how === undefined ? said : [...said, how];
  const written = (some: readonly string[]): Written => pen.lines(some.map((line) => pen.inline(line)));
  const whole = single("text", written(lines), lines.join("\n"), row);
  const first = rest ? `${moreMark} ${said[0] ?? ""}` : (said.at(-1) ?? "");
  return {
    headline: headline("", first, "", row),
    ...(whole.degraded.includes("size") ? wholeLines(lines, whole, written, row) : whole),
    ...(offer ? { buttons: rest ? rest.list : buttonsFor(offer.asked, row).list } : {}),
    silent: view.silent === true,
  };
}

function optionLines({ key, label, consequence, recommended }: Option): readonly string[] {
  const mark = recommended === true ? `  ${recommendedWords}` : "";
  return [`${key}) ${shownLine(label)}${mark}`, `   ${shownLine(consequence)}`];
}

/** A follow-up has no buttons. */
function answerLine(view: AskedView, row: Capabilities): string {
  const ways = { hasButtons: false, isBare: isBare(row) };
  return view.type === "question" ? replyLine(view, row, ways) : nightReplyLine(view, row, ways);
}

type Single = ReturnType<typeof single>;

/** A line may be the exact text to send, so as many stay as fit, none of them cut; one that is too long alone has to be. */
function wholeLines(
  lines: readonly string[],
  cut: Single,
  written: (some: readonly string[]) => Written,
  row: Capabilities,
): Single {
  for (let left = lines.length - 1; left > 0; left -= 1) {
    const kept = [...lines.slice(0, left), "…"];
    const fits = single("text", written(kept), kept.join("\n"), row);
    if (!fits.degraded.includes("size")) return { ...fits, degraded: cut.degraded };
  }
  return cut;
}

function notice(view: NoticeView, row: Capabilities): ChannelMessage {
  const pen = penFor(row);
  const title = `🦉 ${noticeWords(view.kind)}`;
  const head: Piece = { name: "header", written: pen.part(pen.inline(title)) };
  const rest = single(
    "text",
    pen.text(view.text.trimEnd()),
    view.text,
    row,
    row.headline === "none" ? [head] : [],
  );
  return { headline: headline("", title, "", row), ...rest, silent: false };
}

/** One text behind what stands before it, cut at its end where it is too long. */
function single(
  name: "text",
  whole: Written,
  raw: string,
  row: Capabilities,
  before: readonly Piece[] = [],
): Pick<ChannelMessage, "parts" | "body" | "plain" | "buttons" | "degraded"> {
  const pen = penFor(row);
  const room = Math.min(roomOf(row), row.body.partMax ?? roomOf(row)) - pen.frame;
  const wireRoom = row.body.wire ? (row.body.wire.maxBytes - row.body.wire.restBytes) / 2 : room;
  const left = room - (before.length > 0 ? sizeOfPieces(before, pen) + 2 : 0);
  const tooLong = pen.size(whole) > left || (row.body.wire !== undefined && pen.size(whole) > wireRoom);
  const cut = tooLong ? pen.head(raw, Math.min(left, wireRoom)) : whole;
  const degraded: RungName[] = [];
  if (isBare(row)) degraded.push("markup");
  if (tooLong) degraded.push("size");
  const pieces = cut ? [...before, { name, written: pen.part(cut) }] : before;
  return { ...joined(pieces), buttons: [], degraded };
}

function joined(pieces: readonly Piece[]): Pick<ChannelMessage, "parts" | "body" | "plain"> {
  const parts: Part[] = [];
  // Added up, not joined: the engine copies nothing until one of the two is read.
  let body = "";
  let plain = "";
  for (const { name, written } of pieces) {
    const glue = parts.length === 0 ? "" : "\n\n";
    body += glue + written.sent;
    plain += glue + written.shown;
    parts.push({ name, text: written.sent });
  }
  return { parts, body, plain };
}

function isBare(row: Capabilities): boolean {
  return penFor(row).markup.isBare;
}

/** Never markup; the title is cut, its mark and the id are not. */
function headline(mark: string, title: string, end: string, row: Capabilities): string {
  const line = shownLine(title);
  // A title of its own may not look like a line of ours; a line of ours may.
  const said = mark === "" && end !== "" ? disown(line) : line;
  if (row.headline === "none") return `${mark}${said}${end}`;
  const { unit } = row.body;
  const room = row.headline.max - sizeOf(mark + end, unit);
  const whole = sizeOf(said, unit) <= room;
  const kept = whole
    ? said
    : `${said.slice(0, headEnd(said, room - sizeOf("…", unit), unit, noGrowth)).trimEnd()}…`;
  return `${mark}${kept}${end}`;
}
