import { codeBefore, properties, unitsOf } from "./code-points.ts";

/**
 * Where graphemes end, asked of one place: the rules of Unicode's annex 29, with the properties that the engine's own
 * segmenter shows. To segment a window costs the same whether one place of it is asked or all; thousands of units of it
 * where the text has no space.
 */

const control = 1;
/** Marks of any kind: they never begin a grapheme. */
const mark = 2;
const prepend = 4;
const pictograph = 8;
/** A mark that may stand between a pictograph and the joiner behind it. */
const plainMark = 16;
const consonant = 32;
/** A mark that may stand inside a conjunct … */
const conjunctMark = 64;
/** … and one that makes it. */
const linker = 128;
const flagLetter = 256;
const hangulL = 512;
const hangulV = 1024;
const hangulT = 2048;
const hangulLV = 4096;
const hangulLVT = 8192;
const hangul = hangulL | hangulV | hangulT | hangulLV | hangulLVT;
const joiner = 0x200d;

let segmenter: Intl.Segmenter | undefined;

/** Is the whole text one grapheme? */
function isOne(text: string): boolean {
  // Made when it is first needed: its tables take 2 MB.
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text).containing(0)?.segment.length === text.length;
}

/** Each rule is tried with neighbours of which it is known what they are. */
const { of: propertiesOf } = properties((character) => {
  if (!isOne(`${character}\u0308`)) return control;
  if (isOne(`a${character}`)) {
    return (
      mark |
      (isOne(`😀${character}\u200d😀`) ? plainMark : 0) |
      (isOne(`क\u094d${character}क`) ? conjunctMark : 0) |
      (isOne(`क${character}क`) ? linker : 0)
    );
  }
  if (isOne(`${character}a`)) return prepend;
  return (
    (isOne(`😀\u200d${character}`) ? pictograph : 0) |
    (isOne(`क\u094d${character}`) ? consonant : 0) |
    (isOne(`🇦${character}`) ? flagLetter : 0) |
    hangulOf(character)
  );
});

function hangulOf(character: string): number {
  if (isOne(`\uac01${character}`)) return hangulT;
  if (isOne(`\uac00${character}`)) return hangulV;
  if (!isOne(`\u1100${character}`)) return 0;
  if (isOne(`${character}\u1100`)) return hangulL;
  return isOne(`${character}\u1161`) ? hangulLV : hangulLVT;
}

function areJoinedHangul(before: number, after: number): boolean {
  if (before & hangulL) return (after & (hangulL | hangulV | hangulLV | hangulLVT)) !== 0;
  if (before & (hangulLV | hangulV)) return (after & (hangulV | hangulT)) !== 0;
  return (after & hangulT) !== 0;
}

/** Signs between which a grapheme always ends, but for CR LF. */
function stands(code: number): boolean {
  return (
    (code < 0x300 && code !== 0xad) ||
    (code >= 0x370 && code < 0x483) ||
    (code >= 0x48a && code < 0x591) ||
    (code >= 0x3041 && code < 0xa000 && code !== 0x3099 && code !== 0x309a) ||
    (code >= 0xac00 && code < 0xd7a4)
  );
}

/** Does a grapheme end at that place? The ends of a text are such places. */
export function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const code = text.codePointAt(at) ?? 0;
  const last = codeBefore(text, at);
  if (stands(last) && stands(code)) return last !== 13 || code !== 10;
  // Inside of a pair: `last` is its first half.
  if (code >= 0xdc00 && code <= 0xdfff && last >= 0xd800 && last <= 0xdbff) return false;
  const before = propertiesOf(last);
  const after = propertiesOf(code);
  if ((before | after) & control) return last !== 13 || code !== 10;
  if (after & mark || before & prepend) return false;
  if (before & hangul && after & hangul) return !areJoinedHangul(before, after);
  if (before & after & flagLetter) return lettersBefore(text, at) % 2 === 0;
  if (after & pictograph && last === joiner) return !isPictographBefore(text, at - 1);
  if (after & consonant && before & conjunctMark) return !isConjunctBefore(text, at);
  return true;
}

/** U+1F1E6 to U+1F1FF before a place: an expression, since a run of them may be as long as the text. */
const letters = /(?<=((?:\ud83c[\udde6-\uddff])*))/y;

/** Regional indicators pair up from the left of their run. */
function lettersBefore(text: string, at: number): number {
  letters.lastIndex = at;
  return (letters.exec(text)?.[1]?.length ?? 0) / 2;
}

function isPictographBefore(text: string, at: number): boolean {
  for (let place = at; place > 0; ) {
    const code = codeBefore(text, place);
    const found = propertiesOf(code);
    if (!(found & plainMark)) return (found & pictograph) !== 0;
    place -= unitsOf(code);
  }
  return false;
}

function isConjunctBefore(text: string, at: number): boolean {
  let isLinked = false;
  for (let place = at; place > 0; ) {
    const code = codeBefore(text, place);
    const found = propertiesOf(code);
    if (!(found & conjunctMark)) return isLinked && (found & consonant) !== 0;
    isLinked ||= (found & linker) !== 0;
    place -= unitsOf(code);
  }
  return false;
}

/** The last grapheme boundary at or before `at`. */
export function boundaryBefore(text: string, at: number): number {
  let place = at;
  while (!isBoundary(text, place)) place -= 1;
  return place;
}

/** The first grapheme boundary at or after `at`. */
export function boundaryAfter(text: string, at: number): number {
  let place = at;
  while (!isBoundary(text, place)) place += 1;
  return place;
}
