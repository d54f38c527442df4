import { utf8Bytes } from "../src/domain/bytes.ts";
import type { SizeUnit } from "../src/domain/capabilities.ts";
import { countCharacters } from "../src/domain/text.ts";
import { boundaryAfter, boundaryBefore } from "./graphemes.ts";

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
