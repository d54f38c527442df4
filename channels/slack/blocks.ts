import type { Button as BlockButton, KnownBlock, MrkdwnElement, PlainTextElement } from "@slack/types";
import type { Button, ChannelMessage, Part } from "../../src/domain/channel.ts";

/** More than this in one message is refused; the renderer never gives it. In UTF-16 units. */
export const mostBody = 10_000;
const mostSection = 3_000;
const mostHeader = 150;
const mostContext = 1_500;
const mostBlocks = 50;
const mostElements = 25;
/** What `chat.update` takes as `text`, with room for what Slack itself adds, in bytes of UTF-8. */
const mostTextBytes = 3_800;

/** The button of ours beside the options: it opens the form for an answer in words. */
export const writeAction = "/write";
const writeLabel = "✏️ Write an answer";

/** `text` is what lock screens and screen readers get, `blocks` what is read in the channel. */
export type Content = { readonly text: string; readonly blocks: KnownBlock[] };

/** In order of preference: where Slack refuses the blocks of one, the next is tried, and the last has none. */
export const forms = ["whole", "fewer", "plain"] as const;
export type Form = (typeof forms)[number];

export function content(message: ChannelMessage, form: Form = "whole"): Content {
  const title = titleOf(message);
  if (form === "plain") {
    const all = title === undefined ? message.plain : `${title}\n${message.plain}`;
    return { text: escaped(fitting(all, mostTextBytes)), blocks: [] };
  }
  const text = escaped(
    fitting(message.headline.trim() === "" ? message.plain : message.headline, mostTextBytes),
  );
  const parts = form === "whole" ? message.parts : [];
  const sections =
    parts.length > 0 ? parts.flatMap((part) => blocksOf(part, message)) : sectionsOf(message.body);
  const buttons = actions(message);
  // "Or reply in this thread" is read behind the buttons.
  const last = parts.at(-1)?.name === "reply" ? sections.splice(-1) : [];
  const heading: KnownBlock[] = title === undefined ? [] : [{ type: "header", text: plainText(title) }];
  const all = [...heading, ...sections, ...buttons, ...last];
  if (all.length > mostBlocks) return content(message, "fewer");
  return { text, blocks: named(all, message) };
}

/** Where there are blocks Slack shows `text` on lock screens only: a notice, whose title stands there alone, shows it above. */
function titleOf({ headline, plain, parts, question }: ChannelMessage): string | undefined {
  const title = headline.trim();
  const isNotice = question === undefined && parts.length === 1 && parts[0]?.name === "text";
  return isNotice && title !== "" && title.length <= mostHeader && !plain.includes(title) ? title : undefined;
}

function blocksOf(part: Part, message: ChannelMessage): KnownBlock[] {
  const { name, text } = part;
  if (name === "title" && message.question !== undefined) {
    const title = plainTitle(text);
    if (title !== undefined) return [{ type: "header", text: plainText(title) }];
  }
  const isSmall = name === "header" || name === "reply";
  if (isSmall && text.length <= mostContext) return [{ type: "context", elements: [mrkdwn(text)] }];
  return sectionsOf(text);
}

function sectionsOf(text: string): KnownBlock[] {
  return pieces(text, mostSection).map((piece) => ({ type: "section", text: mrkdwn(piece) }));
}

/** A header shows no markup: the title without the bold that it was written in. Undefined where it would have to be cut. */
function plainTitle(text: string): string | undefined {
  const bare = /^\*([^*]*)\*$/.exec(text)?.[1] ?? text;
  const title = unescaped(bare);
  return title.length <= mostHeader && !title.includes("\n") ? title : undefined;
}

function actions(message: ChannelMessage): KnownBlock[] {
  const { buttons } = message;
  if (buttons.length === 0) return [];
  const all = buttons.map(buttonOf);
  const written = writeButton(message);
  if (written) all.push(written);
  const rows: BlockButton[][] = [];
  for (let from = 0; from < all.length; from += mostElements) rows.push(all.slice(from, from + mostElements));
  return rows.map((elements) => ({ type: "actions", elements }));
}

function buttonOf({ label, question, action, primary }: Button): BlockButton {
  const what = "key" in action ? action.key : `/${action.verb}`;
  return {
    type: "button",
    action_id: `o1|${what}`,
    text: plainText(label),
    value: `o1|${question}|${what}`,
    ...(primary ? { style: "primary" } : {}),
  };
}

/** Only beside options, since at night nothing is answered in words, and only where there is room left. */
function writeButton({ buttons, question }: ChannelMessage): BlockButton | undefined {
  const beside = buttons.some(({ action }) => "key" in action);
  if (question === undefined || !beside || buttons.length >= mostElements) return undefined;
  return {
    type: "button",
    action_id: `o1|${writeAction}`,
    text: plainText(writeLabel),
    value: `o1|${question}|${writeAction}`,
  };
}

/** Slack wants ids that are unique in a message, and gives them back with a press. */
function named(blocks: readonly KnownBlock[], { question, buttons }: ChannelMessage): KnownBlock[] {
  const id = question ?? buttons[0]?.question;
  if (id === undefined) return [...blocks];
  return blocks.map((block, at) => ({ ...block, block_id: `o1|${id}|${at}` }));
}

export function plainText(text: string): PlainTextElement {
  // Or Slack would make pictures of an agent's `:white_check_mark:`.
  return { type: "plain_text", text, emoji: false };
}

function mrkdwn(text: string): MrkdwnElement {
  // Or Slack would look for names and links of its own in what an agent wrote.
  return { type: "mrkdwn", text, verbatim: true };
}

export function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

export function unescaped(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

const fence = "```";

/** Pieces of at most `most` units, cut between lines where that is possible; code that is cut goes on as code. */
function pieces(text: string, most: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > most) {
    // Room for a fence that must be closed.
    const room = rest.includes(fence) ? most - fence.length : most;
    const line = rest.lastIndexOf("\n", room);
    const at = line > room / 2 ? line : wholeCharacters(rest, room);
    const piece = rest.slice(0, at);
    const open = piece.split(fence).length % 2 === 0;
    found.push(open ? piece + fence : piece);
    rest = (open ? fence : "") + rest.slice(at).replace(/^\n/, "");
  }
  return rest === "" && found.length > 0 ? found : [...found, rest];
}

/** Neither half a character nor half an entity. */
function wholeCharacters(text: string, at: number): number {
  const low = text.charCodeAt(at);
  const split = low >= 0xdc00 && low <= 0xdfff ? at - 1 : at;
  const entity = text.lastIndexOf("&", split - 1);
  return entity > split - 5 &&
    entity > 0 &&
    /^&(?:amp|lt|gt);/.test(text.slice(entity)) &&
    text.indexOf(";", entity) >= split
    ? entity
    : split;
}

/** As much of the beginning as is so large once it is escaped; whole graphemes, with an ellipsis where something is missing. */
export function fitting(text: string, mostBytes: number): string {
  if (Buffer.byteLength(escaped(text)) <= mostBytes) return text;
  let kept = "";
  let size = Buffer.byteLength("…");
  for (const { segment } of new Intl.Segmenter("en").segment(text.slice(0, mostBytes))) {
    size += Buffer.byteLength(escaped(segment));
    if (size > mostBytes) break;
    kept += segment;
  }
  return `${kept}…`;
}
