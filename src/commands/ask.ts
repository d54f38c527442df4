import { randomUUID } from "node:crypto";
import type { AskRequest } from "../app/api.ts";
import { askService } from "../app/service-client.ts";
import { isProjectName, runId, taskId } from "../domain/ids.ts";
import { withoutEngine } from "./ask-engine.ts";
import type { Gathered } from "./ask-facts.ts";
import { factOptions, hasFacts, outputOptions } from "./ask-options.ts";
import { printOutcome } from "./ask-outcome.ts";
import { projectUsage, runUsage, taskUsage } from "./names.ts";
import { checkHome, withOwlpost } from "./open.ts";
import { fail, plain } from "./print.ts";
import { readOutput, readSource } from "./source.ts";
import { argument, type Call, isAgent, textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "[file]",
  description:
    "Ask a question: a YAML or JSON document, or - for standard input. Returns when it is stored, whatever the network does.",
  options: [
    {
      flags: "--wait <duration>",
      text: "wait at most this long (90s, 30m, 8h) for the answer, then take and confirm it",
    },
    { flags: "--key <key>", text: "makes asking again with the same key the same ask" },
    { flags: "--task <task>", text: "the task; wins over the document" },
    { flags: "--run <run>", text: "the run of the loop; wins over the document" },
    { flags: "--project <name>", text: "the project" },
    ...factOptions,
    ...outputOptions,
  ],
  examples: [
    ["owlpost ask question.yaml", "prints the id of the question"],
    ["owlpost ask --json --task 012-fix-auth - < question.json", "from standard input, the result as JSON"],
    ["owlpost ask --wait 8h question.yaml", "waits for the answer and takes it"],
    ["owlpost ask --from-output agent.log --task 012-fix-auth", "asks what the agent's output ends with"],
    ['owlpost ask --fact-command "make test" --diff-stat . question.yaml', "with what the engine measured"],
  ],
  async run(call) {
    const usage = checkFlags(call);
    if (usage) return fail(call, 2, "bad-usage", usage);
    const wait = textOption(call, "wait");
    const waitMs = wait === undefined ? undefined : (await import("../app/wait.ts")).waitMs(wait);
    if (wait !== undefined && waitMs === undefined) {
      return fail(
        call,
        2,
        "bad-usage",
        `--wait needs a duration such as 90s, 30m or 8h (found ${plain(wait)})`,
      );
    }
    const output = textOption(call, "fromOutput");
    const source =
      output === undefined ? await readSource(argument(call, 0), call.io) : await readOutput(output, call.io);
    if (!source.ok) return fail(call, 2, "unreadable", source.message);
    const refused = await checkHome(call);
    if (refused !== undefined) return refused;

    const gather = async (): Promise<Gathered> =>
      hasFacts(call) && !isAgent(call.io)
        ? (await import("./ask-facts.ts")).gatherFacts(call)
        : { ok: true, facts: undefined };
    const plainRequest = askRequest(call, source.text, source.origin);
    if (output !== undefined) {
      const { askFromOutput } = await import("./ask-output.ts");
      return askFromOutput(call, source.text, { base: plainRequest, gather, waitMs });
    }
    const gathered = await gather();
    if (!gathered.ok) return fail(call, 2, "bad-usage", gathered.message);
    const request = { ...plainRequest, ...(gathered.facts ? { facts: gathered.facts } : {}) };
    const outcome = withoutEngine(call, await askService(call.home, request));
    if (outcome && (waitMs === undefined || !outcome.ok)) return printOutcome(call, outcome);
    return withOwlpost(
      call,
      async (owlpost, config) => {
        const asked = outcome ?? withoutEngine(call, await owlpost.ask(request));
        if (waitMs === undefined || !asked.ok) return printOutcome(call, asked);
        const { waitForAnswer } = await import("./ask-wait.ts");
        return waitForAnswer(call, owlpost, asked, waitMs, config);
      },
      { brief: waitMs === undefined },
    );
  },
};

/** A hand-over to the service may be lost after it was done: every ask has a key, so that asking again is the same ask. */
function askRequest(call: Call, text: string, origin: string): AskRequest {
  const task = textOption(call, "task");
  const run = isAgent(call.io) ? undefined : textOption(call, "run");
  const project = textOption(call, "project");
  return {
    text,
    origin,
    key: textOption(call, "key") ?? `auto:${randomUUID()}`,
    cwd: call.io.cwd,
    ...(task === undefined ? {} : { task }),
    ...(run === undefined ? {} : { run }),
    ...(project === undefined ? {} : { project }),
    ...(isAgent(call.io) ? { asAgent: true } : {}),
  };
}

function checkFlags(call: Call): string | undefined {
  const { key, task, run, project, fromOutput } = call.options;
  const isNamed = call.args[0] !== undefined;
  if (fromOutput === undefined && !isNamed) return "name the file of the question, or - for standard input";
  if (fromOutput !== undefined && isNamed) return "--from-output names the file: leave the other one out";
  const forOutput = ["default", "at"].find((name) => call.options[name] !== undefined);
  if (fromOutput === undefined && forOutput !== undefined)
    return `--${forOutput} goes with --from-output; a question's document says its own default`;
  if (typeof key === "string" && (key === "" || key.length > 200)) return "--key needs 1 to 200 characters";
  if (typeof key === "string" && key.startsWith("hook:"))
    return "keys that begin with hook: are those of agents' hooks, and a take leaves them alone: choose another --key";
  if (typeof task === "string" && !taskId(task.replace(/\.md$/, ""))) {
    return taskUsage;
  }
  if (typeof run === "string" && !runId(run)) return runUsage;
  if (typeof project === "string" && !isProjectName(project)) {
    return projectUsage;
  }
  return undefined;
}
