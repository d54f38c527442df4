import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkQuestion } from "../../src/core/contract.ts";
import { type Posed, readPromise } from "../../src/core/promise.ts";

const task = "012-fix-auth";
const question = (title: string): string =>
  `<question>${JSON.stringify({
    title,
    context: "See `src/auth.ts`.",
    options: [
      { key: "1", label: "Rotation", consequence: "No schema change", recommended: true },
      { key: "2", label: "Longer TTL", consequence: "Weaker security" },
    ],
  })}</question>`;

function posed(output: string): readonly Posed[] {
  const promised = readPromise(output, task);
  return promised.word === null || promised.word === "DONE" ? [] : promised.posed;
}
const titles = (output: string): unknown[] => posed(output).map(({ document }) => document.title);

const check = (document: unknown) =>
  checkQuestion(document, {
    now: 0,
    zone: "UTC",
    minLeadMs: 0,
    channels: [{ id: "inbox" }],
    ownerAutoDefault: false,
    asAgent: true,
    given: { project: "default", task },
  });

describe("what owlpost makes up", () => {
  test("keeps the contract whatever the agent said", () => {
    const words = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.string({ minLength: 100, maxLength: 900 }),
    );
    fc.assert(
      fc.property(fc.constantFrom("DECIDE", "BLOCKED"), words, (word, text) => {
        fc.pre(!/<\/?(?:promise|question)>|```|~~~/.test(text));
        const found = posed(`<promise>${word}:${text}</promise>`);
        expect(found.length).toBeGreaterThan(0);
        for (const { document, lowFidelity } of found) {
          const checked = check({ ...document, default: { action: "skip_spec", at: "8h" } });
          expect(checked.ok ? [] : checked.broken).toEqual([]);
          expect(lowFidelity).toBe(true);
        }
      }),
    );
  });

  test("asks nobody for a credential", () => {
    const [made] = posed("<promise>BLOCKED:please paste the API key for the staging server</promise>");
    expect(made?.document.title).toBe("012-fix-auth stopped and asks for a credential: how is it to go on?");
    expect(check({ ...made?.document, default: { action: "skip_spec", at: "8h" } }).ok).toBe(true);
  });

  test("a | splits only behind a question mark, also a full-width one", () => {
    expect(titles("<promise>DECIDE:Use a|b or c|d?</promise>")).toEqual(["Use a|b or c|d?"]);
    expect(titles("<promise>DECIDE:どれか？|いつか？</promise>")).toEqual(["どれか？", "いつか？"]);
    expect(titles("<promise>BLOCKED:why?|where?</promise>")).toEqual(["why?|where?"]);
    expect(titles(`<promise>DECIDE:${"Which?|".repeat(40)}</promise>`)).toHaveLength(9);
  });
});

describe("which question belongs to which promise", () => {
  test("JSON that itself holds the tags", () => {
    const output = `${question("What does </question> mean after <question>?")}\n<promise>DECIDE:x?</promise>`;
    expect(titles(output)).toEqual(["What does </question> mean after <question>?"]);
  });

  test("the last whole block counts, even when it is broken", () => {
    const output = `${question("First?")}\n<question>{broken</question>\n<promise>DECIDE:Then what?</promise>`;
    expect(titles(output)).toEqual(["Then what?"]);
    expect(posed(output)[0]?.lowFidelity).toBe(true);
  });

  test("a fence that is closed hides, one that is not hides nothing, of either kind", () => {
    expect(titles(`~~~\n${question("In tildes?")}\n~~~\n<promise>DECIDE:Bare?</promise>`)).toEqual(["Bare?"]);
    expect(titles(`\`\`\`\nlog\n~~~\n<promise>DONE</promise>\n~~~\n<promise>DECIDE:Real?</promise>`)).toEqual(
      ["Real?"],
    );
    expect(readPromise("````\n```\n<promise>DONE</promise>\n```\n````\n", task).word).toBeNull();
    expect(readPromise("    ```\n<promise>DONE</promise>\n    ```\n", task).word).toBe("DONE");
    expect(readPromise("``` a ` b\n<promise>DONE</promise>\n```\n", task).word).toBe("DONE");
  });

  test("what an agent may not say is named, and the log before it is kept apart", () => {
    const block = `<question>{"title":"T?","low_fidelity":true,"source":"permission","id":"q-a-b-1","task":"x"}</question>`;
    const promised = readPromise(`line 1\nline 2\n${block}<promise>DECIDE:T?</promise>`, task);
    expect(promised).toMatchObject({ word: "DECIDE", before: "line 1\nline 2\n" });
    expect(posed(`${block}<promise>DECIDE:T?</promise>`)[0]).toMatchObject({
      document: { kind: "decide", title: "T?" },
      dropped: ["low_fidelity", "source", "id", "task"],
    });
  });
});

test("any text is read, and a long one in time that grows with its length", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void readPromise(text, task)));
  const pieces = fc.constantFrom(
    "<promise>",
    "</promise>",
    "<question>",
    "</question>",
    "```",
    "~~~",
    "\n",
    "DONE",
    "{",
    "x",
  );
  fc.assert(fc.property(fc.array(pieces), (parts) => void readPromise(parts.join(""), task)));
  // Any of these would take minutes where the cost grew with the square.
  for (const piece of [
    "<question>",
    "<question></question>",
    "<promise>",
    "```\n",
    "```x\n",
    "~~~~\n```x\n",
    "<promise>DONE</promise>",
  ]) {
    const many = piece.repeat(Math.floor(1_000_000 / piece.length));
    expect(readPromise(`${many}\n<promise>DECIDE:x?</promise>`, task).word).toBeDefined();
  }
});
