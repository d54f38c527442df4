import { createRequire } from "node:module";
import { uncut } from "../../renderers/ladder.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import type { AskedView, NightView, QuestionView } from "../../src/domain/view.ts";

// The reference implementation of CommonMark; it brings no types.
const { HtmlRenderer, Parser } = createRequire(import.meta.url)("commonmark") as {
  HtmlRenderer: new (options: { softbreak: string }) => { render(node: unknown): string };
  Parser: new () => { parse(text: string): unknown };
};

/** What `limits.json` says of one channel, as far as the renderer alone decides it. */
export type Limits = {
  readonly limits: readonly {
    readonly id: string;
    readonly scope: string;
    readonly unit: string;
    readonly min?: number;
    readonly max?: unknown;
    readonly pattern?: string;
  }[];
  readonly never: readonly Pattern[];
};
export type Pattern = {
  readonly id: string;
  readonly scope: string;
  readonly pattern: string;
  readonly flags: string;
  readonly unless?: string;
};

/** The size of what is never cut, as a whole message in the row's unit. */
export function uncutSize(view: AskedView, row: Capabilities): number {
  const { partMax: _partMax, wire: _wire, ...body } = row.body;
  return uncut(view, { ...row, body }).size;
}

const zeroWidth = /[\u200b\u200c\u2060\ufeff\u00ad]/g;

/** Invisible characters gone and white space folded: how two visible texts are compared. */
export const folded = (text: string): string => text.replace(zeroWidth, "").replace(/\s+/g, " ").trim();

/** What a client shows after it has parsed the markup: read by a parser that the renderer does not know. */
export function visible(message: ChannelMessage, row: Capabilities, code = true): string {
  switch (row.dialect) {
    case "telegram-html":
      return fromHtml(code ? message.body : message.body.replace(/<(code|pre)>[\s\S]*?<\/\1>/g, ""));
    case "mail":
      return fromHtml(message.body.replaceAll("<br>", ""));
    case "gfm":
      return fromMarkdown(message.body, code);
    case "mrkdwn":
    case "slack-compatible":
      return fromEntities(fromMrkdwn(message.body, code));
    case "discord":
      return fromDiscord(message.body, code);
    default:
      return message.body;
  }
}

function fromEntities(text: string): string {
  const names: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
  return text.replace(/&(lt|gt|amp|quot);/g, (whole, name: string) => names[name] ?? whole);
}

function fromHtml(html: string): string {
  return fromEntities(html.replace(/<!--[\s\S]*?-->/g, "").replace(/<\/?[a-z]+(?: [^<>]*)?>/g, ""));
}

function fromMarkdown(text: string, code: boolean): string {
  const html = new HtmlRenderer({ softbreak: "\n" }).render(new Parser().parse(text));
  return fromHtml(code ? html : html.replace(/<(code|pre)>[\s\S]*?<\/\1>/g, ""));
}

