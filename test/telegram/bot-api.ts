import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Update } from "grammy/types";
import { type Entity, MarkupError, type ParsedText, parseHtml, trimmed } from "./html.ts";

/** How long the platform keeps what nobody fetched, and how long a press may be answered. In milliseconds. */
export const keptMs = { message: 86_400_000, press: 150_000, answer: 15_000 };
const mostUnits = 4_096;
const mostPayloadBytes = 64;

type Fields = Readonly<Record<string, unknown>>;
type Markup = {
  readonly inline_keyboard: readonly (readonly {
    readonly text: string;
    readonly callback_data?: string;
  }[])[];
};
type Refusal = { readonly error_code: number; readonly description: string; readonly parameters?: Fields };
type Reply = { readonly ok: true; readonly result: unknown } | ({ readonly ok: false } & Refusal);

export type BotMessage = {
  readonly message_id: number;
  readonly chat: number;
  readonly date: number;
  readonly silent: boolean;
  readonly thread?: number;
  readonly replyTo?: number;
  text: string;
  entities: readonly Entity[];
  markup: Markup | undefined;
  edit_date?: number;
  /** The text as it was sent, then as each edit left it. */
  readonly versions: string[];
  /** Every payload that ever stood on it: old screens keep old buttons. */
  readonly payloads: Set<string>;
};

type Chat = {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title: string;
  readonly messages: Map<number, BotMessage>;
  readonly topics: Set<number>;
  last: number;
  movedTo?: number;
  /** Why nothing can be sent there: the description of the 403. */
  closed?: string;
};
type Queued = { readonly update: Update; readonly untilAt: number };
type Waiting = { end(reply: Reply): void };
type Bot = {
  readonly user: {
    readonly id: number;
    readonly is_bot: true;
    readonly first_name: string;
    readonly username: string;
    can_read_all_group_messages: boolean;
  };
  queue: Queued[];
  last: number;
  webhook: string;
  allowed: readonly string[] | undefined;
  waiting: Waiting | undefined;
  polled: { offset: number; beganAt: number; endedAt: number } | undefined;
  conflictAt: number;
  /** Updates that left the queue because a higher offset was asked for, and not because they were too old. */
  readonly confirmed: Set<number>;
  readonly presses: Map<string, { readonly at: number; answered: boolean }>;
};

/**
 * The next calls of that method fail. `swallow`: it is done, but its reply never arrives; `reset`: it is not even read;
 * `hang`: nothing comes back at all; `empty`: a poll is not held; `page`: somebody in between answers with that status
 * and a page of its own; a refusal is what Telegram would say.
 */
export type Fault = {
  readonly method: string;
  readonly how: "swallow" | "reset" | "hang" | "html" | "empty" | { readonly page: number } | Refusal;
  times: number;
  readonly chat?: number;
};
export type Call = {
  readonly method: string;
  readonly params: Fields;
  readonly ok: boolean;
  /** What was answered, or would have been. */
  readonly result?: unknown;
  /** Nobody was told: the connection was cut instead of answering. */
  readonly lost?: true;
};

export type BotApi = Awaited<ReturnType<typeof startBotApi>>;

const refused = (error_code: number, description: string, parameters?: Fields): Reply => ({
  ok: false,
  error_code,
  description,
  ...(parameters ? { parameters } : {}),
});
const bad = (why: string, parameters?: Fields): Reply => refused(400, `Bad Request: ${why}`, parameters);
const done = (result: unknown): Reply => ({ ok: true, result });
export const tooMany = (seconds: number): Refusal => ({
  error_code: 429,
  description: `Too Many Requests: retry after ${seconds}`,
  parameters: { retry_after: seconds },
});

/**
 * A Bot API server on loopback that lives in the test, and so survives every kill of the service. It says no where Telegram
 * says no. `now` ages the queues; how long a poll is held is real time.
 */
