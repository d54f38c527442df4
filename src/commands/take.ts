import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Owlpost, TakeOutcome, TakeRequest } from "../app/api.ts";
import { airlockDir, type Config } from "../app/config.ts";
import { projectAround } from "../app/project.ts";
import { isProjectName, runId, taskId } from "../domain/ids.ts";
import { projectUsage, runUsage, taskUsage } from "./names.ts";
import { withOwlpost } from "./open.ts";
import { fail, plain, printJson, printResult, say } from "./print.ts";
import { abortedShape, takenShape } from "./shapes.ts";
import { writeAborts, writeAnswers } from "./taken-files.ts";
import { abortLine, takenLine } from "./taken-line.ts";
import { type Call, type Exit, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description:
    "Take what is decided: the loop's call between two tasks. Confirm each claim afterwards, or it is handed out again.",
  options: [
    { flags: "--task <task>", text: "only for this task" },
    { flags: "--run <run>", text: "only questions of this run" },
    {
      flags: "--claim <token>",
      text: "a token of your own, a new one for each take: the same token again is the same take",
    },
    {
      flags: "--task-claim <token>",
      text: "your claim on the board's task (default: OWLPOST_TASK_CLAIM): an answered task goes on under it, and is Ready without it",
    },
    { flags: "--project <name>", text: "only of this project" },
    {
      flags: "--files",
      text: "confirm once the answers are written into the airlock, and remove the request",
    },
  ],
  examples: [
    [
      "owlpost take --json --run a3f2 --claim a3f2-iteration-12",
      "what is decided for run a3f2, safe to repeat",
    ],
    ["owlpost take --task 012-fix-auth --files", "the answer of one task as a file in the airlock"],
  ],
  async run(call) {
    const claim = textOption(call, "claim");
    if (claim !== undefined && (claim === "" || claim.length > 200)) {
      return fail(call, 2, "bad-usage", "--claim needs 1 to 200 characters");
    }
    const usage = checkNames(call);
    if (usage) return fail(call, 2, "bad-usage", usage);
    return withOwlpost(call, async (owlpost, config) => {
      const outcome = await owlpost.take(takeRequest(call, claim, projectAround(call.io.cwd, config)));
      const missing = [
        ...(await writeAnswers(call, config, outcome.taken)),
        ...(await writeAborts(call, config, outcome.aborts)),
      ];
      const written = missing.length === 0;
      if (call.options.files === true && written) await closeRequests(call, owlpost, config, outcome);
      const exit = await printTaken(call, outcome, missing);
      // What was handed out on stdout is handed out; --files promised files.
      return call.options.files === true && !written ? 1 : exit;
    });
  },
};

/** A name outside its grammar belongs to no question: said at once, not answered with "nothing yet" for ever. */
function checkNames(call: Call): string | undefined {
  const { task, run, project } = call.options;
  if (typeof task === "string" && !taskId(task.replace(/\.md$/, ""))) return taskUsage;
  if (typeof run === "string" && !runId(run)) return runUsage;
  if (typeof project === "string" && !isProjectName(project)) return projectUsage;
  return undefined;
}

function takeRequest(call: Call, claim: string | undefined, around: string | undefined): TakeRequest {
  const task = textOption(call, "task")?.replace(/\.md$/, "");
  const run = textOption(call, "run");
  const project = textOption(call, "project") ?? around;
  const works = textOption(call, "taskClaim") ?? call.io.env.OWLPOST_TASK_CLAIM;
  return {
    ...(works ? { works } : {}),
    ...(task === undefined ? {} : { task }),
    ...(run === undefined ? {} : { run }),
    ...(project === undefined ? {} : { project }),
    ...(claim === undefined ? {} : { claim }),
  };
}

/** What the service does for `take/<task>` once the answers are written: the confirmation, then the request goes. */
async function closeRequests(
  call: Call,
  owlpost: Owlpost,
  config: Config,
  { taken, aborts }: TakeOutcome,
): Promise<void> {
  for (const claim of new Set([...taken, ...aborts].map((each) => each.claim))) await owlpost.confirm(claim);
  // An order to stop names no task: the request that was served is the one of the task that was asked for.
  const asked = textOption(call, "task")?.replace(/\.md$/, "");
  const stopped = asked === undefined ? [] : aborts.map(({ project }) => ({ project, task: asked }));
  for (const { project, task } of [...taken, ...stopped]) {
    const request = join(airlockDir(config, call.home, project), "take", task);
    await unlink(request).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT")
        await say(call, `The request ${request} could not be removed (${error.code}).`);
    });
  }
}

async function printTaken(
  call: Call,
  { taken, aborts, mismatched }: TakeOutcome,
  missing: readonly string[],
): Promise<Exit> {
  if (call.json) {
    await printJson(call, {
      taken: taken.map(takenShape),
      aborts: aborts.map(abortedShape),
      ...(mismatched.length > 0 ? { mismatched } : {}),
      ...(missing.length > 0 ? { unwritten: missing } : {}),
    });
  } else {
    for (const each of taken) await printResult(call, `${each.id}  ${takenLine(each)}`);
    for (const abort of aborts) await printResult(call, abortLine(abort));
    const claims = [...new Set([...taken, ...aborts].map((each) => each.claim))];
    if (claims.length > 0 && !(call.options.files === true && missing.length === 0)) {
      await say(
        call,
        `Confirm with: ${claims.map((claim) => `owlpost confirm ${plain(claim)}`).join(" and ")}`,
      );
    }
  }
  if (mismatched.length > 0) {
    await say(call, `Not handed out, since they answer another text; ask again: ${mismatched.join(", ")}`);
  }
  if (taken.length > 0 || aborts.length > 0) return 0;
  await say(call, "Nothing to take.");
  return 4;
}
