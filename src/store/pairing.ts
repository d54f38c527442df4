import type { Store } from "../domain/store.ts";
import { applyEffects } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { listBindings, liveCodes, peopleAt, upcomingId } from "./people.ts";
import { countersOf } from "./senders.ts";
import { type Sql, scalar } from "./statements.ts";

/** Who may speak: people, their bindings and codes, and what is counted of a sender. */
export function pairing(
  sql: Sql,
  commit: Commit,
): Pick<Store, "pair" | "bindings" | "codes" | "counters" | "tokenKey"> {
  return {
    pair: (decide, now) =>
      commit(() => {
        const { effects, value } = decide(peopleAt(sql, now), upcomingId(sql));
        applyEffects(sql, effects, now);
        return value;
      }),
    bindings: async () => listBindings(sql),
    codes: async (now) => liveCodes(sql, now),
    counters: async (channel, sender) => countersOf(sql, channel, sender),
    tokenKey: async (fresh, now) => {
      const known = () => scalar<string>(sql, "SELECT key FROM token_keys WHERE n = 1");
      const key = known();
      if (key !== undefined) return key;
      return commit(() => {
        sql("INSERT INTO token_keys (n, key, created_at) VALUES (1, ?, ?) ON CONFLICT (n) DO NOTHING").run(
          fresh,
          now,
        );
        return known() ?? fresh;
      });
    },
  };
}
