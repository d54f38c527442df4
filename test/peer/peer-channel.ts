import { Agent, request } from "node:http";
import { type AnswerChannel, ChannelError, type Receipt, type Reply } from "../../src/domain/channel.ts";
import type { Update } from "./peer-server.ts";

export type PeerChannelOptions = {
  readonly id?: string;
  readonly destination?: string;
  /** `false`: messages cannot be edited, so that changes go out as follow-ups. */
  readonly edits?: boolean;
  /** `false`: nothing comes in. */
  readonly polls?: boolean;
  /** How long a poll waits for something new. */
  readonly waitMs?: number;
};

/** The adapter of the loopback platform in `peer-server.ts`. Its first poll waits for nothing: it fetches the backlog. */
export function peerChannel(url: string, options: PeerChannelOptions = {}): AnswerChannel {
  const { id = "peer", destination = "default", edits = true, polls = true, waitMs = 20_000 } = options;
  const agent = new Agent({ keepAlive: true });
  let polled = false;
  const call = <Value>(method: "GET" | "POST", path: string, body: unknown, signal?: AbortSignal) =>
    callPeer<Value>(`${url}${path}`, method, body, agent, signal);

  return {
    id,
    rings: true,
    destinations: [destination],
    async post(to, message, key, signal) {
      const { ref } = await call<{ ref: string }>("POST", "/post", { destination: to, message, key }, signal);
      return ref;
    },
    ...(edits
      ? {
          async edit(to, ref, message, signal) {
            await call("POST", "/edit", { destination: to, ref, message }, signal);
          },
        }
      : {}),
    ...(polls
      ? {
          async poll(cursor, signal) {
            const path = `/updates?offset=${cursor ?? "1"}&wait=${polled ? waitMs : 0}`;
            const { updates } = await call<{ updates: Update[] }>("GET", path, undefined, signal);
            polled = true;
            const last = updates.at(-1);
            if (!last) return { replies: [] };
            return {
              replies: updates.flatMap((update) => replyOf(update, destination) ?? []),
              cursor: String(last.id + 1),
              async settle(receipts: readonly Receipt[]): Promise<readonly string[]> {
                const pressed = new Set(
                  updates.filter((each) => "action" in each).map(({ id }) => String(id)),
                );
                const toasts = receipts.filter(({ key }) => pressed.has(key));
                const { delivered } = await call<{ delivered: string[] }>("POST", "/receipts", toasts);
                return delivered;
              },
            };
          },
        }
      : {}),
    async close() {
      agent.destroy();
    },
  };
}

function replyOf(update: Update, chat: string): Reply | undefined {
  const { id, sender } = update;
  if ("action" in update) {
    const { at, question, action } = update;
    return { key: String(id), sender, ...(at === undefined ? {} : { at }), press: { question, action } };
  }
  const { text, message, to, edited, own } = update;
  if (own) return undefined;
  return {
    key: String(id),
    sender,
    text,
    chat,
    private: true,
    message,
    ...(to === undefined ? {} : { to }),
    ...(edited ? { edited } : {}),
  };
}

/** One call to the platform; its failures are named as an adapter must name them. */
export function callPeer<Value>(
  url: string,
  method: "GET" | "POST",
  body: unknown,
  agent?: Agent,
  signal?: AbortSignal,
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const sent = request(
      url,
      { method, ...(agent ? { agent } : {}), ...(signal ? { signal } : {}) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", (error) => reject(unknownFate(error)));
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (status === 200) resolve(JSON.parse(text) as Value);
          else reject(refused(status, response.headers["retry-after"]));
        });
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "ECONNREFUSED"
          ? new ChannelError("unreachable", "the peer is not there", { delivered: "no", cause: error })
          : unknownFate(error),
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function unknownFate(error: Error): ChannelError {
  return new ChannelError("no-reply", "the peer gave no reply", { delivered: "unknown", cause: error });
}

function refused(status: number, retryAfter: string | undefined): ChannelError {
  if (status === 429) {
    return new ChannelError("rate-limited", "the peer asks for a pause", {
      delivered: "no",
      ...(retryAfter === undefined ? {} : { retryAfterMs: Number(retryAfter) * 1_000 }),
    });
  }
  const permanent = [403, 404, 413].includes(status);
  return new ChannelError(`status-${status}`, `the peer answered ${status}`, {
    permanent,
    delivered: permanent ? "no" : "unknown",
  });
}
