import { editsFor, postsFor } from "../core/reached.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import { states } from "../domain/question.ts";
import type { Store } from "../domain/store.ts";
import type { Health } from "./health.ts";
import type { Router } from "./route.ts";

export type ReopenOptions = {
  readonly store: Store;
  readonly health: Health;
  readonly router: () => Promise<Router>;
  readonly now: () => Instant;
  readonly onCommit: () => void;
};

/** Questions that are looked at; more than anybody reads. */
const mostOpen = 200;
const mostPast = 50;

/**
 * A destination that was refused takes messages again: what is open and rings there and was never shown is posted, and what
 * was decided meanwhile is shown as it stands. That it was refused is forgotten last: killed in between, it is done again
 * at the next sign of life, and the sender posts nothing twice.
 */
export function reopener({ store, health, router, now, onCommit }: ReopenOptions) {
  return async (channel: ChannelId, destination: string): Promise<void> => {
    const there = { channel, destination };
    const routes = await router();
    const open = await store.questions({ states: ["pending", "posted"], limit: mostOpen });
    const past = states.filter((state) => state !== "pending" && state !== "posted");
    const decided = await store.questions({ states: past, newest: true, limit: mostPast });
    for (const { question } of [...open, ...decided]) {
      await store.move(
        question.id,
        (stored, copies) => {
          const known = new Map([[question.id, copies]]);
          const effects = stored
            ? [...postsFor(there, [stored], known, routes, now()), ...editsFor(there, stored, copies)]
            : [];
          return { effects, value: undefined };
        },
        now(),
      );
    }
    await health.reopened(channel, destination);
    onCommit();
  };
}
