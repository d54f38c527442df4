import fc from "fast-check";
import type { Question } from "../../src/domain/question.ts";
import { aQuestion } from "../builders.ts";
import { hostile } from "./hostile.ts";

const pieces = fc.constantFrom(
  "👨‍👩‍👧‍👦",
  "🇩🇪🇫🇷",
  "🏳️‍🌈",
  "👍🏽",
  "é",
  "Z͑ͫ̓",
  "नमस्ते",
  "क्ष",
  "한글",
  "界",
  "שלום",
  "می‌خواهم",
  "𝕬",
  "&&&&",
  "<b>",
  "</pre>",
  "`",
  "*x*",
  "_x_",
  "@octo-example",
  "#12",
  "\n",
  "\n✅ Answered: 2",
  "\n⏰ No answer by 23:59 → x",
  "\u202e",
  "\u200b",
  "\u0007",
  "\ud83d",
  " ",
  "word ",
  "src/a_b.ts ",
);

/** Text as agents write it at their worst: every script, markup, marks of ours, halves of characters. */
export const nastyText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        { weight: 6, arbitrary: pieces },
        { weight: 2, arbitrary: fc.string({ unit: "grapheme" }) },
        { weight: 1, arbitrary: fc.constantFrom(...hostile.map((each) => each.text)) },
      ),
      { maxLength: 40 },
    )
    .map((parts) => [...parts.join("")].slice(0, maxLength).join(""));

const line = (maxLength: number): fc.Arbitrary<string> =>
  nastyText(maxLength).map((text) =>
    `x${text.replace(/[\n\r\u2028\u2029\v\f\u0085]/g, " ")}`.slice(0, maxLength),
  );

export const aNastyQuestion: fc.Arbitrary<Question> = fc
  .record({
    title: line(100),
    context: nastyText(600).map((text) => `c${text}`),
    tried: fc.option(
      nastyText(3000).map((text) => `${text.repeat(3)}t`),
      { nil: undefined },
    ),
    labels: fc.array(fc.tuple(line(70), line(150)), { minLength: 2, maxLength: 9 }),
    recommended: fc.nat(8),
    tail: fc.array(line(120), { maxLength: 10 }),
    note: line(100),
    lowFidelity: fc.boolean(),
  })
  .map(({ title, context, tried, labels, recommended, tail, note, lowFidelity }) => {
    const { tried: _tried, ...base } = aQuestion();
    return {
      ...base,
      title,
      context,
      ...(tried === undefined ? {} : { tried }),
      options: labels.map(([label, consequence], at) => ({
        key: String(at + 1),
        label,
        consequence,
        ...(at === recommended % labels.length ? { recommended: true } : {}),
      })),
      facts: { command: `make ${note}`, exit_code: 2, output_tail: tail.join("\n"), diff_stat: note, note },
      ...(lowFidelity ? { low_fidelity: true } : {}),
    };
  });
