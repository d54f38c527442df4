import type { Reply } from "../../src/domain/channel.ts";
import { type MessageRef, questionId } from "../../src/domain/ids.ts";
import { writeAction } from "./blocks.ts";
import { type Answered, type FormOrigin, formError, type OpenedForm, readForm } from "./form.ts";
import { type Envelope, type Message, type Payload, refOf, timeOf, whoOf } from "./frames.ts";
import { mentionOf, typedText } from "./text.ts";

/** The bot, as `auth.test` names it. */
export type Me = { readonly team: string; readonly user: string };

/** How the receipt of a reply reaches its sender alone. */
export type Way =
  /** A press: to its `response_url`, or as an ephemeral message at `chat`. */
  | {
      readonly kind: "press";
      readonly url?: string;
      readonly chat: string;
      readonly thread?: string;
      readonly user: string;
    }
  /** A slash command: in the ack of its envelope, or to its `response_url`. */
  | { readonly kind: "command"; readonly url?: string }
  /** A form: a refusal in the ack of its envelope, the rest as an ephemeral message where it was opened. */
  | { readonly kind: "form"; readonly origin?: FormOrigin; readonly user: string };

export type Decoded = {
  /** Null: nothing reaches the core, and the envelope may be acked at once. */
  readonly reply: Reply | null;
  readonly way?: Way;
  /** What goes with that ack. */
  readonly answer?: Answered;
  /** The form that somebody asks for; Slack waits three seconds for it. */
  readonly form?: OpenedForm;
};

const nothing: Decoded = { reply: null };

/** What an envelope says. Only people are senders. `rooms`: threads in which a question may stand that nobody of us began. */
export function decode(envelope: Envelope, me: Me, threads: ReadonlySet<string> = new Set()): Decoded {
  const { payload } = envelope;
  if (!payload) return nothing;
  switch (envelope.type) {
    case "events_api":
      return { reply: decodeEvent(payload, me, threads) };
    case "slash_commands":
      return decodeCommand(payload, me);
    case "interactive":
      if (payload.type === "block_actions") return decodePress(payload, me);
      return payload.type === "view_submission" ? decodeForm(payload, me) : nothing;
    default:
      return nothing;
  }
}

// ---- presses -------------------------------------------------------------------------------------------------------

const verbOf: Readonly<Record<string, string>> = { "/skip": "skip", "/go": "go" };

function decodePress(payload: Payload, me: Me): Decoded {
  const { user, container = {}, actions: [action] = [], response_url: url } = payload;
  const chat = payload.channel?.id ?? container.channel_id;
  const message = payload.message?.ts ?? container.message_ts;
  const [, question = "", what] =
    /^o1\|([a-z0-9-]+)\|([a-z0-9]{1,8}|\/skip|\/go|\/more|\/write)$/.exec(action?.value ?? "") ?? [];
  if (!user?.id || action?.type !== "button" || what === undefined || !questionId(question)) return nothing;
  if (chat === undefined || message === undefined) return nothing;
  const sender = whoOf(user.team_id ?? payload.team?.id ?? me.team, user.id);
  const thread = threadOf(payload.message?.thread_ts ?? container.thread_ts, message);
  const way: Way = {
    kind: "press",
    ...(url === undefined ? {} : { url }),
    chat,
    ...(thread === undefined ? {} : { thread }),
    user: user.id,
  };
  if (what === writeAction) {
    const origin = { chat, message, ...(thread === undefined ? {} : { thread }) };
    const { trigger_id: trigger = "" } = payload;
    return { reply: null, way, form: { trigger, question, origin, title: payload.message?.text ?? "" } };
  }
  const reply: Reply = {
    key: `${sender}:${action.action_ts ?? payload.trigger_id ?? ""}:${action.action_id ?? ""}`,
    sender,
    ...nameOf(user.name ?? user.username),
    ...place(chat, sender),
    to: refOf(chat, message),
    press: { question, action: verbOf[what] ?? what },
    ...(thread === undefined ? {} : { thread }),
    ...colleague(sender, me),
  };
  return { reply, way };
}

/** Nobody outside of our own team is told anything. */
function colleague(sender: string, { team }: Me): Pick<Reply, "colleague"> {
  return sender.startsWith(`${team}/`) ? { colleague: true } : {};
}

/** The thread that a message stands in, unless it began it. */
function threadOf(thread: string | undefined, message: string): string | undefined {
  return thread === message ? undefined : thread;
}

/** A direct chat is its person's: receipts, questions and edits share one queue. */
function place(chat: string, sender: string): Pick<Reply, "chat" | "private"> {
  const direct = chat.startsWith("D");
  return { chat: direct ? sender : chat, private: direct };
}

function nameOf(name: string | undefined): Pick<Reply, "name"> {
  return name === undefined || name === "" ? {} : { name };
}

// ---- slash commands and forms --------------------------------------------------------------------------------------

