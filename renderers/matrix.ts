import type { Capabilities } from "../src/domain/capabilities.ts";
import type { ChannelId } from "../src/domain/ids.ts";

const second = 1_000;
const hour = 3_600 * second;

/** One row a channel. Adding a channel is adding a row here and a file in `channels/`. */
export const matrix = {
  telegram: {
    body: { max: 4096, unit: "utf16", counted: "shown", editMax: 4096 },
    headline: "none",
    dialect: "telegram-html",
    // 64 units are allowed, phones show about 40.
    buttons: { max: 100, perRow: 8, label: 40, payloadBytes: 64, kind: "callback" },
    freeText: "reply",
    correlation: "thread",
    edit: "yes",
    inbound: "poll",
    identity: "strong",
    chats: "person",
    verbMark: "/",
    retention: { textMs: 24 * hour, pressMs: 150 * second },
    rings: true,
    quiet: "flag",
    visibility: "private",
    sources: [
      {
        where: "core.telegram.org/bots/api, sendMessage and editMessageText: 4096 after entities parsing",
        on: "2026-11-30",
      },
      { where: "npm @grammyjs/types 5.0.0, markup.d.ts: callback_data 1 to 64 bytes", on: "2026-11-30" },
      {
        where:
          "github.com/tdlib/telegram-bot-api 01a3679, Client.cpp: updates 86,400 s, callback queries 150 s",
        on: "2026-11-30",
      },
    ],
  },
  slack: {
    // A message may be edited as long as its `text` is short: that is the headline, so blocks set the limit.
    body: { max: 10_000, unit: "utf16", counted: "sent", editMax: 10_000, partMax: 3000 },
    headline: { max: 150 },
    dialect: "mrkdwn",
    buttons: { max: 25, perRow: 5, label: 75, payloadBytes: 2000, kind: "callback" },
    freeText: "thread",
    correlation: "thread",
    edit: "yes",
    inbound: "socket",
    identity: "strong",
    chats: "person",
    verbMark: "!",
    // What was said stands in the channels and is read again; a tap that nobody fetches fails before its person's eyes.
    retention: { textMs: "unlimited", pressMs: 0 },
    rings: true,
    quiet: "none",
    visibility: "group",
    sources: [
      {
        where: "npm @slack/types 3.2.0: section 3000, header 150, 25 elements, label 75, value 2000",
        on: "2026-11-30",
      },
      {
        where: "github.com/slackapi/bolt-js issue 2509: all blocks together fail near 13,000",
        on: "2026-11-30",
      },
      { where: "hex.pm slack_kit, chat.update: text over 4,000 is msg_too_long", on: "2026-11-30" },
      {
        where: "docs.slack.dev, conversations.history and .replies: what was said is read again at any time",
        on: "2026-11-30",
      },
    ],
  },
  ntfy: {
    body: {
      max: 4095,
      unit: "utf8",
      counted: "sent",
      editMax: 4095,
      wire: { maxBytes: 8192, restBytes: 2600 },
    },
    headline: { max: 250 },
    dialect: "ntfy",
    buttons: { max: 3, perRow: 3, label: 40, payloadBytes: 512, kind: "publish" },
    // Anybody may publish there, so only a button's token counts.
    freeText: "none",
    correlation: "id",
    // From server 2.16 on; an older one is followed up.
    edit: "yes",
    inbound: "poll",
    identity: "token",
    chats: "one",
    verbMark: "/",
    retention: { textMs: 12 * hour, pressMs: 12 * hour },
    rings: true,
    quiet: "flag",
    visibility: "group",
    sources: [
      {
        where:
          "ntfy 2.11.0 server, run: 4096 bytes become an attachment, a fourth action is refused with 40018",
        on: "2026-11-30",
      },
      {
        where: "github.com/binwiederhier/ntfy 81a486a, server.go: JSON body at most twice the message limit",
        on: "2026-11-30",
      },
      { where: "github.com/binwiederhier/ntfy 81a486a, config.go: cache of 12 hours", on: "2026-11-30" },
      {
        where: "docs.ntfy.sh/publish, updating notifications: the same sequence_id, server 2.16, not on iOS",
        on: "2026-11-30",
      },
    ],
  },
  email: {
    body: { max: 98_000, unit: "utf8", counted: "sent" },
    headline: { max: 250 },
    dialect: "mail",
    buttons: { max: 9, perRow: 1, label: 90, payloadBytes: 1800, kind: "mailto" },
    freeText: "reply",
    correlation: "thread",
    edit: "none",
    inbound: "poll",
    identity: "token",
    chats: "person",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: true,
    quiet: "none",
    visibility: "private",
    sources: [
      {
        where: "Gmail clips HTML above about 102 KB; the rest is for the mail's own frame",
        on: "2026-11-30",
      },
      {
        where: "RFC 6068 and clients: mailto addresses of at most about 1,800 characters",
        on: "2026-11-30",
      },
    ],
  },
  github: {
    // The rest is for the hidden mark and the link to what is answered.
    body: { max: 65_000, unit: "utf16", counted: "sent", editMax: 65_000 },
    headline: "none",
    dialect: "gfm",
    buttons: "none",
    freeText: "comment",
    correlation: "id",
    edit: "yes",
    inbound: "poll",
    identity: "strong",
    chats: "one",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: true,
    quiet: "none",
    visibility: "public",
    sources: [{ where: "docs.github.com, issue comments: 65,536 characters, 422 above", on: "2026-11-30" }],
  },
  feishu: {
    body: { max: 18_000, unit: "utf8", counted: "sent", wire: { maxBytes: 20_480, restBytes: 2000 } },
    headline: { max: 250 },
    dialect: "feishu-card",
    buttons: "none",
    freeText: "none",
    correlation: "none",
    edit: "none",
    inbound: "none",
    identity: "none",
    chats: "one",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: true,
    quiet: "none",
    visibility: "group",
    sources: [
      {
        where:
          "open.larkoffice.com, custom bot guide: request body 20 KB, code 9499 above, buttons open links only",
        on: "2026-11-30",
      },
    ],
  },
  webhook: {
    body: { max: 65_536, unit: "utf8", counted: "sent" },
    headline: { max: 250 },
    dialect: "plain",
    buttons: "none",
    freeText: "none",
    correlation: "none",
    edit: "none",
    inbound: "none",
    identity: "none",
    chats: "one",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: true,
    quiet: "none",
    visibility: "private",
    formats: {
      // The text alone: blocks are Slack's own, and the receivers that are like it show nothing of them.
      slack: {
        body: { max: 4000, unit: "utf16", counted: "sent" },
        headline: "none",
        dialect: "slack-compatible",
      },
      // One embed; the headline stands above it.
      discord: { body: { max: 4096, unit: "utf16", counted: "sent" }, dialect: "discord" },
    },
    sources: [
      { where: "owlpost's own choice; the receiver sets its own limits", on: "2026-11-30" },
      {
        where: "Slack's incoming webhooks: a text of 4,000 is recommended, one over 40,000 is cut",
        on: "2026-11-30",
      },
      {
        where:
          "github.com/discord/discord-api-docs c98d64b: content 2000, an embed's description 4096, embeds 6000",
        on: "2026-11-30",
      },
    ],
  },
  inbox: {
    body: { max: 1_000_000, unit: "utf16", counted: "sent", editMax: 1_000_000 },
    headline: { max: 250 },
    dialect: "plain",
    buttons: { max: 10, perRow: 1, label: 90, payloadBytes: 512, kind: "callback" },
    freeText: "page",
    correlation: "thread",
    edit: "yes",
    inbound: "page",
    identity: "owner",
    chats: "one",
    verbMark: "/",
    retention: { textMs: "unlimited", pressMs: "unlimited" },
    rings: false,
    quiet: "flag",
    visibility: "private",
    sources: [{ where: "owlpost's own page; it reads the store itself", on: "2026-11-30" }],
  },
} as const satisfies Readonly<Record<string, Capabilities>>;

const rows: Readonly<Record<string, Capabilities>> = matrix;

/** Made once: what is worked out for a row is kept with it. */
const formatted: ReadonlyMap<string, Capabilities> = new Map(
  Object.entries(rows).flatMap(([channel, row]) =>
    Object.entries(row.formats ?? {}).map(([format, other]) => [
      `${channel} ${format}`,
      { ...row, ...other },
    ]),
  ),
);

/**
 * The row of a channel, in the format that its settings choose where the row has several; plain text without buttons for
 * a channel that has no row.
 */
export function rowOf(channel: ChannelId, settings: { readonly format?: unknown } = {}): Capabilities {
  const { format } = settings;
  const chosen = typeof format === "string" ? formatted.get(`${channel} ${format}`) : undefined;
  return chosen ?? (Object.hasOwn(rows, channel) ? (rows[channel] ?? matrix.webhook) : matrix.webhook);
}
