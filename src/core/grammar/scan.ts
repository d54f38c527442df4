import { foldText, squeeze } from "../text.ts";
import { type Verb, verbs } from "./reading.ts";

/** A text cut after one word: the word as it is compared, and the rest as it was typed. */
export type Cut = { readonly word: string; readonly rest: string };

/** No id, verb, key or label is longer than this many units once white space is folded. */
const longest = 1000;

/** As it is compared; empty where it is too long to be anything that is looked for. */
export function foldShort(text: string): string {
  const bare = squeeze(text);
  return bare.length > longest ? "" : foldText(bare);
}

/** Is there nothing to compare? A mark or a selector that stands alone is something. */
export function isEmpty(text: string): boolean {
  return squeeze(text) === "";
}

/** Cuts off the first word. Invisible characters before and in it do not count. */
export function cut(text: string): Cut {
  const from = skipBlanks(text);
  let to = from;
  while (to < text.length && !isWhite(text.charCodeAt(to))) to += 1;
  return { word: foldShort(text.slice(from, to)), rest: text.slice(to) };
}

/** Free text: as typed, but for the white space around it. */
export function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isWhite(text.charCodeAt(from))) from += 1;
  while (to > from && isWhite(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

export type Spoken = {
  /** Does it begin with a mention of the bot, or with a command that names it? */
  readonly named: boolean;
  /** What comes first, where a mark or a mention makes a verb of it; `typed` is how it was spelled. */
  readonly verb?: { readonly name: Verb | undefined; readonly typed: string };
  /** A command that names another bot. */
  readonly other?: true;
  /** After the mention and the verb, as it was typed. */
  readonly rest: string;
};

/** Finds the mention and the verb at the start of a text. */
export function scan(text: string, mentions: readonly string[]): Spoken {
  const after = afterMention(text, mentions);
  const named = after !== undefined;
  const said = after ?? text;
  const first = cut(said);
  const marked = /^[/!](\p{L}[^@]*)(?:@(.*))?$/u.exec(first.word);
  if (!marked) {
    const name = named ? verbNamed(first.word) : undefined;
    return name === undefined
      ? { named, rest: said }
      : { named, verb: { name, typed: first.word }, rest: first.rest };
  }
  const [, typed = "", bot] = marked;
  if (bot !== undefined && !mentions.some((mention) => bare(mention) === bot)) {
    return { named, other: true, rest: first.rest };
  }
  return { named: named || bot !== undefined, ...verbAfter(typed, first) };
}

/** `/owlpost pair CODE` is Slack's spelling of `/pair CODE`; alone it asks for help. */
function verbAfter(typed: string, first: Cut): Pick<Spoken, "rest"> & Required<Pick<Spoken, "verb">> {
  if (typed !== "owlpost") return { verb: { name: verbNamed(typed), typed: first.word }, rest: first.rest };
  const next = cut(first.rest);
  if (isEmpty(first.rest)) return { verb: { name: "help", typed: first.word }, rest: next.rest };
  return { verb: { name: verbNamed(next.word), typed: `${first.word} ${next.word}` }, rest: next.rest };
}

function verbNamed(word: string): Verb | undefined {
  return verbs.find((verb) => verb === word);
}

/** The name of the bot in a mention, as a command would name it. */
function bare(mention: string): string {
  return foldText(mention).replace(/^<?@|>$/g, "");
}

/** The text after a mention of the bot, or undefined where it begins with none. A mention holds no white space. */
function afterMention(text: string, mentions: readonly string[]): string | undefined {
  const { word, rest } = cut(text);
  for (const mention of mentions) {
    const called = foldText(mention);
    if (called === "" || !word.startsWith(called)) continue;
    const more = word.slice(called.length);
    // `@owlpost_bot2` is somebody else; `<@U0BOT>1` is closed by itself.
    if (more === "" || /^[,:]/.test(more) || called.endsWith(">")) return more.replace(/^[,:]/, "") + rest;
  }
  return undefined;
}

/** Where the first character stands that can be seen. */
function skipBlanks(text: string): number {
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (!isWhite(code) && !/\p{Cf}/u.test(String.fromCodePoint(code))) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Unicode's white space, which lies in the first plane. U+FEFF is none of it. */
function isWhite(code: number): boolean {
  return (
    (code >= 9 && code <= 13) ||
    code === 32 ||
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}
