import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { waitMs } from "../core/backoff.ts";
import { log, move } from "../core/moves.ts";
import { followUpView, noticeView, questionView } from "../core/view.ts";
import type { AnswerChannel, ChannelMessage } from "../domain/channel.ts";
import { ChannelError } from "../domain/channel.ts";
import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Job, Store } from "../domain/store.ts";
import type { View } from "../domain/view.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";

/** How long one attempt may take before it counts as failed. */
const attemptMs = 30_000;
const mostHeads = 64;

export type SenderOptions = {
  readonly store: Store;
  readonly channels: ReadonlyMap<string, AnswerChannel>;
  readonly health: Health;
  readonly log: Log;
  readonly now: () => Instant;
  readonly random: () => number;
  /** Called after each commit. */
  readonly onCommit: () => void;
};

export type Sender = {
  /** Something may be waiting. */
  wake(): void;
  /** Resolves when every queue is empty or waits for its time. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Empties the outbox. Every (channel, destination) is a queue of its own: in order, one message at a time,
 * so that a slow or dead destination holds up nobody else.
 */
export function startSender(options: SenderOptions): Sender {
  const { store, channels, health, log: logger, now } = options;
  const stop = new AbortController();
  const busy = new Map<string, Promise<void>>();
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

  async function look(): Promise<void> {
    for (const job of await store.nextJobs(now(), mostHeads)) {
      const queue = `${job.channel}\n${job.destination}`;
      if (busy.has(queue) || stop.signal.aborted) continue;
      const work = deliver(job)
        .catch((error: unknown) => {
          logger.error({ err: error, job: job.key }, "a message could not be recorded; trying again in 5 s");
          arm(now() + 5_000);
        })
        .finally(() => {
          busy.delete(queue);
          wake();
        });
      busy.set(queue, work);
    }
    const next = await store.nextJobAt();
    if (next !== undefined && busy.size === 0) arm(next);
  }

  function arm(at: Instant): void {
    clearTimeout(timer);
    // A clock that jumps is noticed within this time.
    timer = setTimeout(wake, Math.min(Math.max(at - now(), 10), 15_000));
    timer.unref();
  }

  async function deliver(job: Job): Promise<void> {
    const channel = channels.get(job.channel);
    const stored = job.question === undefined ? undefined : await store.question(job.question);
    if (!channel) {
      await store.drop(job, failure(job, stored, "not-configured"), now());
      return options.onCommit();
    }
    try {
      await attempt(channel, job, stored);
      await health.up(job.channel);
    } catch (error) {
      if (stop.signal.aborted) return;
      await failed(job, stored, error);
    }
    options.onCommit();
  }

  async function attempt(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion | undefined,
  ): Promise<void> {
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(attemptMs)]);
    if (job.kind === "notice") {
      const notice = job.notice ?? { kind: "notice", text: "" };
      await channel.post(
        job.destination,
        message(job, noticeView(notice.kind, notice.text)),
        job.key,
        signal,
      );
      return store.sent(job, undefined, () => [], now());
    }
    if (!stored) return store.drop(job, [], now());
    if (job.kind === "post") {
      // A question that was decided while its post waited is no longer asked.
      if (!isOpen(stored.state)) return store.drop(job, [], now());
      const view = questionView(stored, now());
      const ref = await channel.post(job.destination, message(job, view), job.key, signal);
      return store.sent(job, { ref, revision: stored.revision }, (row) => posted(row, stored, job), now());
    }
    const copy = (await store.copies(stored.question.id)).find(
      (each) => each.channel === job.channel && each.destination === job.destination,
    );
    if (!copy || copy.revision >= stored.revision) return store.drop(job, [], now());
    await edit(channel, job, stored, copy.ref, signal);
    return store.sent(job, { ref: copy.ref, revision: stored.revision }, () => [], now());
  }

  /** An edit, or the same words as a follow-up where the channel cannot edit or never will edit this message. */
  async function edit(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion,
    ref: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (channel.edit) {
      try {
        return await channel.edit(job.destination, ref, message(job, questionView(stored, now())), signal);
      } catch (error) {
        if (!(error instanceof ChannelError && error.permanent)) throw error;
      }
    }
    await channel.post(job.destination, message(job, followUpView(stored, now())), job.key, signal);
  }

  function message(job: Job, view: View): ChannelMessage {
    return render(view, rowOf(job.channel));
  }

  async function failed(job: Job, stored: StoredQuestion | undefined, error: unknown): Promise<void> {
    const known = error instanceof ChannelError ? error : undefined;
    const reason = known?.reason ?? "unexpected";
    if (known?.permanent) {
      logger.warn({ channel: job.channel, job: job.key, reason }, "a message was refused for good");
      return store.drop(job, failure(job, stored, reason), now());
    }
    const wait = waitMs(job.attempts + 1, options.random(), known?.retryAfterMs);
    logger.warn(
      { channel: job.channel, job: job.key, reason, waitMs: wait },
      "a message could not be sent yet",
    );
    await store.postpone(job, now() + wait);
    await health.down(job.channel, known?.message ?? "an unexpected error; see the log");
  }

  return {
    wake,
    async settled(): Promise<void> {
      wake();
      while (looking || busy.size > 0) await Promise.allSettled([looking, ...busy.values()]);
    },
    async close(): Promise<void> {
      stop.abort();
      clearTimeout(timer);
      await Promise.allSettled([looking, ...busy.values()]);
    },
  };
}

/** One channel has accepted it: the question is posted; a copy that was overtaken while it travelled is edited. */
function posted(row: StoredQuestion | undefined, sent: StoredQuestion, job: Job): readonly Effect[] {
  if (!row) return [];
  const moved = move(row, "post", {}, {}, [], { channel: job.channel });
  if (moved) return moved.effects;
  if (row.revision === sent.revision || isOpen(row.state)) return [];
  const { channel, destination } = job;
  return [{ type: "send", job: { channel, destination, kind: "edit", question: row.question.id } }];
}

function failure(job: Job, stored: StoredQuestion | undefined, reason: string): readonly Effect[] {
  const data = { channel: job.channel, message: job.kind, reason };
  if (stored) return [log(stored, "question.post-failed", data)];
  return [{ type: "log", event: { kind: "notice.failed", data } }];
}
