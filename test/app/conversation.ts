import { open } from "../../channels/telegram.ts";
import { aConfig } from "../builders.ts";
import { conversing } from "../conversing.ts";
import { aHome, aService, until } from "../homes.ts";
import { aBotApi, eric, token } from "../telegram/phone.ts";

export type Conversation = Awaited<ReturnType<typeof aConversation>>;

/**
 * The real service with the real adapter against the strict Bot API server, driven by what people type and tap and read
 * back from their phones. The clock stands still until it is moved.
 */
export async function aConversation(
  telegram: { allow?: number[]; chat?: number | string } = {},
  changes: Parameters<typeof aConfig>[0] = {},
) {
  const { api, clock } = await aBotApi();
  const settings = { token, allow: [eric], api_root: api.url, ...telegram };
  const home = aHome();
  const start = async () => {
    const channel = await open(settings, {
      waitMs: 2_000,
      graceMs: 5_000,
      callMs: 5_000,
      now: clock.now,
    });
    return aService({
      home,
      now: clock.now,
      config: aConfig({
        deliver: ["telegram"],
        channels: { inbox: { port: 0 }, telegram: settings },
        ...changes,
      }),
      channels: new Map([["telegram", channel]]),
    });
  };
  let service = await start();
  // A joiner that nobody sees keeps the platform from making a command of what stands in a sentence.
  const texts = (chat: number) => api.messages(chat).map(({ text }) => text.replaceAll("\u2060", ""));
  const messageWith = (chat: number, part: string) =>
    api.messages(chat).find(({ text }) => text.includes(part));
  let read = 0;

  return {
    ...conversing(() => service, clock),
    api,
    clock,
    home,
    /** The service that runs now. */
    get service() {
      return service;
    },
    /** The service ends, `meanwhile` happens, and it starts again. */
    async sleeps(meanwhile: () => void | Promise<void>): Promise<void> {
      await service.close();
      await meanwhile();
      service = await start();
    },
    /** Somebody types; `to` is a part of the message that they reply to. Returns the number of what they typed. */
    types(from: number, text: string, more: { in?: number; to?: string; edit?: number } = {}): number {
      const chat = more.in ?? from;
      const answered = more.to === undefined ? undefined : messageWith(chat, more.to);
      if (more.to !== undefined && !answered)
        throw new Error(`no message holds “${more.to}”: ${texts(chat)}`);
      const update = api.say(token, {
        chat,
        from,
        text,
        ...(answered ? { replyTo: answered.message_id } : {}),
        ...(more.edit === undefined ? {} : { edit: more.edit }),
      });
      return (update?.message ?? update?.edited_message)?.message_id ?? 0;
    },
    /** Somebody taps the button of that option on the message that holds `part`. */
    taps(from: number, key: string, part: string, chat = from): void {
      const message = messageWith(chat, part);
      const data = [...(message?.payloads ?? [])].find((each) => each.endsWith(`|${key}`));
      if (!message || data === undefined) throw new Error(`no button ${key} under “${part}”`);
      api.press(token, { chat, message: message.message_id, from, data });
    },
    /** A message that holds every part stands in that chat, now or soon; returns its text. */
    async sees(chat: number, ...parts: (string | RegExp)[]): Promise<string> {
      const holds = (text: string) =>
        parts.every((part) => (typeof part === "string" ? text.includes(part) : part.test(text)));
      const all = await until(
        () => texts(chat),
        (each) => each.some(holds),
      ).catch(() => {
        throw new Error(
          `nobody in ${chat} sees ${parts.join(" + ")}; there stands:\n${texts(chat).join("\n---\n")}`,
        );
      });
      return all.find(holds) ?? "";
    },
    /** The next toast, in the order in which they were shown. */
    async toast(): Promise<{ readonly text?: string; readonly alert: boolean }> {
      const all = await until(
        () => api.answers,
        (each) => each.length > read,
      );
      read += 1;
      return all[read - 1] as { readonly text?: string; readonly alert: boolean };
    },
    /** Everything that stands in a chat. */
    texts,
    message: messageWith,
    /** Waits until everything that came in is decided and everything that goes out has gone. */
    async settles(): Promise<void> {
      await until(
        () => api.waiting(token).length,
        (left) => left === 0,
      );
      await service.settle();
    },
  };
}
