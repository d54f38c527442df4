import type { Update } from "grammy/types";
import { type BotApi, type Call, type Fault, startBotApi } from "../telegram/bot-api.ts";
import { openDoor } from "./door.ts";

export const token = "7000000001:TEST-only-not-a-token";
export const eric = 5550100001;
export const mara = 5550100002;
export const stranger = 5550100003;

/** What a person does on a phone. */
export type Tap = {
  /** The same name again is the same tap. */
  readonly name: string;
  readonly question: string;
  /** An option's key or `/skip`. */
  readonly action: string;
  readonly from: number;
  readonly chat: number;
  /** Nothing runs: it waits until the server has seen the last line go, or it would be told to nobody. */
  readonly alone?: boolean;
};
/** What a person types in the private chat with the bot. */
export type Said = {
  /** The same name again is the same message, or the same edit of one. */
  readonly name: string;
  readonly from: number;
  readonly text: string;
  /** The question whose message it replies to; where a post was doubled, the one that nobody knows of. */
  readonly to?: string;
  /** The name of what was said before and is changed. */
  readonly edit?: string;
  /** As with a tap. */
  readonly alone?: boolean;
};
/** The scene's own clock is ahead of the real one by this. */
export type Ahead = { readonly ms: number };
export type Made = { readonly update: number | undefined };

/** One start of the child: its calls are those from `from` on, until the next one's. */
export type Life = { readonly from: number; died: boolean };

export type TelegramDesk = {
  readonly url: string;
  readonly api: BotApi;
  readonly lives: readonly Life[];
  /** Every tap that was made, and its number. */
  readonly taps: ReadonlyMap<string, { readonly tap: Tap; readonly update: Update }>;
  /** Everything that was typed. */
  readonly said: ReadonlyMap<string, { readonly said: Said; readonly update: Update }>;
  begin(): void;
  died(): void;
  callsOf(life: Life): readonly Call[];
  close(): Promise<void>;
};

/**
 * Telegram and the people on it, in the process that survives every kill: the strict server with a clock that the scene
 * moves, and a door through which the child plays the people.
 */
export async function startTelegramDesk(): Promise<TelegramDesk> {
  let aheadMs = 0;
  const api = await startBotApi({ now: () => Date.now() + aheadMs, heldSecondMs: 50 });
  api.addBot(token, "owlpost_nightjar_bot");
  for (const [id, name] of [
    [eric, "Eric"],
    [mara, "Mara"],
    [stranger, "A stranger"],
  ] as const) {
    api.addPerson(id, name);
  }
  const taps = new Map<string, { readonly tap: Tap; readonly update: Update }>();
  const said = new Map<string, { readonly said: Said; readonly update: Update }>();
  const lives: Life[] = [];

  async function unheard(): Promise<void> {
    const end = performance.now() + 2_000;
    while (api.isPolled(token) && performance.now() < end) {
      await new Promise((next) => setTimeout(next, 5));
    }
  }

  /** On the oldest message that has such a button: where a post was doubled, that is the one nobody knows of. */
  async function tapIt(tap: Tap): Promise<Made> {
    const known = taps.get(tap.name);
    if (known) return { update: known.update.update_id };
    if (tap.alone) await unheard();
    const data = `o1|${tap.question}|${tap.action}`;
    const message = api.messages(tap.chat).find(({ payloads }) => payloads.has(data));
    if (!message) return { update: undefined };
    const { chat, from } = tap;
    const update = api.press(token, { chat, from, message: message.message_id, data });
    // Before the first poll the server is told of no kinds, and then presses are among them.
    if (!update) throw new Error("the bot does not listen to presses");
    taps.set(tap.name, { tap, update });
    return { update: update.update_id };
  }

  async function sayIt(what: Said): Promise<Made> {
    const known = said.get(what.name);
    if (known) return { update: known.update.update_id };
    if (what.alone) await unheard();
    const { from, text, to, edit } = what;
    const answered = api
      .messages(from)
      .find(({ payloads }) => [...payloads].some((data) => data.startsWith(`o1|${to}|`)));
    const before = edit === undefined ? undefined : messageOf(said.get(edit)?.update);
    if ((to !== undefined && !answered) || (edit !== undefined && before === undefined)) {
      return { update: undefined };
    }
    const update = api.say(token, {
      chat: from,
      from,
      text,
      ...(answered ? { replyTo: answered.message_id } : {}),
      ...(before === undefined ? {} : { edit: before }),
    });
    if (!update) throw new Error("the bot does not listen to what is said");
    said.set(what.name, { said: what, update });
    return { update: update.update_id };
  }

  const door = await openDoor((path, body) => {
    switch (path) {
      case "/person/tap":
        return tapIt(body as Tap);
      case "/person/say":
        return sayIt(body as Said);
      case "/texts/of":
        return api.messages((body as { chat: number }).chat).map(({ text }) => text);
      case "/person/fault":
        return api.fail(body as Fault);
      case "/person/clock":
        aheadMs = (body as Ahead).ms;
        return {};
      case "/api":
        return { url: api.url };
      case "/waiting":
        return api.waiting(token);
      case "/texts":
        return [eric, mara].map((chat) => api.messages(chat).map(({ text }) => text));
      default:
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    api,
    lives,
    taps,
    said,
    begin: () => {
      lives.push({ from: api.calls.length, died: false });
    },
    died: () => {
      const life = lives.at(-1);
      if (life) life.died = true;
    },
    callsOf: (life) => api.calls.slice(life.from, lives[lives.indexOf(life) + 1]?.from),
    async close() {
      await door.close();
      await api.close();
    },
  };
}

/** The number of the message that was typed or changed. */
export function messageOf(update: Update | undefined): number | undefined {
  return (update?.message ?? update?.edited_message)?.message_id;
}
