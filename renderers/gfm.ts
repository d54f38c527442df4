import { angleGrowth, escapeAngles, type Markup, type Written } from "./markup.ts";
import { calmShortcodes, joiner } from "./neutralise.ts";

/** What a line may not begin with: lists, headings, quotes, rules, tables, fences, code by indentation. */
const lineStart = /^(?=[^\S\n]*(?:[-+*>#|=~`:]|[0-9]{1,9}[.)])|[^\S\n]{2,}\S)/gm;

/** Mentions mail people and references leave traces elsewhere; both are made from the finished text, so escapes do not help. */
function calm(text: string): string {
  return calmShortcodes(text)
    .replace(/(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])/g, `@${joiner}`)
    .replace(/#(?=[0-9])/g, `#${joiner}`)
    .replace(/\bGH-(?=[0-9])/gi, (found) => `${found}${joiner}`)
    .replace(lineStart, joiner);
}

const special = /[&<>\\`*~[\]|$#!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

function escaped(text: string): string {
  return text.replace(special, (found) => (/[&<>]/.test(found) ? escapeAngles(found) : `\\${found}`));
}

function growth(code: number): number {
  // ! # $ * [ \ ] _ ` | ~
  return [33, 35, 36, 42, 91, 92, 93, 95, 96, 124, 126].includes(code) ? 1 : angleGrowth(code);
}

/** Longer than every run of backticks in the text. */
function ticks(text: string, least: number): string {
  let longest = least - 1;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** Inside code nothing is markup, but a hidden comment of ours is looked for in the raw text. */
const inCode = (text: string): string => text.replace(/<(?=[a-z/!])/gi, `<${joiner}`);

function code(text: string): Written {
  const fence = ticks(text, 1);
  const shown = inCode(text);
  const pad = /^`|`$|^ .* $/.test(shown) ? " " : "";
  return { sent: `${fence}${pad}${shown}${pad}${fence}`, shown };
}

function block(text: string): Written {
  const fence = ticks(text, 3);
  const shown = inCode(text);
  return { sent: `${fence}\n${shown}\n${fence}`, shown };
}

/** GitHub's Markdown in a comment, where a line feed is a line break. */
export const gfm: Markup = {
  calm,
  escape: escaped,
  growth,
  strong: (sent) => `**${sent}**`,
  code,
  block,
  newline: "\n",
  keycaps: true,
  isBare: false,
  opening: (id) => ({ sent: `<!-- owlpost:question:${id} -->\n`, shown: "" }),
};
