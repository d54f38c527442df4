import { fail, printJson, say } from "../print.ts";
import { argument, type Verb } from "../verb.ts";
import { claimGiven, claimOption, projectOption, refuse, withBoard } from "./board.ts";
import { heldShape, leaseWords } from "./words.ts";

export const verb: Verb = {
  usage: "<task>",
  description:
    "Keep a claim alive: its lease begins anew. Exit 3 means that the claim is lost, and that the work must stop.",
  options: [claimOption, projectOption],
  examples: [
    ["owlpost task heartbeat 012-fix-auth --claim 5f2c…", "every few minutes while it is worked on"],
  ],
  async run(call) {
    const token = claimGiven(call);
    if (token === undefined)
      return fail(call, 2, "bad-usage", "give the claim: --claim TOKEN, or OWLPOST_TASK_CLAIM");
    return withBoard(
      call,
      async (board, { zone }) => {
        const held = await board.heartbeat(argument(call, 0), token);
        if (!held.ok) return refuse(call, held);
        const { task, claim } = held;
        if (call.json)
          await printJson(call, { id: task.id, status: task.status, claim: claim && heldShape(claim) });
        else await say(call, `${task.id} is held, ${claim ? leaseWords(claim, zone) : "under no claim"}.`);
        return 0;
      },
      { brief: true },
    );
  },
};
