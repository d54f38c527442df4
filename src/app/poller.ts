import { waitMs } from "../core/backoff.ts";
import { type AnswerChannel, type Batch, ChannelError } from "../domain/channel.ts";
import type { Ack } from "../domain/command.ts";
import { type ChannelId, type QuestionId, questionId } from "../domain/ids.ts";
import type { Health } from "./health.ts";
import {
  destinationOf,
  type InboxTurnOptions,
  receiptsOf,
  type TakenIn,
  takeIn,
  untold,
} from "./inbox-turn.ts";
import type { Log } from "./log.ts";
import { withCodes } from "./pairing.ts";
import { pause } from "./pause.ts";

/** However long a channel is out of order: presses are kept for minutes only. */
const longestPauseMs = 60_000;
/** Replies whose toasts may be under way while the next batch is fetched; on a busy platform a batch is a single one. */
const mostSettling = 400;

export type PollerOptions = InboxTurnOptions & {
  readonly channel: AnswerChannel;
  readonly health: Health;
  readonly log: Log;
  readonly random: () => number;
  readonly onCommit: () => void;
  /** Called with what a batch has answered, once that is committed, and with what is known of it. */
  readonly onAnswers?: (questions: readonly QuestionId[], known: TakenIn["moved"]) => void;
  /** Called when somebody speaks at a destination that was refused, or has let us in there again. */
  readonly onReopened?: (channel: ChannelId, destination: string) => Promise<void>;
  /** Does a question ever go to that chat? */
  readonly isPlace?: (channel: ChannelId, chat: string) => Promise<boolean>;
  /** Called with what the owner of a channel should know in time. */
  readonly onWarning?: (text: string) => Promise<void>;
  /** Called after every reception, before it is noted. */
  readonly onReceive?: () => Promise<void>;
};

/** How long a stop waits for toasts that are on their way. */
const lastToastsMs = 1_000;

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
    const polled = await channel.poll(await store.cursor(channel.id), stop.signal);
    const replies = await withCodes(store, channel.id, polled.replies, options.now());
    const batch = { ...polled, replies };
    if (batch.replies.length > 0 || batch.cursor !== undefined) {
      const { acks, moved } = await takeIn(channel.id, batch, options);
      // The toast goes out first: its press is kept for seconds only.
      const told = tell(batch, acks);
      // Node writes a request in the tick after it was made: the toasts leave before the edits are rendered.
      await new Promise<void>((next) => process.nextTick(next));
      options.onAnswers?.(answeredBy(batch, acks), moved);
      // Both are on the wire before anything is done that nobody waits for.
      await new Promise((next) => setImmediate(next));
      options.onCommit();
      await told;
      await noteChats(batch);
    }
    if (batch.warning !== undefined) await options.onWarning?.(batch.warning);
    await options.onReceive?.();
    await health.received(channel.id);
    if (!batch.more) firstDone();
  }

  async function noteChats({ replies, chats = [] }: Batch): Promise<void> {
    for (const change of chats) {
      if (change.open || !(await options.isPlace?.(channel.id, change.chat))) continue;
      await health.refused(channel.id, change.chat, change.detail);
      options.onCommit();
    }
    const shut = new Set(chats.flatMap((change) => (change.open ? [] : [change.chat])));
    const spoken = replies.map(destinationOf).filter((place) => place !== undefined && !shut.has(place));
    const opened = new Set([...spoken, ...chats.flatMap(({ chat, open }) => (open ? [chat] : []))]);
    for (const chat of opened) {
      for (const destination of health.refusedAt(channel.id, chat ?? ""))
        await options.onReopened?.(channel.id, destination);
    }
  }

  const settling = new Set<Promise<void>>();
  let unsettled = 0;
  /**
   * Toasts are best effort: one that is slow holds up no reply, and one that fails undoes nothing. What changed something
   * shows in its message all the same; whoever was refused gets a message instead.
   */
  async function tell(batch: Batch, acks: readonly Ack[]): Promise<void> {
    const count = batch.replies.length;
    const told = toasts(batch, acks)
      .catch((error: unknown) => log.warn({ channel: channel.id, err: error }, "a receipt was not shown"))
      .finally(() => {
        settling.delete(told);
        unsettled -= count;
      });
    settling.add(told);
    unsettled += count;
    if (unsettled >= mostSettling) await Promise.race(settling);
  }

  async function toasts(batch: Batch, acks: readonly Ack[]): Promise<void> {
    const delivered = await batch.settle?.(receiptsOf(batch.replies, acks)).catch((error: unknown) => {
      log.warn({ channel: channel.id, err: error }, "a toast was not shown");
      return [];
    });
    const rest = untold(channel.id, batch.replies, acks, delivered ?? []);
    if (rest.length === 0 || stop.signal.aborted) return;
    await store.append(rest, options.now());
    options.onCommit();
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
        const wait = Math.min(longestPauseMs, waitMs(failures, options.random()));
        await pause(Math.max(wait, known?.retryAfterMs ?? 0), stop.signal);
        firstDone();
      }
    }
    firstDone();
  }

  const running = channel.poll ? loop() : Promise.resolve(firstDone());
  return {
    backlog,
    async close(): Promise<void> {
      stop.abort();
      await running;
      // Toasts are best effort: one that hangs does not hold up a stop.
      await Promise.race([Promise.all(settling), pause(lastToastsMs, new AbortController().signal)]);
    },
  };
}

function answeredBy({ replies }: Batch, acks: readonly Ack[]): QuestionId[] {
  const pressed = replies.map(({ press }, index) =>
    press && acks[index]?.accepted ? questionId(press.question) : undefined,
  );
  return [...new Set(pressed)].filter((id) => id !== undefined);
}
