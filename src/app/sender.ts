import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { waitMs } from "../core/backoff.ts";
import { log, move } from "../core/moves.ts";
import { formAt, morningAfter, type NightRules } from "../core/night.ts";
import { viewAt } from "../core/night-view.ts";
import { loudnessOf } from "../core/ringing.ts";
import { followUpView, noticeView } from "../core/view.ts";
import type { AnswerChannel, ChannelMessage } from "../domain/channel.ts";
import { ChannelError } from "../domain/channel.ts";
import type { Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Job, Store } from "../domain/store.ts";
import type { View } from "../domain/view.ts";
import { editsAhead, queueOf } from "./ahead.ts";
import type { Health } from "./health.ts";
import { limitOf } from "./limit.ts";
import type { Log } from "./log.ts";
import { pause } from "./pause.ts";

/** How long one attempt may take before it counts as failed. */
const attemptMs = 30_000;
const mostHeads = 64;
/** Where quiet hours have no end: when it is looked at again. */
const lookAgainMs = 24 * 3_600_000;
/** How long a queue rests after a fault of the store. */
const againMs = 5_000;

/** Writes down what became of a message; may be called again until it succeeds. */
type Record = () => Promise<void>;

export type SenderOptions = {
  readonly store: Store;
  readonly channels: ReadonlyMap<string, AnswerChannel>;
  readonly health: Health;
  readonly log: Log;
  readonly now: () => Instant;
  readonly random: () => number;
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
  /** Called after each commit. */
  readonly onCommit: () => void;
  /** Called after each edit that somebody waited for. */
  readonly onShown?: () => void;
};

