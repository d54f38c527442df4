import { resolve } from "node:path";
import { type Facts, factsOfCommand, factsOfDiff } from "../app/facts.ts";
import { plain, say } from "./print.ts";
import { type Call, textOption, textOptions } from "./verb.ts";

export type Gathered =
  /** Undefined where nothing was to be measured. */
  { readonly ok: true; readonly facts: Facts | undefined } | { readonly ok: false; readonly message: string };

/** What the engine measured, as its flags say: what is named beats what was run. */
export async function gatherFacts(call: Call): Promise<Gathered> {
  const named: Record<string, unknown> = {};
  for (const text of textOptions(call, "fact")) {
    const at = text.indexOf("=");
    if (at < 1) {
      return {
        ok: false,
        message: `--fact needs a name and a value, such as --fact branch=owl/a3f2 (found ${plain(text)})`,
      };
    }
    const name = text.slice(0, at);
    const value = text.slice(at + 1);
    named[name] = name === "exit_code" && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  }
  const command = textOption(call, "factCommand");
  if (command?.trim() === "") return { ok: false, message: "--fact-command needs a command line" };
  const folder = textOption(call, "diffStat");
  const diff =
    folder === undefined ? undefined : await factsOfDiff(resolve(call.io.cwd, folder), call.io.env);
  if (diff && !diff.ok) return { ok: false, message: plain(diff.message) };
  if (diff?.missing) await say(call, plain(diff.missing));
  if (command !== undefined) await say(call, `Running ${plain(command)} …`);
  const ran = command === undefined ? {} : await factsOfCommand(command, call.io.cwd, call.io.env);
  return { ok: true, facts: { ...diff?.facts, ...ran, ...named } };
}
