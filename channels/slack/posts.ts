import type { KnownBlock } from "@slack/types";
import { ChannelError, type ChannelMessage } from "../../src/domain/channel.ts";
import type { Instant, MessageRef } from "../../src/domain/ids.ts";
import { content, forms, mostBody } from "./blocks.ts";
import { type Message, refOf, refParts, tsOf } from "./frames.ts";
import { type Places, placeOf, type Room } from "./places.ts";
import { isForGood, SlackRefusal } from "./refusals.ts";
import type { Web } from "./web.ts";

/** The parameters of chat.postMessage. A person's private chat is named when it is sent. */
export function encode(destination: string, message: ChannelMessage) {
  const { person, channel, thread } = placeOf(destination);
  return encodeFor(
    { channel: person ?? channel ?? "", ...(thread === undefined ? {} : { thread }) },
    message,
  );
}

function encodeFor({ channel, thread }: Room, message: ChannelMessage) {
  const under = thread ?? threadFor(channel, message);
  return {
    channel,
    ...(under === undefined ? {} : { thread_ts: under }),
    ...content(message),
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** The parameters of chat.update. Blocks that are not named any more are taken away. */
export function encodeEdit(ref: MessageRef, message: ChannelMessage) {
  return { ...refParts(ref), ...content(message) };
}

/** What follows a copy of ours stands in its thread, and a receipt in the thread of what it answers. */
function threadFor(channel: string, { follows, replyTo }: ChannelMessage): string | undefined {
  for (const ref of [follows, replyTo]) {
    if (ref === undefined) continue;
    const parts = refParts(ref);
    // Another chat has no such thread.
    if (parts.channel === channel) return parts.ts;
  }
  return undefined;
}

export type PostsOptions = {
  readonly web: Pick<Web, "call">;
  readonly places: Places;
  readonly callMs: number;
  readonly now: () => Instant;
  /** What a message carries so that it is known again. Another home counts its keys anew, in the same channel perhaps. */
  readonly markOf: (key: string) => string;
  /** Called after each message that Slack took. */
  readonly onShown: () => void;
};

/** Where an earlier process died between a post and its record, the message is looked for; for so long after a start. */
const afterStartMs = 10 * 60_000;
const mostKeys = 1_000;
const lookBackMs = 24 * 3_600_000;
const mostPages = 3;
const eventType = "owlpost_message";

export function openPosts({ web, places, callMs, now, markOf, onShown }: PostsOptions) {
  const began = performance.now();
  /** Messages that stand there, by their marks. */
  const posted = new Map<string, MessageRef>();
  /** Marks of posts of which nobody knows whether they arrived. */
  const unsure = new Set<string>();
  /** Rooms and threads at which nothing of an earlier process is looked for any more. */
  const lookedAt = new Set<string>();

  async function post(
    destination: string,
    message: ChannelMessage,
    key: string,
    signal: AbortSignal,
  ): Promise<MessageRef> {
    if (message.body.length > mostBody) {
      throw new SlackRefusal("msg_too_long", "too-long", "the text is longer than owlpost sends", {
        permanent: true,
      });
    }
    const options = { signal, withinMs: callMs };
    const room = await places.find(destination, options);
    const mark = markOf(key);
    const before = posted.get(mark) ?? (await lookFor(mark, room, threadFor(room.channel, message), signal));
    if (before !== undefined) return before;
    const params = {
      ...encodeFor(room, message),
      metadata: { event_type: eventType, event_payload: { key: mark } },
    };
    try {
      const sent = await mended(params, message, (next) =>
        web.call<{ channel?: string; ts?: string }>("chat.postMessage", next, options),
      );
      const ref = refOf(sent.channel ?? room.channel, sent.ts ?? "");
      remember(mark, ref);
      places.stands(sent.channel ?? room.channel, placeOf(destination).person);
      onShown();
      return ref;
    } catch (error) {
      if (error instanceof ChannelError && error.delivered === "unknown") unsure.add(mark);
      throw error;
    }
  }

  function remember(mark: string, ref: MessageRef): void {
    unsure.delete(mark);
    if (posted.size >= mostKeys) posted.delete([...posted.keys()][0] ?? "");
    posted.set(mark, ref);
  }

  /** Slack knows no keys, so a message that may stand there already is looked for by the mark that it carries. */
  async function lookFor(
    mark: string,
    room: Room,
    thread: string | undefined,
    signal: AbortSignal,
  ): Promise<MessageRef | undefined> {
    const isYoung = performance.now() - began < afterStartMs;
    // In a thread that is gone it may have been posted alone.
    const hung = room.thread === undefined && thread !== undefined ? [{ ...room, thread }] : [];
    for (const each of [...hung, room]) {
      const name = refOf(each.channel, each.thread ?? "");
      if (!unsure.has(mark) && !(isYoung && !lookedAt.has(name))) continue;
      await look(each, signal);
      lookedAt.add(name);
      if (posted.has(mark)) break;
    }
    unsure.delete(mark);
    return posted.get(mark);
  }

  /** Remembers what stands there. Rejects where that cannot be read at present. */
  async function look(room: Room, signal: AbortSignal): Promise<void> {
    try {
      for await (const { metadata, ts } of lately(room, signal)) {
        const { event_payload: carried } = metadata?.event_type === eventType ? metadata : {};
        const found = (carried as { key?: unknown } | undefined)?.key;
        if (typeof found === "string" && ts !== undefined) remember(found, refOf(room.channel, ts));
      }
    } catch (error) {
      // Where nothing may be read, a message may come twice; that is better than none.
      if (!isForGood(error)) throw neverSent(error);
    }
  }

  async function* lately({ channel, thread }: Room, signal: AbortSignal): AsyncGenerator<Message> {
    let cursor = "";
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await web.call<{
        messages?: readonly Message[];
        response_metadata?: { next_cursor?: string };
      }>(
        thread === undefined ? "conversations.history" : "conversations.replies",
        {
          channel,
          ...(thread === undefined ? {} : { ts: thread, oldest: tsOf(now() - lookBackMs) }),
          include_all_metadata: true,
          limit: 100,
          ...(cursor === "" ? {} : { cursor }),
        },
        { signal, withinMs: callMs },
      );
      yield* answer.messages ?? [];
      cursor = answer.response_metadata?.next_cursor ?? "";
      // A channel gives its latest messages first.
      if (cursor === "" || thread === undefined) return;
    }
  }

  async function edit(ref: MessageRef, message: ChannelMessage, signal: AbortSignal): Promise<void> {
    await mended(encodeEdit(ref, message), message, (next) =>
      web.call("chat.update", next, { signal, withinMs: callMs }),
    );
    onShown();
  }

  return { post, edit };
}

/** A look that failed says nothing about the post, which was not made. */
function neverSent(error: unknown): unknown {
  if (!(error instanceof ChannelError) || error.delivered === "no") return error;
  const { reason, message, retryAfterMs } = error;
  return new ChannelError(reason, message, {
    delivered: "no",
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

type Shape = { readonly text: string; readonly blocks: KnownBlock[]; readonly thread_ts?: string };

/** Where Slack itself says what is wrong with a message, it goes out without that: no receipt is lost for its form. */
async function mended<Params extends Shape, Answer>(
  given: Params,
  message: ChannelMessage,
  send: (params: Params) => Promise<Answer>,
): Promise<Answer> {
  let params = given;
  let form = 0;
  for (;;) {
    try {
      return await send(params);
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
      const next = forms[form + 1];
      if (error.reason === "no-such-thread" && params.thread_ts !== undefined) {
        const { thread_ts: _gone, ...alone } = params;
        params = alone as Params;
      } else if (error.reason === "bad-message" && next !== undefined) {
        form += 1;
        params = { ...params, ...content(message, next) };
      } else throw error;
    }
  }
}
