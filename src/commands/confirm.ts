import { questionId } from "../domain/ids.ts";
import { withOwlpost } from "./open.ts";
import { fail, printJson, say } from "./print.ts";
import { argument, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<claim>",
  description: "Confirm a take: its answers have arrived and are not handed out again.",
  examples: [["owlpost confirm night-7-iteration-12", "the token given to, or printed by, owlpost take"]],
  run: (call) =>
    withOwlpost(call, async (owlpost) => {
      const confirmed = await owlpost.confirm(argument(call, 0));
      if (confirmed.length === 0) {
        const message =
          "no take stands under this claim: it was never made, or its lease ran out; take again";
        return fail(call, 3, "no-such-claim", message, { confirmed: [] });
      }
      const questions = confirmed.filter((id) => questionId(id) !== undefined);
      const aborts = confirmed.filter((id) => questionId(id) === undefined);
      if (call.json)
        await printJson(call, { confirmed: questions, ...(aborts.length > 0 ? { aborts } : {}) });
      else
        await say(
          call,
          `Confirmed: ${[...questions, ...aborts.map((run) => `run ${run} stops`)].join(", ")}`,
        );
      return 0;
    }),
};
