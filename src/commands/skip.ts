import { decide } from "./decide.ts";
import { argument, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question>",
  description: "Skip the spec: the loop goes on with the next task.",
  examples: [["owlpost skip q-a3f2-012-1", "skip the spec of this question now"]],
  run: (call) => decide(call, { verb: "skip", question: argument(call, 0) }),
};
