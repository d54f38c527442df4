import type { RungName } from "./capabilities.ts";
import type { ChannelId, Cursor, Instant, MessageRef, QuestionId } from "./ids.ts";
import { longestRestMs } from "./store.ts";

export const partNames = [
  "header",
  "title",
  "tail",
  "context",
  "tried",
  "facts",
  "cut",
  "option",
  "deadline",
  "standing",
  "reply",
  "text",
] as const;
export type PartName = (typeof partNames)[number];

/** One escaped and fitted piece of a message, in the row's dialect. */
export type Part = { readonly name: PartName; readonly text: string };

/** What a rendered message is; a channel only re-shapes it, so that no channel can lose content. */
export type ChannelMessage = {
  /** One line for a lock screen, never markup. */
  readonly headline: string;
  /** In reading order; `body` is their join by blank lines. */
  readonly parts: readonly Part[];
  readonly body: string;
  /** The same content without any markup, for a platform that refuses ours or shows a text beside it. */
  readonly plain: string;
  readonly buttons: readonly Button[];
  /** Rungs of the ladder that were taken. */
  readonly degraded: readonly RungName[];
  /** May it ring, or is it to come in silence? */
  readonly silent: boolean;
  /** What it is about: a question, or what became of one. */
  readonly question?: QuestionId;
  /** The copy of ours that it follows, where that could not be edited: it belongs into the same thread. */
  readonly follows?: MessageRef;
  /** The headline under which that copy stands. */
  readonly thread?: string;
  /** The message of theirs that it answers; a platform without replies, or without that message any more, posts it alone. */
  readonly replyTo?: MessageRef;
};

export type Button = {
  readonly label: string;
  readonly question: QuestionId;
  /** An option's key, a verb, the night's *Go ahead*, or the list of all options. */
  readonly action: { readonly key: string } | { readonly verb: "skip" | "go" | "more" };
  readonly primary: boolean;
};

/** What a platform said, normalised and untrusted. */
export type Reply = {
  /** The key under which it is stored once, e.g. an update id. */
  readonly key: string;
  /** Another key under which the platform may bring the same reply again; whichever comes first is stored, the other is dropped. */
  readonly twin?: string;
  readonly sender: string;
  /** What the platform calls them: for showing only, and never for telling who it is. */
  readonly name?: string;
  /** The platform's own time, where it sends one. */
  readonly at?: Instant;
  /** `action` is an option's key, `skip`, `retry`, `go` (the night's *Go ahead*), or `/more` for the list of all options. */
  readonly press?: { readonly question: string; readonly action: string };
  readonly text?: string;
  /**
   * Where a reply is a whole letter: what stands beside `text`, its first line; empty where nothing does. A letter whose
   * `text` is blank is asked about.
   */
  readonly comment?: string;
  /** The message of ours that it answers. */
  readonly to?: MessageRef;
  /** The question whose buttons stand on that message, where the platform shows them: it may be one that nobody knows of. */
  readonly about?: string;
  /** Where it was said: a destination of the same channel, so that its receipt can go there. */
  readonly chat?: string;
  /** Does nobody else read along? */
  readonly private?: boolean;
  /** Outside a private chat: does it speak to the bot by a mention or by a command that names it? */
  readonly addressed?: boolean;
  /** How its text calls the bot, in a mention or in a command: `@owlpost_bot`, `<@U0BOT>`. */
  readonly mentions?: readonly string[];
  /** The thread or topic of that chat. */
  readonly thread?: string;
  /** What the platform calls this message of theirs. */
  readonly message?: MessageRef;
  /** On a channel that knows nobody: the question that its token is for; `null` where no valid token came with it. */
  readonly token?: string | null;
  /** It changes a message that came before; `message` is that one. */
  readonly edited?: true;
  /** No press, and yet `settle` shows its receipt to its sender alone, as a toast (a slash command, a form). */
  readonly toast?: true;
  /** Nobody proved it, and yet it comes from within the same team: its sender may be told once a day that nobody knows them. */
  readonly colleague?: true;
  /**
   * Nobody knows who said it: kept and told to the owners elsewhere, never obeyed and never answered. The reason's name, such
   * as `not-proven` or `wrong-token`.
   */
  readonly quarantined?: string;
};

export type Receipt = { readonly key: string; readonly text: string; readonly accepted: boolean };

/** `chat`: as in a destination, without a topic. `detail`: why nothing arrives there any more, and how to mend it. */
export type ChatChange = { readonly chat: string } & (
  | { readonly open: true }
  | { readonly open: false; readonly detail: string }
);

export type Batch = {
  readonly replies: readonly Reply[];
  /** Committed together with the replies. */
  readonly cursor?: Cursor;
  /** Chats that have let us in again, or shut us out. */
  readonly chats?: readonly ChatChange[];
  /** The platform holds more that has come already: poll again before a deadline runs out. */
  readonly more?: boolean;
  /** It works, and will not for long: what its owner should know in time, such as a quota that is nearly used up. */
  readonly warning?: string;
  /** Runs after the commit: tells the platform "received" and shows the toasts. Returns the keys it delivered. */
  settle?(receipts: readonly Receipt[]): Promise<readonly string[]>;
};

