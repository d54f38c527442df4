import type { SizeUnit } from "../src/domain/capabilities.ts";
import { countCharacters, utf8Bytes } from "../src/domain/text.ts";

/** The one fitter: sizes in the unit of a row, and cuts that split no grapheme. */

export function sizeOf(text: string, unit: SizeUnit): number {
  if (unit === "utf16") return text.length;
  return unit === "utf8" ? utf8Bytes(text) : countCharacters(text);
}

/** What escaping adds for one UTF-16 code unit, in any unit: escapes are ASCII. */
export type Growth = (code: number) => number;

export const noGrowth: Growth = () => 0;

/** The end of the longest beginning of `text` that fits into `room`, on a grapheme boundary. */
export function headEnd(text: string, room: number, unit: SizeUnit, growth: Growth): number {
  if (unit === "utf16" && growth === noGrowth)
    return boundaryBefore(text, Math.min(Math.max(room, 0), text.length));
  let used = 0;
  for (let at = 0; at < text.length; at += 1) {
    used += costOf(text.charCodeAt(at), unit, growth);
    if (used > room) return boundaryBefore(text, at);
  }
  return text.length;
}

/** The start of the longest end of `text` that fits into `room`, on a grapheme boundary. */
export function tailStart(text: string, room: number, unit: SizeUnit, growth: Growth): number {
  if (unit === "utf16" && growth === noGrowth)
    return boundaryAfter(text, Math.max(0, text.length - Math.max(room, 0)));
  let used = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    used += costOf(text.charCodeAt(at), unit, growth);
    if (used > room) return boundaryAfter(text, at + 1);
  }
  return 0;
}

function costOf(code: number, unit: SizeUnit, growth: Growth): number {
  const grown = growth(code);
  if (unit === "utf16" || code < 0x80) return 1 + grown;
  const isHigh = code >= 0xd800 && code <= 0xdbff;
  const isLow = code >= 0xdc00 && code <= 0xdfff;
  if (unit === "codepoint") return isLow ? 0 : 1;
  if (isHigh || isLow) return 2;
  return code < 0x800 ? 2 : 3;
}

let segmenter: Intl.Segmenter | undefined;
const windowUnits = 64;

/** The last grapheme boundary at or before `at`. */
export function boundaryBefore(text: string, at: number): number {
  return graphemeAt(text, at)?.start ?? at;
}

/** The first grapheme boundary at or after `at`. */
export function boundaryAfter(text: string, at: number): number {
  const found = graphemeAt(text, at);
  return !found || found.start === at ? at : found.end;
}

/** The grapheme that holds the unit at `at`. Only a window is segmented: it begins where a boundary is certain. */
function graphemeAt(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length) return undefined;
  const from = certainBoundary(text, at);
  for (let size = at - from + windowUnits; ; size *= 2) {
    const piece = text.slice(from, from + size);
    // Made when it is first needed: its tables take 2 MB.
    segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
    const segment = segmenter.segment(piece).containing(at - from);
    if (!segment) return undefined;
    const start = from + segment.index;
    const end = start + segment.segment.length;
    // A grapheme that reaches the end of the window may go on behind it.
    if (end < from + piece.length || from + piece.length >= text.length) return { start, end };
  }
}

/** A place at or before `at` where a boundary is certain whatever stands around it. */
function certainBoundary(text: string, at: number): number {
  for (let place = at; place > 0; place -= 1) {
    if (isRegional(text, place)) return regionalBoundary(text, place);
    if (isCertain(text.charCodeAt(place - 1), text.charCodeAt(place), text.charCodeAt(place + 1)))
      return place;
  }
  return 0;
}

const isRegional = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 0xd83c && text.charCodeAt(at + 1) >= 0xdde6 && text.charCodeAt(at + 1) <= 0xddff;

/** Regional indicators pair up from the left of their run. */
function regionalBoundary(text: string, at: number): number {
  let start = at;
  while (start >= 2 && isRegional(text, start - 2)) start -= 2;
  return at - ((at - start) % 4);
}

function isCertain(before: number, code: number, next: number): boolean {
  if (stands(code)) {
    if (before === 13 && code === 10) return false;
    return stands(before) || (code < 0xac00 && !mayPrepend(before));
  }
  // A pictograph (no skin tone, no regional indicator) joins only to a joiner before it.
  if (code !== 0xd83d && code !== 0xd83e && code !== 0xd83c) return false;
  const isTone = code === 0xd83c && next >= 0xdffb;
  const isLetter = code === 0xd83c && next < 0xdf00;
  return !isTone && !isLetter && (stands(before) || isLowSurrogate(before));
}

/** Characters that neither take nor give marks across a boundary between two of them. */
function stands(code: number): boolean {
  return (
    (code < 0x300 && code !== 0xad) ||
    (code >= 0x370 && code < 0x483) ||
    (code >= 0x48a && code < 0x591) ||
    (code >= 0x3041 && code < 0xa000 && code !== 0x3099 && code !== 0x309a) ||
    (code >= 0xac00 && code < 0xd7a4)
  );
}

/** Signs that hold on to what follows them, and the second half of those beyond the first plane. */
function mayPrepend(code: number): boolean {
  return (
    (code >= 0x600 && code <= 0x605) ||
    [0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0xd4e].includes(code) ||
    isLowSurrogate(code)
  );
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
