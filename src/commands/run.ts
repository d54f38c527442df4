import { homePath } from "../app/home.ts";
import { parsePlain } from "./plain-line.ts";
import { fail } from "./print.ts";
import type { Exit, Io } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** Runs one command line (without node and script) to its exit code. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<Exit> {
  try {
    const name = argv[0] ?? "";
    if (Object.hasOwn(verbs, name)) {
      const verb = (await verbs[name]?.load())?.verb;
      const line = verb && parsePlain(argv.slice(1), verb);
      if (line) {
        const { args, options } = line;
        const home = homePath(typeof options.home === "string" ? options.home : undefined, io.env);
        return await verb.run({ io, home, json: options.json === true, args, options });
      }
    }
    const { runProgram } = await import("./program.ts");
    return await runProgram(argv, io);
  } catch (error) {
    return fault(error, argv.includes("--json"), io);
  }
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
