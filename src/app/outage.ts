import { outageOf, touchUp } from "../core/outage.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Health } from "./health.ts";

export type OutageOptions = {
  readonly store: Store;
  readonly health: Pick<Health, "away">;
  readonly channel: ChannelId;
  /** How long the platform keeps a press that nobody fetches. */
  readonly pressMs: number | "unlimited";
  /** When something was received before this process began. */
  readonly lastReceiveAt: Instant | undefined;
  readonly now: () => Instant;
  readonly onCommit: () => void;
};

/** Questions of each kind that are touched up after one outage; more than anybody reads. */
const mostTouched = 200;

/**
 * Called after every reception, before it is noted: after an outage that was longer than presses are kept, each
 * question on that channel that may still be answered is touched up once. Killed in between, it is done again, which says the same.
 */
export function watchOutages(options: OutageOptions): () => Promise<void> {
  const { store, channel, now } = options;
  let last = options.lastReceiveAt;
  return async () => {
    const outage = outageOf(last, now(), options.pressMs);
    if (outage) {
      // Every later edit of what stood there says it, too: the deadline may be swept at any moment.
      await options.health.away(channel, outage);
      const open = await store.questions({ states: ["posted"], limit: mostTouched });
      const late = await store.questions({ states: ["expired"], newest: true, limit: mostTouched });
      let touched = 0;
      for (const { question } of [...open, ...late]) {
        touched += await store.move(
          question.id,
          (stored, copies) => {
            const effects = touchUp(stored, copies, channel, outage);
            return { effects, value: effects.length > 0 ? 1 : 0 };
          },
          now(),
        );
      }
      const data = { channel, from: outage.from, to: outage.to, questions: touched };
      await store.append([{ type: "log", event: { kind: "channel.away", data } }], now());
      options.onCommit();
    }
    last = now();
  };
}
