/** What every text of a document goes through before a rule looks at it. */

export { isLargerThan, utf8Bytes } from "../domain/bytes.ts";
export { countCharacters, isLongerThan, shorten } from "../domain/text.ts";

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

/**
 * How a reply is compared with keys, labels, ids and verbs: format characters outside emoji dropped, white space
 * folded, NFC, simple case folding.
 */
export function foldText(text: string): string {
  return foldCase(squeeze(text).normalize("NFC"));
}

/** First what stays (group 1): joiners between emoji, and the tags of a flag. */
const formats =
  /((?<=\p{ExtPict}\ufe0f?|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{ExtPict})|\u{1f3f4}[\u{e0020}-\u{e007e}]{1,32}\u{e007f})|\p{Cf}/gu;

/**
 * Format characters outside emoji dropped, white space folded and trimmed; in time linear in the length.
 * Halves of a character become U+FFFD first, so that none join when what stood between them is gone.
 */
export function squeeze(text: string): string {
  const bare = /^[ -~]*$/.test(text)
    ? text
    : text.replace(loneSurrogate, "\ufffd").replace(formats, (_, kept: string | undefined) => kept ?? "");
  return bare.replace(/[\s\x85]+/g, " ").trim();
}

/** Unicode's simple case folding, character by character; what folds to more than one character stays as it is. */
function foldCase(text: string): string {
  const folded = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return /^[\0-\x7f]*$/.test(folded) ? folded : folded.replace(/[^\0-\x7f]/gu, foldCharacter);
}

function foldCharacter(character: string): string {
  // The dotless i folds to nothing: only Turkish rules make a plain I of it.
  if (character === "\u0131") return character;
  const upper = character.toUpperCase();
  const base = countOne(upper) ? upper : character;
  const lower = base.toLowerCase();
  return countOne(lower) ? lower : character;
}

function countOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}
