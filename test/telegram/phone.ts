import { open } from "../../channels/telegram.ts";
import type { Button, ChannelMessage } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aQuestionId } from "../builders.ts";
import { aClock, afterwards } from "../homes.ts";
import { type BotApi, startBotApi } from "./bot-api.ts";

export const token = "7000000001:TEST-only-not-a-token";
export const otherToken = "7000000009:TEST-only-another-one";
export const eric = 5550100001;
export const mara = 5550100002;
export const group = -1001999000111;

/** A server with a bot, two people who pressed Start, and a group with topic 44. */
export async function aBotApi(): Promise<{
  readonly api: BotApi;
  readonly clock: ReturnType<typeof aClock>;
}> {
  const clock = aClock(Date.parse("2026-11-29T19:45:08Z"));
  const api = await startBotApi({ now: clock.now });
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addBot(otherToken, "owlpost_barn_bot");
  api.addPerson(eric, "Eric");
  api.addPerson(mara, "Mara");
  api.addGroup(group, "nightjar ops", [44]);
  return { api, clock };
}

/** The adapter against that server, with holds short enough for a test. */
export async function aLine(
  api: Pick<BotApi, "url">,
  changes: { chat?: number | string; allow?: (number | string)[]; token?: string } = {},
  timing: Parameters<typeof open>[1] = {},
) {
  const channel = await open(
    { token, allow: [eric], api_root: api.url, ...changes },
    { waitMs: 1_000, graceMs: 5_000, callMs: 5_000, ...timing },
  );
  afterwards(() => channel.close());
  return channel;
}

export function aButton(key: string, label = `${key} Go`, question: QuestionId = aQuestionId): Button {
  return { label, question, action: { key }, primary: key === "1" };
}

export function aMessage(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    headline: "Which way?",
    parts: [],
    body: "<b>Which way?</b>",
    plain: "Which way?",
    buttons: [aButton("1"), aButton("2")],
    degraded: [],
    silent: false,
    ...changes,
  };
}

export const never = new AbortController().signal;
