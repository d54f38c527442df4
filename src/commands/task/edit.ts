import { fail, plain, printJson, say } from "../print.ts";
import { argument, textOption, type Verb } from "../verb.ts";
import { claimGiven, claimOption, projectOption, refuse, withBoard } from "./board.ts";
import { fieldOptions, readFields } from "./fields.ts";
import { taskShape } from "./words.ts";

/** What the worker alone writes: there the claim of the environment counts. */
const workFields: readonly string[] = ["agentOutput", "sessionReference", "errorMessage"];

export const verb: Verb = {
  usage: "<task>",
  description:
    "Change what a task says. A list that is given takes the place of the one before. What a review judged and what was changed since must be reviewed again.",
  options: [
    ...fieldOptions,
    claimOption,
    {
      flags: "--revision <n>",
      text: "only when nobody has changed it since: its revision, from show --json",
    },
    projectOption,
  ],
  examples: [
    ["owlpost task edit 012-fix-auth --priority urgent --due 2026-12-01", "two fields"],
    ["owlpost task edit 012-fix-auth --set due_date= --set parent_task=", "clears them"],
    ["owlpost task edit 012-fix-auth --file fields.yaml", "many at once"],
  ],
  async run(call) {
    const revision = textOption(call, "revision");
    if (revision !== undefined && !/^[1-9]\d{0,9}$/.test(revision))
      return fail(call, 2, "bad-usage", "--revision needs a number, such as 7");
    const given = await readFields(call);
    if (!given.ok) return fail(call, 2, given.error, plain(given.message));
    const id = argument(call, 0);
    const { fields, status, id: own } = given.read;
    if (own !== undefined && own !== id)
      return fail(call, 2, "field-invalid", `an id never changes: that document is of ${own}`);
    const names = Object.keys(fields);
    if (names.length === 0 && status === undefined)
      return fail(call, 2, "bad-usage", "say what to change: owlpost task edit --help lists the options");
    const works = names.some((name) => workFields.includes(name));
    const claim = textOption(call, "claim") ?? (works ? claimGiven(call) : undefined);
    return withBoard(call, async (board) => {
      const update = { ...fields, ...(status === undefined ? {} : { status }) };
      const changed = await board.updateTask(id, update, {
        ...(claim === undefined ? {} : { claim }),
        ...(revision === undefined ? {} : { revision: Number(revision) }),
      });
      if (!changed.ok) return refuse(call, changed);
      const { task, repeated } = changed;
      if (call.json) await printJson(call, { task: taskShape(task), repeated });
      else await say(call, repeated ? `${task.id} says so already.` : `${task.id} is changed.`);
      return 0;
    });
  },
};
