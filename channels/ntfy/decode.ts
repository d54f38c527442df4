import type { ChannelTools, Reply } from "../../src/domain/channel.ts";
import { type Recipient, readPress } from "./body.ts";

/** What owlpost itself publishes to the reply topic to learn what the server can do; it is no reply. */
export const probeText = "owlpost looks what this server can do; this is no answer to anything";

export type Decoded = {
  /** Nothing that anybody answered, where it is null. */
  readonly reply: Reply | null;
  /** The key and time of a message that the server keeps; absent for everything else, whose ids it forgets. */
  readonly kept?: { readonly id: string; readonly seconds: number };
};

const nothing: Decoded = { reply: null };
/** What the server puts in place of an empty message. */
const emptyText = "triggered";

export type Ears = { readonly replyTopic: string; readonly recipient: Recipient };

/** What a line of the stream says. The sender is nobody: a valid token is all that speaks. */
export function decode(event: unknown, ears: Ears, tools: Pick<ChannelTools, "isSigned">): Decoded {
  if (typeof event !== "object" || event === null) return nothing;
  const { id, time, event: kind, topic, message, attachment, encoding } = event as Record<string, unknown>;
  if (kind !== "message" || typeof id !== "string" || typeof time !== "number") return nothing;
  if (!/^[\w-]{1,64}$/.test(id) || !Number.isSafeInteger(time) || time < 0) return nothing;
  const kept = { id, seconds: time };
  const isText = typeof message === "string" && attachment === undefined && (encoding ?? "") === "";
  if (topic !== ears.replyTopic || !isText) return { reply: null, kept };
  const text = message.trim();
  if (text === "" || text === emptyText || text === probeText) return { reply: null, kept };
  const said = readPress(text, ears.recipient, tools) ?? { text: message, token: null };
  return {
    reply: {
      key: id,
      sender: "",
      at: time * 1_000,
      chat: topic,
      private: true,
      ...said,
    },
    kept,
  };
}
