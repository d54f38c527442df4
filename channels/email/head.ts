import { addressParser } from "postal-mime";

/** One field of a mail's head. `from` and `to` are its bytes in the raw mail, with its line end. */
export type Field = {
  /** In lower case. */
  readonly name: string;
  /** Unfolded, and trimmed; encoded words stay as they are. */
  readonly value: string;
  readonly from: number;
  readonly to: number;
};

export type Head = {
  readonly fields: readonly Field[];
  /** Where the body begins. */
  readonly end: number;
  /** Something in it is read in more than one way by those who read mail, so nobody can say what it says. */
  readonly odd: boolean;
};

/** A head that is longer, or has more fields, was not made by anybody's mail program. */
const mostHeadBytes = 256 * 1024;
const mostFields = 1_000;

const lf = 10;
const cr = 13;

/** The head of a raw mail; linear in its length, and never reads more than 256 KiB. */
export function readHead(raw: Uint8Array): Head {
  const fields: Field[] = [];
  const limit = Math.min(raw.length, mostHeadBytes);
  let odd = false;
  let at = 0;
  let start = 0;
  let end = raw.length;
  while (at < limit) {
    const lineEnd = endOfLine(raw, at, limit);
    const blank = lineEnd - at <= 2 && (raw[at] === lf || (raw[at] === cr && raw[at + 1] === lf));
    const next = blank ? undefined : raw[lineEnd];
    // A line that goes on is part of the field before it.
    if (!blank && (next === 32 || next === 9) && lineEnd < limit) {
      at = lineEnd;
      continue;
    }
    if (start < at || !blank) {
      const field = fieldAt(raw, start, blank ? at : lineEnd);
      if (typeof field === "object") fields.push(field);
      else odd ||= field === "odd";
    }
    at = lineEnd;
    start = at;
    if (blank) {
      end = at;
      break;
    }
    if (fields.length > mostFields) return { fields, end: raw.length, odd: true };
  }
  return { fields, end, odd: odd || (limit < raw.length && at >= limit) };
}

function endOfLine(raw: Uint8Array, from: number, limit: number): number {
  const found = raw.indexOf(lf, from);
  return found < 0 || found >= limit ? limit : found + 1;
}

/**
 * `odd`: no field by RFC 5322, and one for lenient readers that says something of the mail. `void`: no field either, such as
 * a name with a blank in it that some gateway adds, and nobody takes it for one that matters.
 */
function fieldAt(raw: Uint8Array, from: number, to: number): Field | "odd" | "void" {
  const text = decoder.decode(raw.subarray(from, to)).replace(/\r?\n/g, "");
  const colon = text.indexOf(":");
  const name = text.slice(0, colon);
  // A bare CR ends a line for some, a NUL ends everything for others, and where there is no colon, the body may begin.
  if (colon <= 0 || /[\r\0]/.test(text)) return "odd";
  if (!/^[!-9;-~]+$/.test(name)) return isTelling(name) ? "odd" : "void";
  return { name: name.toLowerCase(), value: text.slice(colon + 1).trim(), from, to };
}

/** Without what is not of it, does the name belong to a field that is looked at here? */
function isTelling(name: string): boolean {
  return telling.test(name.toLowerCase().replace(/[^a-z-]/g, ""));
}

const telling =
  /^(?:from|to|cc|subject|date|message-id|in-reply-to|references|sender|reply-to|return-path|delivered-to|x-original-to|auto-submitted|precedence|list-id|dkim-signature|authentication-results|mime-version|content-.*)$/;

/** `ignoreBOM`: a U+FEFF before a name must not turn a line that strict readers skip into a field. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function fieldsOf({ fields }: Head, name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

/** The value of a field that may stand there once; the first where there are more. */
export function fieldOf(head: Head, name: string): string | undefined {
  return head.fields.find((field) => field.name === name)?.value;
}

/** Fields that RFC 5322 and MIME allow once. Of two, a signature covers one and a reader may show the other. */
const singular = new Set(
  "subject message-id date in-reply-to references mime-version content-type content-transfer-encoding".split(
    " ",
  ),
);

export function hasDoubles({ fields }: Head): boolean {
  const seen = new Set<string>();
  return fields.some(({ name }) => singular.has(name) && seen.size === seen.add(name).size);
}

const mostAuthorUnits = 2_000;
const plainAddress =
  /^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]{1,64}@(?=.{1,253}$)[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;

/**
 * The one author of a mail in lower case, and what they call themselves; undefined where there is not exactly one From with
 * exactly one address in it, whichever way it is read.
 */
export function authorOf(head: Head): { readonly address: string; readonly name?: string } | undefined {
  const [value, ...others] = fieldsOf(head, "from");
  if (value === undefined || others.length > 0 || value.length > mostAuthorUnits) return undefined;
  const bare = withoutQuotes(value);
  // A second address outside of quotes and comments is the author for some readers.
  if (bare.split("@").length !== 2 || bare.split("<").length > 2) return undefined;
  const [author, ...more] = addressParser(value, { flatten: true });
  if (!author || more.length > 0 || author.address === undefined) return undefined;
  const address = folded(author.address);
  if (!plainAddress.test(address) || !folded(bare).includes(address)) return undefined;
  return { address, ...(author.name === "" ? {} : { name: author.name.slice(0, 200) }) };
}

/** ASCII alone: the Kelvin sign in lower case is a k, and another mailbox. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A structured value without its quoted strings and comments; what is not closed stays. */
export function withoutQuotes(value: string): string {
  let bare = "";
  let depth = 0;
  let quoted = false;
  let kept = 0;
  for (let at = 0; at < value.length; at += 1) {
    const sign = value.charAt(at);
    const wasOutside = depth === 0 && !quoted;
    if (sign === "\\" && !wasOutside) at += 1;
    else if (sign === '"' && depth === 0) quoted = !quoted;
    else if (sign === "(" && !quoted) depth += 1;
    else if (sign === ")" && depth > 0 && !quoted) depth -= 1;
    else if (wasOutside) bare += sign;
    if (wasOutside && (depth > 0 || quoted)) kept = at;
  }
  return depth > 0 || quoted ? bare + value.slice(kept) : bare;
}

/** Everything in these fields that could be an address, in lower case and in order. */
export function addressesIn(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.toLowerCase().split(/[\s<>"'(),:;[\]]+/))
    .filter((word) => word.includes("@"));
}

/** The Message-IDs in a field, with their angle brackets, at most 100. */
export function idsOf(value: string | undefined): readonly string[] {
  return (value ?? "").match(/<[^<>\s]{1,900}>/g)?.slice(0, 100) ?? [];
}
