import type { Readable } from "node:stream";
import { ChannelError } from "../../src/domain/channel.ts";
import { jsonIn, lost, refusalOf } from "./refusals.ts";

export type Ask = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the server's address, with its query. */
  readonly path: string;
  /** Sent to that server alone. */
  readonly token?: string | undefined;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the words of a missing right: `write to the ask topic`. */
  readonly may: string;
};

export type Answered = {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The server's own clock, where it tells it. */
  readonly date: string | undefined;
};

export type Line = {
  /** One call, answered with a JSON object. Rejects with a `ChannelError`. */
  call(ask: Ask, signal: AbortSignal, withinMs: number): Promise<Answered>;
  /** An answer that is read as it comes, until `signal` ends it; its beginning must come within that time. */
  read(ask: Ask, signal: AbortSignal, withinMs: number): Promise<Readable>;
  close(): Promise<void>;
};

const mostAnswerBytes = 256 * 1024;

/** The server, spoken to with undici, which is loaded only here. */
export async function openLine(baseUrl: string): Promise<Line> {
  const { Agent, request } = await import("undici");
  const root = baseUrl.replace(/\/+$/, "");
  // What a stream is silent for is judged by whoever reads it.
  const agent = new Agent({ bodyTimeout: 0, headersTimeout: 0, connect: { timeout: 10_000 } });

  async function ask(given: Ask, signal: AbortSignal) {
    const { method, path, token, body, headers } = given;
    const {
      statusCode,
      headers: told,
      body: answer,
    } = await request(root + path, {
      dispatcher: agent,
      method,
      signal,
      ...(body === undefined ? {} : { body }),
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    // Whoever stops reading is told of no error.
    answer.on("error", () => undefined);
    return { statusCode, told, answer };
  }

  const refused = async (
    given: Ask,
    { statusCode, told, answer }: Awaited<ReturnType<typeof ask>>,
  ): Promise<{ readonly text: string; readonly refusal: ChannelError | undefined }> => {
    const text = await textOf(answer);
    const retryAfter = told["retry-after"];
    const wait = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
    return { text, refusal: refusalOf(statusCode, text, wait, given.may) };
  };

  return {
    async call(given, signal, withinMs) {
      return limited(signal, withinMs, async (until) => {
        const answered = await ask(given, until);
        const { text, refusal } = await refused(given, answered);
        if (refusal) throw refusal;
        const fields = jsonIn(text);
        if (!fields) throw somethingElse();
        const { date } = answered.told;
        return { fields, date: typeof date === "string" ? date : undefined };
      });
    },
    async read(given, signal, withinMs) {
      // Ends with `signal` however long it is read; only its beginning is waited for.
      const whole = new AbortController();
      const end = (): void => whole.abort();
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
      try {
        return await limited(signal, withinMs, async (until) => {
          until.addEventListener("abort", end, { once: true });
          const answered = await ask(given, whole.signal);
          until.removeEventListener("abort", end);
          if (answered.statusCode !== 200) throw (await refused(given, answered)).refusal;
          answered.answer.once("close", () => signal.removeEventListener("abort", end));
          return answered.answer;
        });
      } catch (error) {
        signal.removeEventListener("abort", end);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

async function limited<Value>(
  signal: AbortSignal,
  withinMs: number,
  act: (until: AbortSignal) => Promise<Value>,
): Promise<Value> {
  // A timer of our own: on Node 20 the garbage collector takes AbortSignal.timeout out of an AbortSignal.any.
  const call = new AbortController();
  const stop = (): void => call.abort();
  const timer = setTimeout(stop, withinMs);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await act(call.signal);
  } catch (error) {
    throw lost(error, signal.aborted);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > mostAnswerBytes) {
      body.destroy();
      throw somethingElse();
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function somethingElse(): ChannelError {
  return new ChannelError("unavailable", "ntfy: something else answered in its place; is base_url right?");
}
