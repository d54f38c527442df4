import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sizeOf } from "../../renderers/fit.ts";
import { fitsRow } from "../../renderers/ladder.ts";
import { matrix } from "../../renderers/matrix.ts";
import { reveal } from "../../renderers/neutralise.ts";
import { render } from "../../renderers/render.ts";
import { roomOf } from "../../renderers/sizes.ts";
import { viewAt } from "../../src/core/night-view.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import type { Question, StoredQuestion } from "../../src/domain/question.ts";
import type { AskedView } from "../../src/domain/view.ts";
import { anAnswer, aStored, evening, hour } from "../builders.ts";
import { aNastyQuestion } from "./arbitraries.ts";
import { limits } from "./hostile.ts";
import { nightRules, nightViews } from "./night-cases.ts";
import { brokenRules, uncutSize, visible } from "./rules.ts";

const rows = Object.entries(matrix as Readonly<Record<string, Capabilities>>);
const rules = nightRules();
const sized = (message: ChannelMessage, row: Capabilities): number =>
  sizeOf(row.body.counted === "shown" ? visible(message, row) : message.body, row.body.unit);
const within = (row: Capabilities, max: number): Capabilities => {
  const { editMax: _editMax, wire: _wire, partMax: _partMax, ...body } = row.body;
  return { ...row, body: { ...body, max } };
};

/** A question that the night lets through, and one that it holds. */
const aNightQuestion: fc.Arbitrary<Question> = fc
  .tuple(aNastyQuestion, fc.constantFrom("decide" as const, "blocked" as const))
  .map(([question, kind]) => ({
    ...question,
    kind,
    options: question.options.map((option) =>
      option.recommended === true ? { ...option, reversible: true } : option,
    ),
  }));
const atNight = (question: Question, changes: Partial<StoredQuestion> = {}, isolated = true): AskedView =>
  viewAt(aStored({ question, ...changes }), { ...rules, isolated }, evening);