/** Whether a failed send may have arrived all the same. */
export type Delivered = "no" | "unknown";

/**
 * A named failure of a platform. `permanent`: sending again cannot help. `closed`: not the message is refused but its
 * destination, which takes nothing until somebody there does something. `stands`: an edit was refused because nothing can be
 * edited there, so that the message still stands as it was.
 */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly reason: string;
  readonly permanent: boolean;
  readonly closed: boolean;
  readonly stands: boolean;
  readonly delivered: Delivered;
  /** At most an hour: a timer of Node's that is asked for more than 24 days does not wait at all. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: string,
    message: string,
    more: {
      permanent?: boolean;
      closed?: boolean;
      stands?: boolean;
      delivered?: Delivered;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.reason = reason;
    this.closed = more.closed ?? false;
    this.stands = more.stands ?? false;
    this.permanent = more.permanent ?? (this.closed || this.stands);
    this.delivered = more.delivered ?? "unknown";
    this.retryAfterMs =
      more.retryAfterMs === undefined ? undefined : Math.min(more.retryAfterMs, longestRestMs);
  }
}

/** What `owlpost doctor` and `owlpost init` learn about a channel; `text` says what is so or, where it is not ok, how to mend it. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  /** It works, and yet it wants a look; `text` says why. */
  readonly warn?: true;
  /** What the platform calls the bot, without a mark before it: what a link to it is made of. */
  readonly bot?: string;
  /** How far the platform's clock was ahead of this machine's, in milliseconds, exact to about a second. */
  readonly aheadMs?: number;
};

/** How a person becomes known on a channel. */
export type Pairing =
  | {
      /** `code`: typed or linked in a private chat. */
      readonly by: "code";
      /** What is typed there. */
      say(code: string): string;
      /** A link that does the same by one tap; `bot` is the name that `checks` reports. Absent where the platform has none. */
      link?(bot: string, code: string): string;
    }
  | {
      /** `mail`: an address must be given; a message goes there, and the code comes back as the reply to it. */
      readonly by: "mail";
      say(code: string): string;
      /** Why that is no address that can be paired; undefined where it is. */
      trouble(address: string): string | undefined;
    }
  | {
      /** `login`: the platform itself says whose name that is, so that it needs no code. Rejects with a `ChannelError`. */
      readonly by: "login";
      resolve(
        settings: Readonly<Record<string, unknown>>,
        login: string,
      ): Promise<{ readonly address: string; readonly login: string }>;
    };

/** What the app hands to a channel that it opens. */
export type ChannelTools = {
  /**
   * A token that only this home can make: HMAC-SHA-256 over the parts, 130 bits of it in 26 characters of base32 in lower
   * case. The same parts give the same token, whenever the home is opened.
   */
  sign(...parts: readonly string[]): string;
  /** Is that the token of these parts? Compared in constant time; upper case is as good as lower. */
  isSigned(token: string, ...parts: readonly string[]): boolean;
  readonly now: () => Instant;
};

/** How far ahead a last word is set, and how often it is pushed forward. */
export type LastWordPace = { readonly aheadMs: number; readonly everyMs: number };

/** What a platform says by itself when nobody has pushed it forward in time: the service died, or lost its line. */
export type LastWord = {
  /** Resolves with undefined where the platform, as it is now, knows no such thing. */
  pace(signal: AbortSignal): Promise<LastWordPace | undefined>;
  /** To be said at `at`, in place of what was set before. */
  set(message: ChannelMessage, at: Instant, signal: AbortSignal): Promise<void>;
  /** It is not said, and where it was said already it is taken away, as far as the platform can. */
  takeBack(signal: AbortSignal): Promise<void>;
};

/** One row of the matrix, opened. */
export type AnswerChannel = {
  readonly id: ChannelId;
  /** May it ring a phone? The local inbox does not. */
  readonly rings: boolean;
  /** Where messages of this channel go; one ordered queue each. */
  readonly destinations: readonly string[];
  /** `key` is the same for every attempt of one message: hand it to the platform where it knows idempotency keys. */
  post(destination: string, message: ChannelMessage, key: string, signal: AbortSignal): Promise<MessageRef>;
  edit?(destination: string, ref: MessageRef, message: ChannelMessage, signal: AbortSignal): Promise<void>;
  /** Does `edit` work there, as the platform is now? Absent: wherever there is `edit`. */
  edits?(signal: AbortSignal): Promise<boolean>;
  /** Resolves with what came, or with an empty batch after a while. Absent where nothing comes in by itself. */
  poll?(cursor: Cursor | undefined, signal: AbortSignal): Promise<Batch>;
  /** Absent where no platform of this kind can say anything by itself. */
  readonly lastWord?: LastWord;
  close(): Promise<void>;
};
