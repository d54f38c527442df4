import { ChannelError } from "../../src/domain/channel.ts";

/** What ntfy's server says no with: an HTTP status, and a code of its own in the body. */

const second = 1_000;
const minute = 60 * second;

type Kind = { readonly reason: string; readonly text: string } & (
  | { readonly permanent: true }
  | { readonly restMs?: number }
);

const tooLong = "the text is longer than this server takes (message-size-limit)";

/** It sends no Retry-After, so how long to wait is ours to know; the same call again and again gets a visitor banned. */
const codes: Readonly<Record<number, Kind>> = {
  40014: { reason: "too-long", text: tooLong, permanent: true },
  40018: { reason: "bad-buttons", text: "the buttons were refused", permanent: true },
  40101: {
    reason: "token-refused",
    text: "the token is not valid (any more): make another one on the server (ntfy token add)",
    restMs: minute,
  },
  41301: { reason: "too-long", text: tooLong, permanent: true },
  41303: { reason: "too-long", text: tooLong, permanent: true },
  42901: { reason: "rate-limited", text: "too many requests; a pause is made", restMs: 10 * second },
  42903: {
    reason: "rate-limited",
    text: "too many open connections from this address; a pause is made",
    restMs: minute,
  },
  42908: {
    reason: "quota-used-up",
    text: "the messages of today are used up: nothing goes out until the server counts anew, at midnight UTC; take another plan, or a server of your own",
    restMs: 15 * minute,
  },
  42909: { reason: "rate-limited", text: "too many refused tokens; a pause is made", restMs: 5 * minute },
};

const statuses: Readonly<Record<number, Kind>> = {
  400: { reason: "refused", text: "the message was refused", permanent: true },
  401: codes[40101] as Kind,
  404: {
    reason: "no-such-page",
    text: "there is no such page: channels.ntfy.base_url must be the address of an ntfy server, without a topic",
    restMs: minute,
  },
  413: codes[41301] as Kind,
  429: { reason: "rate-limited", text: "too many requests; a pause is made", restMs: minute },
};

/** A refusal that ntfy itself has spoken. */
export class NtfyRefusal extends ChannelError {
  readonly code: number;
  constructor(code: number, { reason, text, ...kind }: Kind, restMs: number | undefined) {
    const restsMs = restMs ?? ("restMs" in kind ? kind.restMs : undefined);
    super(reason, `ntfy: ${text}`, {
      delivered: "no",
      permanent: "permanent" in kind,
      ...(restsMs === undefined ? {} : { retryAfterMs: restsMs }),
    });
    this.code = code;
  }
}

/**
 * The failure that an answer is; undefined where it is none.
 *
 * @param may what was asked for, for the words of a missing right: `read the reply topic`
 */
export function refusalOf(
  status: number,
  text: string,
  retryAfter: string | undefined,
  may: string,
): ChannelError | undefined {
  if (status === 200) return undefined;
  const seconds = Number(retryAfter);
  const restMs = retryAfter !== undefined && Number.isFinite(seconds) ? seconds * second : undefined;
  const code = codeIn(text);
  if (code === undefined || status >= 500) return elsewhere(status, restMs);
  if (status === 403) {
    const kind = {
      reason: "not-allowed",
      text: `there is no right to ${may}: on the server, ntfy access shows who has which`,
    };
    return new NtfyRefusal(code, { ...kind, restMs: minute }, restMs);
  }
  const kind = codes[code] ?? statuses[status];
  return kind ? new NtfyRefusal(code, kind, restMs) : elsewhere(status, restMs);
}

/** Something in between, such as a proxy or a hotel's sign-in page: ntfy has refused nothing, and may have done it. */
function elsewhere(status: number, restMs: number | undefined): ChannelError {
  const moved = status >= 300 && status < 400;
  const text = moved
    ? "the address moved: write the new one into channels.ntfy.base_url"
    : `out of order, or something else answered in its place (status ${status})`;
  return new ChannelError(status === 429 ? "rate-limited" : "unavailable", `ntfy: ${text}`, {
    delivered: moved || status === 429 ? "no" : "unknown",
    ...(restMs === undefined ? {} : { retryAfterMs: restMs }),
  });
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
export function lost(error: unknown, stopped: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  if (stopped) return new ChannelError("stopped", "the call to ntfy was stopped");
  const { code, name } = error as { code?: unknown; name?: unknown };
  const why = typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : "";
  if (name === "AbortError" || name === "TimeoutError" || why.endsWith("_TIMEOUT")) {
    const unsent = why === "UND_ERR_CONNECT_TIMEOUT";
    return new ChannelError("no-answer", "ntfy did not answer in time", {
      delivered: unsent ? "no" : "unknown",
    });
  }
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(why);
  return new ChannelError("unreachable", `ntfy cannot be reached${why ? ` (${why})` : ""}`, {
    delivered: unsent ? "no" : "unknown",
  });
}

function codeIn(text: string): number | undefined {
  const told = jsonIn(text);
  const code = told?.code;
  return typeof code === "number" && Number.isInteger(code) ? code : undefined;
}

/** The fields of an answer; undefined where it is no JSON object. */
export function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const told: unknown = JSON.parse(text);
    const isFields = typeof told === "object" && told !== null && !Array.isArray(told);
    return isFields ? (told as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
