import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is asked of the server, as far as a test tells it apart. */
export type Kind =
  | "post"
  | "edit"
  | "last-word"
  | "take-back"
  | "probe"
  | "poll"
  | "look"
  | "account"
  | "other";
/**
 * `swallow`: done, and its answer never arrives; `reset`: not even read; `broken`: somebody in between answers; `busy`: the
 * server asks for a pause; `refused`: it takes that for good in no case; `hang`: nothing comes back; `empty`: an answer of
 * somebody else's with status 200.
 */
export type How = "swallow" | "reset" | "broken" | "busy" | "refused" | "hang" | "empty" | "forbidden";
export type Fault = { readonly on: Kind; readonly how: How; times: number };
export type Call = {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly how?: How;
};

export type Front = Awaited<ReturnType<typeof startFront>>;

const answers = {
  broken: [502, "text/html", "<html>Bad Gateway</html>"],
  empty: [200, "text/html", "<html>Welcome to the hotel</html>"],
  busy: [429, "application/json", '{"code":42901,"http":429,"error":"limit reached: too many requests"}'],
  refused: [400, "application/json", '{"code":40018,"http":400,"error":"invalid request: actions invalid"}'],
  forbidden: [403, "application/json", '{"code":40301,"http":403,"error":"forbidden"}'],
} as const;

/** Stands before an ntfy server, a real one or ours, and lets lines fail. */
export async function startFront(behind: string, topics: { readonly ask: string; readonly reply: string }) {
  const target = new URL(behind);
  const calls: Call[] = [];
  const faults: Fault[] = [];
  const published = new Set<string>();
  const streams = new Set<ServerResponse>();

  function kindOf({ method, url = "/" }: IncomingMessage, body: string): Kind {
    const path = url.split("?")[0];
    if (path === `/${topics.reply}/json`) return "poll";
    if (path === `/${topics.ask}/json`) return "look";
    if (path === "/v1/account") return "account";
    if (method === "DELETE") return "take-back";
    if (method !== "POST" || path !== "/") return "other";
    const { topic, delay, sequence_id: sequence } = JSON.parse(body) as Record<string, string | undefined>;
    if (topic !== topics.ask) return "probe";
    if (delay !== undefined) return "last-word";
    return published.has(sequence ?? "") ? "edit" : "post";
  }

  function pass(
    given: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    kind: Kind,
    how: How | undefined,
  ): void {
    const { method, url, headers } = given;
    const outgoing = forward(
      {
        hostname: target.hostname,
        port: target.port,
        method,
        path: url,
        headers: { ...headers, host: target.host },
      },
      (answer) => {
        if (answer.statusCode === 200 && (kind === "post" || kind === "edit")) {
          const { sequence_id: sequence } = JSON.parse(body.toString("utf8")) as { sequence_id?: string };
          if (sequence !== undefined) published.add(sequence);
        }
        if (how === "swallow") {
          answer.resume();
          answer.once("end", () => response.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        response.flushHeaders();
        if (kind === "poll" && !url?.includes("poll=1")) streams.add(response);
        answer.pipe(response);
        response.once("close", () => {
          streams.delete(response);
          outgoing.destroy();
        });
        answer.once("error", () => response.destroy());
      },
    );
    outgoing.on("error", () => response.destroy());
    outgoing.end(body);
  }

  const server = createServer((given, response) => {
    const chunks: Buffer[] = [];
    given.on("data", (chunk: Buffer) => chunks.push(chunk));
    given.on("end", () => {
      const body = Buffer.concat(chunks);
      const kind = kindOf(given, body.toString("utf8"));
      const fault = faults.find(({ on, times }) => on === kind && times > 0);
      if (fault) fault.times -= 1;
      const how = fault?.how;
      const { method = "GET", url: path = "/", headers } = given;
      calls.push({ kind, method, path, headers, body: body.toString("utf8"), ...(how ? { how } : {}) });
      if (how === "reset") given.socket.destroy();
      else if (how === undefined || how === "swallow") pass(given, response, body, kind, how);
      else if (how !== "hang") {
        const [status, type, text] = answers[how];
        response.writeHead(status, { "content-type": type }).end(text);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** Those of one kind. */
    of: (kind: Kind): readonly Call[] => calls.filter((call) => call.kind === kind),
    fail(on: Kind, how: How, times = 1): void {
      faults.push({ on, how, times });
    },
    left: (): number => faults.reduce((sum, { times }) => sum + times, 0),
    heal(): void {
      faults.length = 0;
    },
    /** Is a stream of the reply topic open? */
    isPolled: (): boolean => streams.size > 0,
    /** The streams break. */
    cut(): void {
      for (const stream of streams) stream.destroy();
    },
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
