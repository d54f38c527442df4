import { ChannelError, type Reply } from "../../src/domain/channel.ts";
import type { Instant } from "../../src/domain/ids.ts";
import { decodeMessage, type Me } from "./envelope.ts";
import { type Message, timeOf, tsOf } from "./frames.ts";
import { pause } from "./lines.ts";
import { isForGood } from "./refusals.ts";
import type { Web } from "./web.ts";

export type CatchUpOptions = {
  readonly web: Pick<Web, "call">;
  readonly me: Me;
  /** Channels in which something of ours stands. */
  readonly rooms: readonly string[];
  /** `C0123/1764445268.000200`: threads in which our questions stand. */
  readonly threads: ReadonlySet<string>;
  /** What was said before that has come. */
  readonly since: Instant;
  readonly signal: AbortSignal;
  readonly callMs: number;
};

/** A question may be so old and still get an answer in its thread. */
const parentsMs = 3 * 24 * 3_600_000;
const pageSize = 200;
const mostPages = 5;
const mostThreads = 60;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * What people said while nobody listened: in the channels, and in the threads there that have anything new. Tries until it is done:
 * where nothing may be read, there is nothing to do. Rejects when it is stopped.
 */
export async function readAgain(options: CatchUpOptions): Promise<readonly Reply[]> {
  const { me, rooms, threads, since } = options;
  const found = new Map<string, Reply>();
  const take = (channel: string, message: Message): void => {
    const { ts = "0", edited } = message;
    if (Math.max(timeOf(ts), timeOf(edited?.ts ?? "0")) < since) return;
    const reply = decodeMessage(message, { channel, team: me.team }, me, threads);
    if (reply) found.set(reply.key, reply);
  };
  for (const channel of rooms) {
    const began = new Set<string>();
    for (const thread of threads) {
      const [at, ts] = thread.split("/");
      if (at === channel && ts !== undefined) began.add(ts);
    }
    const messages = await pages(options, "conversations.history", {
      channel,
      oldest: tsOf(since - parentsMs),
      inclusive: true,
    });
    for (const message of messages) {
      take(channel, message);
      const { ts, latest_reply: latest = "0" } = message;
      if (ts !== undefined && timeOf(latest) >= since) began.add(ts);
    }
    for (const ts of [...began].slice(0, mostThreads)) {
      const replies = await pages(options, "conversations.replies", { channel, ts, oldest: tsOf(since) });
      for (const message of replies) take(channel, message);
    }
  }
  return [...found.values()].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

type Page = {
  readonly messages?: readonly Message[];
  readonly response_metadata?: { readonly next_cursor?: string };
};

async function pages(
  options: CatchUpOptions,
  method: "conversations.history" | "conversations.replies",
  params: object,
): Promise<readonly Message[]> {
  const found: Message[] = [];
  let cursor = "";
  for (let page = 0; page < mostPages; page += 1) {
    const next = { ...params, limit: pageSize, ...(cursor === "" ? {} : { cursor }) };
    const { web, signal, callMs } = options;
    const call = () => web.call<Page>(method, next, { signal, withinMs: callMs });
    const answer = await patiently(call, signal);
    found.push(...(answer?.messages ?? []));
    cursor = answer?.response_metadata?.next_cursor ?? "";
    if (cursor === "") break;
  }
  return found;
}

/** Asks until there is an answer; undefined where it is refused for good. Rejects when it is stopped. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !(error instanceof ChannelError)) throw error;
      if (isForGood(error)) return undefined;
      await pause(Math.max(waitMs, error.retryAfterMs ?? 0), signal);
    }
  }
}
