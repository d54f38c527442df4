import { agentRefused, printAck } from "./decide.ts";
import { withOwlpost } from "./open.ts";
import { argument, isAgent, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<run>",
  description:
    "Stop a run: its loop learns of it with its next take, and its open questions are cancelled at once.",
  examples: [["owlpost abort a3f2", "the run's id, always; owlpost pending shows it in the questions' ids"]],
  async run(call) {
    if (isAgent(call.io)) return printAck(call, agentRefused);
    return withOwlpost(call, async (owlpost) =>
      printAck(call, await owlpost.abort(argument(call, 0), "cli")),
    );
  },
};
