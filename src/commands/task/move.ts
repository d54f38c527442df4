import type { TaskUpdate, UpdateWords } from "../../domain/provider.ts";
import type { TaskStatus } from "../../domain/task.ts";
import { fail, printJson, say } from "../print.ts";
import { argument, type Call, textOption, type Verb } from "../verb.ts";
import { claimGiven, claimOption, projectOption, refuse, withBoard } from "./board.ts";
import { statusNamed, statusUsage, taskShape } from "./words.ts";

export const verb: Verb = {
  usage: "<task> <status...>",
  description:
    "Move a task: backlog, ready, in-progress, in-review, done, blocked or cancelled. What its next status needs is checked, and every lack is named at once.",
  options: [
    { flags: "--output <text>", text: "what came of the work (for in-review and done)" },
    { flags: "--why <text>", text: "what holds it up (for blocked)" },
    claimOption,
    { flags: "--approve", text: "a review approved of the work (from in-review to done)" },
    { flags: "--changes", text: "a review asks for changes (from in-review to in-progress)" },
    projectOption,
  ],
  examples: [
    ["owlpost task move 012-fix-auth ready", "it may be begun"],
    ['owlpost task move 012-fix-auth done --output "Rotation is in; 42 tests pass"', "it is finished"],
    ["owlpost task move 012-fix-auth done --approve", "after a review"],
    ['owlpost task move 012-fix-auth blocked --why "the staging database is down"', "it stands still"],
  ],
  async run(call) {
    const written = call.args.slice(1).join(" ");
    const status = statusNamed(written);
    if (!status) return fail(call, 2, "bad-usage", `there is no status ${written}; ${statusUsage}`);
    const update: TaskUpdate = {
      status,
      ...given(call, "output", "agentOutput"),
      ...given(call, "why", "errorMessage"),
    };
    return withBoard(call, async (board) => {
      const moved = await board.updateTask(argument(call, 0), update, wordsOf(call, status));
      if (!moved.ok) return refuse(call, moved);
      const { task, repeated } = moved;
      if (call.json) await printJson(call, { task: taskShape(task), repeated });
      else
        await say(call, repeated ? `${task.id} is ${task.status} already.` : `${task.id} is ${task.status}.`);
      return 0;
    });
  },
};

function given(call: Call, option: string, field: "agentOutput" | "errorMessage"): TaskUpdate {
  const text = textOption(call, option);
  return text === undefined ? {} : { [field]: text };
}

/** Moves that are the worker's own, for which the claim of the environment counts. */
const workers: readonly TaskStatus[] = ["In Progress", "In Review", "Done", "Blocked"];

function wordsOf(call: Call, status: TaskStatus): UpdateWords {
  const claim = textOption(call, "claim") ?? (workers.includes(status) ? claimGiven(call) : undefined);
  return {
    // A review is not the worker's: its claim has ended.
    ...(claim === undefined || call.options.approve === true || call.options.changes === true
      ? {}
      : { claim }),
    ...(call.options.approve === true ? { approved: true } : {}),
    ...(call.options.changes === true ? { changesRequested: true } : {}),
  };
}