describe.each(rows)("%s at night", (channel, row) => {
  test("field 12, R9: at every budget what must stay stays, in three lines, and the size is within it", () => {
    fc.assert(
      fc.property(
        aNightQuestion,
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (question, isolated, part) => {
          const view = atNight(question, {}, isolated);
          expect(view.type).toBe(question.kind === "decide" ? "consent" : "held");
          const tight = within(row, uncutSize(view, row) + Math.floor(part ** 3 * 900));
          const message = render(view, tight);
          expect(sized(message, tight)).toBeLessThanOrEqual(tight.body.max);
          expect(brokenRules(view, message, tight, undefined, [], reveal)).toEqual([]);
        },
      ),
      { numRuns: 120 },
    );
  });

  test("field 12: within the row's own limits, whatever is asked", () => {
    fc.assert(
      fc.property(aNightQuestion, (question) => {
        const view = atNight(question);
        const message = render(view, row);
        expect(sized(message, row)).toBeLessThanOrEqual(roomOf(row));
        if (row.headline !== "none")
          expect(sizeOf(message.headline, row.body.unit)).toBeLessThanOrEqual(row.headline.max);
        expect(message.headline).toContain(`[${view.id}]`);
        if (fitsRow(view, row))
          expect(
            brokenRules(view, message, row, limits.channels[channel], limits.neverAnywhere, reveal),
          ).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });

  test("what was decided fits wherever the open one did, rings nobody and has no buttons", () => {
    fc.assert(
      fc.property(aNightQuestion, (question) => {
        const tight = within(row, Math.max(uncutSize(atNight(question), row), 1000));
        const view = atNight(question, { state: "answered", answer: anAnswer() });
        const message = render(view, tight);
        expect(sized(message, tight)).toBeLessThanOrEqual(tight.body.max);
        expect(message.buttons).toEqual([]);
        expect(message.plain).toMatch(/^✅ Answered: 1 — /m);
        expect(message.silent).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("field 13: every budget ends, even one that is too small for anything", () => {
    for (const name of ["consent-long", "consent-hostile", "held-hostile", "consent-expired"]) {
      const view = nightViews[name];
      if (!view) throw new Error(name);
      for (let max = 0; max <= 700; max += 7) {
        const message = render(view, within(row, max));
        expect(sized(message, within(row, max))).toBeLessThanOrEqual(max);
      }
    }
  });
});

describe("what a night form says", () => {
  test.each([
    ["consent", true],
    ["consent-not-isolated", false],
    ["consent-without-branch", false],
    ["consent-low-fidelity", true],
    ["consent-low-fidelity-without-branch", false],
  ])("%s: the branch and the merge are promised: %s", (name, promised) => {
    const text = JSON.stringify(nightViews[name]);
    expect(text.includes("everything stays on the branch")).toBe(promised);
    expect(text.includes("nothing merges tonight")).toBe(promised);
  });

  test("where the agent gave no options of its own, it has promised nothing", () => {
    expect(JSON.stringify(nightViews["consent-not-isolated"])).toContain(
      "The agent says this can be undone.",
    );
    expect(JSON.stringify(nightViews["consent-low-fidelity-without-branch"])).not.toContain("The agent says");
  });

  test("a consent question has two actions and a held one a skip alone, whatever its options", () => {
    const labels = (name: string): readonly string[] =>
      render(nightViews[name] as AskedView, matrix.ntfy).buttons.map((button) => button.label);
    expect(labels("consent")).toEqual(["👍 Go ahead", "⏭️ Skip it, ask me tomorrow"]);
    expect(labels("held")).toEqual(["⏭ Skip"]);
    expect(labels("consent-without-end")).toEqual(["👍 Go ahead", "⏭️ Skip it"]);
    expect(labels("consent-go")).toEqual([]);
    expect(labels("consent-expired")).toEqual(["👍 Go ahead", "⏭️ Skip it, ask me tomorrow"]);
  });

  test("a row with a single button has none: one action alone would push", () => {
    const row: Capabilities = { ...matrix.ntfy, buttons: { ...matrix.ntfy.buttons, max: 1 } };
    const message = render(nightViews.consent as AskedView, row);
    expect(message.buttons).toEqual([]);
    expect(message.degraded).toContain("buttons");
    expect(message.plain).toContain("\nAnswer on another channel: q-a3f2-012-1 go · /skip q-a3f2-012-1");
  });

  test("a row with short labels keeps both", () => {
    const row: Capabilities = { ...matrix.ntfy, buttons: { ...matrix.ntfy.buttons, label: 12 } };
    const labels = render(nightViews.consent as AskedView, row).buttons.map((button) => button.label);
    expect(labels).toEqual(["👍 Go ahead", "⏭️ Skip it"]);
  });

  test("a channel that is too small says where all of it is", () => {
    const message = render(nightViews.consent as AskedView, within(matrix.telegram, 250));
    expect(message.buttons).toEqual([]);
    expect(message.plain).toContain(
      "All of it does not fit here. See it and answer: owlpost status q-a3f2-012-1, or the inbox.",
    );
  });
});

test("by day, and without quiet hours, it stands in full; what was decided keeps the form in which it was", () => {
  const type = (changes: Partial<StoredQuestion>, now: number, night = true): string =>
    viewAt(aStored(changes), night ? rules : undefined, now).type;
  const answered = (at: number) => ({ state: "answered" as const, answer: anAnswer({ at }) });
  expect(type({}, evening)).toBe("consent");
  expect(type({}, evening + 9 * hour - 1)).toBe("consent");
  expect(type({}, evening + 9 * hour)).toBe("question");
  expect(type({}, evening, false)).toBe("question");
  expect(type(answered(evening), evening + 12 * hour)).toBe("consent");
  expect(type(answered(evening - 2 * hour), evening)).toBe("question");
  expect(type({ state: "expired" }, evening + 8 * hour)).toBe("consent");
  expect(type({ state: "expired" }, evening + 9 * hour)).toBe("question");
  expect(type({ state: "default_applied" }, evening + 12 * hour)).toBe("consent");
  expect(type({ state: "cancelled" }, evening)).toBe("consent");
});

test("a recommendation is not taken by a deadline of the night, and the line says so", () => {
  const deadline = (changes: Partial<StoredQuestion>, autoDefault = false): string =>
    viewAt(
      aStored({ defaultAction: "take_recommended", ...changes }),
      { ...rules, autoDefault },
      evening - 3 * hour,
    ).deadline;
  expect(deadline({})).toContain("spec skipped");
  expect(deadline({}, true)).toContain("1 is taken, as recommended");
  expect(deadline({ deadlineAt: evening + 10 * hour })).toContain("1 is taken, as recommended");
});
