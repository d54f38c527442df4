import { ChannelError } from "../../src/domain/channel.ts";

/** What came back: `code` is Feishu's own, undefined where something else answered. */
export type Answer = {
  readonly status: number;
  readonly code: number | undefined;
  /** How far Feishu's clock was ahead of this machine's. */
  readonly aheadMs: number | undefined;
  /** In seconds. */
  readonly retryAfter: number | undefined;
};

const mostAnswerBytes = 65_536;

/** undici is loaded only here. Rejects with a `ChannelError` that holds neither the webhook nor the secret. */
export async function connect(callMs: number, now: () => number) {
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ connect: { timeout: callMs } });
  return {
    async ask(
      url: string,
      method: "POST" | "HEAD",
      body: string | null,
      signal: AbortSignal,
    ): Promise<Answer> {
      // A timer of our own: see what Node 20 does to AbortSignal.timeout inside an AbortSignal.any.
      const call = new AbortController();
      const stop = (): void => call.abort();
      const timer = setTimeout(stop, callMs);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        const headers = { "content-type": "application/json; charset=utf-8" };
        const got = await request(url, { method, headers, body, dispatcher, signal: call.signal });
        const date = Date.parse(String(got.headers.date));
        const aheadMs = Number.isNaN(date) ? undefined : date - now();
        const wait = Number(got.headers["retry-after"] ?? got.headers["x-ogw-ratelimit-reset"]);
        return {
          status: got.statusCode,
          code: codeOf(await textOf(got.body)),
          aheadMs,
          retryAfter: Number.isFinite(wait) && wait > 0 ? wait : undefined,
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

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function codeOf(text: string): number | undefined {
  try {
    // An older form has the second name alone.
    const { code, StatusCode: older } = JSON.parse(text) as { code?: unknown; StatusCode?: unknown };
    if (code === undefined && typeof older === "number") return older;
    return typeof code === "number" ? code : undefined;
  } catch {
    return undefined;
  }
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
function lost(error: unknown, stopped: boolean): ChannelError {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const why = typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : "";
  if (stopped) return new ChannelError("stopped", "the call to Feishu was stopped");
  if (name === "AbortError") return new ChannelError("no-answer", "Feishu did not answer in time");
  const unsent =
    ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(why) ||
    why.includes("CERT");
  return new ChannelError("unreachable", `Feishu cannot be reached${why ? ` (${why})` : ""}`, {
    delivered: unsent ? "no" : "unknown",
  });
}
