import { decide } from "./decide.ts";
import { argument, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question>",
  description: "Run the task again without an answer.",
  examples: [["owlpost retry q-a3f2-012-1", "run the task of this question again"]],
  run: (call) => decide(call, { verb: "retry", question: argument(call, 0) }),
};
