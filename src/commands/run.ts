import { homePath } from "../app/home.ts";
import { parsePlain } from "./plain-line.ts";
import { fail } from "./print.ts";
import type { Exit, Io, Verb, Verbs } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** Runs one command line (without node and script) to its exit code. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<Exit> {
  try {
    const found = await findVerb(argv, verbs);
    const line = found && parsePlain(found.words, found.verb);
    if (line) {
      const { args, options } = line;
      const home = homePath(typeof options.home === "string" ? options.home : undefined, io.env);
      return await found.verb.run({ io, home, json: options.json === true, args, options });
    }
    const { runProgram } = await import("./program.ts");
    const exit = await runProgram(argv, io);
    // To an agent, an exit of 2 is a decision of its hook: a line that this version cannot read would block it.
    return exit === 2 && firstWord(argv) === "hook" ? 1 : exit;
  } catch (error) {
    return fault(error, argv.includes("--json"), io);
  }
}

function firstWord(argv: readonly string[]): string | undefined {
  return argv.find((word, at) => !word.startsWith("-") && argv[at - 1] !== "--home");
}

/** The verb that a line begins with, and what stands behind it; undefined where it begins with none. */
async function findVerb(
  [name = "", ...words]: readonly string[],
  among: Verbs,
): Promise<{ readonly verb: Verb; readonly words: readonly string[] } | undefined> {
  if (!Object.hasOwn(among, name)) return undefined;
  const verb = (await among[name]?.load())?.verb;
  if (!verb) return undefined;
  return verb.verbs ? findVerb(words, verb.verbs) : { verb, words };
}

/** What went wrong on this machine, in one sentence; a reader that went away is told nothing. */
async function fault(error: unknown, json: boolean, io: Io): Promise<Exit> {
  const code = (error as { code?: unknown }).code;
  if (code === "EPIPE") return 1;
  const name = typeof code === "string" ? code.toLowerCase() : "fault";
  const message = error instanceof Error ? error.message : String(error);
  try {
    return await fail({ io, json }, 1, name, message);
  } catch {
    return 1;
  }
}
