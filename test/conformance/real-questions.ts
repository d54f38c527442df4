import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { checkQuestion, type Draft } from "../../src/core/contract.ts";
import { type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";

/** `questions/real/expect.json`: whole questions in files of their own beside it, all of them good. */
export const caseKind = {
  name: "real questions",
  knows: (file) =>
    basename(file.path) === "expect.json" &&
    isFields(file.content) &&
    Object.values(file.content).length > 0 &&
    Object.values(file.content).every((each) => isFields(each) && "kind" in each && "titleLength" in each),
  run: (file) =>
    Object.entries(file.content as Fields).map(([name, expect]) =>
      runCase(name, expect as Fields, join(file.folder, name)),
    ),
} satisfies CaseKind;

const askedAt = Date.parse("2026-11-30T09:00:00Z");

function runCase(name: string, expect: Fields, path: string): Verdict {
  return judge(name, expect, () => {
    const document = parse(readFileSync(path, "utf8")) as Written;
    const checked = checkQuestion(document, {
      now: askedAt,
      zone: "Europe/Berlin",
      minLeadMs: 10 * 60_000,
      channels: [{ id: "inbox" }],
      ownerAutoDefault: false,
      asAgent: false,
      given: { project: "default" },
    });
    if (!checked.ok) return { broken: checked.broken };
    const { draft } = checked;
    // Nothing in these texts may be changed but its Unicode form.
    const stored = [draft.title, draft.context, ...uncutParts(draft)];
    const wanted = [document.title, document.context, ...uncutParts(document)];
    if (stored.join("\n") !== wanted.join("\n").normalize("NFC")) return { stored };
    const seen = measure(draft, document);
    // In the order and with the fields of the expectation; a field that it does not name is not checked.
    return Object.fromEntries(Object.keys(expect).map((field) => [field, seen[field] ?? null]));
  });
}

type Written = Pick<Draft, "id" | "title" | "context" | "options">;

function uncutParts(question: Written): readonly string[] {
  const options = question.options.flatMap((option) => [option.key, option.label, option.consequence]);
  return [question.title, question.id ?? "", ...options];
}

/** Sizes are those of the text as it was written, before it is brought into NFC. */
function measure(draft: Draft, written: Written): Fields {
  const uncut = uncutParts(written).join("\n");
  const escaped = uncut.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const recommended = draft.options.filter((option) => option.recommended);
  return {
    id: draft.id,
    kind: draft.kind,
    options: draft.options.length,
    titleLength: [...written.title].length,
    contextLength: [...written.context].length,
    nightSafe:
      ["decide", "approval", "stalled"].includes(draft.kind) &&
      recommended.length === 1 &&
      recommended[0]?.reversible === true,
    uncutUtf8: Buffer.byteLength(uncut),
    uncutUtf16: uncut.length,
    escapedUtf8: Buffer.byteLength(escaped),
  };
}
