import { checkQuestion } from "../../src/core/contract.ts";
import { type CaseKind, type Fields, isCaseList, isFields, judge, type Verdict } from "./case-kind.ts";

/** `questions/contract.json`: the rules that each question breaks, and what is redacted or kept where it breaks none. */
export const caseKind = {
  name: "contract",
  knows: (file) => isCaseList(file.content, "question", "now", "zone", "expect"),
  run: (file) => (file.content as readonly Fields[]).map(runCase),
} satisfies CaseKind;

function runCase(each: Fields): Verdict {
  const { redacts, keeps, config, expect } = each as {
    redacts?: readonly { field: string; secret: string }[];
    keeps?: readonly string[];
    config?: { channels?: readonly string[] };
    expect: readonly string[];
  };
  const expected = {
    rules: [...new Set(expect)].sort(),
    ...(redacts === undefined ? {} : { gone: redacts.map((one) => `${one.field}: ${one.secret}`) }),
    ...(keeps === undefined ? {} : { kept: keeps }),
  };
  return judge(String(each.id), expected, () => {
    const checked = checkQuestion(each.question, {
      now: Date.parse(String(each.now)),
      zone: String(each.zone),
      minLeadMs: 10 * 60_000,
      channels: (config?.channels ?? ["telegram"]).map((id) => ({ id })),
      ownerAutoDefault: false,
      asAgent: false,
      given: { project: "default" },
    });
    const rules = checked.ok ? [] : [...new Set(checked.broken.map((one) => one.rule))].sort();
    const stored = checked.ok ? leaves(checked.draft).join("\n") : "";
    return {
      rules,
      ...(redacts === undefined
        ? {}
        : {
            gone: redacts
              .filter(
                (one) =>
                  checked.ok && !stored.includes(one.secret) && told(checked.redactedFields, one.field),
              )
              .map((one) => `${one.field}: ${one.secret}`),
          }),
      ...(keeps === undefined ? {} : { kept: keeps.filter((text) => stored.includes(text)) }),
    };
  });
}

/** Is a redaction of this field reported? An option's field is `options[<n>].…`. */
function told(fields: readonly string[], field: string): boolean {
  return fields.some((one) => one === field || (field === "option" && one.startsWith("options[")));
}

function leaves(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isFields(value) ? Object.values(value).flatMap(leaves) : [String(value)];
}
