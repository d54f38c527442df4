import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sizeOf } from "../../renderers/fit.ts";
import { fitsRow } from "../../renderers/ladder.ts";
import { matrix, rowOf } from "../../renderers/matrix.ts";
import { reveal } from "../../renderers/neutralise.ts";
import { render } from "../../renderers/render.ts";
import { questionView } from "../../src/core/view.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { Question } from "../../src/domain/question.ts";
import type { QuestionView } from "../../src/domain/view.ts";
import { aQuestion, aStored, evening } from "../builders.ts";
import { aNastyQuestion, nastyText } from "./arbitraries.ts";
import { limits } from "./hostile.ts";
import { brokenRules, uncutSize, visible } from "./rules.ts";

const viewOf = (question: Question): QuestionView => questionView(aStored({ question }), evening);
const formats = Object.entries(matrix as Readonly<Record<string, Capabilities>>).flatMap(([channel, row]) =>
  Object.keys(row.formats ?? {}).map((format) => [channel, format, rowOf(channel, { format })] as const),
);

test("a format changes what it names, and an unknown one nothing", () => {
  expect(formats.map(([channel, format]) => `${channel} ${format}`)).toEqual([
    "webhook slack",
    "webhook discord",
  ]);
  expect(rowOf("webhook", { format: "discord" })).toMatchObject({
    body: { max: 4096 },
    dialect: "discord",
    edit: matrix.webhook.edit,
    headline: matrix.webhook.headline,
  });
  // Kept, so that what is worked out for a row is worked out once.
  expect(rowOf("webhook", { format: "slack" })).toBe(rowOf("webhook", { format: "slack" }));
  expect(rowOf("webhook", { format: "owlpost" })).toBe(matrix.webhook);
  expect(rowOf("webhook", { format: "constructor" })).toBe(matrix.webhook);
  expect(rowOf("telegram", { format: "discord" })).toBe(matrix.telegram);
});

describe.each(formats)("%s as %s", (_channel, _format, row) => {
  test("field 12, R9: what must stay stays at every budget, and the size is within it", () => {
    fc.assert(
      fc.property(aNastyQuestion, fc.double({ min: 0, max: 1, noNaN: true }), (question, part) => {
        const view = viewOf(question);
        const max = Math.max(200, uncutSize(view, row) + Math.floor(part ** 3 * 6000));
        const tight = { ...row, body: { ...row.body, max } };
        const message = render(view, tight);
        expect(sizeOf(message.body, row.body.unit)).toBeLessThanOrEqual(max);
        expect(brokenRules(view, message, tight, undefined, limits.neverAnywhere, reveal)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("within its own limits, whatever is asked", () => {
    fc.assert(
      fc.property(aNastyQuestion, (question) => {
        const view = viewOf(question);
        const message = render(view, row);
        expect(sizeOf(message.body, row.body.unit)).toBeLessThanOrEqual(row.body.max);
        if (fitsRow(view, row)) expect(brokenRules(view, message, row, undefined, [], reveal)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test("field 32: hostile text becomes no markup, no mention and no line of ours", () => {
    fc.assert(
      fc.property(nastyText(600), (text) => {
        const message = render(viewOf({ ...aQuestion(), context: `c${text}`, tried: text }), row);
        const shown = visible(message, row);
        expect(shown).not.toContain("⟦format");
        expect(shown.split("\n").filter((line) => line.trim().startsWith("✅"))).toEqual([]);
        expect(shown.split("\n").filter((line) => line.trim().startsWith("⏰"))).toHaveLength(1);
      }),
      { numRuns: 200 },
    );
  });
});

test("a link stays a link for Discord, and what stands around it becomes none", () => {
  const row = rowOf("webhook", { format: "discord" });
  const context =
    "See https://example.org/a_b_c?x=[1]#top and [here](https://evil.example/_x_) @everyone <@1>";
  const { body } = render(viewOf({ ...aQuestion(), context }), row);
  expect(body).toContain("See https://example.org/a_b_c?x=[1]#top and");
  expect(body).toContain("\\[here\\](https://evil.example/_x_) \\@everyone \\<\\@1\\>");
});
