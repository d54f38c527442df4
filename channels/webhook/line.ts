import { ChannelError } from "../../src/domain/channel.ts";

export type Answer = {
  readonly status: number;
  /** The pause that was asked for. */
  readonly retryAfterMs: number | undefined;
  /** How far the receiver's clock was ahead of this machine's. */
  readonly aheadMs: number | undefined;
};
export type Ask = {
  readonly method: "POST" | "HEAD";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a receiver answers is not read: so much of it is let through before the connection is given up. */
const mostAnswerBytes = 65_536;

/**
 * undici is loaded only here; it follows no redirect. Rejects with a `ChannelError` that holds neither the address nor the
 * secret.
 */
export async function connect(callMs: number, now: () => number) {
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ connect: { timeout: callMs } });
  return {
    async ask(url: string, ask: Ask, signal: AbortSignal): Promise<Answer> {
      // A timer of our own: on Node 20 the garbage collector takes AbortSignal.timeout out of an AbortSignal.any.
      const call = new AbortController();
      const stop = (): void => call.abort();
      const timer = setTimeout(stop, callMs);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        const { statusCode, headers, body } = await request(url, { ...ask, dispatcher, signal: call.signal });
        // Its status says all: what comes behind it, or does not, changes nothing.
        await body.dump({ limit: mostAnswerBytes }).catch(() => undefined);
        const date = Date.parse(String(headers.date));
        return {
          status: statusCode,
          retryAfterMs: retryAfter(headers["retry-after"], Number.isNaN(date) ? now() : date),
          aheadMs: Number.isNaN(date) ? undefined : date - now(),
        };
      } catch (error) {
        throw lost(error, signal.aborted);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

/** Seconds, or a date by the receiver's own clock. */
function retryAfter(given: string | string[] | undefined, theirNow: number): number | undefined {
  if (typeof given !== "string" || given.trim() === "") return undefined;
  const seconds = Number(given);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - theirNow;
  return ms > 0 ? Math.ceil(ms) : undefined;
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
function lost(error: unknown, stopped: boolean): ChannelError {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const why = typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : "";
  if (stopped) return new ChannelError("stopped", "the call to the webhook was stopped");
  if (name === "AbortError")
    return new ChannelError("no-answer", "Webhook: the receiver did not answer in time");
  if (why.includes("CERT")) {
    return new ChannelError("bad-certificate", `Webhook: the receiver's certificate is not valid (${why})`, {
      delivered: "no",
    });
  }
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(why);
  return new ChannelError("unreachable", `Webhook: the receiver cannot be reached${why ? ` (${why})` : ""}`, {
    delivered: unsent ? "no" : "unknown",
  });
}
