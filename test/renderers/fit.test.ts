import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { headEnd, noGrowth, sizeOf, tailStart } from "../../renderers/fit.ts";
import { boundaryAfter, boundaryBefore } from "../../renderers/graphemes.ts";
import { matrix } from "../../renderers/matrix.ts";
import { penFor } from "../../renderers/pen.ts";
import { nastyText } from "./arbitraries.ts";
import { sizeUnits } from "./units.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Every grapheme boundary of a text, found by segmenting all of it. */
const boundaries = (text: string): ReadonlySet<number> =>
  new Set([...segmenter.segment(text)].map((each) => each.index).concat(text.length));
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, "\uFFFD");

describe("field 13, field 14: cuts fall between graphemes", () => {
  test.each([
    ["families", "👨‍👩‍👧‍👦".repeat(40)],
    ["flags", "🇩🇪🇫🇷🇯🇵".repeat(40)],
    ["flags behind a letter", `a${"🇩🇪".repeat(30)}🇩`],
    ["skin tones", "👍🏽👎🏿".repeat(40)],
    ["marks", "Z͑ͫ̓̇a̴̡".repeat(40)],
    ["Hindi", "नमस्ते क्षत्रिय ".repeat(20)],
    ["Hangul letters", "\u1112\u1161\u11ab\u1100\u1173\u11af".repeat(20)],
    ["line ends", "a\r\nb\r\n".repeat(20)],
    ["Arabic numbers", "\u0600\u0661\u0662 a".repeat(20)],
  ])("%s: a window finds what the whole text says, at every place", (_name, text) => {
    const all = boundaries(text);
    for (let at = 0; at <= text.length; at += 1) {
      const before = Math.max(...[...all].filter((each) => each <= at));
      const after = Math.min(...[...all].filter((each) => each >= at));
      expect([at, boundaryBefore(text, at), boundaryAfter(text, at)]).toEqual([at, before, after]);
    }
  });

  test("whatever the text", () => {
    fc.assert(
      fc.property(nastyText(400).map(wellFormed), fc.nat(), (text, place) => {
        const all = boundaries(text);
        const at = text.length === 0 ? 0 : place % (text.length + 1);
        expect(all.has(boundaryBefore(text, at)) && all.has(boundaryAfter(text, at))).toBe(true);
        expect(boundaryBefore(text, at)).toBeLessThanOrEqual(at);
        expect(boundaryAfter(text, at)).toBeGreaterThanOrEqual(at);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(sizeUnits)("in %s what is kept fits, and the next grapheme would not", (unit) => {
    fc.assert(
      fc.property(nastyText(300).map(wellFormed), fc.nat(300), (text, room) => {
        const all = [...boundaries(text)].sort((a, b) => a - b);
        const end = headEnd(text, room, unit, noGrowth);
        expect(sizeOf(text.slice(0, end), unit)).toBeLessThanOrEqual(room);
        const next = all.find((each) => each > end);
        if (next !== undefined) expect(sizeOf(text.slice(0, next), unit)).toBeGreaterThan(room);
        const start = tailStart(text, room, unit, noGrowth);
        expect(sizeOf(text.slice(start), unit)).toBeLessThanOrEqual(room);
        const last = all.findLast((each) => each < start);
        if (last !== undefined) expect(sizeOf(text.slice(last), unit)).toBeGreaterThan(room);
      }),
      { numRuns: 500 },
    );
  });
});

test("field 13: a limit below two ends, with nothing or with the mark of a cut", () => {
  for (const row of Object.values(matrix)) {
    const pen = penFor(row);
    for (const room of [-5, 0, 1, 2, 3]) {
      for (const cut of [pen.head("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", room), pen.tail("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", room)])
        expect(cut).toBeUndefined();
    }
  }
});

test("a cut text fits into its room after escaping, in every dialect", () => {
  fc.assert(
    fc.property(
      nastyText(2000),
      fc.nat(1500),
      fc.constantFrom(...Object.values(matrix)),
      (text, room, row) => {
        const pen = penFor(row);
        const raw = text.repeat(3);
        for (const cut of [pen.head(raw, room), pen.tail(raw, room)]) {
          if (cut) expect(pen.size(cut)).toBeLessThanOrEqual(room);
        }
      },
    ),
    { numRuns: 400 },
  );
});
