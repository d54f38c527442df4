import { type Agent, agents, readEvent, sessionOf } from "../app/hook/event.ts";
import { firstLook } from "../app/hook/first-look.ts";
import { fail } from "./print.ts";
import { readSource } from "./source.ts";
import { argument, type Call, type Exit, type Verb } from "./verb.ts";

export const verb: Verb = {
  usage: "<agent>",
  description:
    "Answer one hook of an agent (claude-code, codex, gemini-cli, opencode): its event as JSON on standard input, its answer as JSON on standard output. Questions and permission prompts go to the owner's phone. Whatever goes wrong, nothing is said and the agent's own prompt asks: silence never allows anything.",
  options: [{ flags: "--headless", text: "nobody is at the terminal (claude -p): a question parks the run" }],
  examples: [
    ["owlpost init --claude-code", "writes the hooks into Claude Code's settings, after showing them"],
    ["owlpost hook claude-code", "the command of a hook in .claude/settings.json"],
  ],
  async run(call) {
    const name = argument(call, 0);
    const agent = agents.find((each) => each === name);
    // Exit 2 would be a decision of the hook: it would block the agent.
    if (!agent)
      return fail(call, 1, "bad-usage", `there is no hook for it: name one of ${agents.join(", ")}`);
    try {
      return await answerEvent(call, agent);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await call.io.stderr.write(`owlpost: ${why}; the agent's own prompt asks\n`).catch(() => undefined);
      return 0;
    }
  },
};

async function answerEvent(call: Call, agent: Agent): Promise<Exit> {
  // An agent whose pipe breaks may take that for a failure of its own.
  const source = await readSource("-", call.io, { hearsOut: true });
  const given = source.ok ? readEvent(source.text) : undefined;
  if (!given) throw new Error("what came on standard input is no event in JSON, of at most 1 MiB");
  const event = agent === "opencode" ? (await import("../app/hook/opencode.ts")).fromOpenCode(given) : given;
  const work = firstLook(agent, event, call.home);
  if (!work) return 0;
  const { workHook } = await import("./hook-work.ts");
  return workHook(call, { agent, event, work, session: sessionOf(event), headless: isHeadless(call) });
}

/** `claude -p` says so to what it starts. */
function isHeadless({ options, io }: Call): boolean {
  return options.headless === true || io.env.CLAUDE_CODE_ENTRYPOINT === "sdk-cli";
}
