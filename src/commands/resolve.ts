import { type Result, results } from "../domain/question.ts";
import { printAck } from "./decide.ts";
import { withOwlpost } from "./open.ts";
import { argument, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question>",
  description: "Close a question whose answer was taken, with how its task ended.",
  options: [{ flags: "--result <result>", text: "how the task ended", choices: results, mandatory: true }],
  examples: [["owlpost resolve q-a3f2-012-1 --result done", "the task of the question is done"]],
  run: (call) =>
    withOwlpost(call, async (owlpost) =>
      printAck(call, await owlpost.resolve(argument(call, 0), textOption(call, "result") as Result)),
    ),
};
