import type * as z from "zod";
import type { Check } from "../domain/channel.ts";
import { channelSettings } from "./channel-files.ts";
import { checkChannel } from "./channels.ts";
import { defaultConfig } from "./config-values.ts";
import type { Told } from "./setup-prompts.ts";

export const usualVariable = "TELEGRAM_BOT_TOKEN";

/** A line to Telegram that is being tried: nothing of it is written yet. */
export type Trial = {
  readonly token: string;
  readonly chat?: string | number;
  readonly apiRoot?: string;
};

/** What Telegram's own settings and checks say, before anything is written. Nothing is sent to anybody. */
export type TelegramTrial = {
  tokenProblem(token: string): string | undefined;
  chatProblem(chat: string): string | undefined;
  apiRootProblem(url: string): string | undefined;
  /** Is the token valid, and can it be polled with? */
  token(trial: Trial): Promise<Told>;
  /** Can the group be reached? */
  chat(trial: Trial): Promise<Told>;
};

export async function openTrial(): Promise<TelegramTrial> {
  const settings = await channelSettings("telegram");
  const probe = { token: "1:placeholder" };
  return {
    tokenProblem: (token) => problemOf(settings, { token }),
    chatProblem: (chat) => problemOf(settings, { ...probe, chat: chatOf(chat) }),
    apiRootProblem: (url) => problemOf(settings, { ...probe, api_root: url }),
    async token(trial) {
      const found = await checksOf(settings, trial);
      const bad = found.find(({ name, ok }) => !ok && (name === "token" || name === "webhook"));
      if (bad) return { ok: false, text: bad.text };
      const text =
        found.find(({ name }) => name === "token")?.text ?? "nothing was found out about the token";
      return { ok: true, text: `The token is ${text}` };
    },
    async chat(trial) {
      const found = await checksOf(settings, trial);
      const chat = found.find(({ name }) => name.startsWith("chat ")) ?? found.find(({ ok }) => !ok);
      return chat ? { ok: chat.ok, text: chat.text } : { ok: false, text: "nothing was found out about it" };
    },
  };
}

/** `-1001234` is a number in the file; `-1001234/44` and `@name` are texts. */
export function chatOf(text: string): string | number {
  const number = Number(text);
  return /^-?\d+$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

async function checksOf(settings: z.ZodType, { token, chat, apiRoot }: Trial): Promise<readonly Check[]> {
  const telegram = settings.parse({
    token,
    ...(chat === undefined ? {} : { chat }),
    ...(apiRoot === undefined ? {} : { api_root: apiRoot }),
  }) as Record<string, unknown>;
  return checkChannel({ ...defaultConfig(), channels: { telegram } }, "telegram");
}

/** The channel's own words; they never repeat what was given. */
function problemOf(settings: z.ZodType, given: object): string | undefined {
  const checked = settings.safeParse(given);
  return checked.success ? undefined : (checked.error.issues[0]?.message ?? "is not right");
}
