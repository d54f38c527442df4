/** How sizes are counted: UTF-16 code units (JavaScript's length), Unicode code points, or bytes of UTF-8. */
export type SizeUnit = "utf16" | "codepoint" | "utf8";

export type Dialect =
  | "telegram-html"
  | "mrkdwn"
  | "slack-compatible"
  | "discord"
  | "gfm"
  | "mail"
  | "ntfy"
  | "feishu-card"
  | "plain";

/** A fact about a platform with the place and day it was read. */
export type Source = { readonly where: string; readonly on: string };

/**
 * One row of the matrix: values only. `"none"` reads better than `false`.
 * A renderer is driven by these values alone; no code may ask which channel it is.
 */
export type Capabilities = {
  /** `max` is what a body may hold when posted, `editMax` when edited; both in `unit`, after escaping. */
  readonly body: {
    readonly max: number;
    readonly unit: SizeUnit;
    /** `sent`: escapes and tags count; `shown`: the platform parses the markup first and counts what is left. */
    readonly counted: "sent" | "shown";
    readonly editMax?: number;
    /** The longest single part, in `unit`, where a platform limits its blocks. */
    readonly partMax?: number;
    /** The whole request as JSON, and what of it the adapter needs beside the body, in bytes of UTF-8. */
    readonly wire?: { readonly maxBytes: number; readonly restBytes: number };
  };
  /** One line for a lock screen: its length in `body.unit`, or `none` where the platform has no separate headline. */
  readonly headline: { readonly max: number } | "none";
  readonly dialect: Dialect;
  readonly buttons:
    | {
        readonly max: number;
        readonly perRow: number;
        /** Longest label in UTF-16 units. */
        readonly label: number;
        readonly payloadBytes: number;
        readonly kind: "callback" | "publish" | "mailto";
      }
    | "none";
  /** How a person answers in words. */
  readonly freeText: "reply" | "thread" | "comment" | "page" | "none";
  /** `thread`: a reply belongs to its question by itself; `id`: the id must stand in the reply. */
  readonly correlation: "thread" | "id" | "none";
  readonly edit: "yes" | "none";
  readonly inbound: "poll" | "socket" | "page" | "none";
  readonly identity: "strong" | "token" | "owner" | "none";
  /** `person`: everybody has a private chat with the bot, so a question rings each who may answer; `one`: there is one place for all. */
  readonly chats: "person" | "one";
  /** The mark before a verb: `/` or, where the platform swallows that, `!`. */
  readonly verbMark: "/" | "!";
  /** How long the platform keeps what came while nobody fetched it; `unlimited` where it never drops it. */
  readonly retention: { readonly textMs: number | "unlimited"; readonly pressMs: number | "unlimited" };
  readonly rings: boolean;
  /** `flag`: a message can come without ringing; `none`: in quiet hours it waits for the morning. */
  readonly quiet: "flag" | "none";
  readonly visibility: "private" | "group" | "public";
  /** What is different where the channel's `format` setting names one of these. */
  readonly formats?: Readonly<Record<string, Partial<Pick<Capabilities, "body" | "headline" | "dialect">>>>;
  readonly sources: readonly Source[];
};

/**
 * How large something is beside the room that a row has for it, both in `unit`: as a whole message, as its longest part,
 * or as the request, in JSON.
 */
export type Extent = {
  readonly size: number;
  readonly room: number;
  readonly unit: SizeUnit;
  readonly of: "message" | "part" | "request";
};

/** The rungs of the ladder, in the order in which they are taken. */
export const rungs = ["markup", "buttons", "edit", "thread", "size"] as const;
export type RungName = (typeof rungs)[number];
