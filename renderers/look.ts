import { oneLine } from "../src/domain/text.ts";
import type { Markup } from "./markup.ts";
import { marks, reveal } from "./neutralise.ts";

/**
 * One look at a text: are there only words, digits and signs with single spaces between them? It spares most fields of
 * most questions every other look. One expression and no loop: the engine runs it at one speed over strings of any make.
 */

/** Letters, dashes, quotation marks, bullets, arrows, mathematics, frames, symbols; U+2800 looks blank. */
const beyondAscii = "\\u00b7\\u00c0-\\u017f\\u2010-\\u2027\\u2190-\\u27ff\\u2801-\\u2bff";
/** What may mean something in some dialect wherever it stands … */
const everySign = '!"#$&*+/:<>@[\\]^_`{|}~';
/** … and what may begin a list. */
const listSigns = "0123456789?,.;%'()=-";
const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 32 + at));
const oursBegin = marks.map((mark) => mark[0]).join("");

/** White space to be folded, or something that may be hidden. */
const unclear = unlike(ascii, "");
const unclearOrOurs = unlike(ascii, oursBegin);

/** Which texts need more than a look. */
export type Look = {
  /** Something may have to be done with it. */
  readonly busy: RegExp;
  /** Nothing is known of it but that. */
  readonly unclear: RegExp;
};

/** For a line of its own, which may not look like one of ours, and for text inside of a line of ours. */
export function looksFor({ signs }: Pick<Markup, "signs">): { readonly line: Look; readonly inline: Look } {
  const quiet = [...ascii].filter((sign) => !(signs ?? everySign).includes(sign)).join("");
  const begin = signs === undefined ? listSigns : "";
  return {
    line: { busy: unlike(quiet, begin + oursBegin), unclear: unclearOrOurs },
    inline: { busy: unlike(quiet, begin), unclear },
  };
}

/** Finds anything but such signs with single spaces between them, and a beginning with one of the others. */
function unlike(quiet: string, notFirst: string): RegExp {
  return new RegExp(`[^${classOf(quiet)}${beyondAscii}]| (?: |$)|^[ ${classOf(notFirst)}]`);
}

function classOf(signs: string): string {
  return signs.replace(/./gs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The text as one line, with nothing hidden in it. */
export function shownLine(text: string): string {
  return unclear.test(text) ? reveal(oneLine(text)) : text;
}
