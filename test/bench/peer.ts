import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnswerChannel, ChannelError } from "../../src/domain/channel.ts";

/** A platform on this machine that takes every message. */
export async function startPeer(): Promise<{ readonly port: number; close(): void }> {
  let next = 1;
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.once("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ message: next++ }));
    });
  });
  const port = await listen(server);
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A port where nobody listens: every connection is refused. */
export async function refusingPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

function listen(server: Server): Promise<number> {
  return new Promise((listening) => {
    server.listen(0, "127.0.0.1", () => listening((server.address() as AddressInfo).port));
  });
}

/** A channel that posts to such a port. */
export function peerChannel(id: string, port: number): AnswerChannel {
  const post = (text: string, signal: AbortSignal): Promise<string> =>
    new Promise((done, failed) => {
      const outgoing = request({ host: "127.0.0.1", port, method: "POST", signal }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          body += chunk;
        });
        response.once("end", () => done(body));
      });
      outgoing.once("error", (cause) => {
        failed(new ChannelError("unreachable", "the peer cannot be reached", { delivered: "no", cause }));
      });
      outgoing.end(text);
    });
  return {
    id,
    rings: true,
    destinations: ["default"],
    post: (_destination, message, _key, signal) => post(JSON.stringify(message), signal),
    edit: async (_destination, _ref, message, signal) => {
      await post(JSON.stringify(message), signal);
    },
    async close() {},
  };
}