/** Our own bold and code; an agent's openers stand apart by word joiners. */
function fromMrkdwn(text: string, code: boolean): string {
  const bold = (piece: string): string => piece.replace(/(^|\s)\*(\S|\S.*?\S)\*(?=\s|$)/gm, "$1$2");
  return text
    .split(/(```[\s\S]*?```|(?<![\u2060\w])`[^`\n]+`(?!\u2060))/)
    .map((piece, at) => (at % 2 === 0 ? bold(piece) : code ? piece.replace(/^`+|`+$/g, "") : ""))
    .join("");
}

/** Discord's order: code, then links, then escapes, then bold; whatever else opens a format stands there as ⟦format⟧. */
function fromDiscord(text: string, code: boolean): string {
  const token =
    /```\n([\s\S]*?)\n```|`([^`\n]+)`|(https?:\/\/[^\s<]+)|\\([^0-9A-Za-z\s])|(\*\*)|([*_~`|<[#@])|(^[^\S\n]*[-+](?=\s))/gm;
  return text.replace(token, (_all, block, inline, link, escaped, bold, opener, item) => {
    if (block !== undefined || inline !== undefined) return code ? (block ?? inline) : "";
    if (bold !== undefined) return "";
    return link ?? escaped ?? `⟦format ${opener ?? item}⟧`;
  });
}

const line = (text: string, test: (each: string) => boolean): boolean => text.split("\n").some(test);

/** Broken rules of every kind, as short names. Nothing is what a good message gives. */
export function brokenRules(
  view: AskedView,
  message: ChannelMessage,
  row: Capabilities,
  channel: Limits | undefined,
  anywhere: readonly Pattern[],
  /** What a reader must see of a text that holds invisible characters. */
  seen: (text: string) => string = (text) => text,
): readonly string[] {
  const shown = visible(message, row);
  const flat = folded(shown);
  const broken: string[] = [];
  const must = (id: string, isThere: boolean): void => {
    if (!isThere) broken.push(id);
  };
  must(
    "plain is what is shown",
    folded(message.plain) === flat || ["mrkdwn", "slack-compatible", "gfm"].includes(row.dialect),
  );
  must("title", flat.includes(folded(seen(view.title))));
  must("question-id", flat.includes(view.id));
  must(
    "deadline",
    line(shown, (each) => /^⏰ .*\d\d:\d\d .*→ ./.test(each)),
  );
  broken.push(
    ...(view.type === "question"
      ? brokenInFull(view, message, row, shown, seen)
      : brokenAtNight(view, message, row, shown, seen)),
  );
  for (const limit of channel?.limits ?? []) broken.push(...brokenLimit(limit, message, row, shown));
  for (const rule of [...anywhere, ...(channel?.never ?? [])]) {
    if (new RegExp(rule.pattern, rule.flags).test(scope(rule.scope, message, row)) && !excused(rule, view))
      broken.push(rule.id);
  }
  return [...new Set(broken)];
}

function brokenInFull(
  view: QuestionView,
  message: ChannelMessage,
  row: Capabilities,
  shown: string,
  seen: (text: string) => string,
): readonly string[] {
  const flat = folded(shown);
  const broken: string[] = [];
  const must = (id: string, isThere: boolean): void => {
    if (!isThere) broken.push(id);
  };
  let from = 0;
  for (const option of view.options) {
    for (const text of [option.key, option.label, option.consequence]) {
      const at = flat.indexOf(folded(seen(text)), from);
      must(`option ${option.key}`, at >= 0);
      from = Math.max(from, at);
    }
  }
  const marked = shown.split("\n").filter((each) => each.includes("← recommended"));
  const recommended = view.options.filter((option) => option.recommended);
  must("recommended", marked.length === recommended.length);
  for (const option of recommended)
    must("recommended", folded(marked[0] ?? "").includes(folded(seen(option.label))));
  must(
    "reply-line",
    line(
      shown,
      (each) =>
        each.includes(`${row.verbMark}skip`) && view.options.every((option) => each.includes(option.key)),
    ),
  );
  return [...broken, ...brokenButtons(view, message, row)];
}

/** The night: three lines at most, two actions or a skip alone, and no option by its key. */
function brokenAtNight(
  view: NightView,
  message: ChannelMessage,
  row: Capabilities,
  shown: string,
  seen: (text: string) => string,
): readonly string[] {
  const broken: string[] = [];
  const must = (id: string, isThere: boolean): void => {
    if (!isThere) broken.push(id);
  };
  const lines = shown.split("\n").filter((each) => folded(each) !== "");
  const header = lines.findIndex((each) => each.includes(`[${view.id}]`));
  const prose = lines.slice(
    header + 1,
    lines.findIndex((each) => each.startsWith("⏰")),
  );
  const reply = lines.at(-1) ?? "";
  must("three lines", prose.length >= 2 && prose.length <= 3);
  must("stuck", folded(prose[0] ?? "").includes(folded(seen(view.title))));
  const { mark, bare } = { mark: row.verbMark, bare: row.buttons === "none" && row.freeText !== "none" };
  if (view.type === "consent") {
    const { label, consequence } = view.recommended;
    must(
      "recommended",
      folded(prose[1] ?? "") === folded(`Recommended: ${seen(label)} — ${seen(consequence)}`),
    );
    must("reply-line", / go\b/.test(reply) && reply.includes(bare ? "skip" : `${mark}skip`));
  } else {
    must("held", folded(prose[1] ?? "") === folded(view.held));
    must(
      "reply-line",
      ["skip", "retry", "steer"].every((verb) => reply.includes(`${mark}${verb}`)),
    );
  }
  const actions = message.buttons.map(({ action }) => ("verb" in action ? action.verb : action.key));
  const wanted = row.buttons === "none" ? [] : view.type === "consent" ? ["go", "skip"] : ["skip"];
  must("buttons", actions.join() === wanted.join());
  for (const button of message.buttons) {
    must("button-label", row.buttons !== "none" && button.label.length <= row.buttons.label);
    must("button-question", button.question === view.id);
  }
  must("silent", message.silent === (view.type === "held"));
  return broken;
}

function brokenButtons(view: QuestionView, message: ChannelMessage, row: Capabilities): readonly string[] {
  if (row.buttons === "none") return message.buttons.length === 0 ? [] : ["buttons"];
  const keys = message.buttons.flatMap((button) => ("key" in button.action ? [button.action.key] : []));
  const complete = view.options.length <= row.buttons.max;
  const wanted = view.options.map((option) => option.key);
  const broken = complete && keys.join() !== wanted.join() ? ["buttons-complete"] : [];
  if (message.buttons.length > row.buttons.max) broken.push("buttons");
  for (const button of message.buttons) {
    const size = [...button.label].length;
    if (size < 1 || size > row.buttons.label) broken.push("button-label");
    if (button.question !== view.id) broken.push("button-question");
  }
  return broken;
}

function brokenLimit(
  limit: Limits["limits"][number],
  message: ChannelMessage,
  row: Capabilities,
  shown: string,
): readonly string[] {
  const over = (size: number): readonly string[] =>
    size > (typeof limit.max === "number" ? limit.max : Number.POSITIVE_INFINITY) || size < (limit.min ?? 0)
      ? [limit.id]
      : [];
  const sized = (text: string): readonly string[] =>
    limit.unit === "pattern"
      ? new RegExp(limit.pattern ?? "").test(text)
        ? []
        : [limit.id]
      : over(
          limit.unit === "utf8"
            ? Buffer.byteLength(text)
            : limit.unit === "codepoint"
              ? [...text].length
              : text.length,
        );
  // How buttons stand in rows is the adapter's.
  if (limit.unit === "count-per-row") return [];
  switch (limit.scope) {
    case "visible":
      return sized(shown);
    case "raw":
    case "html":
      return sized(message.body);
    case "wire":
      return limit.unit === "utf8"
        ? over(Buffer.byteLength(JSON.stringify(message.body)) + (row.body.wire?.restBytes ?? 0))
        : [];
    case "entities":
      return over((message.body.match(/<(?:b|i|code|pre)>/g) ?? []).length);
    case "block.section.text":
      return message.parts.flatMap((part) => sized(part.text));
    case "blocks":
      return limit.unit === "char" ? sized(message.body) : over(message.parts.length + 1);
    case "text":
      return sized(limit.id === "fallback-text" ? message.headline : message.plain);
    case "buttons":
    case "block.actions.elements":
      return over(message.buttons.length);
    case "button.label":
      return message.buttons.flatMap((button) => sized(button.label));
    default:
      return [];
  }
}

function scope(name: string, message: ChannelMessage, row: Capabilities): string {
  if (name === "visible") return visible(message, row);
  if (name === "visible-outside-code") return visible(message, row, false);
  if (name === "raw-outside-code")
    return message.body
      .replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, "")
      .replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
  if (name === "text") return message.plain;
  // Headers and plain_text objects are written by the adapter, from the headline and the labels.
  if (name === "headers" || name === "plain_text") return "";
  return name === "wire" ? `${message.headline}\n${message.body}\n${message.plain}` : message.body;
}

/** A rule may be excused by what the question itself holds. */
function excused(rule: Pattern, view: AskedView): boolean {
  if (!rule.unless?.startsWith("the question itself")) return false;
  const texts = textsOf(view).join("\n");
  // What nobody sees may stand between: two stars with a hidden space between them are two stars.
  const bare = texts.replace(/[\p{DI}\p{Cf}]/gu, "");
  return [texts, bare].some((text) => new RegExp(rule.pattern, rule.flags).test(text));
}

function textsOf(view: AskedView): readonly string[] {
  if (view.type === "held") return [view.title];
  if (view.type === "consent") return [view.title, view.recommended.label, view.recommended.consequence];
  const { title, context, tried = "", options, outputTail, freeFacts } = view;
  const held = options.flatMap((option) => [option.label, option.consequence]);
  return [title, context, tried, ...outputTail, ...freeFacts, ...held];
}
