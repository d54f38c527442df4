import { Command, CommanderError, Option, type OutputConfiguration } from "commander";
import { homePath } from "../app/home.ts";
import { fail, hasColours, palette } from "./print.ts";
import type { Exit, Io, OptionValue, Verb } from "./verb.ts";
import { verbs } from "./verbs.ts";
import { version } from "./version.ts";

/** Runs a command line by way of commander: help, and every word on what is wrong with it. */
export async function runProgram(argv: readonly string[], io: Io): Promise<Exit> {
  const json = argv.includes("--json");
  let exit: Exit = 0;
  try {
    const program = await buildProgram(argv, io, (code) => {
      exit = code;
    });
    await program.parseAsync(argv, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return usageExit(error, json, io, await wayOut(argv));
    throw error;
  }
}

async function buildProgram(argv: readonly string[], io: Io, done: (exit: Exit) => void): Promise<Command> {
  const typed = argv.find((word) => Object.hasOwn(verbs, word));
  const program = new Command("owlpost")
    .description("The answer channel for coding agents that work while their owner sleeps.")
    .option("--json", "one JSON document on stdout, nothing else")
    .option("--home <dir>", "the home (default: OWLPOST_HOME, else ~/.owlpost)")
    .option("-V, --version", "print the version")
    .on("option:version", () => {
      void io.stdout.write(`${version()}\n`);
      throw new CommanderError(0, "commander.version", "");
    })
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output(argv, io))
    .exitOverride();
  for (const [name, { summary, load }] of Object.entries(verbs)) {
    // The others are wanted for the list of commands and for "did you mean" alone.
    if (typed !== undefined && typed !== name && argv[0] === typed) continue;
    const command = program.command(name).summary(summary).description(summary);
    if (name === typed) await defineVerb(command, (await load()).verb, argv, io, done);
  }
  return program.addHelpText("after", topHelp);
}

async function defineVerb(
  command: Command,
  verb: Verb,
  argv: readonly string[],
  io: Io,
  done: (exit: Exit) => void,
): Promise<void> {
  command.description(verb.description);
  const width = Math.max(...verb.examples.map(([line]) => line.length));
  const examples = verb.examples.map(([line, purpose]) => `  ${line.padEnd(width)}  # ${purpose}`);
  command.addHelpText("after", `\nExamples:\n${examples.join("\n")}`);
  if (verb.verbs) {
    // The word behind the group's own name: an option's value before it is no verb.
    const behind = argv.slice(argv.indexOf(command.name()) + 1);
    const typed = behind.find((word) => Object.hasOwn(verb.verbs ?? {}, word));
    for (const [name, { summary, load }] of Object.entries(verb.verbs)) {
      const part = command.command(name).summary(summary).description(summary);
      if (name === typed) await defineVerb(part, (await load()).verb, argv, io, done);
    }
    return;
  }
  for (const word of verb.usage.split(" ").filter((part) => part !== "")) command.argument(word);
  for (const { flags, text, choices, mandatory, many } of verb.options ?? []) {
    const option = new Option(flags, text);
    if (choices) option.choices(choices);
    if (many) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
    command.addOption(option.makeOptionMandatory(mandatory ?? false));
  }
  command.action(async () => {
    const options = command.optsWithGlobals<Record<string, OptionValue | undefined>>();
    const home = homePath(typeof options.home === "string" ? options.home : undefined, io.env);
    done(await verb.run({ io, home, json: options.json === true, args: command.args, options }));
  });
}

function output(argv: readonly string[], io: Io): OutputConfiguration {
  const json = argv.includes("--json");
  return {
    writeOut: (text) => void io.stdout.write(text),
    // Under --json the refusal is told once, as JSON.
    writeErr: (text) => void (json || io.stderr.write(text)),
    outputError: (text, print) =>
      print(text.replace(/^error: /, `${palette(io, "stderr").red("owlpost:")} `)),
    getOutHasColors: () => hasColours(io, "stdout"),
    getErrHasColors: () => hasColours(io, "stderr"),
  };
}

type WayOut = { readonly see: string; readonly instead?: string };

/** Where the help for this line stands, and the line that was meant, as far as that is known. */
async function wayOut([first = "", second = ""]: readonly string[]): Promise<WayOut> {
  if (!Object.hasOwn(verbs, first)) return { see: "See owlpost help, or owlpost help COMMAND." };
  const group = (await verbs[first]?.load())?.verb;
  const see = Object.hasOwn(group?.verbs ?? {}, second) ? `${first} ${second}` : first;
  const others = group?.otherWords ?? {};
  const instead = Object.hasOwn(others, second) ? others[second] : undefined;
  return { see: `See owlpost ${see} --help.`, ...(instead === undefined ? {} : { instead }) };
}

/** Bad usage is 2, whatever commander thinks; help that was asked for is 0. */
async function usageExit(
  { exitCode, code, message }: CommanderError,
  json: boolean,
  io: Io,
  { see, instead }: WayOut,
): Promise<Exit> {
  if (exitCode === 0) return 0;
  const isHelp = code === "commander.help";
  if (!json) {
    const way = instead === undefined ? "" : `That is ${instead}\n`;
    if (!isHelp) await io.stderr.write(`${way}${see}\n`);
    return 2;
  }
  const said = isHelp ? "name a command; see owlpost --help" : message.replace(/^error: /, "");
  return fail({ io, json }, 2, "bad-usage", instead === undefined ? said : `${said}; that is ${instead}`);
}

const topHelp = `
Examples:
  owlpost serve --sample                      # try it: no account, no configuration
  owlpost ask question.yaml                   # prints the question's id
  owlpost answer q-a3f2-012-1 1               # choose option 1
  owlpost take --json --claim "$RUN-$STEP"    # what is decided, for the loop
  owlpost status                              # what waits, and for how long

Exit codes: 0 done, 1 fault, 2 refused as written, 3 no such thing or a conflict, 4 nothing yet.
owlpost COMMAND --help shows the options and examples of one command.`;
