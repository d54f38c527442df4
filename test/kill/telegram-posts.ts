import type { BotMessage, Call } from "../telegram/bot-api.ts";
import type { Remains } from "./remains.ts";
import type { TelegramDesk } from "./telegram-desk.ts";

/** What is left when a scene on Telegram has ended. */
export type Night = Remains & { readonly telegram: TelegramDesk };
export type Found = {
  readonly wrong: readonly string[];
  /** Messages that stand twice although nothing went wrong: Telegram knows no idempotency keys. */
  readonly doubles: readonly string[];
};

/** A message of ours, and who was told that it exists. */
export type Post = {
  readonly message: BotMessage;
  /** Why the service cannot know of it; undefined: it was told. */
  readonly unknown: "its reply was lost" | "the process died before it was recorded" | undefined;
};

/** What was sent to a chat, the oldest first. */
export function messagesOf(desk: TelegramDesk, chat: number, isMeant: (markup: string) => boolean): Post[] {
  return desk.lives.flatMap((life) => {
    const calls = desk.callsOf(life);
    return calls.flatMap((call, index): Post[] => {
      if (!call.ok || call.method !== "sendMessage" || call.params.chat_id !== chat) return [];
      if (!isMeant(JSON.stringify(call.params.reply_markup ?? {}))) return [];
      const { message_id } = call.result as { message_id: number };
      const message = desk.api.messages(chat).find((each) => each.message_id === message_id);
      if (!message) return [];
      // One destination is one queue: whoever sent on there had recorded what went before.
      const wentOn = calls.slice(index + 1).some((later) => writesTo(later, chat));
      const died = life.died && !wentOn;
      const unknown = call.lost
        ? "its reply was lost"
        : died
          ? "the process died before it was recorded"
          : undefined;
      return [{ message, unknown }];
    });
  });
}

function writesTo({ method, params }: Call, chat: number): boolean {
  return ["sendMessage", "editMessageText"].includes(method) && params.chat_id === chat;
}
