import { setMaxListeners } from "node:events";
import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import type { NightRules } from "../core/night.ts";
import { viewAt } from "../core/night-view.ts";
import type { Capabilities } from "../domain/capabilities.ts";
import { type AnswerChannel, ChannelError } from "../domain/channel.ts";
import type { ChannelId, Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import { type Copy, type Current, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Effect, Job, Store } from "../domain/store.ts";
import { limitOf } from "./limit.ts";
import { openRush, type Rush } from "./rush.ts";

/** Edits of one queue that travel together: they are of different questions, so their order says nothing. */
const mostAtOnce = 8;
/** Questions that are looked up before the first of their edits goes out. */
const chunk = 8;
const attemptMs = 10_000;
const shareMs = 1_000;
/** Edits that are recorded in one commit. */
const mostTogether = 32;
/** So long after the last edit what was shown is recorded: a commit for each would hold up the next tap … */
const gatherMs = 250;
/** … and so long after the first at most. */
const gatherWithinMs = 1_000;
/** How long a queue is left to the outbox after a fault. */
const restMs = 5_000;

type Place = Pick<Job, "channel" | "destination">;

export type AheadOptions = {
  readonly store: Store;
  readonly channels: ReadonlyMap<ChannelId, AnswerChannel>;
  readonly now: () => Instant;
  readonly night: NightRules | undefined;
  readonly rows?: ((channel: ChannelId) => Capabilities) | undefined;
  readonly stop: AbortSignal;
  /** Called after each edit. */
  readonly onShown: (() => void) | undefined;
  /** Is anything under way in that queue? */
  readonly isBusy: (queue: string) => boolean;
};

/** A question whose copies in a queue are to be edited. */
type Entry = { readonly id: QuestionId; readonly known: Current | undefined };

/**
 * Edits that go out before the outbox comes to them, so that who tapped need not wait for what is written down about the
 * edits before. Each stays in the outbox until it is recorded; a kill in between repeats it, which changes nothing.
 * At the first fault the rest is left to the outbox, which knows how to wait.
 */
export function editsAhead(options: AheadOptions) {
  const { store, channels, now, night, rows = rowOf, stop, onShown, isBusy } = options;
  const lanes = new Map<string, Entry[]>();
  /** Queues in which edits go out ahead just now. */
  const running = new Set<string>();
  const shown = new Map<string, number>();
  const resting = new Map<string, Instant>();
  /** By queue, what was shown and is not recorded. */
  const unrecorded = new Map<string, Rush>();
  let hurried = 0;
  const limits = sharedLimit(stop);

  function line(id: QuestionId, copies: readonly Copy[], known: Current | undefined): void {
    for (const { channel, destination } of copies) {
      const queue = queueOf(channel, destination);
      if (!channels.get(channel)?.edit || now() < (resting.get(queue) ?? 0)) continue;
      // Where the outbox is sending, it may show something later before this entry has its turn.
      const entry = { id, known: isBusy(queue) && !running.has(queue) ? undefined : known };
      const lane = lanes.get(queue);
      if (lane) lane.push(entry);
      else lanes.set(queue, [entry]);
    }
  }

  /** The outbox sends nothing there meanwhile. What is not known is read now: what it has shown is not taken back. */
  async function send(queue: string, { id, known }: Entry): Promise<void> {
    const stored = known?.stored ?? (await store.question(id));
    // While it is open nothing about it is urgent.
    if (!stored || isOpen(stored.state)) return;
    for (const copy of behind(queue, stored, known?.copies ?? (await store.copies(id)))) {
      const channel = channels.get(copy.channel);
      if (!channel?.edit) continue;
      const message = { ...render(viewAt(stored, night, now()), rows(copy.channel)), question: id };
      await channel.edit(copy.destination, copy.ref, message, limits());
      shown.set(`${copy.channel}\n${copy.ref}`, stored.revision);
      const gathering = unrecorded.get(queue) ?? openRush(gatherMs, gatherWithinMs, () => performance.now());
      gathering.note();
      unrecorded.set(queue, gathering);
      onShown?.();
    }
  }

  function behind(queue: string, { revision }: StoredQuestion, copies: readonly Copy[]): readonly Copy[] {
    return copies.filter(
      (copy) => copy.revision < revision && queueOf(copy.channel, copy.destination) === queue,
    );
  }

  function gatherMsOf({ kind, channel, destination }: Job): number {
    return kind === "edit" ? (unrecorded.get(queueOf(channel, destination))?.leftMs() ?? 0) : 0;
  }

  /**
   * How to write down, in one commit, that edits at the head of this job's queue went out ahead: as many as follow each
   * other. Undefined: the head itself did not.
   */
  async function shownFrom(head: Place): Promise<(() => Promise<void>) | undefined> {
    unrecorded.delete(queueOf(head.channel, head.destination));
    if (shown.size === 0) return undefined;
    const records: (() => Promise<void>)[] = [];
    for (const job of await store.queue(head.channel, head.destination, mostTogether)) {
      const record = await recordOf(job);
      if (!record) break;
      records.push(record);
    }
    if (records.length === 0) return undefined;
    // Writes that are asked for at once share a commit.
    return async () => void (await Promise.all(records.map((record) => record())));
  }

  /** Undefined where a job asks for more than what was shown. */
  async function recordOf(job: Job): Promise<(() => Promise<void>) | undefined> {
    const stored = job.question === undefined ? undefined : await store.question(job.question);
    if (job.kind !== "edit" || job.notice || !stored) return undefined;
    const { revision } = stored;
    const queue = queueOf(job.channel, job.destination);
    const copies = behind(queue, stored, await store.copies(stored.question.id));
    const keys = copies.map(({ channel, ref }) => `${channel}\n${ref}`);
    const [copy, ...others] = copies;
    if (!copy || keys.some((key) => shown.get(key) !== revision)) return undefined;
    const effects = others.map((other): Effect => ({ ...other, type: "adopt-copy", revision }));
    return async () => {
      await store.sent(job, { ref: copy.ref, revision }, () => effects, now());
      for (const key of keys) shown.delete(key);
    };
  }

  return {
    /** Looks up what is to be edited and not known, a few questions at a time, and calls `ready` after each few. */
    async add(
      questions: readonly QuestionId[],
      ready: () => void,
      all?: ReadonlyMap<QuestionId, Current>,
    ): Promise<void> {
      for (let at = 0; at < questions.length && !stop.aborted; at += chunk) {
        for (const id of questions.slice(at, at + chunk)) {
          const known = all?.get(id);
          line(id, known?.copies ?? (await store.copies(id)), known);
        }
        ready();
        await new Promise((next) => setImmediate(next));
      }
    },
    queues: (): string[] => [...lanes.keys()],
    /** Sends what waits for one queue; the outbox must not send there meanwhile. Never rejects. */
    async run(queue: string): Promise<void> {
      const lane = lanes.get(queue) ?? [];
      running.add(queue);
      const underWay = new Set<QuestionId>();
      // Of two edits of one message the later one must arrive later: it waits for the worker that has the first.
      const following = (): Entry | undefined => {
        const at = lane.findIndex(({ id }) => !underWay.has(id));
        return at < 0 ? undefined : lane.splice(at, 1)[0];
      };
      const worker = async (): Promise<void> => {
        for (let next = following(); next && !stop.aborted; next = following()) {
          underWay.add(next.id);
          try {
            await send(queue, next);
          } catch (error) {
            lane.length = 0;
            const pauseMs = error instanceof ChannelError ? error.retryAfterMs : undefined;
            resting.set(queue, now() + Math.max(pauseMs ?? 0, restMs));
          }
          underWay.delete(next.id);
        }
      };
      await Promise.all(Array.from({ length: mostAtOnce }, worker));
      running.delete(queue);
      if (lane.length === 0 || stop.aborted) lanes.delete(queue);
    },
    /** The outbox waits there, so nothing overtakes it. */
    rest(queue: string, until: Instant): void {
      resting.set(queue, until);
    },
    /** The heads of queues without those that wait for more to be recorded with them, and in how many ms those are ripe. */
    ripe(heads: readonly Job[]): { readonly ripe: readonly Job[]; readonly othersInMs: number | undefined } {
      if (hurried > 0 || unrecorded.size === 0) return { ripe: heads, othersInMs: undefined };
      const waits = heads.map(gatherMsOf);
      const waiting = waits.filter((ms) => ms > 0);
      return {
        ripe: heads.filter((_, index) => waits[index] === 0),
        othersInMs: waiting.length > 0 ? Math.min(...waiting) : undefined,
      };
    },
    /** Until what it returns is called, nothing waits for more. */
    hurry(): () => void {
      hurried += 1;
      return () => {
        hurried -= 1;
      };
    },
    shownFrom,
    /** Does that message show this revision already? Asked once. */
    took(channel: ChannelId, ref: MessageRef, revision: number): boolean {
      const key = `${channel}\n${ref}`;
      const shows = shown.get(key);
      shown.delete(key);
      return shows === revision;
    },
    /** Records what was shown and still waits for more; a fault leaves it to the next start, which shows it again. */
    async close(): Promise<void> {
      for (const queue of [...unrecorded.keys()]) {
        const [channel = "", destination = ""] = queue.split("\n");
        const record = await shownFrom({ channel, destination }).catch(() => undefined);
        await record?.().catch(() => undefined);
      }
    },
    /** The outbox is empty. */
    forget(): void {
      shown.clear();
      unrecorded.clear();
      for (const [queue, until] of resting) if (until <= now()) resting.delete(queue);
    },
  };
}

/**
 * The end of an attempt that begins now: within `attemptMs`, or when all stops. Making one for each edit would cost as
 * much as rendering it, so those of one second share theirs.
 */
function sharedLimit(stop: AbortSignal): () => AbortSignal {
  let madeAt = Number.NEGATIVE_INFINITY;
  let signal = stop;
  return () => {
    const now = performance.now();
    if (now - madeAt >= shareMs) {
      madeAt = now;
      signal = limitOf(stop, attemptMs).signal;
      setMaxListeners(0, signal);
    }
    return signal;
  };
}

export function queueOf(channel: ChannelId, destination: string): string {
  return `${channel}\n${destination}`;
}
