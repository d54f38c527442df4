// biome-ignore-all lint/style/noExcessiveLinesPerFile: a channel is one file, see CONTRIBUTING.md
import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api, GrammyError } from "grammy";
import type { ChatMemberUpdated, InlineKeyboardButton, Message, MessageEntity, Update } from "grammy/types";
import { z } from "zod";
import type { AnswerChannel, Batch, Button, ChannelMessage, ChatChange } from "../src/domain/channel.ts";
import { ChannelError, type Check, type Pairing, type Receipt, type Reply } from "../src/domain/channel.ts";
import { type MessageRef, questionId } from "../src/domain/ids.ts";
import { visibleForm } from "../src/domain/text.ts";

const person = z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/)], {
  error: "must be a person's Telegram id: a number such as 42",
});
const placeWords = "must be a chat's id such as -1001234, with /44 behind it for topic 44";
const place = z.union(
  [z.int(), z.string().regex(/^(?:-?\d{1,19}|@\w{4,32})(?:\/\d{1,10})?$/, { error: placeWords })],
  { error: placeWords },
);

export const settings = z.strictObject({
  token: z
    .string({ error: "must be the bot's token" })
    .regex(/^\d{1,19}:[\w-]{8,}$/, {
      error: "must be a bot's token as BotFather gives it: digits, a colon, letters",
    })
    .describe("The bot's token, as `${TELEGRAM_BOT_TOKEN}`"),
  chat: place
    .optional()
    .describe("Chat that questions go to, `ID/TOPIC` for a topic. Default: the private chat of each owner"),
  allow: z.array(person).default([]).describe("Telegram ids of owners who need no pairing"),
  api_root: z
    .url({ error: "must be a URL such as https://api.telegram.org" })
    .optional()
    .describe("A Bot API server of your own"),
});
export type Settings = z.infer<typeof settings>;

export const pairing = {
  by: "code",
  say: (code) => `/start ${code}`,
  link: (bot, code) => `https://t.me/${bot}?start=${code}`,
} satisfies Pairing;

export const help = [
  "Talk to @BotFather, send /newbot, and put the token into TELEGRAM_BOT_TOKEN.",
  "Open your bot and press Start: a bot may not write first.",
  "Pair yourself: owlpost pair --name NAME --role owner --channel telegram, and send the code to the bot.",
].join("\n");

// ---- out -----------------------------------------------------------------------------------------------------------

const mostPayloadBytes = 64;
/** What a phone shows in one row of buttons, in UTF-16 units of all labels together. */
const rowWidth = 32;
const mostInRow = 8;

/** The parameters of sendMessage. A destination is `CHAT` or `CHAT/TOPIC`. */
export function encode(destination: string, message: ChannelMessage) {
  const [chat = "", topic] = destination.split("/");
  return {
    chat_id: chatId(chat),
    ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
    ...content(message),
    ...(message.buttons.length > 0 ? { reply_markup: { inline_keyboard: keyboard(message.buttons) } } : {}),
    ...(message.silent ? { disable_notification: true } : {}),
    ...(message.replyTo === undefined
      ? {}
      : {
          reply_parameters: {
            message_id: refParts(message.replyTo).message_id,
            allow_sending_without_reply: true,
          },
        }),
  };
}

/** The parameters of editMessageText. Buttons that are not named any more are taken away. */
export function encodeEdit(ref: MessageRef, message: ChannelMessage) {
  const reply_markup = { inline_keyboard: keyboard(message.buttons) };
  return { ...refParts(ref), ...content(message), reply_markup };
}

type Content = {
  readonly text: string;
  readonly parse_mode?: "HTML";
  readonly link_preview_options: { readonly is_disabled: true };
};

function content(message: ChannelMessage): Content {
  return { text: message.body, parse_mode: "HTML", link_preview_options: { is_disabled: true } };
}

