import type { Receipt, Reply } from "../../src/domain/channel.ts";
import type { Way } from "./envelope.ts";
import type { Envelope } from "./frames.ts";
import type { Socket } from "./socket.ts";
import { answerOf } from "./toasts.ts";

/** A reply that came and is not settled yet. One that was read again has nobody who waits for an ack. */
export type Arrival = {
  readonly reply: Reply;
  readonly way?: Way;
  readonly line?: { readonly envelope: Envelope; readonly socket: Socket };
};

/** Who shows a receipt, and whether its sender has it already. */
export type Acked = {
  readonly arrival: Arrival;
  readonly receipt: Receipt | undefined;
  readonly told: boolean;
};

/** Replies in the order in which they came; they stay until they are acked. */
export type Arrivals = {
  add(arrival: Arrival): void;
  readonly count: number;
  first(most: number): readonly Arrival[];
  /** After their commit: they are gone from here, and Slack is told so. */
  ack(some: readonly Arrival[], receipts: readonly Receipt[]): readonly Acked[];
  /** Resolves when there is one, when `until` resolves, or after so long; at once where there is one. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends every wait. */
  wake(): void;
};

export function openArrivals(): Arrivals {
  let all: Arrival[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const each of waiting) each();
  };
  return {
    add(arrival) {
      all.push(arrival);
      wake();
    },
    get count() {
      return all.length;
    },
    first: (most) => all.slice(0, most),
    ack(some, receipts) {
      const gone = new Set(some);
      all = all.filter((each) => !gone.has(each));
      const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]));
      return some.map((arrival) => {
        const { reply, way, line } = arrival;
        const receipt = byKey.get(reply.key);
        const answer = answerOf(way, receipt);
        const sent = line?.socket.ack(line.envelope.envelope_id, answer) === true;
        return { arrival, receipt, told: sent && answer !== undefined };
      });
    },
    wait(ms, signal) {
      if (all.length > 0 || signal.aborted) return Promise.resolve();
      return new Promise((done) => {
        const timer = setTimeout(finish, ms);
        function finish(): void {
          clearTimeout(timer);
          waiting.delete(finish);
          signal.removeEventListener("abort", finish);
          done();
        }
        waiting.add(finish);
        signal.addEventListener("abort", finish, { once: true });
      });
    },
    wake,
  };
}
