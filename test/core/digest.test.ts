import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestQuestion } from "../../src/core/digest.ts";
import { aQuestion } from "../builders.ts";

/** The reference implementation of RFC 8785. */
const canonical = createRequire(import.meta.url)("canonicalize") as (value: unknown) => string;

describe("digestQuestion", () => {
  it("is SHA-256 in lower-case hex over the canonical JSON of what was asked", () => {
    const text = fc.string({ unit: "grapheme" }).map((each) => each.normalize("NFC"));
    const asked = fc.record({ title: text, context: text, tried: text, answerable_by: fc.array(text) });
    fc.assert(
      fc.property(asked, fc.option(fc.boolean(), { nil: undefined }), (changes, autoDefault) => {
        const question = aQuestion({
          ...changes,
          ...(autoDefault === undefined ? {} : { auto_default: autoDefault }),
        });
        const { kind, task, title, context, tried, options, auto_default, answerable_by } = question;
        const parts = { kind, task, title, context, tried, options, auto_default, answerable_by };
        const json = canonical({ ...parts, default: question.default });
        expect(digestQuestion(question)).toBe(createHash("sha256").update(json).digest("hex"));
      }),
    );
    expect(digestQuestion(aQuestion())).toMatch(/^[0-9a-f]{64}$/);
  });

  it("stays the same over releases", () => {
    expect(digestQuestion(aQuestion())).toBe(
      "c1faec146d24263b9daf8bd572b68dda4425e3d9bcf7d9985cc107c3238e62c4",
    );
  });

  it("field 67: changes with every part that an answer belongs to", () => {
    const question = aQuestion();
    const [first, second] = question.options;
    if (!first || !second) throw new Error("two options");
    const { tried: _tried, ...untried } = question;
    const variants = [
      question,
      untried,
      aQuestion({ kind: "approval" }),
      { ...question, task: "013" as typeof question.task },
      aQuestion({ title: "Another?" }),
      aQuestion({ context: "Another `one`." }),
      aQuestion({ tried: "Another." }),
      aQuestion({ options: [second, first] }),
      aQuestion({ options: [{ ...first, consequence: "Another" }, second] }),
      aQuestion({ options: [{ ...first, reversible: false }, second] }),
      aQuestion({ options: [first, { ...second, recommended: false }] }),
      aQuestion({ default: { action: "stay_parked", at: "06:00" } }),
      aQuestion({ default: { action: "skip_spec", at: "06:01" } }),
      aQuestion({ auto_default: true }),
      aQuestion({ auto_default: false }),
      aQuestion({ answerable_by: ["owner"] }),
    ];
    expect(new Set(variants.map(digestQuestion)).size).toBe(variants.length);
  });

  it("does not change with what the engine adds", () => {
    const { iteration: _iteration, progress: _progress, ...bare } = aQuestion();
    const richer = aQuestion({
      facts: { exit_code: 1 },
      links: { branch: "x" },
      project: "other",
      iteration: 9,
      low_fidelity: true,
    });
    expect(digestQuestion(richer)).toBe(digestQuestion(bare));
  });

  it("takes every spelling of the same characters as the same", () => {
    expect(digestQuestion(aQuestion({ title: "Gru\u0308n?" }))).toBe(
      digestQuestion(aQuestion({ title: "Gr\u00fcn?" })),
    );
  });

  it("reads a lone surrogate as U+FFFD and never throws", () => {
    expect(digestQuestion(aQuestion({ title: "a\ud800b" }))).toBe(
      digestQuestion(aQuestion({ title: "a\ufffdb" })),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (title, at) => {
        const question = aQuestion({ title, default: { action: "skip_spec", at } });
        expect(digestQuestion(question)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });
});
