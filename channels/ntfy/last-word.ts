import type { ChannelMessage, ChannelTools, LastWord, LastWordPace } from "../../src/domain/channel.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { type Ability, probe } from "./ability.ts";
import type { Budget } from "./budget.ts";
import { encode, requestBody } from "./encode.ts";
import type { Line } from "./line.ts";
import type { Settings } from "./settings.ts";

const minute = 60_000;
export const usualPace: LastWordPace = { aheadMs: 15 * minute, everyMs: 5 * minute };
/** Where a day has few messages, they are for questions. */
const sparingPace: LastWordPace = { aheadMs: 75 * minute, everyMs: 30 * minute };
const fewMessages = 2_000;
/** The server takes nothing that is nearer. */
const leastAheadSeconds = 10;

export type LastWordOptions = {
  readonly ability: Ability;
  readonly budget: () => Budget | undefined;
  /** Each setting is a message of the day's. */
  readonly spent: () => void;
  readonly callMs: number;
};

/**
 * A message that the server holds until its time has come, under a sequence id of its own: the next one takes its place
 * while it waits, and a deletion cancels it. A server that updates nothing would tell each of them.
 */
export function lastWordOf(
  line: Line,
  given: Settings,
  tools: Pick<ChannelTools, "sign" | "now">,
  { ability, budget, spent, callMs }: LastWordOptions,
): LastWord {
  const sequence = tools.sign("last-word");
  const may = "write to the ask topic";

  return {
    async pace(signal) {
      const updates = ability.updates() ?? (await probe(line, given, ability, signal, callMs));
      if (!updates) return undefined;
      const known = budget();
      return known && known.messages < fewMessages ? sparingPace : usualPace;
    },

    async set(message: ChannelMessage, at, signal) {
      const ahead = Math.max(leastAheadSeconds, Math.round((at - tools.now()) / 1_000));
      // Counted by the server's clock, wherever ours stands.
      const body = requestBody(encode("", message, tools, given), {
        delay: `${ahead}s`,
        sequence_id: sequence,
      });
      const headers = { "content-type": "application/json" };
      const ask = { method: "POST", path: "/", token: given.token, headers, body, may } as const;
      const answered = await line.call(ask, signal, callMs);
      ability.learn(answered, sequence);
      spent();
    },

    async takeBack(signal) {
      const path = `/${given.ask_topic}/${sequence}`;
      try {
        await line.call({ method: "DELETE", path, token: given.token, may }, signal, callMs);
      } catch (error) {
        // An older server knows no such page, and has nothing to take back.
        if (!(error instanceof ChannelError && error.reason === "no-such-page")) throw error;
      }
    },
  };
}
