import { AsyncLocalStorage } from "node:async_hooks";
import type { WebAPICallResult } from "@slack/web-api";
import { ChannelError } from "../../src/domain/channel.ts";
import { lost, rateLimited, refusalOf, SlackRefusal, unavailable } from "./refusals.ts";

const unnamedPauseSeconds = 30;
const officialUrl = "https://slack.com/api/";

export type Tokens = {
  readonly bot_token: string;
  readonly app_token: string;
  readonly api_url?: string | undefined;
};

export type CallOptions = { readonly signal: AbortSignal; readonly withinMs: number };

/** Slack's Web API: one attempt a call, since the outbox owns retries and order. Rejects with a `ChannelError`. */
export type Web = {
  /** As the bot. */
  call<Answer = object>(
    method: string,
    params: object,
    options: CallOptions,
  ): Promise<Answer & WebAPICallResult>;
  /** A URL for one line, which Slack gives to the app and not to the bot. */
  connectUrl(options: CallOptions): Promise<string>;
  /** To an address that Slack gave for one answer. */
  respond(url: string, body: object, options: CallOptions): Promise<void>;
  close(): Promise<void>;
};

/** Slack's client and undici are loaded only here. `onDate` is told the `Date` header of every answer. */
export async function connect(tokens: Tokens, onDate?: (date: string) => void): Promise<Web> {
  const slack = await import("@slack/web-api");
  const { WebClient, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIHTTPError } = slack;
  const { Agent, fetch: fetchBy } = await import("undici");
  const dispatcher = new Agent({ keepAliveTimeout: 30_000 });
  const slackApiUrl = tokens.api_url ?? officialUrl;
  const signals = new AsyncLocalStorage<AbortSignal>();
  /** Slack's client knows no signals; each call finds its own here. */
  const fetching = (async (url: string, init: object) => {
    const signal = signals.getStore();
    const response = await fetchBy(url, { ...init, dispatcher, ...(signal ? { signal } : {}) });
    const date = response.headers.get("date");
    if (date !== null) onDate?.(date);
    // Slack's client has no name for a pause of no length.
    if (response.status === 429 && !/^\d+$/.test(response.headers.get("retry-after") ?? "")) {
      throw rateLimited(unnamedPauseSeconds);
    }
    return response;
  }) as unknown as typeof fetch;
  const clientFor = (token: string) =>
    new WebClient(token, {
      slackApiUrl,
      fetch: fetching,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      // Each call begins at once, in its own context; the outbox sends one message a destination.
      maxRequestConcurrency: Number.POSITIVE_INFINITY,
      logger: silent,
    });
  const bot = clientFor(tokens.bot_token);
  const app = clientFor(tokens.app_token);

  async function within<Value>(
    { signal, withinMs }: CallOptions,
    ask: (until: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    if (signal.aborted) throw lost(undefined, true);
    // A timer of our own: on Node 20 the garbage collector takes AbortSignal.timeout out of an AbortSignal.any.
    const call = new AbortController();
    const stop = (): void => call.abort();
    const timer = setTimeout(stop, withinMs);
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await signals.run(call.signal, () => ask(call.signal));
    } catch (error) {
      throw named(error, signal.aborted);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  function named(error: unknown, stopped: boolean): ChannelError {
    if (error instanceof ChannelError) return error;
    if (error instanceof WebAPIPlatformError) {
      const { error: word, needed } = error.data as { error: unknown; needed?: unknown };
      return refusalOf(String(word), typeof needed === "string" ? needed : undefined);
    }
    if (error instanceof WebAPIRateLimitedError) return rateLimited(error.retryAfter);
    if (error instanceof WebAPIHTTPError) {
      const seconds = Number(error.headers["retry-after"]);
      const retry = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {};
      return unavailable(`status ${error.statusCode}`, retry);
    }
    const { original } = error as { original?: unknown };
    return lost(original instanceof ChannelError ? original : error, stopped);
  }

  return {
    call: (method, params, options) =>
      within(options, () => bot.apiCall(method, params as Record<string, unknown>)) as never,
    connectUrl: (options) =>
      within(options, async (signal) => {
        const { url } = (await app.apiCall("apps.connections.open", {}).catch((error: unknown) => {
          const known = named(error, signal.aborted);
          throw known instanceof SlackRefusal && known.word === "access_denied"
            ? refusalOf("socket_mode_disabled")
            : known;
        })) as { url?: unknown };
        if (typeof url !== "string" || url === "") throw unavailable("it gave no line");
        return url;
      }),
    respond: (url, body, options) =>
      within(options, async (signal) => {
        const { status } = await fetchBy(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
          redirect: "error",
          signal,
          dispatcher,
        });
        if (status !== 200) throw unavailable(`status ${status}`);
      }),
    close: () => dispatcher.destroy(),
  };
}

/** What Slack's client would print may hold what a person wrote. */
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  setName: () => undefined,
  getLevel: () => "error" as never,
};
