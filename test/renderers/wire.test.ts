import fc from "fast-check";
import { expect, test } from "vitest";
import { fitsRow, uncut } from "../../renderers/ladder.ts";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { consentView } from "../../src/core/night-view.ts";
import { questionView } from "../../src/core/view.ts";
import type { Question } from "../../src/domain/question.ts";
import { aQuestion, aStored, evening, someRules } from "../builders.ts";
import { uncutSize } from "./rules.ts";

/** Each quotation mark is two bytes of JSON. */
const quoted = (count: number, label: number, consequence: number, tried = ""): Question => ({
  ...aQuestion(),
  context: '"'.repeat(600),
  ...(tried === "" ? {} : { tried }),
  options: Array.from({ length: count }, (_, at) => ({
    key: String(at + 1),
    label: `${'"'.repeat(label)}${at}`,
    consequence: `It is ${'"'.repeat(consequence)}`,
    recommended: at === 0,
  })),
});
const viewOf = (question: Question) => questionView(aStored({ question }), evening);

test("what is too large as JSON alone does not fit, and is shown by its pointer", () => {
  const facts = { command: '"'.repeat(150), exit_code: 1, output_tail: `${'"'.repeat(160)}\n`.repeat(4) };
  const view = viewOf({ ...quoted(9, 78, 154), title: '"'.repeat(120), low_fidelity: true, facts });
  expect(uncutSize(view, matrix.ntfy)).toBeLessThan(matrix.ntfy.body.max);
  expect(fitsRow(view, matrix.ntfy)).toBe(false);
  const { size, room, unit, of } = uncut(view, matrix.ntfy);
  expect([size > room, room, unit, of]).toEqual([true, 5592, "utf8", "request"]);
  const message = render(view, matrix.ntfy);
  expect(message.buttons).toEqual([]);
  expect(message.plain).toContain("The options do not fit here.");
});

test("what need not stay, dear as JSON, never costs what must", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 9 }),
      fc.nat({ max: 78 }),
      fc.nat({ max: 154 }),
      fc.nat({ max: 4_000 }),
      (count, label, consequence, tried) => {
        const question = quoted(count, label, consequence, '"'.repeat(tried));
        for (const view of [viewOf(question), consentView(aStored({ question }), someRules(), evening)]) {
          const { plain, buttons } = render(view, matrix.ntfy);
          const isWhole =
            view.type === "consent" || question.options.every((each) => plain.includes(each.label));
          expect(isWhole && buttons.length > 0).toBe(fitsRow(view, matrix.ntfy));
        }
      },
    ),
    { numRuns: 300 },
  );
});
