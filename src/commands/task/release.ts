import { fail, printJson, say } from "../print.ts";
import { argument, type Verb } from "../verb.ts";
import { claimGiven, claimOption, projectOption, refuse, withBoard } from "./board.ts";

export const verb: Verb = {
  usage: "<task>",
  description:
    "Give a claim back: the task is Ready again for somebody else. One that is parked for a question stays Blocked.",
  options: [
    claimOption,
    { flags: "--force", text: "take it away from whoever holds it (a person alone)" },
    projectOption,
  ],
  examples: [
    ["owlpost task release 012-fix-auth --claim 5f2c…", "somebody else may begin it"],
    ["owlpost task release 012-fix-auth --force", "its worker is gone"],
  ],
  async run(call) {
    const force = call.options.force === true;
    const token = force ? undefined : claimGiven(call);
    if (token === undefined && !force) {
      const message = "give the claim (--claim TOKEN, or OWLPOST_TASK_CLAIM), or take it away with --force";
      return fail(call, 2, "bad-usage", message);
    }
    return withBoard(
      call,
      async (board) => {
        const how = force ? { force } : { token: token ?? "" };
        const released = await board.release(argument(call, 0), how);
        if (!released.ok) return refuse(call, released);
        const { id, status } = released.task;
        if (call.json) await printJson(call, { id, status });
        else await say(call, `${id} is ${status}, and nobody holds it.`);
        return 0;
      },
      { brief: true },
    );
  },
};
