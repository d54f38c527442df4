import { Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { ChannelError } from "../../src/domain/channel.ts";
import { type Answered, lost, type Purpose, refusal } from "./refusals.ts";
import type { Rest } from "./rest.ts";

export type Access = { readonly token: string; readonly api_url?: string | undefined };
type Until = { readonly request: { readonly signal: AbortSignal } };
/** One call: `ask` hands `until` on with its parameters. Rejects with a `ChannelError`. */
export type Call = <Value>(
  signal: AbortSignal,
  ask: (api: Rest, until: Until) => Promise<Value>,
  purpose?: Purpose,
) => Promise<Value>;

export type Line = {
  readonly call: Call;
  /** By GitHub's own clock, as far as it has told it. */
  now(): number;
  /** How far GitHub's clock was ahead of this machine's; undefined before the first answer. */
  aheadMs(): number | undefined;
  close(): void;
};

/** Where a repository that was renamed sends us; more is a loop. */
const mostRedirects = 2;
const publicApi = "https://api.github.com";

export const rootOf = ({ api_url }: Pick<Access, "api_url">): string =>
  (api_url ?? publicApi).replace(/\/+$/, "");

/**
 * Octokit over Node's own HTTP, loaded only here. It retries nothing by itself: the outbox knows how to wait, and keeps
 * the order.
 */
export async function connect(given: Access, now: () => number, callMs = 15_000): Promise<Line> {
  const { Octokit } = await import("@octokit/core");
  const root = new URL(rootOf(given));
  const plain = root.protocol === "http:";
  const agent = plain ? new PlainAgent({ keepAlive: true }) : new TlsAgent({ keepAlive: true });
  let ahead: number | undefined;

  type Sent = {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
  };

  function send(url: string, sent: Sent, again = true): Promise<Received> {
    const { method, headers, body, signal } = sent;
    signal.throwIfAborted();
    return new Promise((answered, failed) => {
      const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` };
      const outgoing = (plain ? plainRequest : tlsRequest)(
        url,
        { method, agent, headers: { ...headers, ...length } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", failed);
          response.once("end", () => {
            const found = Object.entries(response.headers).map(
              ([name, value]) => [name, String(value)] as const,
            );
            answered({
              url,
              status: response.statusCode ?? 0,
              headers: new Map(found),
              text: Buffer.concat(chunks).toString("utf8"),
            });
          });
        },
      );
      const stop = (): void => {
        failed(signal.reason);
        outgoing.destroy();
      };
      signal.addEventListener("abort", stop);
      outgoing.once("close", () => signal.removeEventListener("abort", stop));
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // The other end had hung up a line that was kept for later: reading again harms nobody.
        const stale = again && method === "GET" && outgoing.reusedSocket && error.code === "ECONNRESET";
        if (stale && !signal.aborted) send(url, sent, false).then(answered, failed);
        else failed(error);
      });
      outgoing.end(body);
    });
  }

  /** What Octokit calls: a renamed repository is followed with the same method, and the token goes to no other host. */
  async function fetched(url: string, sent: Sent) {
    let at = url;
    for (let left = mostRedirects; ; left -= 1) {
      const received = await send(at, sent).catch((error: unknown) => {
        throw lost(error, sent.signal.aborted && sent.signal.reason !== late);
      });
      const { status, headers, text } = received;
      if ([301, 302, 307, 308].includes(status)) {
        const next = new URL(headers.get("location") ?? "", at);
        if (left === 0 || next.origin !== root.origin) {
          throw new ChannelError(
            "moved",
            "GitHub: the repository has moved: correct channels.github.repository",
            {
              delivered: "no",
            },
          );
        }
        at = next.href;
        continue;
      }
      // Whatever a hotel's sign-in page answers, GitHub has refused nothing: the same call may succeed later.
      const isJson = /json/.test(headers.get("content-type") ?? "");
      if (!isJson && status !== 304 && status !== 204) {
        throw new ChannelError(
          "unavailable",
          `GitHub: out of order, or something else answered in its place (${status})`,
        );
      }
      // Only GitHub itself tells GitHub's time.
      const date = Date.parse(headers.get("date") ?? "");
      if (!Number.isNaN(date)) ahead = date - now();
      return { url: at, status, headers, text: async () => text };
    }
  }

  const api = new Octokit({
    auth: given.token,
    baseUrl: rootOf(given),
    userAgent: "owlpost",
    log: silent,
    request: { fetch: fetched, log: silent },
  }) as unknown as Rest;

  return {
    async call(signal, ask, purpose = "look") {
      // A timer of our own: on Node 20 the garbage collector takes AbortSignal.timeout out of an AbortSignal.any.
      const call = new AbortController();
      const stop = (): void => call.abort();
      const timer = setTimeout(() => call.abort(late), callMs);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        return await ask(api, { request: { signal: call.signal } });
      } catch (error) {
        throw named(error, purpose, call.signal);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
    },
    now: () => now() + (ahead ?? 0),
    aheadMs: () => ahead,
    close: () => agent.destroy(),
  };
}

type Received = {
  readonly url: string;
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly text: string;
};

const late = new DOMException("no answer in time", "TimeoutError");
const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A 304 is no failure; whoever asked with an ETag looks for this. */
export class Unchanged extends Error {
  override readonly name = "Unchanged";
}

function named(error: unknown, purpose: Purpose, signal: AbortSignal): Error {
  const { cause, status, response, message } = error as {
    cause?: unknown;
    status?: unknown;
    response?: { headers?: Answered["headers"]; data?: { message?: unknown; errors?: unknown } };
    message?: unknown;
  };
  if (error instanceof ChannelError) return error;
  if (cause instanceof ChannelError) return cause;
  if ((error as Error).name === "GraphqlResponseError") {
    // GraphQL says no with a 200.
    const isLimit = /RATE_LIMITED/.test(JSON.stringify((error as { errors?: unknown }).errors ?? ""));
    return refusal({ status: isLimit ? 429 : 403, headers: {}, words: "" }, purpose);
  }
  if (typeof status !== "number" || !response) return lost(error, signal.aborted && signal.reason !== late);
  if (status === 304) return new Unchanged();
  const words = `${JSON.stringify(response.data ?? "")} ${String(message)}`;
  return refusal({ status, headers: response.headers ?? {}, words }, purpose);
}
