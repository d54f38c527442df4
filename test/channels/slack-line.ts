import { open, type Settings, settings, type Timing } from "../../channels/slack.ts";
import type {
  AnswerChannel,
  Batch,
  ChannelMessage,
  ChannelTools,
  Receipt,
} from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { appToken, aSlack, botToken, eric, inTeam, ops } from "../slack/phone.ts";

export type Stage = Awaited<ReturnType<typeof aStage>>;

/** Slack on loopback, and the channel that talks to it. */
export async function aStage(
  changes: Partial<Settings> = {},
  timing: Partial<Timing> = {},
  options: Parameters<typeof aSlack>[0] = {},
) {
  const { slack, clock } = await aSlack({ patient: true, ...options });
  const given = settings.parse({
    bot_token: botToken,
    app_token: appToken,
    channel: ops,
    allow: [inTeam(eric)],
    api_url: slack.url,
    ...changes,
  });
  const again = async (
    more: Partial<Timing> = {},
    tools: ChannelTools = aTools({ now: clock.now }),
  ): Promise<AnswerChannel> => {
    const channel = await open(given, tools, { waitMs: 300, graceMs: 100, shortMs: 0, ...timing, ...more });
    afterwards(() => channel.close());
    return channel;
  };
  return { slack, clock, given, again, channel: await again() };
}

export const never = new AbortController().signal;

export function aMessage(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  const body = changes.body ?? "Which way?";
  return {
    headline: "Which way?",
    parts: [{ name: "text", text: body }],
    body,
    plain: body,
    buttons: [],
    degraded: [],
    silent: false,
    ...changes,
  };
}

/** Polls until there is something, or so often; settles it all with the same receipt. */
export async function received(channel: AnswerChannel, cursor?: string): Promise<Batch> {
  for (let left = 20; left > 0; left -= 1) {
    const batch = await channel.poll?.(cursor, never);
    if (batch && (batch.replies.length > 0 || left === 1)) return batch;
  }
  throw new Error("nothing can be received");
}

export function receipts(batch: Batch, text = "Noted.", accepted = true): Receipt[] {
  return batch.replies.map(({ key }) => ({ key, text, accepted }));
}
