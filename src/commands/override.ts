import { decide } from "./decide.ts";
import { argument, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question> <key>",
  description:
    "Change an answer that has not been taken yet. After a deadline that nobody met, use owlpost answer.",
  examples: [["owlpost override q-a3f2-012-1 2", "option 2 instead of what was answered"]],
  run: (call) => decide(call, { verb: "override", question: argument(call, 0), key: argument(call, 1) }),
};
