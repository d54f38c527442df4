import { agentRefused, printAck } from "./decide.ts";
import { withOwlpost } from "./open.ts";
import { fail } from "./print.ts";
import { argument, isAgent, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<question>",
  description: "Take an open question back: its task was changed, finished or removed.",
  options: [
    { flags: "--why <reason>", text: "the reason, shown wherever the question was asked", mandatory: true },
  ],
  examples: [['owlpost cancel q-a3f2-012-1 --why "the spec was rewritten"', "take the question back"]],
  async run(call) {
    if (isAgent(call.io)) return printAck(call, agentRefused);
    const why = (textOption(call, "why") ?? "").trim();
    if (why === "") return fail(call, 2, "bad-usage", "--why needs a reason in words");
    return withOwlpost(call, async (owlpost) => printAck(call, await owlpost.cancel(argument(call, 0), why)));
  },
};