function decodeCommand(payload: Payload, me: Me): Decoded {
  const { user_id: user, user_name: name, channel_id: chat, text = "", response_url: url } = payload;
  if (!user || !chat) return nothing;
  const sender = whoOf(payload.team_id ?? me.team, user);
  const typed = typedText(text, me.user).text.trim();
  // Nobody reads along, so a code may be said anywhere; what comes of it goes to the person, not to the channel.
  const pairs = /^[!/]?(?:pair|unpair)(?:\s|$)/i.test(typed);
  const reply: Reply = {
    key: payload.trigger_id ?? `${sender}:${url ?? typed}`,
    sender,
    ...nameOf(name),
    text: typed === "" ? "/help" : /^[!/]/.test(typed) ? typed : `${mentionOf(me.user)} ${typed}`,
    mentions: [mentionOf(me.user)],
    toast: true,
    ...(pairs ? { chat: sender, private: true } : { ...place(chat, sender), ...colleague(sender, me) }),
    ...(pairs || chat.startsWith("D") ? {} : { addressed: true }),
  };
  return { reply, way: { kind: "command", ...(url === undefined ? {} : { url }) } };
}

function decodeForm(payload: Payload, me: Me): Decoded {
  const { user, view, trigger_id: trigger } = payload;
  const form = view && readForm(view);
  if (!user?.id || !form) return nothing;
  if (form.text.trim() === "")
    return { reply: null, answer: formError("There is nothing in it yet: write a few words.") };
  const sender = whoOf(user.team_id ?? payload.team?.id ?? me.team, user.id);
  const reply: Reply = {
    key: trigger ?? `${sender}:${view.id ?? ""}:${view.hash ?? ""}`,
    sender,
    ...nameOf(user.name ?? user.username),
    // The question stands in the text, or an answer to one that nobody knows might count for another.
    text: /^\s*[!/]\p{L}/u.test(form.text) ? form.text : `!answer ${form.question} ${form.text}`,
    about: form.question,
    chat: sender,
    private: true,
    toast: true,
    ...colleague(sender, me),
  };
  return {
    reply,
    way: { kind: "form", user: user.id, ...(form.origin ? { origin: form.origin } : {}) },
  };
}

// ---- messages ------------------------------------------------------------------------------------------------------

/** Besides none at all: what people send with a file, and a reply in a thread that they show to the channel, too. */
const spoken: ReadonlySet<string | undefined> = new Set([undefined, "file_share", "thread_broadcast"]);

function decodeEvent(payload: Payload, me: Me, threads: ReadonlySet<string>): Reply | null {
  const { event, event_id: key } = payload;
  if (!event || (event.type !== "message" && event.type !== "app_mention")) return null;
  const { channel, message } = event;
  if (channel === undefined || key === undefined) return null;
  const team = payload.team_id ?? me.team;
  if (event.subtype !== "message_changed") return decodeMessage(event, { channel, key, team }, me, threads);
  // A link that Slack unfurls changes the message, and nobody has written anything.
  if (!message?.edited || message.text === event.previous_message?.text) return null;
  return decodeMessage(message, { channel, key, team }, me, threads);
}

/** Where a message was found; `key` is absent where it was read again and is only known by its channel and time. */
export type Found = { readonly channel: string; readonly key?: string; readonly team: string };

/**
 * What a message says. One that was edited stands for its last edit. Talk that is meant for others is none of ours: only a
 * mention, a thread of ours, a private chat, and a code that must be revoked because everybody reads it.
 */
export function decodeMessage(
  message: Message,
  { channel, key, team }: Found,
  me: Me,
  threads: ReadonlySet<string>,
): Reply | null {
  const { user, ts, edited, text: raw = "" } = message;
  if (user === undefined || ts === undefined || user === me.user || user === "USLACKBOT") return null;
  if (message.bot_id !== undefined || !spoken.has(message.subtype)) return null;
  const { text, mentions } = typedText(raw, me.user, message);
  if (text.trim() === "") return null;
  const sender = whoOf(message.user_team ?? message.team ?? team, user);
  const thread = threadOf(message.thread_ts, ts);
  const direct = channel.startsWith("D");
  const addressed = mentions.length > 0;
  const ours =
    thread !== undefined && (message.parent_user_id === me.user || threads.has(`${channel}/${thread}`));
  if (!direct && !addressed && !ours && !/^\s*[!/]pair\s/i.test(text)) return null;
  const ref = refOf(channel, ts);
  const same = edited?.ts === undefined ? ref : `${ref}:${edited.ts}`;
  return {
    key: key ?? same,
    ...(key === undefined ? {} : { twin: same }),
    sender,
    at: timeOf(edited?.ts ?? ts),
    text,
    ...place(channel, sender),
    message: ref,
    ...(direct ? {} : { addressed }),
    ...(addressed ? { mentions } : {}),
    ...(thread === undefined ? {} : { thread, to: refOf(channel, thread) as MessageRef }),
    ...(edited ? { edited: true } : {}),
  };
}
