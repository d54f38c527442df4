import type { AskOutcome } from "../app/api.ts";
import { hasFacts } from "./ask-options.ts";
import { type Call, isAgent } from "./verb.ts";

/** Which run it is and what was measured, the engine says: an agent's flags for it are not kept, and told like every other field that is not. */
export function withoutEngine<Outcome extends AskOutcome | undefined>(call: Call, outcome: Outcome): Outcome {
  if (!isAgent(call.io) || !outcome?.ok) return outcome;
  const flags = [...(call.options.run === undefined ? [] : ["run"]), ...(hasFacts(call) ? ["facts"] : [])];
  if (flags.length === 0) return outcome;
  return { ...outcome, dropped: [...new Set([...(outcome.dropped ?? []), ...flags])] };
}
