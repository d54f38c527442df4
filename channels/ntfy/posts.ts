import type { Readable } from "node:stream";
import { ChannelError, type ChannelMessage, type ChannelTools } from "../../src/domain/channel.ts";
import type { MessageRef } from "../../src/domain/ids.ts";
import type { Ability } from "./ability.ts";
import { encode, type Published, requestBody } from "./encode.ts";
import { openFeed } from "./feed.ts";
import type { Answered, Line } from "./line.ts";
import type { Settings } from "./settings.ts";

/** Messages of ours that are remembered, so that none is posted twice. */
const mostKnown = 1_000;
/** How far back is looked for one whose post is in doubt: the server keeps no more, unless it was told so. */
const lookBack = "12h";
const mostLooked = 5_000;

export type Posts = {
  post(message: ChannelMessage, key: string, signal: AbortSignal): Promise<MessageRef>;
  edit(ref: MessageRef, message: ChannelMessage, signal: AbortSignal): Promise<void>;
};

/**
 * Publishes. A post has a sequence id that is made of its key, so that a server from 2.16 on shows it once however often it is
 * published. Whether an earlier attempt has arrived is looked up before it is published again, which would ring a second time;
 * a server that is older, and whose ask topic our token may not read, may show it twice.
 */
export function posting(
  line: Line,
  given: Settings,
  tools: Pick<ChannelTools, "sign">,
  { ability, callMs }: { readonly ability: Ability; readonly callMs: number },
): Posts {
  const known = new Map<string, MessageRef>();
  /** Posts of this life that may have arrived. */
  const doubtful = new Set<string>();
  let looked = false;

  function remember(what: string, ref: MessageRef): void {
    known.set(what, ref);
    if (known.size > mostKnown)
      for (const old of [...known.keys()].slice(0, mostKnown / 2)) known.delete(old);
  }

  async function publish(body: string, sequence: string, signal: AbortSignal): Promise<Answered> {
    const answered = await line.call(
      {
        method: "POST",
        path: "/",
        token: given.token,
        headers: { "content-type": "application/json" },
        body,
        may: "write to the ask topic",
      },
      signal,
      callMs,
    );
    ability.learn(answered, sequence);
    return answered;
  }

  /** What stands in the ask topic: by sequence id, and by what it says where a server knows none. */
  async function look(signal: AbortSignal): Promise<void> {
    const path = `/${given.ask_topic}/json?poll=1&since=${lookBack}`;
    const may = "read the ask topic";
    const body = await line.read({ method: "GET", path, token: given.token, may }, signal, callMs);
    for (const event of await linesOf(body, signal, callMs)) {
      const message = event as Partial<Published> & { id?: unknown; sequence_id?: unknown; event?: unknown };
      if (message.event !== "message" || typeof message.id !== "string") continue;
      if (typeof message.sequence_id === "string") remember(message.sequence_id, message.sequence_id);
      else if ((message.actions?.length ?? 0) > 0) remember(looksOf(message), message.id);
    }
  }

  /** Where it stands already, as far as that can be known. */
  async function standing(looks: string | undefined, sequence: string, signal: AbortSignal) {
    const found = (): MessageRef | undefined =>
      known.get(sequence) ?? (looks === undefined ? undefined : known.get(looks));
    const doubt = doubtful.has(sequence);
    if (looked && !doubt) return found();
    try {
      await look(signal);
      looked = true;
    } catch (error) {
      const refused =
        error instanceof ChannelError && ["not-allowed", "token-refused"].includes(error.reason);
      // Without a line the post fails as well. One that may have arrived must not be posted blindly.
      if (!refused && doubt) throw error;
      looked ||= refused;
    }
    return found();
  }

  return {
    async post(message, key, signal) {
      const published = encode("", message, tools, given);
      const sequence = tools.sign("post", key);
      // A question is posted once in the same words; a receipt may come again.
      const asks = message.parts.some(({ name }) => name === "header") && message.buttons.length > 0;
      const there = await standing(asks ? looksOf(published) : undefined, sequence, signal);
      if (there !== undefined) return there;
      const body = requestBody(published, { sequence_id: sequence });
      let answered: Answered;
      try {
        answered = await publish(body, sequence, signal);
      } catch (error) {
        if (!(error instanceof ChannelError && error.delivered === "no")) doubtful.add(sequence);
        throw error;
      }
      doubtful.delete(sequence);
      const { id } = answered.fields;
      const ref = ability.updates() ? sequence : String(id);
      remember(sequence, ref);
      return ref;
    },

    async edit(ref, message, signal) {
      // A message id is as good as a sequence id, unless it is known that the server knows none.
      const made = isSequence(ref);
      if (ability.updates() === false || (!made && ability.updates() === undefined)) throw cannotEdit();
      const published = encode("", { ...message, silent: true }, tools, given);
      await publish(requestBody(published, { sequence_id: ref }), ref, signal);
    },
  };
}

/** Ours; the server's own ids are shorter. */
function isSequence(ref: MessageRef): boolean {
  return /^[a-z2-7]{26}$/.test(ref);
}

function cannotEdit(): ChannelError {
  return new ChannelError("not-editable", "ntfy: this server is older than 2.16 and changes no message", {
    stands: true,
    delivered: "no",
  });
}

/** The same question in the same words: no two posts of it are alike in their buttons and their text. */
function looksOf({ title, message, actions }: Partial<Published>): string {
  return JSON.stringify([title, message, (actions ?? []).map(({ body }) => body)]);
}

/** The lines of an answer that ends. */
async function linesOf(body: Readable, signal: AbortSignal, withinMs: number): Promise<readonly unknown[]> {
  const feed = openFeed(body);
  const lines: unknown[] = [];
  const until = performance.now() + withinMs;
  try {
    for (;;) {
      lines.push(...feed.take(mostLooked));
      const ended = feed.ended();
      const left = until - performance.now();
      if (ended === "whole" || lines.length >= mostLooked) return lines;
      if (ended || left <= 0 || signal.aborted) {
        throw new ChannelError("no-answer", "ntfy did not answer in time", { delivered: "no" });
      }
      await feed.wait(left, signal);
    }
  } finally {
    feed.close();
  }
}
