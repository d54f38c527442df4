import { agentRefused, printAck } from "./decide.ts";
import { withOwlpost } from "./open.ts";
import { fail, printJson, printResult, say } from "./print.ts";
import { isAgent, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description: "Print a fresh link to the local inbox. It works once, for ten minutes.",
  examples: [
    ["owlpost inbox", "then open the link in a browser on this machine"],
    ['xdg-open "$(owlpost inbox)"', "open it at once"],
  ],
  async run(call) {
    // Whoever holds the link can answer.
    if (isAgent(call.io)) return printAck(call, agentRefused);
    return withOwlpost(call, async (owlpost) => {
      const link = await owlpost.inboxLink();
      if (link === undefined) {
        return fail(call, 4, "no-service", "no service runs for this home: start one with owlpost serve");
      }
      if (call.json) await printJson(call, { link });
      else {
        await printResult(call, link);
        await say(call, "The link works once, for ten minutes, on this machine.");
      }
      return 0;
    });
  },
};
