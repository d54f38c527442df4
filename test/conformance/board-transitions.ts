import { type Mover, moveRule } from "../../src/core/board/transitions.ts";
import type { TaskStatus } from "../../src/domain/task.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `board/transitions.json`: is a move allowed, refused or none at all, and what does it need? */
export const caseKind: CaseKind = {
  name: "board transitions",
  knows: (file) => isCaseList(file.content, "from", "to", "by", "expect", "needs"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const needs = [...(each.needs as readonly string[])].sort();
      return judge(String(each.id), { expect: each.expect, needs }, () => {
        const rule = moveRule(each.from as TaskStatus, each.to as TaskStatus, each.by as Mover);
        return { expect: rule.kind, needs: rule.kind === "allowed" ? [...rule.needs].sort() : [] };
      });
    }),
};
