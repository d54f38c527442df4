import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Call, Verb } from "./verb.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads a command line in which nothing is wrong and no help is asked for; undefined for every other one, which commander
 * then explains. Loading commander would cost `ask` a fifth of its time.
 */
export function parsePlain(words: readonly string[], verb: Verb): Pick<Call, "args" | "options"> | undefined {
  // Choices and options that must be there are commander's to check.
  if (verb.options?.some((option) => option.mandatory || option.choices)) return undefined;
  const known: Options = { json: { type: "boolean" }, home: { type: "string" } };
  for (const { flags, many = false } of verb.options ?? []) {
    const [name = "", value] = flags.slice(2).split(" ");
    known[name] = value === undefined ? { type: "boolean" } : { type: "string", multiple: many };
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: known,
      allowPositionals: true,
      strict: true,
    });
    return fits(positionals.length, verb.usage)
      ? { args: positionals, options: camelCased(values) as Call["options"] }
      : undefined;
  } catch {
    return undefined;
  }
}

/** `take-over` is `takeOver`, as commander has it. */
function camelCased(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const named = (name: string) => name.replaceAll(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [named(name), value]));
}

/** Is the number of arguments right for `<a> [b]`, where `<a...>` takes one or more? */
function fits(count: number, usage: string): boolean {
  const words = usage.split(" ").filter((word) => word !== "");
  const least = words.filter((word) => word.startsWith("<")).length;
  const most = words.some((word) => word.includes("...")) ? Number.POSITIVE_INFINITY : words.length;
  return count >= least && count <= most;
}
