import { fail, plain, printJson, printResult, say } from "../print.ts";
import type { Verb } from "../verb.ts";
import { projectOption, refuse, withBoard } from "./board.ts";
import { fieldOptions, readFields } from "./fields.ts";
import { statusNamed, statusUsage, taskShape } from "./words.ts";

export const verb: Verb = {
  usage: "[title...]",
  description:
    "Put a task on the board. It begins in Backlog, and is Ready once it says enough and a review has passed it (owlpost task review). Prints its id.",
  options: [
    {
      flags: "--id <task>",
      text: "an id of your own, such as 012-fix-auth: the same task again is made once",
    },
    { flags: "--status <status>", text: "backlog (default), ready or blocked" },
    ...fieldOptions,
    projectOption,
  ],
  examples: [
    ['owlpost task create "Fix the token refresh" --priority high', "a first note of it"],
    ["owlpost task create --file task.yaml", "with all that it says"],
    ["owlpost task create --json --id 012-fix-auth --file - < task.json", "from a program, safe to repeat"],
  ],
  async run(call) {
    const { id, status } = call.options;
    const named = typeof status === "string" ? statusNamed(status) : undefined;
    if (status !== undefined && !named)
      return fail(call, 2, "bad-usage", `there is no status ${status}; ${statusUsage}`);
    const words = call.args.join(" ").trim();
    if (words !== "" && call.options.title !== undefined)
      return fail(call, 2, "bad-usage", "give the title once: as words, or with --title");
    const given = await readFields(
      words === "" ? call : { ...call, options: { ...call.options, title: words } },
    );
    if (!given.ok) return fail(call, 2, given.error, plain(given.message));
    const { fields, ...own } = given.read;
    const { title } = fields;
    if (title === undefined)
      return fail(call, 2, "bad-usage", "a task needs a title: owlpost task create “Fix the token refresh”");
    const wanted = typeof id === "string" ? id : own.id;
    const begins = named ?? own.status;
    return withBoard(
      call,
      async (board) => {
        const made = await board.createTask({
          ...fields,
          title,
          ...(wanted === undefined ? {} : { id: wanted }),
          ...(begins === undefined ? {} : { status: begins }),
        });
        if (!made.ok) return refuse(call, made);
        const { task, repeated } = made;
        if (call.json) await printJson(call, { task: taskShape(task), repeated });
        else {
          await printResult(call, task.id);
          if (repeated) await say(call, "It was made before.");
        }
        return 0;
      },
      { brief: true },
    );
  },
};
