import type { Markup, Written } from "./markup.ts";
import { calmShortcodes } from "./neutralise.ts";

/** A link is shown as it stands, and what is inside it means nothing: a backslash there would break it. */
const link = /(https?:\/\/[^\s<>]+)/;
/** What opens a format, a quote, a mention or a masked link, wherever it stands. */
const special = /[\\*_~`|<>[\]#@]/g;
/** What opens a list at the start of a line. */
const item = /^([^\S\n]*)([-+])/gm;
const numbered = /^([^\S\n]*\d{1,9})([.)])(?=\s|$)/gm;

/** A backslash takes the meaning of any sign away. */
function escaped(text: string): string {
  if (!/[^A-Za-z0-9 ]/.test(text)) return text;
  return text
    .split(link)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(special, "\\$&")))
    .join("")
    .replace(item, "$1\\$2")
    .replace(numbered, "$1\\$2");
}

/** # ) * + - . < > @ [ \ ] _ ` | ~ */
const grown: ReadonlySet<number> = new Set([
  35, 41, 42, 43, 45, 46, 60, 62, 64, 91, 92, 93, 95, 96, 124, 126,
]);

/** A backtick inside code would end it: such a text stands as it is. */
function inCode(text: string, before: string, after: string): Written {
  if (!text.includes("`")) return { sent: `${before}${text}${after}`, shown: text };
  const shown = calmShortcodes(text);
  return { sent: escaped(shown), shown };
}

/** Discord's Markdown; nobody is pinged by it, since every message also says that it mentions nobody. */
export const discord: Markup = {
  calm: calmShortcodes,
  escape: escaped,
  growth: (code) => (grown.has(code) ? 1 : 0),
  // A link goes on to the next blank: it would take the stars with it.
  strong: (sent) => (sent.includes("://") ? sent : `**${sent}**`),
  code: (text) => inCode(text, "`", "`"),
  block: (text) => inCode(text, "```\n", "\n```"),
  newline: "\n",
  keycaps: true,
  isBare: false,
};
