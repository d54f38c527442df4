import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ContractSettings, checkQuestion } from "../../src/core/contract.ts";
import { digestQuestion } from "../../src/core/digest.ts";
import { redact } from "../../src/core/redact.ts";
import { questionSchema } from "../../src/domain/question-schema.ts";
import { aDocument, evening } from "../builders.ts";

const anySettings: fc.Arbitrary<ContractSettings> = fc.record({
  now: fc.constant(evening),
  zone: fc.constantFrom("Europe/Berlin", "UTC", "Pacific/Apia"),
  minLeadMs: fc.constant(600_000),
  channels: fc.array(fc.record({ id: fc.constant("inbox") }), { maxLength: 2 }),
  ownerAutoDefault: fc.boolean(),
  asAgent: fc.boolean(),
  given: fc.record(
    { task: fc.string(), run: fc.string(), project: fc.constant("default") },
    { requiredKeys: ["project"] },
  ),
});

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withUnicodeString: true,
});

/** Texts that are nearly right. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "See `src/a.ts`.",
    "password=abc",
    "What is the password?",
    " ",
    "",
    "\n",
    "a\u2028b",
    "06:00",
    "45m",
    "x".repeat(700),
  ),
);
const anyValue = fc.oneof({ weight: 3, arbitrary: anyText }, { weight: 1, arbitrary: anything });
const anyOption = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { key: anyValue, label: anyValue, consequence: anyValue, recommended: anyValue },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: anything },
);
const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(
    "id kind task spec run iteration progress title context tried auto_default source again"
      .split(" ")
      .map((name) => [name, anyValue]),
  ),
  options: fc.oneof(fc.array(anyOption, { maxLength: 12 }), anything),
  default: fc.oneof(fc.record({ action: anyValue, at: anyValue }), anything),
  facts: fc.oneof(fc.dictionary(fc.string(), anything, { maxKeys: 4 }), anything),
  links: fc.oneof(fc.dictionary(fc.string(), anyValue, { maxKeys: 4 }), anything),
  answerable_by: fc.oneof(fc.array(anyText, { maxLength: 3 }), anything),
};
/** A good document of which a few fields are replaced. */
const nearlyGood = fc
  .uniqueArray(fc.constantFrom(...Object.keys(fields)), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? anything]))))
  .map((changes) => aDocument(changes));

describe("checkQuestion", () => {
  it("never throws, and tells each broken rule in full", () => {
    fc.assert(
      fc.property(fc.oneof(anything, nearlyGood), anySettings, (document, settings) => {
        const checked = checkQuestion(document, settings);
        if (checked.ok) return;
        expect(checked.broken.length).toBeGreaterThan(0);
        for (const { rule, field, found, mend } of checked.broken) {
          expect(rule).toMatch(/^[a-z]+(-[a-z]+)+$/);
          expect(field).not.toBe("");
          expect(found).not.toBe("");
          expect([...found].length).toBeLessThanOrEqual(80);
          expect(found).not.toMatch(/[\n\r\0]/);
          expect(redact(found).found).toBe(0);
          expect(mend).toMatch(/^[A-Z`].*[.]$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("what it takes is whole: within its limits, redacted, plain JSON, and taken again unchanged", () => {
    let taken = 0;
    fc.assert(
      fc.property(nearlyGood, anySettings, (document, each) => {
        const settings = { ...each, channels: [{ id: "inbox" }], given: { project: "default" } };
        const checked = checkQuestion(document, settings);
        if (!checked.ok) return;
        taken += 1;
        const { draft } = checked;
        expect([...draft.title].length).toBeLessThanOrEqual(120);
        expect([...draft.context].length).toBeLessThanOrEqual(600);
        expect(draft.title).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(digestQuestion(draft)).toBe(draft.digest);
        const stored = JSON.parse(JSON.stringify(draft)) as unknown;
        expect(stored).toEqual(draft);
        expect(Buffer.from(JSON.stringify(draft)).toString()).toBe(JSON.stringify(draft));
        const again = checkQuestion(stored, { ...settings, asAgent: false });
        expect(again).toMatchObject({ ok: true, draft: { digest: draft.digest }, redactedFields: [] });
        // The published schema refuses nothing that is taken.
        expect(questionSchema.safeParse(stored).success).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(20);
  });

  it("gives the same answer to the same document", () => {
    fc.assert(
      fc.property(nearlyGood, anySettings, (document, settings) => {
        expect(checkQuestion(document, settings)).toEqual(checkQuestion(document, settings));
      }),
    );
  });

  /** A text that some loop cannot pass in one go would not end within the test's time. */
  it.each([
    " ",
    "`",
    "` ",
    "`a ",
    "/",
    "a.",
    "a",
    "::",
    "\n",
    "token ",
    "enter the ",
    "password ",
    "é",
    "\ud800",
    "key: ",
    "x-",
  ])(
    "256 KiB of %j in every field",
    (part) => {
      const text = part.repeat(262_144 / part.length);
      const document = aDocument({
        title: text,
        context: text,
        tried: text.slice(0, 60_000),
        progress: text.slice(0, 60_000),
        options: [
          { key: text, label: text, consequence: text },
          { key: "1", label: text, consequence: text },
        ],
        facts: { a: text, output_tail: text },
        links: { a: text },
        default: { action: text, at: text },
        task: text,
        spec: text,
      });
      const checked = checkQuestion(document, {
        now: evening,
        zone: "UTC",
        minLeadMs: 0,
        channels: [{ id: "inbox" }],
        ownerAutoDefault: false,
        asAgent: false,
        given: { project: "default" },
      });
      expect(checked.ok).toBe(false);
    },
    10_000,
  );
});
