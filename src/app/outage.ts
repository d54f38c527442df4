import { outageOf, touchUp } from "../core/outage.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";

export type OutageOptions = {
  readonly store: Store;
  readonly channel: ChannelId;
  /** How long the platform keeps a press that nobody fetches. */
  readonly pressMs: number | "unlimited";
  /** When something was received before this process began. */
  readonly lastReceiveAt: Instant | undefined;
  readonly now: () => Instant;
  readonly onCommit: () => void;
};

/** Open questions that are touched up after one outage; more than anybody reads. */
const mostTouched = 200;

/**
 * Called after every reception, before it is noted: after an outage that was longer than presses are kept, each open
 * question on that channel is touched up once. Killed in between, it is done again, which says the same.
 */
export function watchOutages(options: OutageOptions): () => Promise<void> {
  const { store, channel, now } = options;
  let last = options.lastReceiveAt;
  return async () => {
    const outage = outageOf(last, now(), options.pressMs);
    if (outage) {
      const open = await store.questions({ states: ["posted"], limit: mostTouched });
      for (const { question } of open) {
        await store.move(
          question.id,
          (stored, copies) => ({ effects: touchUp(stored, copies, channel, outage), value: undefined }),
          now(),
        );
      }
      const data = { channel, from: outage.from, to: outage.to, questions: open.length };
      await store.append([{ type: "log", event: { kind: "channel.away", data } }], now());
      options.onCommit();
    }
    last = now();
  };
}
