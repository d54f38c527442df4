/** A text as Telegram keeps it: its characters, and its markup as entities counted in UTF-16 units. */
export type Entity = {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
};
export type ParsedText = { readonly text: string; readonly entities: readonly Entity[] };

/** Telegram's own sentence after `can't parse entities: `. */
export class MarkupError extends Error {}

const tags: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
  "tg-emoji": "custom_emoji",
  "tg-time": "date_time",
  a: "text_link",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
};
const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };
/** More are not honoured; the text stays. */
const mostEntities = 100;

/** Reads HTML as the Bot API does: the documented tags, four named entities, and nothing that is left open. */
export function parseHtml(html: string): ParsedText {
  let text = "";
  const entities: Entity[] = [];
  const open: {
    readonly name: string;
    readonly type: string;
    readonly offset: number;
    readonly url?: string;
  }[] = [];
  const at = (index: number): number => Buffer.byteLength(html.slice(0, index));
  for (let index = 0; index < html.length; ) {
    const char = html[index] ?? "";
    if (char === "&") {
      const found = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/i.exec(html.slice(index, index + 12));
      const code = found?.[1] ? Number(found[1]) : found?.[2] ? Number.parseInt(found[2], 16) : undefined;
      const letter =
        code === undefined
          ? named[found?.[3] ?? ""]
          : code > 0 && code <= 0x10ffff
            ? String.fromCodePoint(code)
            : undefined;
      text += letter ?? "&";
      index += letter === undefined ? 1 : (found?.[0].length ?? 1);
    } else if (char !== "<") {
      text += char;
      index += 1;
    } else if (html[index + 1] === "/") {
      const end = html.indexOf(">", index);
      const name = html
        .slice(index + 2, end)
        .trim()
        .toLowerCase();
      const begun = open.pop();
      if (!begun) throw new MarkupError(`Unexpected end tag at byte offset ${at(index)}`);
      if (end < 0 || (name !== "" && name !== begun.name)) {
        throw new MarkupError(
          `Unmatched end tag at byte offset ${at(index)}, expected "</${begun.name}>", found "</${name}>"`,
        );
      }
      const { type, offset, url } = begun;
      if (text.length > offset) {
        entities.push({ type, offset, length: text.length - offset, ...(url === undefined ? {} : { url }) });
      }
      index = end + 1;
    } else {
      const end = html.indexOf(">", index);
      const [, name = "", attributes = ""] = /^<([^\s>/]*)([^>]*)>/.exec(html.slice(index, end + 1)) ?? [];
      const lower = name.toLowerCase();
      if (end < 0) throw new MarkupError(`Unclosed start tag at byte offset ${at(index)}`);
      const type = tags[lower];
      if (!type || (lower === "span" && !/class\s*=\s*["']?tg-spoiler/.test(attributes))) {
        throw new MarkupError(`Unsupported start tag "${lower}" at byte offset ${at(index)}`);
      }
      const inside = (other: string): boolean => open.some((each) => each.type === other);
      if (
        (type === "blockquote" && inside("blockquote")) ||
        inside("code") ||
        (inside("pre") && type !== "code")
      ) {
        throw new MarkupError(`Can't nest "${lower}" at byte offset ${at(index)}`);
      }
      const url = /href\s*=\s*["']?([^"'\s>]+)/.exec(attributes)?.[1];
      open.push({ name: lower, type, offset: text.length, ...(url === undefined ? {} : { url }) });
      index = end + 1;
    }
  }
  const left = open.pop();
  if (left) throw new MarkupError(`Can't find end tag corresponding to start tag "${left.name}"`);
  return trimmed(text, entities);
}

/** White space at both ends is not kept. */
export function trimmed(text: string, entities: readonly Entity[]): ParsedText {
  const start = text.length - text.trimStart().length;
  const kept = text.trim();
  const moved = entities
    .map((entity) => {
      const offset = Math.max(0, entity.offset - start);
      const end = Math.min(kept.length, entity.offset + entity.length - start);
      return { ...entity, offset, length: end - offset };
    })
    .filter((entity) => entity.length > 0)
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: kept, entities: moved.slice(0, mostEntities) };
}
