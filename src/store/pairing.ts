import type { Store } from "../domain/store.ts";
import { applyEffects } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { listBindings, liveCodes, peopleAt } from "./people.ts";
import { countersOf } from "./senders.ts";
import type { Sql } from "./statements.ts";

/** Who may speak: people, their bindings and codes, and what is counted of a sender. */
export function pairing(sql: Sql, commit: Commit): Pick<Store, "pair" | "bindings" | "codes" | "counters"> {
  return {
    pair: (decide, now) =>
      commit(() => {
        const { effects, value } = decide(peopleAt(sql, now));
        applyEffects(sql, effects, now);
        return value;
      }),
    bindings: async () => listBindings(sql),
    codes: async (now) => liveCodes(sql, now),
    counters: async (channel, sender) => countersOf(sql, channel, sender),
  };
}
