import fc from "fast-check";
import { expect, test } from "vitest";
import { isBoundary } from "../../renderers/graphemes.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What the rules of graphemes tell apart, a few of each. */
const kinds: readonly (readonly string[])[] = [
  [..."abz \n\r\t01,.-"],
  [..."😀👩👧👦❤✈🏴©"],
  ["\u200d", "\u200c", "\ufe0f", "\ufe0e", "🏽", "🏿", "\u20e3"],
  [..."🇦🇩🇪🇿"],
  [..."कखगनমরজগકગతకതകമ"],
  ["\u094d", "\u09cd", "\u0acd", "\u0b4d", "\u0c4d", "\u0d4d", "\u093c", "\u093f", "\u0903", "\u0dca"],
  ["\u1100", "\u115f", "\u1160", "\u1161", "\u11a7", "\u11a8", "\u11ff", "\ua960", "\ud7b0", "\ud7cb"],
  ["가", "각", "힣"],
  [..."กที่นี่ำเแ"],
  ["\u0300", "\u0308", "\u0591", "\u064b", "\u0e33", "\u0eb3", "\u1dc0", "\u{1d165}"],
  ["\u0600", "\u06dd", "\u070f", "\u0890", "\u08e2", "\u0d4e", "\u{110bd}", "\u{111c2}"],
  ["\ud800", "\udc00", "\udbff", "\udfff"],
  ["\u200b", "\u202e", "\u2028", "\u00ad", "\ufeff", "\u{e0001}", "\u{e0067}", "\u{e007f}"],
  ["𝒜", "漢", "テ", "\u3099", "\u302a", "က", "\u1039", "س", "\u0640", "\u{16d63}", "\u{11f02}"],
];

/** Texts of two or three kinds each, so that the rules meet. */
const mixed = fc.tuple(...[0, 1, 2].map(() => fc.constantFrom(...kinds))).chain((chosen) =>
  fc.string({
    unit: fc.oneof(fc.constantFrom(...chosen.flat()), fc.string({ unit: "binary", maxLength: 1 })),
    maxLength: 18,
  }),
);

test("a place is a boundary where the segmenter finds one in the whole text", () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const starts = new Set([...segmenter.segment(text)].map((each) => each.index).concat(0, text.length));
      for (let at = 0; at <= text.length; at += 1)
        expect([at, isBoundary(text, at)]).toEqual([at, starts.has(at)]);
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ["flags", "🇩🇪", 4],
  ["families", "👩‍👩‍👧‍👦", 11],
  ["conjuncts", "क्ष", 3],
])("a long run of %s is cut as a short one", (_name, grapheme, units) => {
  const text = grapheme.repeat(3_000);
  for (let at = text.length - 40; at < text.length; at += 1)
    expect(isBoundary(text, at)).toBe(
      [...segmenter.segment(text.slice(0, units * 2))].some((each) => each.index === at % units),
    );
});
