import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { surelyFits } from "../../renderers/at-most.ts";
import { fitsRow, uncut } from "../../renderers/ladder.ts";
import { matrix, rowOf } from "../../renderers/matrix.ts";
import { longestViews } from "../../src/core/longest-views.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Question } from "../../src/domain/question.ts";
import { aQuestion, aStored, evening, hour } from "../builders.ts";
import { aNastyQuestion } from "./arbitraries.ts";

const rows: readonly (readonly [string, Capabilities])[] = [
  ...Object.entries(matrix as Readonly<Record<string, Capabilities>>),
  ["webhook for Slack", rowOf("webhook", { format: "slack" })],
  ["webhook for Discord", rowOf("webhook", { format: "discord" })],
];
const elsewhere = {
  channels: ["telegram", "slack", "email", "github", "ntfy", "feishu", "webhook"],
  mark: "/",
} as const;
const id = "q-zzzzzzzz-a12345678901234567890123-9999" as QuestionId;

/** The smallest row, of the same kind, that the bound still lets it into. */
function leastRoom(question: Question, row: Capabilities): number {
  let [low, high] = [0, 1_000_000];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (surelyFits(question, within(row, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function within(row: Capabilities, max: number): Capabilities {
  const { unit, counted } = row.body;
  return { ...row, body: { max, unit, counted } };
}

/** A text in which every character grows as far as it can. */
const grown = fc.constantFrom(...'&"<>@/`*_~:#[]|\\\u202e\u0007界é𝕬-=. '.split(""));
const grownText = (most: number) => fc.string({ unit: grown, minLength: 1, maxLength: most });
const aGrownQuestion: fc.Arbitrary<Question> = fc
  .record({
    title: grownText(120),
    options: fc.array(fc.record({ label: grownText(80), consequence: grownText(160) }), {
      minLength: 2,
      maxLength: 9,
    }),
    command: fc.oneof(grownText(200), fc.constant({ run: ["make", "test"] })),
    next: grownText(100),
    lowFidelity: fc.boolean(),
  })
  .map(({ title, options, command, next, lowFidelity }) => ({
    ...aQuestion(),
    title,
    options: options.map((option, at) => ({ key: `${at}abcdefg`, ...option, recommended: at === 0 })),
    facts: { command, exit_code: 137, next_task: next, output_tail: `${title}\n`.repeat(12) },
    ...(lowFidelity ? { low_fidelity: true } : {}),
  }));

describe.each(rows)("%s", (_channel, row) => {
  test("what surely fits does fit, in each form that it may take", () => {
    fc.assert(
      fc.property(fc.oneof(aNastyQuestion, aGrownQuestion), (written) => {
        const question = { ...written, id };
        const asked = aStored({
          question,
          state: "pending",
          deadlineAt: evening + 400 * hour,
          defaultAction: "take_recommended",
        });
        const views = longestViews(asked, row.edit === "yes").map((view) => ({ ...view, elsewhere }));
        const tight = within(row, leastRoom(question, row));
        for (const view of views) expect(uncut(view, tight)).toMatchObject({ of: "message" });
        expect(views.every((view) => fitsRow(view, tight))).toBe(true);
        if (surelyFits(question, row)) expect(views.every((view) => fitsRow(view, row))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("a usual question is let through unmeasured", () => {
    const question = aQuestion({ facts: { command: "npm test -- tests/auth.spec.ts", exit_code: 1 } });
    expect(surelyFits(question, row)).toBe(true);
  });
});

test("nothing surely fits a row in which there is no room", () => {
  expect(surelyFits(aQuestion(), within(matrix.inbox, 500))).toBe(false);
});
