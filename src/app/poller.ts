import { waitMs } from "../core/backoff.ts";
import { type AnswerChannel, ChannelError } from "../domain/channel.ts";
import type { Health } from "./health.ts";
import { type InboxTurnOptions, takeIn } from "./inbox-turn.ts";
import type { Log } from "./log.ts";
import { pause } from "./pause.ts";

export type PollerOptions = InboxTurnOptions & {
  readonly channel: AnswerChannel;
  readonly health: Health;
  readonly log: Log;
  readonly random: () => number;
  readonly onCommit: () => void;
};

export type Poller = {
  /** Resolves once the first poll came back, whatever it brought. */
  readonly backlog: Promise<void>;
  close(): Promise<void>;
};

/** Asks one channel again and again for what came in; nothing is locked while it waits. */
export function startPoller(options: PollerOptions): Poller {
  const { channel, store, health, log } = options;
  const stop = new AbortController();
  let firstDone: () => void = () => undefined;
  const backlog = new Promise<void>((done) => {
    firstDone = done;
  });

  async function once(): Promise<void> {
    if (!channel.poll) return;
    const batch = await channel.poll(await store.cursor(channel.id), stop.signal);
    if (batch.replies.length > 0 || batch.cursor !== undefined) {
      await takeIn(channel.id, batch, options);
      options.onCommit();
    }
    await health.received(channel.id);
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stop.signal.aborted) {
      try {
        await once();
        failures = 0;
      } catch (error) {
        if (stop.signal.aborted) break;
        failures += 1;
        const known = error instanceof ChannelError ? error : undefined;
        log.warn({ channel: channel.id, err: error, failures }, "nothing could be received");
        await health
          .down(channel.id, known?.message ?? "an unexpected error; see the log")
          .catch(() => undefined);
        await pause(waitMs(failures, options.random(), known?.retryAfterMs), stop.signal);
      }
      firstDone();
    }
    firstDone();
  }

  const running = channel.poll ? loop() : Promise.resolve(firstDone());
  return {
    backlog,
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
