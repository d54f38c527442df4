import { open as openFeishu } from "../../channels/feishu.ts";
import { open as openWebhook, settings as webhookSettings } from "../../channels/webhook.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { callPeer } from "../peer/peer-channel.ts";
import { feishuSecret, type HooksFault, type HooksPlaces, webhookSecret } from "./hooks-desk.ts";
import type { Steps } from "./telegram-line.ts";

/** The configuration of the real adapters against the servers behind the door. */
export async function hooksSettings(door: string) {
  const { feishu, webhook } = await callPeer<HooksPlaces>(`${door}/api`, "GET", undefined);
  return {
    feishu: { webhook: feishu, secret: feishuSecret },
    webhook: webhookSettings.parse({ url: webhook, secret: webhookSecret }),
  };
}

export function hooksChannels(
  { feishu, webhook }: Awaited<ReturnType<typeof hooksSettings>>,
  now: () => number,
): Promise<readonly AnswerChannel[]> {
  const timing = { callMs: 5_000, random: () => 0 };
  return Promise.all([openFeishu(feishu, { now }, timing), openWebhook(webhook, { now }, timing)]);
}

/** What befalls them. */
export function hooksWeather(play: Pick<Steps, "step">, door: string) {
  return {
    fault: (name: string, fault: HooksFault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
  };
}
