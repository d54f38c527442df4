import type { Capabilities, Dialect, SizeUnit } from "../src/domain/capabilities.ts";
import { oneLine } from "../src/domain/text.ts";
import { discord } from "./discord.ts";
import { feishuCard } from "./feishu-card.ts";
import { headEnd, noGrowth, sizeOf, tailStart } from "./fit.ts";
import { gfm } from "./gfm.ts";
import { boundaryAfter, boundaryBefore } from "./graphemes.ts";
import { type Look, looksFor, shownLine } from "./look.ts";
import { mail } from "./mail.ts";
import { type Markup, same, type Written } from "./markup.ts";
import { mrkdwn } from "./mrkdwn.ts";
import { disown, reveal } from "./neutralise.ts";
import { ntfy } from "./ntfy.ts";
import { plain } from "./plain.ts";
import { slackCompatible } from "./slack-compatible.ts";
import { telegramHtml } from "./telegram-html.ts";

export const dialects: Readonly<Record<Dialect, Markup>> = {
  "telegram-html": telegramHtml,
  mrkdwn,
  "slack-compatible": slackCompatible,
  discord,
  gfm,
  mail,
  ntfy,
  "feishu-card": feishuCard,
  plain,
};

/** Writes in the dialect of a row and measures in its unit. */
export type Pen = {
  readonly markup: Markup;
  readonly unit: SizeUnit;
  /** Of a text as it is sent and shown, whichever the platform counts. */
  readonly size: (written: Written) => number;
  /** Agent text of several lines. */
  readonly text: (raw: string) => Written;
  /** Agent text that is a line of its own. */
  readonly line: (raw: string) => Written;
  readonly code: (raw: string) => Written;
  readonly block: (raw: string) => Written;
  /** The end of a line of output, at most so many units. */
  readonly ending: (raw: string, most: number) => string;
  /** Of one line. */
  readonly strong: (written: Written) => Written;
  /** A whole part. */
  readonly part: (written: Written) => Written;
  /** The first part of all, with what the dialect puts before it. */
  readonly opening: (id: string, written: Written) => Written;
  /** What a part costs beside its text. */
  readonly frame: number;
  /** What the end of a line inside a part costs. */
  readonly newlineSize: number;
  /** Agent text inside a line of ours. */
  readonly inline: (raw: string) => Written;
  /** Fixed words. */
  readonly own: (words: string) => Written;
  readonly join: (pieces: readonly (Written | string)[]) => Written;
  readonly lines: (lines: readonly (Written | string)[]) => Written;
  /** The beginning of a text that fits into `room`, `…` included; undefined where not even one grapheme does. */
  readonly head: (raw: string, room: number) => Written | undefined;
  /** The same of its end. */
  readonly tail: (raw: string, room: number) => Written | undefined;
};

const ellipsis = "…";
/** How many units more than fit are looked at: some of them may be invisible and go. */
const slack = 512;

const pens = new WeakMap<Row, Pen>();

type Row = Pick<Capabilities, "body" | "dialect">;

export function penFor(row: Row): Pen {
  const known = pens.get(row);
  if (known) return known;
  const pen = makePen(row);
  pens.set(row, pen);
  return pen;
}

function makePen(row: Row): Pen {
  const markup = dialects[row.dialect];
  const { unit, counted } = row.body;
  const growth = counted === "shown" ? noGrowth : markup.growth;
  const size = (written: Written): number => sizeOf(counted === "shown" ? written.shown : written.sent, unit);
  const write = (calm: string): Written => ({ sent: markup.escape(calm), shown: calm });
  const readable = (raw: string): string => markup.calm(disown(reveal(raw)));
  const looks = looksFor(markup);
  const seen = (raw: string, { busy, unclear }: Look, calmed: (any: string) => string): Written => {
    if (!busy.test(raw)) return same(raw);
    return write(unclear.test(raw) ? calmed(raw) : markup.calm(raw));
  };
  const { part: around } = markup;
  const part = around
    ? ({ sent, shown }: Written): Written => ({ sent: around(sent), shown })
    : (written: Written): Written => written;
  // A code point is up to two units of the text, in every other way of counting a unit costs at least one.
  const reach = (room: number): number => Math.max(0, unit === "codepoint" ? room * 2 : room) + slack;
  const ellipsisSize = sizeOf(ellipsis, unit);
  return {
    markup,
    unit,
    size,
    text: (raw) => seen(raw, looks.line, readable),
    line: (raw) => seen(raw, looks.line, (any) => readable(oneLine(any)).trim()),
    code: (raw) => markup.code(shownLine(raw)),
    block: (raw) => markup.block(disown(reveal(raw))),
    ending: (raw, most) =>
      raw.length <= most ? raw : `…${raw.slice(tailStart(raw, most - 1, "utf16", noGrowth))}`,
    strong: ({ sent, shown }) => ({ sent: markup.strong(sent), shown }),
    part,
    opening: (id, written) =>
      markup.opening ? together([markup.opening(id), part(written)], "", "") : part(written),
    frame: size(part(same(""))),
    newlineSize: size({ sent: markup.newline, shown: "\n" }),
    // What was hidden at an end leaves a blank there, and no emphasis takes a blank at its end.
    inline: (raw) => seen(raw, looks.inline, (any) => markup.calm(reveal(oneLine(any)).trim())),
    own: (words) => write(words),
    join: (pieces) => together(pieces, "", ""),
    lines: (lines) => together(lines, markup.newline, "\n"),
    head(raw, room) {
      const calm = readable(raw.slice(0, boundaryBefore(raw, Math.min(raw.length, reach(room)))));
      const kept = calm.slice(0, wordEnd(calm, headEnd(calm, room - ellipsisSize, unit, growth))).trimEnd();
      return kept === "" ? undefined : write(`${kept}${ellipsis}`);
    },
    tail(raw, room) {
      const from = boundaryAfter(raw, Math.max(0, raw.length - reach(room)));
      const calm = readable(raw.slice(from));
      const kept = calm
        .slice(wordStart(calm, tailStart(calm, room - ellipsisSize, unit, growth)))
        .trimStart();
      return kept === "" ? undefined : write(`${ellipsis}${kept}`);
    },
  };
}

/** How far a cut may move so that it does not fall into a word. */
const wordUnits = 24;

function wordEnd(text: string, end: number): number {
  if (end >= text.length) return end;
  const space = text.slice(end - wordUnits, end + 1).search(/\s\S*$/);
  return end <= wordUnits * 4 || space < 0 ? end : end - wordUnits + space;
}

function wordStart(text: string, start: number): number {
  if (start === 0 || text.length - start <= wordUnits * 4) return start;
  const space = text.slice(start - 1, start + wordUnits).search(/\s/);
  return space < 0 ? start : start - 1 + space;
}

function together(pieces: readonly (Written | string)[], sentGlue: string, shownGlue: string): Written {
  let sent = "";
  let shown = "";
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? "";
    const isText = typeof piece === "string";
    sent += (at === 0 ? "" : sentGlue) + (isText ? piece : piece.sent);
    shown += (at === 0 ? "" : shownGlue) + (isText ? piece : piece.shown);
  }
  return { sent, shown };
}