/** As many buttons share a row as leave each label its width. */
function keyboard(buttons: readonly Button[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  let row: InlineKeyboardButton[] = [];
  let widest = 0;
  for (const button of buttons) {
    const width = Math.max(widest, button.label.length);
    const fits = row.length < mostInRow && width <= rowWidth / (row.length + 1);
    if (rows.length === 0 || !fits) {
      row = [];
      rows.push(row);
    }
    widest = fits ? width : button.label.length;
    row.push(buttonOf(button));
  }
  return rows;
}

function buttonOf(button: Button): InlineKeyboardButton {
  const [text, callback_data] = [button.label, payload(button)];
  return button.primary ? { text, callback_data, style: "primary" } : { text, callback_data };
}

function payload({ question, action }: Button): string {
  const data = `o1|${question}|${"key" in action ? action.key : `/${action.verb}`}`;
  // No unit takes more than three bytes.
  if (data.length * 3 > mostPayloadBytes && Buffer.byteLength(data) > mostPayloadBytes)
    throw new Error(`a button of ${question} is too long`);
  return data;
}

/** Message ids count per chat: only both together name a message. */
const refOf = (chat: number, message: number): MessageRef => `${chat}:${message}`;
const chatId = (chat: string): number | string => (/^-?\d+$/.test(chat) ? Number(chat) : chat);

function refParts(ref: MessageRef) {
  const [chat = "", message] = ref.split(":");
  return { chat_id: chatId(chat), message_id: Number(message) };
}

// ---- in ------------------------------------------------------------------------------------------------------------

export type Bot = { readonly id: number; readonly username: string };
export type Decoded = {
  readonly reply: Reply | null;
  /** A press whose spinner must end, whatever it meant. */
  readonly callback?: string;
  /** A chat that the bot was let into, or shut out of. */
  readonly chat?: ChatChange;
  /** A group that has a new id. */
  readonly moved?: { readonly from: number; readonly to: number };
};

/** What an update says. Only people are senders, and a forwarded text is somebody else's word. */
export function decode(update: Update, me: Bot): Decoded {
  const key = String(update.update_id);
  if (update.callback_query) return decodePress(key, update.callback_query);
  if (update.my_chat_member) return { reply: null, chat: chatChange(update.my_chat_member) };
  const message = update.message ?? update.edited_message;
  if (!message) return { reply: null };
  if (message.migrate_to_chat_id !== undefined) {
    return { reply: null, moved: { from: message.chat.id, to: message.migrate_to_chat_id } };
  }
  return { reply: decodeText(key, message, update.edited_message !== undefined, me) };
}

const verbOf: Readonly<Record<string, string>> = { "/skip": "skip", "/go": "go" };

function chatChange({ chat, new_chat_member: now }: ChatMemberUpdated): ChatChange {
  const open =
    now.status !== "kicked" &&
    now.status !== "left" &&
    !(now.status === "restricted" && !now.can_send_messages);
  const id = String(chat.id);
  return open ? { chat: id, open } : { chat: id, open, detail: `Telegram: ${shutOut}` };
}

function decodePress(key: string, query: NonNullable<Update["callback_query"]>): Decoded {
  const [, question, action] =
    /^o1\|([a-z0-9-]+)\|([a-z0-9]{1,8}|\/skip|\/go|\/more)$/.exec(query.data ?? "") ?? [];
  const { from, message, id: callback } = query;
  if (!message || from.is_bot || action === undefined || !questionId(question ?? "")) {
    return { reply: null, callback };
  }
  const reply: Reply = {
    key,
    sender: String(from.id),
    name: nameOf(from),
    chat: String(message.chat.id),
    private: message.chat.type === "private",
    to: refOf(message.chat.id, message.message_id),
    press: { question: question ?? "", action: verbOf[action] ?? action },
    // A message that became inaccessible does not tell its topic.
    ...("is_topic_message" in message && message.is_topic_message
      ? { thread: String(message.message_thread_id) }
      : {}),
  };
  return { reply, callback };
}

function decodeText(key: string, message: Message, edited: boolean, me: Bot): Reply | null {
  const { from, chat, reply_to_message: answered } = message;
  if (!from || from.is_bot || message.sender_chat || message.via_bot || message.forward_origin) return null;
  const text = message.text ?? message.caption ?? "";
  if (text.trim() === "") return null;
  const { command, mine: mentions } = namesIn(text, message.entities ?? message.caption_entities ?? [], me);
  if (command !== undefined && command !== "" && command !== me.username.toLowerCase()) return null;
  const alone = chat.type === "private";
  const addressed = mentions.length > 0;
  // In a topic every message "replies" to the service message that made the topic.
  const ours = answered?.from?.id === me.id && answered.forum_topic_created === undefined;
  // A pairing code said in front of others must be revoked, so it is heard from everywhere.
  if (!alone && !addressed && !ours && !/^\/(?:pair|start)\s/.test(text)) return null;
  return {
    key,
    sender: String(from.id),
    name: nameOf(from),
    at: (edited ? (message.edit_date ?? message.date) : message.date) * 1_000,
    text,
    chat: String(chat.id),
    private: alone,
    message: refOf(chat.id, message.message_id),
    ...(alone ? {} : { addressed }),
    ...(mentions.length > 0 ? { mentions } : {}),
    ...(ours ? { to: refOf(chat.id, answered.message_id), ...aboutOf(answered) } : {}),
    ...(message.is_topic_message ? { thread: String(message.message_thread_id) } : {}),
    ...(edited ? { edited: true } : {}),
  };
}

/** The question of a message of ours: no other buttons than ours stand there. */
function aboutOf({ reply_markup: markup }: Pick<Message, "reply_markup">): Pick<Reply, "about"> {
  const [button] = markup?.inline_keyboard.flat() ?? [];
  const data = button && "callback_data" in button ? button.callback_data : "";
  const [, about] = /^o1\|([a-z0-9-]+)\|/.exec(data) ?? [];
  return about !== undefined && questionId(about) ? { about } : {};
}

/** The person, as the platform shows them; anybody may be called anything. */
function nameOf(from: { readonly first_name: string; readonly last_name?: string }): string {
  return [from.first_name, from.last_name].filter((part) => part !== undefined && part !== "").join(" ");
}

/**
 * Whom a text names: offsets count UTF-16 units, as strings do here. `command` is `""` for one that names no bot; `mine` are
 * the places where it calls this bot, as they stand there.
 */
function namesIn(text: string, entities: readonly MessageEntity[], me: Bot) {
  let command: string | undefined;
  const mine: string[] = [];
  for (const entity of entities) {
    const piece = text.slice(entity.offset, entity.offset + entity.length);
    const isName = entity.type === "mention" && piece.slice(1).toLowerCase() === me.username.toLowerCase();
    const isLink = entity.type === "text_mention" && entity.user.id === me.id;
    if (isName || isLink) mine.push(piece);
    if (entity.type === "bot_command" && entity.offset === 0) {
      const bot = piece.split("@")[1];
      command = bot?.toLowerCase() ?? "";
      // Telegram marks `/skip@name` as a command and not as a mention besides.
      if (command === me.username.toLowerCase()) mine.push(`@${bot}`);
    }
  }
  return { command, mine };
}

// ---- the line ------------------------------------------------------------------------------------------------------

const allowedUpdates = ["message", "edited_message", "callback_query", "my_chat_member"] as const;
const mostUpdates = 100;
const mostToast = 200;
/** Telegram keeps updates for a day and may restart its numbers after a week of silence. */
const cursorAgeMs = 6 * 86_400_000;

export type Timing = {
  /** How long Telegram holds a poll that has nothing to tell, at most 50 s. */
  readonly waitMs: number;
  /** How much later than that an answer may come, before the line counts as dead and a new one is made. */
  readonly graceMs: number;
  readonly callMs: number;
  readonly now: () => number;
};

export async function open(given: Settings, timing: Partial<Timing> = {}): Promise<AnswerChannel> {
  const { waitMs, graceMs, callMs, now } = {
    waitMs: 30_000,
    graceMs: 10_000,
    callMs: 15_000,
    now: Date.now,
    ...timing,
  };
  const line = await connect(given);
  const { call } = line;
  const closing = new AbortController();
  // Each toast of a batch listens to it until it is told: many at once are no leak.
  setMaxListeners(0, closing.signal);
  const moved = new Map<string, number>();
  const botId = given.token.split(":")[0] ?? "";
  let me: Bot | undefined;
  let caughtUp = false;
  let conflicts = 0;

  async function post(to: string, message: ChannelMessage, _key: string, signal: AbortSignal) {
    let params = encode(to, message);
    for (let left = 3; ; left -= 1) {
      const known = moved.get(String(params.chat_id));
      if (known !== undefined) params = inNewChat(params, known);
      try {
        const sent = await call(signal, callMs, (api, until) => api.raw.sendMessage(params, until));
        return refOf(sent.chat.id, sent.message_id);
      } catch (error) {
        const mended = left > 0 ? mend(params, message, error) : undefined;
        if (!mended) throw error;
        params = mended;
      }
    }
  }

  /** Where Telegram itself says what is wrong with a message, it goes out once more without that. */
  function mend(params: ReturnType<typeof encode>, message: ChannelMessage, error: unknown) {
    if (!(error instanceof TelegramRefusal)) return undefined;
    if (error.movedTo !== undefined) {
      moved.set(String(params.chat_id), error.movedTo);
      return params;
    }
    if (error.reason === "bad-markup" && params.parse_mode) return plainly(params, message);
    if (error.reason !== "no-such-topic" || params.message_thread_id === undefined) return undefined;
    const { message_thread_id: _topic, ...whole } = params;
    return whole;
  }

  async function edit(_to: string, ref: MessageRef, message: ChannelMessage, signal: AbortSignal) {
    const params = encodeEdit(ref, message);
    const change = (next: typeof params) =>
      call(signal, callMs, (api, until) => api.raw.editMessageText(next, until));
    try {
      await change(params).catch((error: unknown) => {
        if (!(error instanceof TelegramRefusal && error.reason === "bad-markup")) throw error;
        return change(plainly(params, message));
      });
    } catch (error) {
      if (!(error instanceof TelegramRefusal && error.reason === "not-modified")) throw error;
    }
  }

  async function poll(cursor: string | undefined, signal: AbortSignal): Promise<Batch> {
    me ??= await call(signal, callMs, (api, until) => api.raw.getMe(until));
    const bot = me;
    const hold = caughtUp ? Math.ceil(waitMs / 1_000) : 0;
    const offset = offsetOf(cursor, botId, now());
    const began = performance.now();
    const ask = {
      limit: mostUpdates,
      timeout: hold,
      allowed_updates: allowedUpdates,
      ...(offset === undefined ? {} : { offset }),
    };
    const updates = await call(signal, hold * 1_000 + graceMs, (api, until) =>
      api.raw.getUpdates(ask, until),
    ).catch((error: unknown) => {
      if (!(error instanceof ChannelError && error.reason === "token-in-use")) throw error;
      conflicts += 1;
      throw new ChannelError(error.reason, error.message, {
        delivered: "no",
        retryAfterMs: Math.min(60_000, 5_000 * 2 ** (conflicts - 1)),
      });
    });
    conflicts = 0;
    const more = updates.length === mostUpdates;
    const last = updates.at(-1);
    // A server that does not hold the line must not be asked a thousand times a second.
    if (!last && hold > 0 && performance.now() - began < 500) await pause(Math.min(1_000, waitMs), signal);
    caughtUp ||= !more;
    if (!last) return { replies: [] };
    const decoded = updates.map((update) => ({
      key: `${botId}:${update.update_id}`,
      ...safely(update, bot),
    }));
    for (const each of decoded) if (each.moved) moved.set(String(each.moved.from), each.moved.to);
    return {
      // Another bot counts its updates anew.
      replies: decoded.flatMap(({ key, reply }) => (reply ? [{ ...reply, key }] : [])),
      cursor: `${botId}:${last.update_id + 1}:${Math.floor(now() / 1_000)}`,
      chats: decoded.flatMap(({ chat }) => (chat ? [chat] : [])),
      ...(more ? { more } : {}),
      settle: (receipts) => settle(decoded, receipts),
    };
  }

  /** One toast a press, after its outcome is decided. A toast that comes too late is nobody's fault and no failure. */
  async function settle(
    decoded: readonly (Decoded & { readonly key: string })[],
    receipts: readonly Receipt[],
  ) {
    const byKey = new Map(receipts.map((receipt) => [receipt.key, receipt]));
    const told = decoded.map(async ({ key, callback }) => {
      if (callback === undefined) return [];
      const receipt = byKey.get(key);
      const words = receipt ? { text: toast(receipt.text), show_alert: !receipt.accepted } : {};
      const done = call(closing.signal, callMs, (api, until) =>
        api.raw.answerCallbackQuery({ callback_query_id: callback, ...words }, until),
      );
      return done.then(() => (receipt ? [key] : [])).catch(() => []);
    });
    return (await Promise.all(told)).flat();
  }

  return {
    id: "telegram",
    rings: true,
    destinations: given.chat === undefined ? given.allow.map(String) : [String(given.chat)],
    post,
    edit,
    poll,
    async close() {
      closing.abort();
      await line.close();
    },
  };
}

/** Which settings are right, as far as Telegram can tell; nothing is changed and nothing is sent to anybody. */
export async function checks(given: Settings): Promise<readonly Check[]> {
  let aheadMs = Number.NaN;
  const { call, close } = await connect(given, (date) => {
    aheadMs = Date.parse(date) - Date.now();
  });
  const signal = AbortSignal.timeout(checkMs);
  const found: Check[] = [];
  const check = async (name: string, look: () => Promise<Omit<Check, "name" | "ok">>) => {
    try {
      found.push({ name, ok: true, ...(await look()) });
    } catch (error) {
      const text = error instanceof ChannelError ? error.message : "an unexpected error";
      found.push({ name, ok: false, text });
    }
  };
  try {
    let bot: Awaited<ReturnType<Api["getMe"]>> | undefined;
    await check("token", async () => {
      bot = await call(signal, 15_000, (api, until) => api.raw.getMe(until));
      const { username } = bot;
      return {
        text: `valid: the bot is @${username}`,
        bot: username,
        ...(Number.isNaN(aheadMs) ? {} : { aheadMs }),
      };
    });
    if (!bot) return found;
    await check("webhook", async () => {
      const { url } = await call(signal, 15_000, (api, until) => api.raw.getWebhookInfo(until));
      if (url !== "") throw new ChannelError("webhook-active", webhookText);
      return { text: "none: polling works" };
    });
    await check("owners", async () => {
      if (given.allow.length === 0) throw new ChannelError("nobody-allowed", nobodyText);
      return { text: `${given.allow.length} may answer` };
    });
    const reads = bot.can_read_all_group_messages;
    for (const to of given.chat === undefined ? given.allow : [given.chat]) {
      const [chat = "", topic] = String(to).split("/");
      await check(`chat ${chat}`, async () => {
        const { type, is_forum } = await call(signal, 15_000, (api, until) =>
          api.raw.getChat({ chat_id: chatId(chat) }, until),
        );
        if (topic !== undefined && type !== "private" && !is_forum) {
          return { warn: true, text: `can be reached (${type}), but it has no topics: take /${topic} away` };
        }
        return reads && type !== "private"
          ? { warn: true, text: `can be reached (${type}). ${readsAllText}` }
          : { text: `can be reached (${type})` };
      });
    }
    return found;
  } finally {
    await close();
  }
}

const checkMs = 30_000;
const nobodyText =
  "nobody may answer: pair somebody (owlpost pair --name NAME --role owner --channel telegram), or put Telegram ids of owners into channels.telegram.allow, such as [42]";
const readsAllText =
  "The bot reads every message of its groups and needs none but those meant for it: with BotFather, /setprivacy, Enable; then take the bot out of the group and add it again";
const webhookText =
  "a webhook is set for this bot, so Telegram refuses to be polled. owlpost never deletes it by itself: give owlpost a bot of its own, or call deleteWebhook.";

type Call = <Value>(
  signal: AbortSignal,
  withinMs: number,
  ask: (api: Api, until: Parameters<Api["raw"]["getMe"]>[0]) => Promise<Value>,
) => Promise<Value>;

/** grammY's client over Node's own HTTP: its fetch costs four times as much. Both are loaded only here. */
async function connect(
  given: Settings,
  /** Told the `Date` header of every answer that has one. */
  onDate?: (date: string) => void,
): Promise<{ readonly call: Call; close(): Promise<void> }> {
  const root = new URL(given.api_root ?? "https://api.telegram.org");
  const { Api, GrammyError: Refused } = await import("grammy");
  const { Agent, request } =
    root.protocol === "http:" ? await import("node:http") : await import("node:https");
  const path = `${root.pathname.replace(/\/+$/, "")}/bot${given.token}/`;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const target = { protocol: root.protocol, hostname: root.hostname, port: root.port, agent, method: "POST" };
  // Every call ends in the transformer below; without these two, grammY loads an HTTP client that is never asked.
  const api = new Api(given.token, { apiRoot: root.origin, fetch: unasked });
  api.config.use(async (_previous, method, params, given) => {
    const end = given as unknown as End;
    if (end.reached) throw new CutOff();
    const body = JSON.stringify(params);
    // A list is sent as it is; an object is looked through name by name, for every call.
    const headers = [
      "host",
      root.host,
      "content-type",
      "application/json",
      "content-length",
      `${Buffer.byteLength(body)}`,
    ];
    return new Promise((answered, failed) => {
      const outgoing = request({ ...target, path: path + method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", failed);
        response.once("end", () => {
          // The connection serves another call from here on.
          end.cut = nothing;
          if (onDate && response.headers.date !== undefined) onDate(response.headers.date);
          answered(envelope(Buffer.concat(chunks).toString("utf8"), response));
        });
      });
      end.cut = () => {
        failed(new CutOff());
        outgoing.destroy();
      };
      outgoing.on("error", failed);
      outgoing.end(body);
    });
  });
  const ends = openEnds();
  return {
    async call(signal, withinMs, ask) {
      const end = ends.begin(signal, withinMs);
      try {
        return await ask(api, end as unknown as Parameters<typeof ask>[1]);
      } catch (error) {
        throw error instanceof Refused ? refusal(error) : lost(error, signal.aborted);
      } finally {
        ends.over(end);
      }
    },
    async close() {
      ends.close();
      agent.destroy();
    },
  };
}

/** Where a call ends without an answer. No AbortSignal: one for each call costs a quarter of all that the call costs. */
type End = {
  readonly at: number;
  /** Those that end with the same signal. */
  readonly together: Set<End>;
  reached: boolean;
  cut: () => void;
};

/**
 * Ends calls in time, or when their signal fires. One timer serves all of them, and one listener all calls of a signal: a
 * tap makes three calls, and setting up and taking down a pair for each would be much of what they cost.
 */
function openEnds() {
  const underWay = new Set<End>();
  const bySignal = new WeakMap<AbortSignal, Set<End>>();
  let timer: NodeJS.Timeout | undefined;
  let armedFor = Number.POSITIVE_INFINITY;

  // A timer of our own: on Node 20 the garbage collector takes AbortSignal.timeout out of an AbortSignal.any,
  // and a call that hangs would hang for ever.
  function arm(at: number): void {
    if (at >= armedFor) return;
    clearTimeout(timer);
    armedFor = at;
    timer = setTimeout(look, Math.max(1, at - performance.now()));
    timer.unref();
  }

  function look(): void {
    armedFor = Number.POSITIVE_INFINITY;
    // Timers may be a millisecond early.
    const now = performance.now() + 1;
    for (const end of [...underWay]) {
      if (end.at <= now) reach(end);
      else arm(end.at);
    }
  }

  function reach(end: End): void {
    end.reached = true;
    end.cut();
  }

  function togetherAt(signal: AbortSignal): Set<End> {
    const known = bySignal.get(signal);
    if (known) return known;
    const together = new Set<End>();
    bySignal.set(signal, together);
    const all = (): void => {
      for (const end of [...together]) reach(end);
    };
    signal.addEventListener("abort", all, { once: true });
    return together;
  }

  return {
    begin(signal: AbortSignal, withinMs: number): End {
      const at = performance.now() + withinMs;
      const end: End = { at, together: togetherAt(signal), reached: signal.aborted, cut: nothing };
      end.together.add(end);
      underWay.add(end);
      arm(at);
      return end;
    },
    over(end: End): void {
      end.together.delete(end);
      underWay.delete(end);
    },
    close: (): void => clearTimeout(timer),
  };
}

class CutOff extends Error {
  override readonly name = "AbortError";
}

const nothing = (): void => undefined;
const unasked = (): Promise<never> => Promise.reject(new Error("grammY's own fetch is never asked"));

/** A proxy in between may answer with something that is not Telegram's; a status is all that it says then. */
function envelope(text: string, response: IncomingMessage) {
  const plain = { ok: false as const, description: `status ${response.statusCode}` };
  try {
    const told = JSON.parse(text);
    // Telegram never says yes without a result; something in between may.
    if (told?.ok === true && told.result !== undefined) return told;
    if (told?.ok === false) {
      const parameters = { ...pauseIn(response), ...told.parameters };
      return { ...plain, error_code: response.statusCode, ...told, parameters };
    }
  } catch {
    // It is no JSON.
  }
  const { statusCode: status = 0 } = response;
  // Whatever a hotel's sign-in page answers, Telegram has refused nothing: the same call may succeed later.
  const code = status === 429 || status >= 500 ? status : 502;
  return { ...plain, error_code: code, parameters: pauseIn(response) };
}

function pauseIn({ headers }: IncomingMessage): { retry_after?: number } {
  const seconds = Number(headers["retry-after"]);
  return Number.isFinite(seconds) ? { retry_after: seconds } : {};
}

/** Telegram has read the call and said no. */
class TelegramRefusal extends ChannelError {
  readonly movedTo: number | undefined;
  constructor(
    reason: string,
    text: string,
    more: ConstructorParameters<typeof ChannelError>[2] & { readonly movedTo?: number | undefined },
  ) {
    super(reason, text, { delivered: "no", ...more });
    this.movedTo = more.movedTo;
  }
}

const shutOut = "the bot was blocked or removed there: unblock it, or add it again";

/** Reasons by Telegram's own words. All of them are for good: the same call again gets the same answer. */
const refusals: readonly (readonly [words: RegExp, reason: string, mend: string])[] = [
  [/not modified/i, "not-modified", "it stands there already"],
  [/can't parse entities/i, "bad-markup", "the markup was not understood"],
  [
    /message thread not found|TOPIC_/i,
    "no-such-topic",
    "the topic is gone: name another one in channels.telegram.chat",
  ],
  [
    /message to edit not found|can't be edited|MESSAGE_ID_INVALID/i,
    "not-editable",
    "the message can no longer be edited",
  ],
  [
    /chat not found/i,
    "chat-not-found",
    "there is no such chat: open the bot and press Start, or correct the id",
  ],
  [/too long/i, "too-long", "the text is longer than Telegram takes"],
  [/blocked by the user|kicked|deactivated|not a member/i, "blocked", shutOut],
];

/** Here the chat takes nothing at all, whatever the message is. */
const closing: ReadonlySet<string> = new Set(["chat-not-found", "blocked"]);

/** What Telegram said, named. Its words are kept only where we have none of our own: they cannot hold the token. */
function refusal({ error_code: code, description, parameters }: GrammyError): ChannelError {
  const said = (reason: string, text: string, more: ConstructorParameters<typeof TelegramRefusal>[2] = {}) =>
    new TelegramRefusal(reason, `Telegram: ${text}`, more);
  const { retry_after: seconds, migrate_to_chat_id: movedTo } = parameters;
  const retryAfterMs = seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 };
  if (code === 429) return said("rate-limited", "too many messages; a pause was asked for", retryAfterMs);
  if (code >= 500)
    return said("unavailable", `out of order, or something else answered in its place (${description})`, {
      delivered: "unknown",
      ...retryAfterMs,
    });
  if (code === 401 || (code === 404 && /^Not Found$/i.test(description))) {
    // The token is refused, not the message: with the right one it still goes out.
    return said(
      "token-refused",
      "the bot's token is not valid (any more): ask BotFather for the present one",
    );
  }
  if (code === 409 && /webhook/i.test(description)) return said("webhook-active", webhookText);
  if (code === 409) {
    return said(
      "token-in-use",
      "the bot's token is in use elsewhere: another program polls with it. Stop that one, or give owlpost a bot of its own; nothing is lost meanwhile but taps",
    );
  }
  if (movedTo !== undefined) {
    return said("moved", `the group is now ${movedTo}: write that into channels.telegram.chat`, {
      permanent: true,
      movedTo,
    });
  }
  const [, reason, mend] = refusals.find(([words]) => words.test(description)) ?? [];
  const named = reason ?? (code === 403 ? "blocked" : "refused");
  return said(named, mend ?? `${description} (${code})`, { permanent: true, closed: closing.has(named) });
}

/** No answer came. The error itself is not kept: nobody knows what it holds. */
function lost(error: unknown, stopped: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  const { code, name } = error as { code?: unknown; name?: unknown };
  const why = typeof code === "string" && /^[A-Z_]+$/.test(code) ? code : "";
  if (stopped) return new ChannelError("stopped", "the call to Telegram was stopped");
  if (name === "TimeoutError" || name === "AbortError") {
    return new ChannelError("no-answer", "Telegram did not answer in time; the line is made anew");
  }
  const unsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(why);
  return new ChannelError("unreachable", `Telegram cannot be reached${why ? ` (${why})` : ""}`, {
    delivered: unsent ? "no" : "unknown",
  });
}

/** Where to go on, unless that was another bot's place or is so old that Telegram may count anew. */
function offsetOf(cursor: string | undefined, bot: string, now: number): number | undefined {
  const [of, offset, seconds] = cursor?.split(":") ?? [];
  if (of !== bot || now - Number(seconds) * 1_000 > cursorAgeMs) return undefined;
  return Number(offset);
}

/** An update that nobody foresaw must not come again for ever. */
function safely(update: Update, me: Bot): Decoded {
  try {
    return decode(update, me);
  } catch {
    return { reply: null };
  }
}

/** A group that moved counts its messages anew: what was answered in the old one has another number, or none. */
function inNewChat<Params extends { readonly chat_id: number | string; readonly reply_parameters?: unknown }>(
  params: Params,
  chat_id: number,
) {
  if (params.chat_id === chat_id) return params;
  const { reply_parameters: _old, ...rest } = params;
  return { ...rest, chat_id };
}

function plainly<Params extends Content>(params: Params, { plain }: ChannelMessage) {
  const { parse_mode: _html, ...rest } = params;
  return { ...rest, text: plain };
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

/** At most 200 UTF-16 units, never half a character, and nothing in a label of the agent's that would be obeyed. */
function toast(words: string): string {
  const text = words.replace(/\p{Cs}/gu, "\uFFFD").replace(obeyed, visibleForm);
  if (text.length <= mostToast) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("en").segment(text.slice(0, mostToast + 100))) {
    if (kept.length + segment.length >= mostToast) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Waits, at most until the signal aborts; never rejects. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
