import { resolveDeadline } from "../../src/core/time.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `time/deadlines.json`: what `default.at` means. */
export const caseKind = {
  name: "deadlines",
  knows: (file) => isCaseList(file.content, "zone", "askedAt", "at", "minLeadMinutes", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) =>
      judge(String(each.id), each.expect, () => {
        const askedAt = Date.parse(String(each.askedAt));
        const minLeadMs = Number(each.minLeadMinutes) * 60_000;
        const deadline = resolveDeadline(String(each.at), askedAt, String(each.zone), minLeadMs);
        return deadline.ok ? { utc: new Date(deadline.deadlineAt).toISOString() } : { error: deadline.rule };
      }),
    ),
} satisfies CaseKind;