export type Sender = {
  /** Something may be waiting. */
  wake(): void;
  /** These were answered just now, and whoever did so looks at the message: it is edited as soon as possible. */
  answered(questions: readonly QuestionId[]): void;
  /** Resolves when every queue is empty or waits for its time. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Empties the outbox. Every (channel, destination) is a queue of its own: in order, one message at a time,
 * so that a slow or dead destination holds up nobody else.
 */
export function startSender(options: SenderOptions): Sender {
  const { store, channels, health, log: logger, now, night } = options;
  const stop = new AbortController();
  const busy = new Map<string, Promise<void>>();
  const ahead = editsAhead({ store, channels, now, night, stop: stop.signal, onShown: options.onShown });
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
    const jobs = await store.nextJobs(now(), mostHeads);
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
    }
    if (othersInMs !== undefined) return arm(now() + othersInMs);
    // While one is busy, its end wakes us.
    if (busy.size > 0) return;
    const next = await store.nextJobAt();
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
      outcome = channel
        ? await attempt(channel, job, stored)
        : () => store.drop(job, failure(job, stored, "not-configured"), now());
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

  /** Sends. Returns how to write down that it was sent; throws what the channel throws. */
  async function attempt(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion | undefined,
  ): Promise<Record> {
    const limit = limitOf(stop.signal, attemptMs);
    try {
      return await attemptWithin(channel, job, stored, limit.signal);
    } finally {
      limit.clear();
    }
  }

  async function attemptWithin(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion | undefined,
    signal: AbortSignal,
  ): Promise<Record> {
    if (job.kind === "notice" || job.kind === "receipt") {
      if (waits(job, undefined, false)) return wait(job);
      await channel.post(job.destination, words(job), job.key, signal);
      return sent(job, undefined, () => []);
    }
    const drop: Record = () => store.drop(job, [], now());
    if (!stored) return drop;
    if (job.kind === "post") {
      // A question that was decided while its post waited is no longer asked.
      if (!isOpen(stored.state)) return drop;
      if (waits(job, stored, false)) return wait(job);
      const form = formAt(stored.question, night, now());
      const view = viewAt(stored, night, now());
      const ref = await channel.post(job.destination, message(job, view, stored), job.key, signal);
      return sent(job, { ref, revision: stored.revision }, (row) =>
        posted(row, stored, job, row !== undefined && formAt(row.question, night, now()) !== form),
      );
    }
    // After an outage a copy says so, although nothing else about the question has changed.
    const touchedUp = job.notice?.kind === "away" && isOpen(stored.state);
    const { revision } = stored;
    const [copy, ...others] = (await store.copies(stored.question.id)).filter(
      (each) =>
        each.channel === job.channel &&
        each.destination === job.destination &&
        (each.revision < revision || touchedUp),
    );
    if (!copy) return drop;
    const refs = [copy, ...others].map(({ ref }) => ref);
    if (!(await edit(channel, job, stored, refs, signal))) return wait(job);
    return sent(job, { ref: copy.ref, revision }, () =>
      others.map((other): Effect => ({ ...other, type: "adopt-copy", revision })),
    );
  }

  function sent(
    job: Job,
    copy: { readonly ref: string; readonly revision: number } | undefined,
    then: (row: StoredQuestion | undefined) => readonly Effect[],
  ): Record {
    return async () => {
      await store.sent(job, copy, then, now());
      await health.up(job.channel);
    };
  }

  /**
   * An edit of each copy, or the same words as one follow-up where the channel cannot edit or never will edit any of them.
   * False: that follow-up waits for the morning.
   */
  async function edit(
    channel: AnswerChannel,
    job: Job,
    stored: StoredQuestion,
    refs: readonly MessageRef[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const away = job.notice?.kind === "away" && isOpen(stored.state) ? job.notice.text : undefined;
    if (channel.edit) {
      const view = viewAt(stored, night, now());
      const shown = away === undefined ? view : { ...view, standing: `${away}\n${view.deadline}` };
      let edited = false;
      for (const ref of refs) {
        if (ahead.took(job.channel, ref, stored.revision) && away === undefined) {
          edited = true;
          continue;
        }
        try {
          await channel.edit(job.destination, ref, message(job, shown, stored), signal);
          edited = true;
        } catch (error) {
          if (!(error instanceof ChannelError && error.permanent)) throw error;
        }
      }
      if (edited) return true;
    }
    if (waits(job, stored, false)) return false;
    const followUp = followUpView(stored, now());
    const said = away === undefined ? followUp : { ...followUp, text: `${followUp.text}\n${away}` };
    await channel.post(job.destination, message(job, said, stored), job.key, signal);
    return true;
  }

  /** A notice, or the receipt of a reply in reply to it. */
  function words(job: Job): ChannelMessage {
    const { kind = "notice", text = "" } = job.notice ?? {};
    if (job.kind === "notice") return message(job, noticeView(kind, text));
    const receipt = message(job, { type: "receipt", text });
    return job.replyTo === undefined ? receipt : { ...receipt, replyTo: job.replyTo };
  }

  function message(job: Job, view: View, stored?: StoredQuestion): ChannelMessage {
    const rendered = render(view, rowOf(job.channel));
    return loudness(job, stored, true) === "silent" ? { ...rendered, silent: true } : rendered;
  }

  function loudness(job: Job, stored: StoredQuestion | undefined, canEdit: boolean) {
    const { quiet } = rowOf(job.channel);
    return loudnessOf(job, stored, { rules: night, now: now(), quiet, canEdit });
  }

  /** What would ring and may not, where the channel knows no silence. */
  function waits(job: Job, stored: StoredQuestion | undefined, canEdit: boolean): boolean {
    return loudness(job, stored, canEdit) === "later";
  }

  /** Until the morning, and what may ring goes past it. */
  function wait(job: Job): Record {
    return () => store.waitUntil(job, morningAfter(night, now()) ?? now() + lookAgainMs);
  }

  function failed(job: Job, stored: StoredQuestion | undefined, error: unknown): Record {
    const known = error instanceof ChannelError ? error : undefined;
    const reason = known?.reason ?? "unexpected";
    if (known?.permanent) {
      logger.warn({ channel: job.channel, job: job.key, reason }, "a message was refused for good");
      return () => store.drop(job, failure(job, stored, reason), now());
    }
    const wait = waitMs(job.attempts + 1, options.random(), known?.retryAfterMs);
    logger.warn(
      { channel: job.channel, job: job.key, reason, waitMs: wait },
      "a message could not be sent yet",
    );
    const at = now() + wait;
    ahead.rest(queueOf(job.channel, job.destination), at);
    return async () => {
      await store.postpone(job, at);
      await health.down(job.channel, known?.message ?? "an unexpected error; see the log");
    };
  }

  return {
    wake,
    answered(questions): void {
      // Without a look at the outbox: who tapped would wait for that, too.
      ahead.add(questions, sendAhead).catch((error: unknown) => {
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

/** One channel has accepted it: the question is posted; a copy that was overtaken while it travelled is edited. */
function posted(
  row: StoredQuestion | undefined,
  sent: StoredQuestion,
  job: Job,
  formChanged: boolean,
): readonly Effect[] {
  if (!row) return [];
  const { channel, destination } = job;
  const moved = move(row, "post", {}, {}, [], { channel });
  const overtaken = formChanged || (row.revision !== sent.revision && !isOpen(row.state));
  const edit: Effect = {
    type: "send",
    job: { channel, destination, kind: "edit", question: row.question.id },
  };
  return [...(moved?.effects ?? []), ...(overtaken ? [edit] : [])];
}

function failure(job: Job, stored: StoredQuestion | undefined, reason: string): readonly Effect[] {
  const data = { channel: job.channel, message: job.kind, reason };
  if (stored) return [log(stored, "question.post-failed", data)];
  return [{ type: "log", event: { kind: "notice.failed", data } }];
}
