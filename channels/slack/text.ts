import { unescaped } from "./blocks.ts";

/** What a message of a person holds beside its text, as far as it is read here. */
export type RichText = { readonly blocks?: readonly unknown[] };

/** How a text calls this bot, as it stands there. */
export const mentionOf = (user: string): string => `<@${user}>`;

/** Keys and agreement: these mean something to the grammar. Slack sends every emoji by its name. */
const shortcodes: ReadonlyMap<string, string> = new Map([
  ...["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map(
    (name, digit): [string, string] => [name, `${digit}\ufe0f\u20e3`],
  ),
  ["keycap_ten", "🔟"],
  ["+1", "👍"],
  ["thumbsup", "👍"],
  ["-1", "👎"],
  ["thumbsdown", "👎"],
]);
const skinTones = ["🏻", "🏼", "🏽", "🏾", "🏿"];

/**
 * The text that a person typed: links, mentions and entities as they were read, emoji as characters. A mention of the bot stays
 * as Slack writes it; `mentions` says how often.
 */
export function typedText(
  raw: string,
  me: string,
  rich: RichText = {},
): { readonly text: string; readonly mentions: readonly string[] } {
  const mentions: string[] = [];
  const emoji = emojiIn(rich);
  const text = raw
    .split(/(<[^<>]*>)/)
    .map((piece, at) => {
      if (at % 2 === 0) return unescaped(withEmoji(piece, emoji));
      const shown = shownToken(piece.slice(1, -1));
      if (!isMention(piece, me)) return shown;
      mentions.push(mentionOf(me));
      return mentionOf(me);
    })
    .join("");
  return { text, mentions };
}

function isMention(piece: string, me: string): boolean {
  return piece === mentionOf(me) || piece.startsWith(`<@${me}|`);
}

/** `<…>` as people see it: `@name`, `#channel`, `@here`, and links as they were typed. */
function shownToken(token: string): string {
  const bar = token.indexOf("|");
  const target = unescaped(bar < 0 ? token : token.slice(0, bar));
  const label = bar < 0 ? undefined : unescaped(token.slice(bar + 1));
  if (target.startsWith("@") || target.startsWith("#")) {
    return label === undefined || label === "" ? target : `${target[0]}${label}`;
  }
  if (target.startsWith("!date^")) return label ?? "";
  if (target.startsWith("!")) return label ?? `@${target.slice(1)}`;
  const bare = target.replace(/^(?:mailto:|tel:|https?:\/\/)/, "").replace(/\/$/, "");
  if (label === undefined || label === "") return target.replace(/^(?:mailto:|tel:)/, "");
  // What was typed became a link by itself; a link that was made says where it leads.
  return label === target || label.replace(/^https?:\/\//, "").replace(/\/$/, "") === bare
    ? label
    : `${label} (${target})`;
}

function withEmoji(text: string, emoji: ReadonlyMap<string, string>): string {
  if (!text.includes(":")) return text;
  return text.replace(/:([a-z0-9_+'-]+):(?::skin-tone-([2-6]):)?/g, (whole, name: string, tone?: string) => {
    const character = emoji.get(whole) ?? emoji.get(`:${name}:`) ?? shortcodes.get(name);
    if (character === undefined) return whole;
    const toned = tone !== undefined && !emoji.has(whole);
    return toned ? character + (skinTones[Number(tone) - 2] ?? "") : character;
  });
}

type Element = {
  readonly type?: unknown;
  readonly elements?: unknown;
  readonly name?: unknown;
  readonly unicode?: unknown;
  readonly skin_tone?: unknown;
};

/** Beside the text Slack sends its parts, and there which character an emoji's name is. */
function emojiIn({ blocks = [] }: RichText): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (nodes: unknown, depth: number): void => {
    if (!Array.isArray(nodes) || depth > 6) return;
    for (const node of nodes as readonly (Element | null)[]) {
      if (typeof node !== "object" || node === null) continue;
      const { type, name, unicode, skin_tone: tone } = node;
      if (type === "emoji" && typeof name === "string" && typeof unicode === "string") {
        const character = characterOf(unicode);
        const code = typeof tone === "number" ? `:${name}::skin-tone-${tone}:` : `:${name}:`;
        if (character !== undefined) found.set(code, character);
      }
      look(node.elements, depth + 1);
    }
  };
  look(blocks, 0);
  return found;
}

function characterOf(unicode: string): string | undefined {
  if (!/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}$/i.test(unicode)) return undefined;
  const points = unicode.split("-").map((hex) => Number.parseInt(hex, 16));
  return points.every((point) => point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff))
    ? String.fromCodePoint(...points)
    : undefined;
}