export async function startBotApi(
  options: {
    readonly now?: () => number;
    /** How long a poll is really held for each second that it asks for; 1,000 where absent. */
    readonly heldSecondMs?: number;
  } = {},
) {
  const { now = Date.now, heldSecondMs = 1_000 } = options;
  const bots = new Map<string, Bot>();
  const chats = new Map<number, Chat>();
  const people = new Map<
    number,
    { readonly id: number; readonly is_bot: boolean; readonly first_name: string }
  >();
  const calls: Call[] = [];
  const answers: { readonly id: string; readonly text: string; readonly alert: boolean }[] = [];
  let faults: Fault[] = [];
  let made = 0;

  const seconds = (): number => Math.floor(now() / 1_000);
  function bot(token: string): Bot {
    const found = bots.get(token);
    if (!found) throw new Error("no such bot: addBot first");
    return found;
  }
  function chat(id: number): Chat {
    const found = chats.get(id);
    if (!found) throw new Error(`no chat ${id}`);
    return found;
  }
  function person(id: number) {
    const found = people.get(id);
    if (!found) throw new Error(`no person ${id}`);
    return found;
  }

  // ---- what people do ------------------------------------------------------------------------------------------

  function push(token: string, what: Omit<Update, "update_id">, forMs: number): Update | undefined {
    const of = bot(token);
    const kind = Object.keys(what)[0] ?? "";
    // The list is applied when an update is made, not when it is fetched.
    // An empty list is the default: everything but these.
    const isNamed = of.allowed && of.allowed.length > 0;
    const unasked = ["message_reaction", "message_reaction_count", "chat_member"];
    if (isNamed ? !of.allowed?.includes(kind) : unasked.includes(kind)) return undefined;
    of.last += 1;
    const update = { update_id: of.last, ...what } as Update;
    of.queue.push({ update, untilAt: now() + forMs });
    const { waiting } = of;
    if (waiting) waiting.end(done(fetch(of, 100)));
    return update;
  }

  function shown(where: Chat, message: BotMessage, of: Bot) {
    return {
      message_id: message.message_id,
      from: of.user,
      chat: {
        id: where.id,
        type: where.type,
        ...(where.type === "private" ? { first_name: where.title } : { title: where.title }),
      },
      date: message.date,
      text: message.text,
      ...(message.edit_date === undefined ? {} : { edit_date: message.edit_date }),
      ...(message.entities.length > 0 ? { entities: message.entities } : {}),
      ...(message.markup && message.markup.inline_keyboard.length > 0
        ? { reply_markup: message.markup }
        : {}),
      ...(message.thread === undefined ? {} : { message_thread_id: message.thread, is_topic_message: true }),
    };
  }

  function say(
    token: string,
    given: { chat: number; from: number; text: string; replyTo?: number; extra?: Fields; edit?: number },
  ) {
    const where = chat(given.chat);
    if (where.type === "private" && where.closed) delete where.closed;
    if (given.edit === undefined) where.last += 1;
    const answered = given.replyTo === undefined ? undefined : where.messages.get(given.replyTo);
    const command = /^\/\w+(?:@\w+)?/.exec(given.text)?.[0];
    const message = {
      message_id: given.edit ?? where.last,
      from: person(given.from),
      chat: { id: where.id, type: where.type, title: where.title },
      date: seconds(),
      text: given.text,
      ...(command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {}),
      ...(answered ? { reply_to_message: shown(where, answered, bot(token)) } : {}),
      ...(given.edit === undefined ? {} : { edit_date: seconds() }),
      ...given.extra,
    };
    const what = given.edit === undefined ? { message } : { edited_message: message };
    return push(token, what as unknown as Omit<Update, "update_id">, keptMs.message);
  }

  function memberChange(token: string, id: number, by: number, before: string, after: string): void {
    const where = chat(id);
    const as = (status: string) => ({
      user: bot(token).user,
      status,
      ...(status === "kicked" ? { until_date: 0 } : {}),
    });
    const change = {
      chat: { id: where.id, type: where.type, title: where.title },
      from: person(by),
      date: seconds(),
      old_chat_member: as(before),
      new_chat_member: as(after),
    };
    push(token, { my_chat_member: change } as unknown as Omit<Update, "update_id">, keptMs.message);
  }

  /** A tap on a button that stands, or once stood, on that message. */
  function press(token: string, given: { chat: number; message: number; from: number; data: string }) {
    const where = chat(given.chat);
    const message = where.messages.get(given.message);
    if (!message?.payloads.has(given.data))
      throw new Error(`message ${given.message} never had such a button`);
    made += 1;
    const id = `43829311908712${made}`;
    bot(token).presses.set(id, { at: now(), answered: false });
    const query = {
      id,
      from: person(given.from),
      message: shown(where, message, bot(token)),
      chat_instance: "-3141592653589793238",
      data: given.data,
    };
    return push(token, { callback_query: query } as unknown as Omit<Update, "update_id">, keptMs.press);
  }

  // ---- what the bot may do -------------------------------------------------------------------------------------

  /** The first updates that are still kept; they come again until a higher offset confirms them. */
  function fetch(of: Bot, limit: number): readonly Update[] {
    of.queue = of.queue.filter(({ untilAt }) => untilAt > now());
    return of.queue.slice(0, limit).map(({ update }) => update);
  }

  async function getUpdates(of: Bot, params: Fields, gone: Promise<void>): Promise<Reply> {
    if (of.webhook !== "") {
      return refused(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    const offset = Number(params.offset ?? 0);
    let timeout = Math.min(50, Math.max(0, Number(params.timeout ?? 0)));
    let limit = Math.min(100, Math.max(1, Number(params.limit ?? 100)));
    if (Array.isArray(params.allowed_updates)) of.allowed = params.allowed_updates as string[];
    if (of.waiting) {
      const conflict = refused(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      );
      const ended = of.waiting;
      const held = performance.now() - of.conflictAt < 3_000 ? 3_000 : 0;
      of.conflictAt = performance.now();
      of.waiting = undefined;
      if (held > 0) setTimeout(() => ended.end(conflict), held).unref();
      else ended.end(conflict);
    }
    for (const { update } of offset > 0 ? of.queue : []) {
      if (update.update_id < offset) of.confirmed.add(update.update_id);
    }
    if (offset > 0) of.queue = of.queue.filter(({ update }) => update.update_id >= offset);
    if (offset < 0) of.queue = of.queue.slice(offset);
    const beganAt = performance.now();
    if (of.polled?.offset === offset) {
      if (beganAt - of.polled.endedAt < 500) limit = 1;
      if (beganAt - of.polled.beganAt < 3_000) timeout = Math.max(timeout, 3);
    }
    of.polled = { offset, beganAt, endedAt: beganAt };
    const there = fetch(of, limit);
    if (there.length > 0 || timeout === 0) return done(there);
    return new Promise<Reply>((tell) => {
      const mine: Waiting = {
        end(reply) {
          clearTimeout(timer);
          if (of.waiting === mine) of.waiting = undefined;
          if (of.polled?.offset === offset) of.polled.endedAt = performance.now();
          tell(reply);
        },
      };
      const timer = setTimeout(() => mine.end(done([])), timeout * heldSecondMs);
      of.waiting = mine;
      void gone.then(() => mine.end(done([])));
    });
  }

  /** The chat that a call means, or why it cannot be meant. */
  function target(params: Fields): Chat | Reply {
    const where = chats.get(Number(params.chat_id));
    if (!where) return bad("chat not found");
    if (where.movedTo !== undefined) {
      return bad("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: where.movedTo });
    }
    return where.closed === undefined ? where : refused(403, `Forbidden: ${where.closed}`);
  }

  function parsed(params: Fields): ParsedText | Reply {
    const text = params.text;
    if (typeof text !== "string" || text === "") return bad("message text is empty");
    if (/\p{Surrogate}/u.test(text)) return bad("strings must be encoded in UTF-8");
    let read: ParsedText;
    try {
      if (params.parse_mode !== undefined && params.parse_mode !== "HTML")
        return bad("unsupported parse_mode");
      read = params.parse_mode === "HTML" ? parseHtml(text) : trimmed(text, []);
    } catch (error) {
      if (error instanceof MarkupError) return bad(`can't parse entities: ${error.message}`);
      throw error;
    }
    if (read.text === "") return bad("message text is empty");
    return read.text.length > mostUnits ? bad("message is too long") : read;
  }

  function markup(params: Fields): Markup | undefined | Reply {
    const given = params.reply_markup as Markup | undefined;
    const buttons = given?.inline_keyboard?.flat() ?? [];
    for (const { text, callback_data: data = "" } of buttons) {
      if (typeof text !== "string" || text.trim() === "")
        return bad("text buttons are unallowed in the inline keyboard");
      if (data === "" || Buffer.byteLength(data) > mostPayloadBytes) return bad("BUTTON_DATA_INVALID");
    }
    if (buttons.length > 100 || given?.inline_keyboard?.some((row) => row.length > 8))
      return bad("reply markup is too long");
    return buttons.length > 0 ? given : undefined;
  }

  function sendMessage(of: Bot, params: Fields): Reply {
    const where = target(params);
    if ("ok" in where) return where;
    const thread = params.message_thread_id === undefined ? undefined : Number(params.message_thread_id);
    if (thread !== undefined && !where.topics.has(thread)) return bad("message thread not found");
    const read = parsed(params);
    if ("ok" in read) return read;
    const keyboard = markup(params);
    if (keyboard && "ok" in keyboard) return keyboard;
    const answered = params.reply_parameters as
      | { message_id: number; allow_sending_without_reply?: boolean }
      | undefined;
    const known = answered !== undefined && answered.message_id <= where.last;
    if (answered && !known && !answered.allow_sending_without_reply)
      return bad("message to be replied not found");
    where.last += 1;
    const message: BotMessage = {
      message_id: where.last,
      chat: where.id,
      date: seconds(),
      silent: params.disable_notification === true,
      ...(thread === undefined ? {} : { thread }),
      ...(known && answered ? { replyTo: answered.message_id } : {}),
      text: read.text,
      entities: read.entities,
      markup: keyboard,
      versions: [read.text],
      payloads: new Set(payloadsOf(keyboard)),
    };
    where.messages.set(message.message_id, message);
    return done(shown(where, message, of));
  }

  function editMessageText(of: Bot, params: Fields): Reply {
    const where = target(params);
    if ("ok" in where) return where;
    const message = where.messages.get(Number(params.message_id));
    if (!message) return bad("message to edit not found");
    const read = parsed(params);
    if ("ok" in read) return read;
    const keyboard = markup(params);
    if (keyboard && "ok" in keyboard) return keyboard;
    const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
    if (
      message.text === read.text &&
      same(message.entities, read.entities) &&
      same(message.markup, keyboard)
    ) {
      return bad(
        "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
      );
    }
    message.text = read.text;
    message.entities = read.entities;
    message.markup = keyboard;
    message.edit_date = seconds();
    message.versions.push(read.text);
    for (const data of payloadsOf(keyboard)) message.payloads.add(data);
    return done(shown(where, message, of));
  }

  function answerCallbackQuery(of: Bot, params: Fields): Reply {
    const id = String(params.callback_query_id);
    const pressed = of.presses.get(id);
    const text = String(params.text ?? "");
    if (text.length > 200) return bad("MESSAGE_TOO_LONG");
    if (!pressed || pressed.answered || now() - pressed.at > keptMs.answer) {
      return bad("query is too old and response timeout expired or query ID is invalid");
    }
    pressed.answered = true;
    answers.push({ id, text, alert: params.show_alert === true });
    return done(true);
  }

  async function run(token: string, method: string, params: Fields, gone: Promise<void>): Promise<Reply> {
    if (!/^\d+:[\w-]+$/.test(token)) return refused(404, "Not Found");
    const of = bots.get(token);
    if (!of) return refused(401, "Unauthorized");
    switch (method) {
      case "getMe":
        return done(of.user);
      case "getUpdates":
        return getUpdates(of, params, gone);
      case "sendMessage":
        return sendMessage(of, params);
      case "editMessageText":
        return editMessageText(of, params);
      case "answerCallbackQuery":
        return answerCallbackQuery(of, params);
      case "getChat": {
        const where = target(params);
        if ("ok" in where) return where;
        const forum = where.topics.size > 0 ? { is_forum: true } : {};
        return done({ id: where.id, type: where.type, title: where.title, ...forum });
      }
      case "getWebhookInfo":
        return done({
          url: of.webhook,
          has_custom_certificate: false,
          pending_update_count: of.queue.length,
        });
      case "setWebhook":
        of.webhook = String(params.url ?? "");
        of.waiting?.end(refused(409, "Conflict: terminated by setWebhook request"));
        return done(true);
      case "deleteWebhook":
        of.webhook = "";
        return done(true);
      default:
        return refused(404, "Not Found: method not found");
    }
  }

  function faultFor(method: string, params: Fields): Fault | undefined {
    const found = faults.find(
      (each) => each.method === method && (each.chat === undefined || each.chat === Number(params.chat_id)),
    );
    if (!found) return undefined;
    found.times -= 1;
    if (found.times <= 0) faults = faults.filter((each) => each !== found);
    return found;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = "", method = ""] =
      /^\/bot([^/]*)\/(\w+)$/.exec(new URL(request.url ?? "/", "http://x").pathname) ?? [];
    const body = await bodyOf(request);
    const params: Fields = body === "" ? {} : JSON.parse(body);
    const gone = new Promise<void>((ended) => {
      response.on("close", () => ended());
    });
    const fault = faultFor(method, params);
    if (fault?.how === "hang") return;
    const page =
      fault?.how === "html"
        ? 502
        : typeof fault?.how === "object" && "page" in fault.how
          ? fault.how.page
          : undefined;
    if (page !== undefined) {
      response.writeHead(page, { "content-type": "text/html" });
      response.end(`<html><title>${page}</title></html>`);
      return;
    }
    const reply: Reply =
      fault && typeof fault.how === "object" && !("page" in fault.how)
        ? { ok: false, ...fault.how }
        : fault?.how === "reset"
          ? refused(0, "")
          : fault?.how === "empty"
            ? done([])
            : await run(token, method, params, gone);
    const lost = fault?.how === "swallow" || fault?.how === "reset";
    const told = lost ? { lost: true as const } : {};
    calls.push({ method, params, ok: reply.ok, ...(reply.ok ? { result: reply.result } : {}), ...told });
    if (lost) {
      request.socket.destroy();
      return;
    }
    if (response.destroyed) return;
    const wait = reply.ok ? undefined : reply.parameters?.retry_after;
    response.writeHead(reply.ok ? 200 : reply.error_code, {
      "content-type": "application/json",
      date: new Date(now()).toUTCString(),
      ...(wait === undefined ? {} : { "retry-after": String(wait) }),
    });
    response.end(JSON.stringify(reply));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  const addChat = (id: number, type: Chat["type"], title: string, topics: readonly number[] = []): void => {
    chats.set(id, { id, type, title, messages: new Map(), topics: new Set(topics), last: 0 });
  };

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    answers,
    addBot(token: string, username: string): void {
      const id = Number(token.split(":")[0]);
      bots.set(token, {
        user: { id, is_bot: true, first_name: username, username, can_read_all_group_messages: false },
        queue: [],
        last: 810_000_000,
        webhook: "",
        allowed: undefined,
        waiting: undefined,
        polled: undefined,
        conflictAt: Number.NEGATIVE_INFINITY,
        confirmed: new Set(),
        presses: new Map(),
      });
    },
    revoke: (token: string): boolean => bots.delete(token),
    /** Privacy mode of a bot is on until BotFather is told otherwise. */
    readsAll(token: string): void {
      bot(token).user.can_read_all_group_messages = true;
    },
    /** A person who has pressed Start: there is a private chat of the same number. */
    addPerson(id: number, name: string): void {
      people.set(id, { id, is_bot: false, first_name: name });
      addChat(id, "private", name);
    },
    addGroup: (id: number, title: string, topics?: readonly number[]) =>
      addChat(id, "supergroup", title, topics),
    /** From now on the group has another id; its old messages cannot be edited there. */
    migrate(token: string, from: number, to: number, by: number): void {
      const { title } = chat(from);
      addChat(to, "supergroup", title);
      say(token, { chat: from, from: by, text: "", extra: { text: undefined, migrate_to_chat_id: to } });
      chat(from).movedTo = to;
    },
    close403(id: number, why: string): void {
      chat(id).closed = why;
    },
    /** A person blocks the bot, or a group throws it out: the bot is told so. */
    block(token: string, id: number, by: number = id): void {
      chat(id).closed = id > 0 ? "bot was blocked by the user" : "bot was kicked from the supergroup chat";
      memberChange(token, id, by, "member", "kicked");
    },
    unblock(token: string, id: number, by: number = id): void {
      delete chat(id).closed;
      memberChange(token, id, by, "kicked", "member");
    },
    forget(id: number, message: number): void {
      chat(id).messages.delete(message);
    },
    setWebhook(token: string, url: string): void {
      bot(token).webhook = url;
    },
    /** Any update at all. */
    push: (token: string, what: Omit<Update, "update_id">) => push(token, what, keptMs.message),
    say,
    press,
    /** The same update once more, as after a confirmation that was lost. */
    again(token: string, update: Update): void {
      bot(token).queue.push({ update, untilAt: now() + keptMs.message });
    },
    /** The numbers of the updates that were not confirmed yet. */
    waiting: (token: string): number[] =>
      fetch(bot(token), Number.POSITIVE_INFINITY).map((update) => update.update_id),
    confirmed: (token: string): ReadonlySet<number> => bot(token).confirmed,
    isPolled: (token: string): boolean => bot(token).waiting !== undefined,
    messages: (id: number): BotMessage[] => [...chat(id).messages.values()],
    fail: (fault: Fault): number => faults.push(fault),
    faults: (): readonly Fault[] => faults,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function payloadsOf(keyboard: Markup | undefined): string[] {
  return (keyboard?.inline_keyboard.flat() ?? []).map((button) => button.callback_data ?? "");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
