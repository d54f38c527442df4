import { ChannelError } from "../../src/domain/channel.ts";

/** What a call was for: the same status means another thing for each. */
export type Purpose = "post" | "edit" | "look";
export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** GitHub's own words. They are compared and never repeated. */
  readonly words: string;
};

/** What GitHub asks for at least where a limit on writing was passed and no time is named. */
const pauseMs = 60_000;

type Row = {
  readonly status: number;
  readonly words?: RegExp;
  readonly on?: Purpose;
  readonly reason: string;
  readonly mend: string;
  readonly closed?: true;
};

const noAccess =
  "the token may not do that there: give it Issues, read and write, on this repository (a classic token: the scope repo)";
const notFound =
  "there is no such repository or issue, or the token may not see it: correct channels.github.repository and issue, or give the token access";
const notEditable = "the comment can no longer be edited";

/** The first row that fits. All of them are for good: the same call again gets the same answer. */
const table: readonly Row[] = [
  {
    status: 403,
    words: /archived/i,
    reason: "archived",
    mend: "the repository is archived and takes no comments: name another one in channels.github.repository",
    closed: true,
  },
  {
    status: 403,
    words: /locked/i,
    reason: "locked",
    mend: "the issue is locked: unlock it, or name another one in channels.github.issue",
    closed: true,
  },
  {
    status: 403,
    words: /not accessible by|SAML|SSO|forbids/i,
    reason: "no-access",
    mend: noAccess,
    closed: true,
  },
  { status: 403, on: "edit", reason: "not-editable", mend: notEditable },
  { status: 404, on: "edit", reason: "not-editable", mend: notEditable },
  { status: 410, on: "edit", reason: "not-editable", mend: notEditable },
  { status: 403, reason: "no-access", mend: noAccess, closed: true },
  { status: 404, reason: "not-found", mend: notFound, closed: true },
  {
    status: 410,
    reason: "gone",
    mend: "the issue was deleted, or issues are turned off there: name another one in channels.github",
    closed: true,
  },
  { status: 422, words: /too long/i, reason: "too-long", mend: "the text is longer than GitHub takes" },
];

/** What GitHub said, named. */
export function refusal(answered: Answered, purpose: Purpose): ChannelError {
  const { status, words } = answered;
  const said = (reason: string, text: string, more: ConstructorParameters<typeof ChannelError>[2] = {}) =>
    new ChannelError(reason, `GitHub: ${text}`, { delivered: "no", ...more });
  if (status >= 500) {
    return said("unavailable", `out of order (${status})`, { delivered: "unknown", ...pauseOf(answered) });
  }
  if (status === 401) {
    // The token is refused, not the message: with the right one it still goes out.
    return said(
      "token-refused",
      "the token is not valid (any more): make a new one on GitHub, in Settings, Developer settings",
    );
  }
  if (isLimit(answered)) {
    return said("rate-limited", "too many calls; a pause was asked for", {
      retryAfterMs: pauseOf(answered).retryAfterMs ?? pauseMs,
    });
  }
  const row = table.find(
    (each) => each.status === status && (each.words?.test(words) ?? true) && (each.on ?? purpose) === purpose,
  );
  const text = row?.mend ?? `it refuses that (${status})`;
  // Whoever only looks loses nothing by looking again.
  if (purpose === "look") return said(row?.reason ?? "refused", text);
  return said(row?.reason ?? "refused", text, { permanent: true, closed: row?.closed ?? false });
}

function isLimit({ status, headers, words }: Answered): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers["retry-after"] !== undefined ||
    String(headers["x-ratelimit-remaining"]) === "0" ||
    /rate limit|abuse/i.test(words)
  );
}

/** `retry-after`, else the time of the reset by GitHub's own clock. */
function pauseOf({ headers }: Answered): { readonly retryAfterMs?: number } {
  const seconds = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && Number.isFinite(seconds))
    return { retryAfterMs: seconds * 1_000 };
  if (String(headers["x-ratelimit-remaining"]) !== "0") return {};
  const left = Number(headers["x-ratelimit-reset"]) * 1_000 - Date.parse(String(headers.date));
  return Number.isFinite(left) ? { retryAfterMs: Math.max(left, 1_000) } : {};
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
export function lost(error: unknown, stopped: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  if (stopped) return new ChannelError("stopped", "the call to GitHub was stopped");
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === "TimeoutError" || name === "AbortError") {
    return new ChannelError("no-answer", "GitHub did not answer in time");
  }
  const why = typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : "";
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(why);
  return new ChannelError("unreachable", `GitHub cannot be reached${why ? ` (${why})` : ""}`, {
    delivered: unsent ? "no" : "unknown",
  });
}
