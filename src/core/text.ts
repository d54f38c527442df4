/** What every text of a document goes through before a rule looks at it. */

/** Printable ASCII, tab and line feed: nothing to do, and by far the most usual. */
const plain = /^[\t\n -~]*$/;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** NFC, lone surrogates as U+FFFD: what can be written as UTF-8 and compared. */
export function repairText(text: string): string {
  return plain.test(text) ? text : text.replace(loneSurrogate, "\ufffd").normalize("NFC");
}

/**
 * NFC; a lone surrogate and NUL become U+FFFD; CR and CRLF become LF; other C0 characters and DEL become their visible
 * control picture (`␛`), so that no terminal or chat obeys them later.
 */
export function cleanText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .replace(loneSurrogate, "\ufffd")
    .replace(/\r\n?/g, "\n")
    .replace(control, picture)
    .normalize("NFC");
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  return code === 0 ? "\ufffd" : code === 0x7f ? "\u2421" : String.fromCharCode(0x2400 + code);
}

const lineBreak = /[\n\v\f\r\x85\u2028\u2029]/;

export function isMultiline(text: string): boolean {
  return lineBreak.test(text);
}

/** White space as people see it: also the invisible characters that leave a line blank. */
export function isBlank(text: string): boolean {
  return !/[^\s\x85\u2800\u3164\u115f\u1160\uffa0\p{Cf}\p{Mn}]/u.test(text);
}

/** Length in Unicode code points. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

export function isLongerThan(text: string, limit: number): boolean {
  // A code point is at most two units, so only texts in between need counting.
  return text.length > limit && (text.length > limit * 2 || countCharacters(text) > limit);
}

/** The first `limit` code points, with an ellipsis as the last where something was cut. */
export function shorten(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text;
  return `${[...text.slice(0, limit * 2)].slice(0, limit - 1).join("")}…`;
}

const encoder = new TextEncoder();

/** Size in bytes of UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

export function isLargerThan(text: string, limitBytes: number): boolean {
  // A unit is at most three bytes.
  return text.length * 3 > limitBytes && (text.length > limitBytes || utf8Bytes(text) > limitBytes);
}

/** White space and case folded: how a reply is compared with a label. */
export function foldText(text: string): string {
  return text
    .replace(/\p{Cf}+/gu, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
