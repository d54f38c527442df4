import { ChannelError } from "../../src/domain/channel.ts";

type More = ConstructorParameters<typeof ChannelError>[2];

/** Slack has read the call and said no. */
export class SlackRefusal extends ChannelError {
  /** Slack's own word for it. */
  readonly word: string;
  constructor(word: string, reason: string, text: string, more: More = {}) {
    super(reason, `Slack: ${text}`, { delivered: "no", ...more });
    this.word = word;
  }
}

type Kind = {
  readonly words: readonly string[];
  readonly reason: string;
  readonly mend: string;
  readonly more?: More;
};

const gone = { permanent: true, closed: true } as const;
const permanent = { permanent: true } as const;

/** Slack's words, by what they mean for what was to be done. A word that is not here is for good, and is shown as it is. */
const kinds: readonly Kind[] = [
  {
    words: ["message_not_found", "cant_update_message", "edit_window_closed", "is_inactive", "cant_edit"],
    reason: "not-editable",
    mend: "the message can no longer be edited",
    more: permanent,
  },
  {
    words: ["msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "no_text"],
    reason: "bad-message",
    mend: "the message was not understood, or is longer than Slack takes",
    more: permanent,
  },
  {
    words: [
      "thread_not_found",
      "cannot_reply_to_message",
      "invalid_thread_ts",
      "restricted_action_thread_locked",
      "thread_locked",
    ],
    reason: "no-such-thread",
    mend: "there is no such thread any more",
    more: permanent,
  },
  {
    words: ["channel_not_found"],
    reason: "channel-not-found",
    mend: "there is no such channel, or the bot is not in it: invite it there (/invite @owlpost), or correct the id",
    more: gone,
  },
  {
    words: ["not_in_channel"],
    reason: "not-in-channel",
    mend: "the bot is not in that channel: invite it there (/invite @owlpost)",
    more: gone,
  },
  {
    words: ["is_archived"],
    reason: "archived",
    mend: "the channel is archived: name another one in channels.slack.channel",
    more: gone,
  },
  {
    words: [
      "user_not_found",
      "users_not_found",
      "user_disabled",
      "user_not_visible",
      "cannot_dm_bot",
      "invalid_user_combination",
      "users_list_not_supplied",
    ],
    reason: "no-such-person",
    mend: "there is no such person (any more), or no private chat with them: correct channels.slack.allow, or revoke the pairing",
    more: gone,
  },
  {
    words: [
      "restricted_action",
      "restricted_action_read_only_channel",
      "restricted_action_thread_only_channel",
      "restricted_action_non_threadable_channel",
      "channel_is_limited_access",
      "messages_tab_disabled",
      "ekm_access_denied",
    ],
    reason: "not-allowed-there",
    mend: "the bot may not write there: an administrator has to allow it (in a private chat: the app's Messages tab must be on)",
    more: gone,
  },
  // The token is refused, not the message: with the right one it still goes out.
  {
    words: ["invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"],
    reason: "token-refused",
    mend: "the token is not valid (any more): put the present one into its variable. xoxb-: Install App, in the app's settings; xapp-: Basic Information, App-Level Tokens",
  },
  {
    words: ["not_allowed_token_type"],
    reason: "wrong-token",
    mend: "that is the other kind of token: bot_token begins with xoxb-, app_token with xapp-",
  },
  {
    words: [
      "org_login_required",
      "team_access_not_granted",
      "two_factor_setup_required",
      "access_denied",
      "ip_not_allowed",
    ],
    reason: "team-refused",
    mend: "the workspace lets the app do nothing at present: ask its administrator",
  },
  {
    words: ["team_not_found", "org_level_email_display_disabled", "enterprise_is_restricted"],
    reason: "team-refused",
    mend: "the workspace lets the app do nothing at present: ask its administrator",
  },
  {
    words: ["socket_mode_disabled", "link_disabled"],
    reason: "socket-mode-off",
    mend: "Socket Mode is switched off: switch it on in the app's settings (or paste config/slack-app.manifest.yaml there)",
  },
  {
    words: ["ratelimited", "rate_limited", "message_limit_exceeded", "slow_down"],
    reason: "rate-limited",
    mend: "too many messages; a pause was asked for",
    more: { retryAfterMs: 30_000 },
  },
  {
    words: ["fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org"],
    reason: "unavailable",
    mend: "out of order",
    more: { delivered: "unknown" },
  },
];

const byWord = new Map(kinds.flatMap((kind) => kind.words.map((word) => [word, kind] as const)));

/** What Slack's word means. `needed`: the scope that it named with `missing_scope`. */
export function refusalOf(word: string, needed?: string): ChannelError {
  if (word === "missing_scope" || word === "no_permission") {
    if (needed === "connections:write") {
      const mend = `the app-level token lacks the scope ${needed}: make one with it in the app's settings (Basic Information, App-Level Tokens)`;
      return new SlackRefusal(word, "missing-scope", mend);
    }
    const scope = needed !== undefined && /^[a-z_:.,]{3,120}$/.test(needed) ? ` ${needed}` : "";
    const text = `the app may not do that: it needs the scope${scope} (paste config/slack-app.manifest.yaml into its settings, then install it again)`;
    return new SlackRefusal(word, "missing-scope", text);
  }
  const kind = byWord.get(word);
  if (kind) return new SlackRefusal(word, kind.reason, kind.mend, kind.more);
  if (/^[a-z][a-z0-9_]{1,60}$/.test(word)) return new SlackRefusal(word, "refused", word, permanent);
  // A page of somebody else's stands where Slack's answer should be: nobody knows what it would show of us.
  return unavailable("something else answered in its place");
}

/** The same call again gets the same answer: not so where Slack is out of order, or keeps us out for a while. */
export function isForGood(error: unknown): boolean {
  return error instanceof SlackRefusal && (error.permanent || error.reason === "missing-scope");
}

export function unavailable(why: string, more: More = {}): ChannelError {
  return new ChannelError("unavailable", `Slack: out of order, or not reached (${why})`, {
    delivered: "unknown",
    ...more,
  });
}

export function rateLimited(seconds: number): ChannelError {
  const kind = byWord.get("ratelimited");
  return new SlackRefusal("ratelimited", "rate-limited", kind?.mend ?? "", {
    retryAfterMs: Math.max(1, seconds) * 1_000,
  });
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
export function lost(error: unknown, stopped: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  if (stopped) return new ChannelError("stopped", "the call to Slack was stopped");
  const why = codeOf(error);
  if (why === "TimeoutError" || why === "AbortError") {
    return new ChannelError("no-answer", "Slack did not answer in time");
  }
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(why);
  return new ChannelError("unreachable", `Slack cannot be reached${why === "" ? "" : ` (${why})`}`, {
    delivered: unsent ? "no" : "unknown",
  });
}

/** The first code or name in a chain of causes that can hold nothing else. */
function codeOf(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < 6 && typeof at === "object" && at !== null; depth += 1) {
    const { code, name, cause, original } = at as Record<string, unknown>;
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
    if (name === "TimeoutError" || name === "AbortError") return name;
    at = cause ?? original;
  }
  return "";
}
