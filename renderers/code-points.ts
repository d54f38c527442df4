const pageBits = 8;
const pageSize = 1 << pageBits;
const isKnown = 0x8000;

/** Bits, at most 15 of them, by code point. */
export type Properties = {
  of(code: number): number;
  /** The same of one UTF-16 unit that is no half of a pair; 0: not known yet. */
  readonly byUnit: Uint16Array;
};

/**
 * Properties that are found once for each code point, and only when one comes up: what a rule asks of them then costs
 * as much as reading an array.
 */
export function properties(find: (character: string) => number): Properties {
  // Of what is never written to, the system never makes memory.
  const byUnit = new Uint16Array(0x10000);
  const pages: (Uint16Array | undefined)[] = [];
  const learn = (table: Uint16Array, place: number, code: number): number => {
    const found = find(String.fromCodePoint(code)) | isKnown;
    table[place] = found;
    return found;
  };
  return {
    byUnit,
    of(code) {
      if (code < 0x10000) return byUnit[code] || learn(byUnit, code, code);
      const number = code >> pageBits;
      let page = pages[number];
      if (page === undefined) {
        page = new Uint16Array(pageSize);
        pages[number] = page;
      }
      const place = code & (pageSize - 1);
      return page[place] || learn(page, place, code);
    },
  };
}

/** The code point that ends before `at`; a half of a pair stands for itself. */
export function codeBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  if (code < 0xdc00 || code > 0xdfff) return code;
  const high = text.charCodeAt(at - 2);
  return high >= 0xd800 && high <= 0xdbff ? (high - 0xd800) * 0x400 + code - 0xdc00 + 0x10000 : code;
}

export const unitsOf = (code: number): number => (code > 0xffff ? 2 : 1);
