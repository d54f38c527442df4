import { stripVTControlCharacters } from "node:util";
import { type Posed, readPromise } from "../core/promise.ts";
import type { AskRequest } from "./api.ts";
import { tailOf } from "./facts.ts";

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
  const measured = flags.facts ?? {};
  // What is made up says nothing by itself: whoever decides needs the end of the log.
  const shown = posed.lowFidelity && tail !== "";
  const asFact = shown && !flags.asAgent && measured.output_tail === undefined;
  const facts = { ...(asFact ? { output_tail: tail } : {}), ...measured };
  const document = {
    ...posed.document,
    ...(shown && flags.asAgent ? { tried: tail } : {}),
    default: defaultOf(posed.document.default, flags),
  };
  return {
    document,
    agentsWords: { dropped: posed.dropped },
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  };
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
