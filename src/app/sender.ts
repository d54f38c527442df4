import { setMaxListeners } from "node:events";
import type { AnswerChannel } from "../domain/channel.ts";
import type { Instant, QuestionId } from "../domain/ids.ts";
import type { Current } from "../domain/question.ts";
import type { Job } from "../domain/store.ts";
import { editsAhead, queueOf } from "./ahead.ts";
import { type AttemptOptions, attempting, type Record } from "./attempt.ts";
import { pause } from "./pause.ts";

/** Queues that are begun in one look; the next look follows at once. */
const mostHeads = 64;
/** How often it is looked for what has become due while a queue is busy. */
const busyLookMs = 1_000;
/** How long a queue rests after a fault of the store. */
const againMs = 5_000;

export type SenderOptions = AttemptOptions & {
  readonly channels: ReadonlyMap<string, AnswerChannel>;
  /** Called after each commit. */
  readonly onCommit: () => void;
  /** Called after each edit that somebody waited for. */
  readonly onShown?: () => void;
};

export type Sender = {
  /** Something may be waiting. */
  wake(): void;
  /**
   * These were answered just now, and whoever did so looks at the message: it is edited as soon as possible. `known`: how
   * some of them stand since the commit before this call.
   */
  answered(questions: readonly QuestionId[], known?: ReadonlyMap<QuestionId, Current>): void;
  /** Resolves when every queue is empty or waits for its time. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Empties the outbox. Every (channel, destination) is a queue of its own: in order, one message at a time,
 * so that a slow or dead destination holds up nobody else.
 */
export function startSender(options: SenderOptions): Sender {
  const { store, channels, health, log: logger, now, night, rows } = options;
  const stop = new AbortController();
  // Every destination that is sent to listens; Node would print a warning at the eleventh.
  setMaxListeners(0, stop.signal);
  const busy = new Map<string, Promise<void>>();
  const ahead = editsAhead({
    store,
    channels,
    now,
    night,
    rows,
    stop: stop.signal,
    onShown: options.onShown,
    isBusy: (queue) => busy.has(queue),
  });
  const { attempt, notConfigured, failed } = attempting(options, ahead, stop.signal);
  let looking: Promise<void> | undefined;
  let again = false;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    if (stop.signal.aborted) return;
    if (looking) {
      again = true;
      return;
    }
    looking = look()
      .catch((error: unknown) => {
        logger.error({ err: error }, "the outbox could not be read; trying again in 5 s");
        arm(now() + 5_000);
      })
      .finally(() => {
        looking = undefined;
        if (again) {
          again = false;
          wake();
        }
      });
  }

  function occupy(queue: string, work: Promise<void>): void {
    const ended = work.finally(() => {
      busy.delete(queue);
      wake();
    });
    busy.set(queue, ended);
  }

  async function look(): Promise<void> {
    // Those that are busy come first where a channel is dead: they must not hide the others.
    const most = mostHeads + busy.size;
    const jobs = await store.nextJobs(now(), most);
    if (jobs.length === 0 && busy.size === 0) ahead.forget();
    sendAhead();
    const { ripe, othersInMs } = ahead.ripe(jobs);
    for (const job of ripe) {
      const queue = queueOf(job.channel, job.destination);
      if (busy.has(queue) || stop.signal.aborted) continue;
      const work = deliver(job).catch((error: unknown) => {
        logger.error({ err: error, job: job.key }, "a message could not be looked up; trying again in 5 s");
        return pause(againMs, stop.signal);
      });
      occupy(queue, work);
      if (jobs.length === most) again = true;
    }
    if (othersInMs !== undefined) return arm(now() + othersInMs);
    // Its end wakes us; but one that hangs must not hide when the others are due.
    if (busy.size > 0) return arm(now() + busyLookMs);
    const next = await store.nextJobAt(now());
    if (next !== undefined && busy.size === 0) arm(next);
  }

  function sendAhead(): void {
    for (const queue of ahead.queues()) if (!busy.has(queue)) occupy(queue, ahead.run(queue));
  }

  function arm(at: Instant): void {
    clearTimeout(timer);
    // A clock that jumps is noticed within this time.
    timer = setTimeout(wake, Math.min(Math.max(at - now(), 10), 15_000));
    timer.unref();
  }

  async function deliver(job: Job): Promise<void> {
    const shown = job.kind === "edit" ? await ahead.shownFrom(job) : undefined;
    if (shown) {
      await record(job, () => shown().then(() => health.up(job.channel)));
      return options.onCommit();
    }
    const channel = channels.get(job.channel);
    const stored = job.question === undefined ? undefined : await store.question(job.question);
    let outcome: Record;
    try {
      outcome = channel ? await attempt(channel, job, stored) : notConfigured(job, stored);
    } catch (error) {
      if (stop.signal.aborted) return;
      outcome = failed(job, stored, error);
    }
    await record(job, outcome);
    options.onCommit();
  }

  /**
   * What became of a message is written down before the next one goes out, however long the disk refuses: sending again
   * because the record failed would ring a phone without end.
   */
  async function record(job: Job, outcome: Record): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        return await outcome();
      } catch (error) {
        logger.error(
          { err: error, job: job.key },
          "what became of a message could not be stored; trying again in 5 s",
        );
        await pause(againMs, stop.signal);
      }
    }
  }

  return {
    wake,
    answered(questions, known): void {
      // Without a look at the outbox: who tapped would wait for that, too.
      ahead.add(questions, sendAhead, known).catch((error: unknown) => {
        logger.warn({ err: error }, "edits wait for their turn");
      });
    },
    async settled(): Promise<void> {
      const calm = ahead.hurry();
      wake();
      while (looking || busy.size > 0) await Promise.allSettled([looking, ...busy.values()]);
      calm();
    },
    async close(): Promise<void> {
      stop.abort();
      clearTimeout(timer);
      await Promise.allSettled([looking, ...busy.values()]);
      await ahead.close();
    },
  };
}
