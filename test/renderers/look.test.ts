import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksFor, shownLine } from "../../renderers/look.ts";
import { disown, reveal } from "../../renderers/neutralise.ts";
import { dialects } from "../../renderers/pen.ts";
import { oneLine } from "../../src/domain/text.ts";
import { nastyText } from "./arbitraries.ts";

/** Most are quiet but for one sign, so that each sign is met alone. */
const nearlyQuiet = fc
  .tuple(
    fc.constantFrom("", "a", "no schema change · survives"),
    nastyText(3),
    fc.constantFrom("", "b", " a restart"),
  )
  .map((pieces) => pieces.join(""));

describe.each(Object.entries(dialects))("%s", (_name, markup) => {
  const { line, inline } = looksFor(markup);
  const written = (calm: string): string => markup.escape(markup.calm(calm));

  test("a text that is not busy needs nothing of all that may be done with it", () => {
    fc.assert(
      fc.property(nearlyQuiet, (text) => {
        if (!line.busy.test(text)) expect(written(disown(reveal(oneLine(text))).trim())).toBe(text);
        if (!inline.busy.test(text)) expect(written(reveal(oneLine(text)).trim())).toBe(text);
      }),
    );
  });

  test("of a busy one that is clear, only the dialect makes something else", () => {
    fc.assert(
      fc.property(nearlyQuiet, (text) => {
        if (!line.unclear.test(text)) expect(disown(reveal(oneLine(text))).trim()).toBe(text);
        if (!inline.unclear.test(text)) expect(reveal(oneLine(text))).toBe(text);
        expect(shownLine(text)).toBe(reveal(oneLine(text)));
      }),
    );
  });

  test("every sign of the keyboard alone, at the start and inside", () => {
    const signs = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
    const texts = signs.flatMap((sign) => [
      sign,
      `${sign}a1`,
      `${sign} a`,
      `a${sign}`,
      `a ${sign}b`,
      `${sign}${sign}b`,
    ]);
    const changed = texts.filter((text) => !line.busy.test(text) && written(text) !== text);
    expect(changed).toEqual([]);
  });
});
