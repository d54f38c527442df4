import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { questionView } from "../core/view.ts";
import { type AnswerChannel, ChannelError } from "../domain/channel.ts";
import type { ChannelId, Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import { isOpen } from "../domain/question.ts";
import type { Store } from "../domain/store.ts";

/** Edits of one queue that travel together: they are of different messages, so their order says nothing. */
const mostAtOnce = 4;
/** Questions that are looked up before the first of their edits goes out. */
const chunk = 8;
const attemptMs = 10_000;
/** How long a queue is left to the outbox after a fault. */
const restMs = 5_000;

export type AheadOptions = {
  readonly store: Store;
  readonly channels: ReadonlyMap<ChannelId, AnswerChannel>;
  readonly now: () => Instant;
  readonly stop: AbortSignal;
};

/**
 * Edits that go out before the outbox comes to them, so that who tapped need not wait for what is written down about the
 * edits before. Each stays in the outbox until it is recorded; a kill in between repeats it, which changes nothing.
 * At the first fault the rest is left to the outbox, which knows how to wait.
 */
export function editsAhead({ store, channels, now, stop }: AheadOptions) {
  const lanes = new Map<string, QuestionId[]>();
  const shown = new Map<string, number>();
  const resting = new Map<string, Instant>();

  async function line(id: QuestionId): Promise<void> {
    for (const { channel, destination } of await store.copies(id)) {
      const queue = queueOf(channel, destination);
      if (!channels.get(channel)?.edit || now() < (resting.get(queue) ?? 0)) continue;
      const lane = lanes.get(queue);
      if (lane) lane.push(id);
      else lanes.set(queue, [id]);
    }
  }

  /** Looks again now that the outbox sends nothing there: what it has shown meanwhile is not taken back. */
  async function send(queue: string, id: QuestionId): Promise<void> {
    const stored = await store.question(id);
    // While it is open nothing about it is urgent.
    if (!stored || isOpen(stored.state)) return;
    for (const copy of await store.copies(id)) {
      const channel = channels.get(copy.channel);
      const isBehind = copy.revision < stored.revision && queueOf(copy.channel, copy.destination) === queue;
      if (!channel?.edit || !isBehind) continue;
      const message = render(questionView(stored, now()), rowOf(copy.channel));
      const signal = AbortSignal.any([stop, AbortSignal.timeout(attemptMs)]);
      await channel.edit(copy.destination, copy.ref, message, signal);
      shown.set(`${copy.channel}\n${copy.ref}`, stored.revision);
    }
  }

  return {
    /** Looks up what is to be edited, a few questions at a time, and calls `ready` after each few. */
    async add(questions: readonly QuestionId[], ready: () => void): Promise<void> {
      for (let at = 0; at < questions.length && !stop.aborted; at += chunk) {
        for (const id of questions.slice(at, at + chunk)) await line(id);
        ready();
        await new Promise((next) => setImmediate(next));
      }
    },
    queues: (): string[] => [...lanes.keys()],
    /** Sends what waits for one queue; the outbox must not send there meanwhile. Never rejects. */
    async run(queue: string): Promise<void> {
      const lane = lanes.get(queue) ?? [];
      const worker = async (): Promise<void> => {
        for (let next = lane.shift(); next && !stop.aborted; next = lane.shift()) {
          try {
            await send(queue, next);
          } catch (error) {
            lane.length = 0;
            const pauseMs = error instanceof ChannelError ? error.retryAfterMs : undefined;
            resting.set(queue, now() + Math.max(pauseMs ?? 0, restMs));
          }
        }
      };
      await Promise.all(Array.from({ length: mostAtOnce }, worker));
      if (lane.length === 0 || stop.aborted) lanes.delete(queue);
    },
    /** The outbox waits there, so nothing overtakes it. */
    rest(queue: string, until: Instant): void {
      resting.set(queue, until);
    },
    /** Does that message show this revision already? Asked once. */
    took(channel: ChannelId, ref: MessageRef, revision: number): boolean {
      const key = `${channel}\n${ref}`;
      const shows = shown.get(key);
      shown.delete(key);
      return shows === revision;
    },
    /** The outbox is empty. */
    forget(): void {
      shown.clear();
      for (const [queue, until] of resting) if (until <= now()) resting.delete(queue);
    },
  };
}

export function queueOf(channel: ChannelId, destination: string): string {
  return `${channel}\n${destination}`;
}
