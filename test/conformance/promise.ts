import { checkQuestion } from "../../src/core/contract.ts";
import { readPromise } from "../../src/core/promise.ts";
import { type CaseKind, type Fields, isCaseList, isFields, judge } from "./case-kind.ts";

/** Only what the case names is compared; lists element by element. */
function narrowed(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return actual;
    return expected.map((each, index) => narrowed(actual[index], each));
  }
  if (!isFields(expected) || !isFields(actual)) return actual;
  return Object.fromEntries(
    Object.keys(expected).map((name) => [name, narrowed(actual[name], expected[name])]),
  );
}

function outcome(output: string): Fields {
  const promised = readPromise(output, "012-fix-auth");
  if (promised.word === null || promised.word === "DONE") return { promise: promised.word };
  const [posed] = promised.posed;
  const checked = checkQuestion(
    { ...posed?.document, default: { action: "skip_spec", at: "8h" } },
    {
      now: 0,
      zone: "UTC",
      minLeadMs: 0,
      channels: [{ id: "inbox" }],
      ownerAutoDefault: false,
      asAgent: true,
      given: { project: "default", task: "012-fix-auth" },
    },
  );
  if (!checked.ok) throw new Error(JSON.stringify(checked.broken));
  return {
    promise: promised.word,
    text: promised.text,
    texts: promised.posed.map(({ text }) => text),
    question: checked.draft,
    lowFidelity: promised.posed.every(({ lowFidelity }) => lowFidelity),
    dropped: [...(posed?.dropped ?? []), ...checked.droppedFields],
  };
}

/** `promise/blocks.json`: what the output of an agent says. */
export const caseKind: CaseKind = {
  name: "promise/blocks",
  knows: (file) => isCaseList(file.content, "output", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const expected = sorted(each.expect as Fields);
      return judge(String(each.id), expected, () =>
        sorted(narrowed(outcome(String(each.output)), expected) as Fields),
      );
    }),
};

/** The order of what was dropped means nothing. */
function sorted(fields: Fields): Fields {
  return Array.isArray(fields.dropped) ? { ...fields, dropped: [...fields.dropped].sort() } : fields;
}
