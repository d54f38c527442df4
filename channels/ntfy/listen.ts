import {
  type AnswerChannel,
  type Batch,
  ChannelError,
  type ChannelTools,
  type Reply,
} from "../../src/domain/channel.ts";
import type { Cursor } from "../../src/domain/ids.ts";
import { decode, type Ears } from "./decode.ts";
import { type Feed, openFeed } from "./feed.ts";
import type { Line } from "./line.ts";
import { type Place, placeAt } from "./place.ts";
import { recipientOf, type Settings } from "./settings.ts";

export type ListenTiming = {
  /** How long a poll waits for something to tell. */
  readonly waitMs: number;
  /** The server gives a sign of life every 45 s; after two that did not come the line is made anew. */
  readonly silenceMs: number;
  /** A line that is cut sooner than that is not simply made anew: whoever cuts it would do so for ever. */
  readonly shortMs: number;
  readonly callMs: number;
};

export type Listening = {
  readonly poll: NonNullable<AnswerChannel["poll"]>;
  close(): void;
};

/** Replies that are handed on at once. */
const mostReplies = 100;
const lastLookMs = 50;
/** Where replies go: there is one place for all. */
export const destination = "default";

type Open = { readonly feed: Feed; readonly live: boolean; readonly openedAt: number };

/**
 * Reads the reply topic: first what the server has kept, to its end, then one stream that stays open over many polls. A cursor
 * that is not the one handed on last means that the batch was not committed: it is read again.
 */
export function listening(
  line: Line,
  given: Settings,
  tools: Pick<ChannelTools, "isSigned">,
  timing: ListenTiming,
): Listening {
  const ears: Ears = { replyTopic: given.reply_topic, recipient: recipientOf(given) };
  const closing = new AbortController();
  let open: Open | undefined;
  let place: Place = placeAt(undefined);
  let handed: Cursor | undefined;
  let caughtUp = false;

  function drop(): void {
    open?.feed.close();
    open = undefined;
  }

  async function connect(live: boolean, signal: AbortSignal): Promise<Open> {
    const path = `/${given.reply_topic}/json?since=${place.since()}${live ? "" : "&poll=1"}`;
    const ask = { method: "GET", path, token: given.token, may: "read the reply topic" } as const;
    // Once it is there it outlives the poll that opened it.
    const opening = new AbortController();
    const end = (): void => opening.abort();
    const signals = [signal, closing.signal];
    for (const each of signals) each.addEventListener("abort", end, { once: true });
    if (signals.some(({ aborted }) => aborted)) end();
    try {
      const body = await line.read(ask, opening.signal, timing.callMs);
      return { feed: openFeed(body), live, openedAt: performance.now() };
    } catch (error) {
      stopped(signal);
      throw error;
    } finally {
      for (const each of signals) each.removeEventListener("abort", end);
    }
  }

  /** What has come and was not handed on before. */
  function read({ feed }: Open): { readonly replies: readonly Reply[]; readonly noted: boolean } {
    const replies: Reply[] = [];
    let noted = false;
    while (replies.length < mostReplies && feed.waiting() > 0) {
      for (const event of feed.take(1)) {
        const { reply, kept } = decode(event, ears, tools);
        if (!kept || !place.note(kept)) continue;
        noted = true;
        if (reply) replies.push({ ...reply, chat: destination });
      }
    }
    return { replies, noted };
  }

  async function poll(cursor: Cursor | undefined, signal: AbortSignal): Promise<Batch> {
    stopped(signal);
    if (cursor !== handed) {
      drop();
      place = placeAt(cursor);
      handed = cursor;
      caughtUp = false;
    }
    const until = performance.now() + timing.waitMs;
    let lookedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      open ??= await connect(caughtUp, signal);
      const { replies, noted } = read(open);
      const ended = open.feed.ended();
      if (!open.live && ended === "whole") {
        caughtUp = true;
        drop();
      }
      const more = caughtUp ? {} : { more: true };
      if (noted) {
        handed = place.cursor();
        return { replies, ...(handed === undefined ? {} : { cursor: handed }), ...more };
      }
      // The first poll tells that nothing waits: deadlines need wait no longer for it.
      if (!open) return { replies };
      const now = performance.now();
      if (ended) {
        const { live, openedAt } = open;
        drop();
        if (!live || now - openedAt < timing.shortMs) throw cut();
        continue;
      }
      const silent = open.feed.heardAt() + timing.silenceMs - now;
      if (silent <= 0 && now - lookedAt > timing.silenceMs) {
        // A machine that slept, or was busy, has not read yet what has come.
        lookedAt = now;
        await open.feed.wait(lastLookMs, signal);
        stopped(signal);
        continue;
      }
      if (silent <= 0) {
        const { live } = open;
        drop();
        if (!live) throw cut();
        continue;
      }
      if (now >= until) return { replies };
      await open.feed.wait(Math.min(until - now, silent), signal);
      stopped(signal);
    }
  }

  function stopped(signal: AbortSignal): void {
    if (!signal.aborted && !closing.signal.aborted) return;
    drop();
    throw new ChannelError("stopped", "the call to ntfy was stopped");
  }

  return {
    poll,
    close() {
      closing.abort();
      drop();
    },
  };
}

function cut(): ChannelError {
  return new ChannelError("line-cut", "ntfy: the line was cut; it is made anew");
}
