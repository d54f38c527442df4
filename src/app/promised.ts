import { stripVTControlCharacters } from "node:util";
import { type Posed, readPromise } from "../core/promise.ts";
import type { AskRequest } from "./api.ts";
import { type Facts, tailOf } from "./facts.ts";

/** How long a question waits that an agent asked without saying so. */
const defaultAt = "8h";

export type OutputFlags = {
  readonly task: string;
  readonly asAgent: boolean;
  /** Beats the agent's own default. */
  readonly action?: string;
  readonly at?: string;
  readonly facts?: Readonly<Record<string, unknown>>;
};

export type AskedOutput = {
  readonly word: "DONE" | "DECIDE" | "BLOCKED" | null;
  readonly questions: readonly Pick<AskRequest, "document" | "agentsWords" | "facts">[];
};

/** What the output of an agent asks, ready to be asked. An agent measures nothing, whoever hands its output over. */
export function questionsIn(output: string, flags: OutputFlags): AskedOutput {
  const promised = readPromise(stripVTControlCharacters(output), flags.task);
  if (promised.word === null || promised.word === "DONE") return { word: promised.word, questions: [] };
  const tail = tailOf(promised.before);
  return { word: promised.word, questions: promised.posed.map((posed) => request(posed, tail, flags)) };
}

function request(posed: Posed, tail: string, flags: OutputFlags): AskedOutput["questions"][number] {
  const facts = posed.lowFidelity && !flags.asAgent ? withLog(tail, flags.facts ?? {}) : (flags.facts ?? {});
  const document = {
    ...posed.document,
    ...(posed.lowFidelity && flags.asAgent && tail !== "" ? { tried: tail } : {}),
    default: defaultOf(posed.document.default, flags),
  };
  return {
    document,
    agentsWords: { dropped: posed.dropped },
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  };
}

/**
 * What is made up says nothing by itself: whoever decides needs the end of the agent's log, and it leads the message as the
 * agent's last output. So the output of a command that was measured has another name there.
 */
function withLog(tail: string, { output_tail: measured, ...facts }: Facts): Facts {
  const log = tail === "" ? {} : { output_tail: tail };
  if (measured === undefined) return { ...log, ...facts };
  return facts.command === undefined
    ? { ...facts, output_tail: measured }
    : { ...log, ...facts, command_output: measured };
}

function defaultOf(own: unknown, { action, at }: OutputFlags): Readonly<Record<string, unknown>> {
  const written = typeof own === "object" && own !== null && !Array.isArray(own) ? own : {};
  return {
    action: "skip_spec",
    at: defaultAt,
    ...written,
    ...(action === undefined ? {} : { action }),
    ...(at === undefined ? {} : { at }),
  };
}
