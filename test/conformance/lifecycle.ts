import { type Given, type Trigger, transition } from "../../src/core/lifecycle.ts";
import type { State } from "../../src/domain/question.ts";
import { type CaseKind, type Fields, isCaseList, judge } from "./case-kind.ts";

/** `lifecycle/transitions.json`: the next state of a question, or `refused`. */
export const caseKind: CaseKind = {
  name: "lifecycle",
  knows: (file) => isCaseList(file.content, "state", "trigger", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const outcome = "outcome" in each ? { outcome: each.outcome } : {};
      return judge(String(each.id), { state: each.expect, ...outcome }, () => {
        const moved = transition(
          each.state as State,
          each.trigger as Trigger,
          each.given as Given | undefined,
        );
        if (!moved.ok) return { state: "refused" };
        return { state: moved.state, ...("outcome" in each ? { outcome: moved.outcome } : {}) };
      });
    }),
};
