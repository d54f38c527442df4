import PostalMime from "postal-mime";
import { decodeText, unflowed } from "./charset.ts";
import { htmlToLines } from "./html.ts";

/** What a mail holds, as far as it matters here. */
export type Content = {
  /** The text part, or the HTML part as text where that is missing or blank; quoted blocks begin with `>`. */
  readonly text: string;
  /** A calendar or a mail program speaks, and not the person. */
  readonly speaks: "person" | "calendar" | "reaction";
  /** Of a report: the Message-ID of what could not be delivered, and to whom. */
  readonly bounceOf?: string;
  readonly failed?: string;
};

/** Attachments come after what is read; this much of a mail is looked into. Each line costs the parser as much as a page. */
const mostRawBytes = 2 * 1024 * 1024;
const mostRawLines = 20_000;
const mostParts = 200;
const mostDepth = 20;
/** Of one part; nobody writes more by hand. */
const mostTextBytes = 256 * 1024;

/** What postal-mime has found, before it decodes text with the TextDecoder of Node, which reads windows-1252 wrongly. */
type Part = {
  readonly contentType: {
    readonly parsed: { readonly value: string; readonly params: Readonly<Record<string, string>> };
    readonly multipart: string | false;
  };
  readonly contentDisposition: { readonly parsed: { readonly value: string } };
  readonly childNodes: readonly Part[];
  readonly content: ArrayBuffer | null;
};

const nothing: Content = { text: "", speaks: "person" };

/** Never throws: what cannot be read holds nothing. */
export async function readContent(raw: Uint8Array): Promise<Content> {
  const root = await parsed(raw);
  if (!root) return nothing;
  const parts = leavesOf(root);
  const is = (name: string) => (part: Part) => typeOf(part) === name;
  if (parts.some(is("text/vnd.google.email-reaction+json"))) return { ...nothing, speaks: "reaction" };
  const speaks = parts.some(isCalendar) ? "calendar" : "person";
  const text = readable(textOf(parts.find(shown("text/plain"))));
  const visible = text.trim() === "" ? htmlToLines(textOf(parts.find(shown("text/html")))) : text;
  return { text: visible, speaks, ...(root.contentType.multipart === "report" ? bounceIn(parts) : {}) };
}

async function parsed(raw: Uint8Array): Promise<Part | undefined> {
  const head = raw.subarray(0, endOfLines(raw, mostRawLines, mostRawBytes));
  if (hasManyBoundaries(head)) return undefined;
  const parser = new PostalMime({ maxRfc822NestingDepth: 0, maxNestingDepth: mostDepth });
  try {
    await parser.parse(head);
  } catch {
    return undefined;
  }
  return (parser as unknown as { readonly root?: Part }).root;
}

/** Where so many lines end, or so many bytes. */
function endOfLines(raw: Uint8Array, lines: number, most: number): number {
  let end = 0;
  for (let count = 0; count < lines && end < most; count += 1) {
    const found = raw.indexOf(10, end);
    if (found < 0) return Math.min(raw.length, most);
    end = found + 1;
  }
  return Math.min(end, most);
}

/** Lines that could begin a part; a mail of thousands of parts is no letter. */
function hasManyBoundaries(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  let count = 0;
  for (let at = bytes.indexOf("\n--"); at >= 0; at = bytes.indexOf("\n--", at + 3)) {
    // A rule of dashes in a text is none.
    if (bytes[at + 3] !== 45) count += 1;
    if (count > mostParts * 4) return true;
  }
  return false;
}

function leavesOf(part: Part): readonly Part[] {
  const leaves: Part[] = [];
  const waiting: Part[] = [part];
  while (waiting.length > 0 && leaves.length < mostParts) {
    const next = waiting.shift();
    if (!next) break;
    if (next.childNodes.length === 0) leaves.push(next);
    else waiting.unshift(...next.childNodes.slice(0, mostParts));
  }
  return leaves;
}

function typeOf(part: Part): string {
  return part.contentType.parsed.value.toLowerCase();
}

function shown(type: string) {
  return (part: Part): boolean =>
    typeOf(part) === type && part.contentDisposition.parsed.value.toLowerCase() !== "attachment";
}

/** An answer to an invitation, or an invitation; a calendar file that somebody attaches is no voice. */
function isCalendar(part: Part): boolean {
  return shown("text/calendar")(part) && part.contentType.parsed.params.method !== undefined;
}

function bytesOf(part: Part | undefined): Uint8Array {
  return new Uint8Array(part?.content ?? new ArrayBuffer(0)).subarray(0, mostTextBytes);
}

function textOf(part: Part | undefined): string {
  if (!part) return "";
  const { charset, format, delsp } = part.contentType.parsed.params;
  const bytes = bytesOf(part);
  const text = decodeText(
    bytes,
    charset ?? (typeOf(part) === "text/html" ? metaCharset(bytes) : undefined),
  ).replace(/\r\n?/g, "\n");
  return /^flowed$/i.test(format ?? "") ? unflowed(text, /^yes$/i.test(delsp ?? "")) : text;
}

/** What the HTML says of itself, where the mail says nothing. */
function metaCharset(html: Uint8Array): string | undefined {
  const start = Buffer.from(html.subarray(0, 1024)).toString("latin1");
  return /<meta[^<>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(start)?.[1];
}

/** Some programs leave the entities of the HTML part in the text part. */
function readable(text: string): string {
  return text.replace(/&nbsp;/g, "\u00a0");
}

/** From a report of a mail that came back: only what failed for good. */
function bounceIn(parts: readonly Part[]): Pick<Content, "bounceOf" | "failed"> {
  const field = (text: string, name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*(.{1,900})$`, "im").exec(text)?.[1]?.trim();
  // Postfix and others fold what is long, a Message-ID too.
  const of = (...types: readonly string[]): string =>
    textOf(parts.find((part) => types.includes(typeOf(part))))
      .slice(0, 64 * 1024)
      .replace(/\r?\n[ \t]+/g, " ");
  const status = of("message/delivery-status", "message/global-delivery-status");
  if (!/^failed\b/i.test(field(status, "Action") ?? "")) return {};
  const original = of("message/rfc822", "text/rfc822-headers", "message/global", "message/rfc822-headers");
  const id = /<[^<>\s]{1,900}>/.exec(field(original, "Message-ID") ?? "")?.[0];
  const failed = field(status, "(?:Original|Final)-Recipient")
    ?.replace(/^[^;]*;\s*/, "")
    .toLowerCase();
  return {
    ...(id === undefined ? {} : { bounceOf: id }),
    ...(failed === undefined || failed === "" ? {} : { failed }),
  };
}
