import type { Readable } from "node:stream";
import { type Environment, isAgentIn } from "../app/home.ts";

/** 0 done · 1 fault · 2 refused as written · 3 no such thing, or a conflict · 4 nothing yet. */
export type Exit = 0 | 1 | 2 | 3 | 4;

/** Where text goes. */
export type Sink = {
  /** Resolves when the system has taken the text; rejects when nobody reads any more (`EPIPE`). */
  write(text: string): Promise<void>;
  /** Is it a terminal? */
  readonly tty: boolean;
};

/** A command's doors to the outside. Opening one costs time: each is opened when it is first used. */
export type Io = {
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Environment;
  readonly cwd: string;
};

/** One command, understood. */
export type Call = {
  readonly io: Io;
  /** Absolute path; it may not exist yet. */
  readonly home: string;
  readonly json: boolean;
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
};

/** A list: an option that may be given more than once. */
export type OptionValue = string | boolean | readonly string[];

export type VerbOption = {
  /** As commander writes them: `--key <key>`. */
  readonly flags: string;
  readonly text: string;
  readonly choices?: readonly string[];
  readonly mandatory?: true;
  /** It may be given more than once. */
  readonly many?: true;
};

/** What each file of a verb exports as `verb`. */
export type Verb = {
  /** As commander writes them: `<question> [key]`. */
  readonly usage: string;
  readonly description: string;
  readonly options?: readonly VerbOption[];
  /** Whole command lines, each with what it is good for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** A group of verbs: the next word names one of them. */
  readonly verbs?: Verbs;
  /** Of a group: what somebody may type instead of a verb of its, and the line that does it. */
  readonly otherWords?: Readonly<Record<string, string>>;
  run(call: Call): Promise<Exit>;
};

/** Verbs by their names; only the file of the one that is typed is loaded. */
export type Verbs = Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly verb: Verb }> }>
>;

/** The text of an option that was given a value. */
export function textOption(call: Call, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === "string" ? value : undefined;
}

/** The texts of an option that may be given more than once, in order. */
export function textOptions(call: Call, name: string): readonly string[] {
  const value = call.options[name];
  return typeof value === "object" ? value : [];
}

/** An argument that commander has made sure of. */
export function argument(call: Call, index: number): string {
  return call.args[index] ?? "";
}

/** Does an agent run this command? */
export function isAgent(io: Io): boolean {
  return isAgentIn(io.env);
}
