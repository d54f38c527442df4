import { lookAround } from "../app/setup.ts";
import { type Flags, readFlags, setUpByFlags } from "../app/setup-flags.ts";
import { setUpByQuestions } from "../app/setup-questions.ts";
import { openTrial } from "../app/setup-telegram.ts";
import { agentRefused, printAck } from "./decide.ts";
import { fail, palette, printJson, say } from "./print.ts";
import { type Call, type Exit, isAgent, textOption, type Verb } from "./verb.ts";

const withoutQuestions =
  "init asks its questions in a terminal. Without one: owlpost init --zone ZONE --telegram-token-env NAME [--chat ID] [--airlock DIR] [--project NAME] --yes";

export const verb: Verb = {
  usage: "",
  description:
    "The guided set-up: the zone, a Telegram bot whose token is tested as it is typed, the repository's own folder, and pairing. The whole config.yaml is shown, and written after a yes; what init does not ask about stays. With --yes it asks nothing and takes the flags; what they do not name stays as it is. Every other channel is set up by hand, by its page in docs/.",
  options: [
    { flags: "--zone <zone>", text: "IANA zone of every wall-clock time, such as Europe/Berlin" },
    { flags: "--telegram-token-env <name>", text: "the environment variable that holds the bot's token" },
    { flags: "--telegram-api-root <url>", text: "a Bot API server of one's own" },
    { flags: "--chat <id>", text: "one group chat for every question, instead of private chats" },
    {
      flags: "--airlock <dir>",
      text: "where the project's files lie; a repository means .owlpost inside it",
    },
    { flags: "--project <name>", text: "the project of --airlock (default: the repository's name)" },
    {
      flags: "--claude-code",
      text: "instead: put the hooks of owlpost into Claude Code's settings, after showing them",
    },
    {
      flags: "--project-settings <dir>",
      text: "with --claude-code: the settings of the project in DIR (default: those of your account)",
    },
    { flags: "--yes", text: "ask nothing, and write" },
  ],
  examples: [
    ["owlpost init --claude-code", "Claude Code's questions and permission prompts on the phone"],
    ["owlpost init", "asks, shows the file, writes it after a yes, pairs the owner"],
    [
      "owlpost init --zone Europe/Berlin --telegram-token-env TELEGRAM_BOT_TOKEN --yes --json",
      "for a script",
    ],
  ],
  async run(call) {
    if (isAgent(call.io)) return printAck(call, agentRefused);
    if (call.options.claudeCode === true)
      return (await import("./init-claude.ts")).initClaudeCode(call, isTerminal(call));
    if (call.options.projectSettings !== undefined)
      return fail(call, 2, "bad-usage", "--project-settings goes with --claude-code");
    const byFlags = call.options.yes === true;
    if (!byFlags && !isTerminal(call)) return fail(call, 2, "bad-usage", withoutQuestions);
    const looked = await lookAround(call.home, call.io.cwd, call.io.env);
    if (!looked.ok) return fail(call, 2, "bad-configuration", looked.message);
    const { ground } = looked;
    const trial = await openTrial();
    const read = await readFlags(flagsOf(call), ground, trial);
    if (!read.ok) return fail(call, 2, "bad-usage", read.message);
    const { given } = read;
    if (!byFlags) {
      const { terminalPrompts } = await import("./init-prompts.ts");
      const prompts = terminalPrompts(call.io.stdin);
      const out = await setUpByQuestions({ ground, given, trial, prompts });
      if (out.ok) return 0;
      return "stopped" in out ? stopped(call, out.text) : fail(call, 2, "bad-configuration", out.message);
    }
    const out = await setUpByFlags(ground, given, trial);
    if (!out.ok) return fail(call, 2, "bad-configuration", out.message);
    const { config, written, airlock, next } = out;
    if (call.json) await printJson(call, { config, written, airlock, next });
    for (const line of out.done) await say(call, line);
    await say(call, `Next: ${next}`);
    return 0;
  },
};

/** Questions need somebody who sees them and can type. */
function isTerminal({ io, json }: Call): boolean {
  return !json && io.stderr.tty && "isTTY" in io.stdin && io.stdin.isTTY === true;
}

async function stopped(call: Call, text: string): Promise<Exit> {
  await call.io.stderr.write(`${palette(call.io, "stderr").red("owlpost:")} ${text}\n`);
  return 2;
}

function flagsOf(call: Call): Flags {
  return {
    zone: textOption(call, "zone"),
    telegramTokenEnv: textOption(call, "telegramTokenEnv"),
    telegramApiRoot: textOption(call, "telegramApiRoot"),
    chat: textOption(call, "chat"),
    airlock: textOption(call, "airlock"),
    project: textOption(call, "project"),
  };
}
