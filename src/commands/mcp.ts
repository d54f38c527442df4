import { folderTask } from "../app/folder-task.ts";
import { markSession, sessionRun } from "../app/hook/session.ts";
import { isProjectName, runId, taskId } from "../domain/ids.ts";
import { projectUsage, runUsage, taskUsage } from "./names.ts";
import { withOwlpost } from "./open.ts";
import { fail, say } from "./print.ts";
import { textOption, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "",
  description:
    "Serve ask_human, get_answer, list_pending, cancel_question and reachable to an agent over MCP on standard input and output, until it closes the pipe. The agent starts it: put the command into its settings. It asks with an agent's rights: it can answer nothing.",
  options: [
    { flags: "--task <task>", text: "what every question is about; wins over what the agent says" },
    { flags: "--run <run>", text: "the run of the loop" },
    {
      flags: "--project <name>",
      text: "the project; else the configured airlock that holds the current folder",
    },
  ],
  examples: [
    ["claude mcp add owlpost -- owlpost mcp", "for Claude Code"],
    ["codex mcp add owlpost -- owlpost mcp --project shop", "for Codex, with the project named"],
  ],
  async run(call) {
    const [task, run, project] = ["task", "run", "project"].map((name) => textOption(call, name));
    if (task !== undefined && !taskId(task)) return fail(call, 2, "bad-usage", taskUsage);
    if (run !== undefined && !runId(run)) return fail(call, 2, "bad-usage", runUsage);
    if (project !== undefined && !isProjectName(project)) return fail(call, 2, "bad-usage", projectUsage);
    const { stdin, stdout, stderr, cwd, env } = call.io;
    // So that the hook at the stop of the same session hands over what was answered meanwhile.
    const session = env.CLAUDE_CODE_SESSION_ID ? sessionRun(env.CLAUDE_CODE_SESSION_ID) : undefined;
    const asRun = run ?? session;
    // The pipe belongs to the protocol: nothing but its messages may be written there.
    const quiet = { ...call, json: false, io: { ...call.io, stdout: stderr } };
    return withOwlpost(quiet, async (owlpost, config) => {
      const { serveMcp } = await import("../app/mcp/server.ts");
      const { version } = await import("./version.ts");
      await serveMcp(
        {
          owlpost,
          config,
          home: call.home,
          now: Date.now,
          given: {
            cwd,
            ...(task === undefined ? {} : { task }),
            ...(asRun === undefined ? {} : { run: asRun }),
            ...(project === undefined ? {} : { project }),
          },
          otherwiseTask: folderTask(cwd),
          ...(run === undefined && session !== undefined
            ? { onAsk: () => markSession(call.home, session) }
            : {}),
        },
        { stdin, write: (text) => stdout.write(text), tell: (text) => say(quiet, text) },
        version(),
      );
      return 0;
    });
  },
};
