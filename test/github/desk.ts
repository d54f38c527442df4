import { open, type Settings, settings, type Timing } from "../../channels/github.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { aClock, afterwards } from "../homes.ts";
import { eric, furnish, issue, repository, token } from "./cast.ts";
import { type GitHub, startGitHub } from "./server.ts";

export { bot, eric, furnish, issue, mara, repository, shown, stranger, token } from "./cast.ts";

export const never = new AbortController().signal;

/** GitHub with a private repository, its issue, an account for owlpost, and people. */
export async function aGitHub(): Promise<{
  readonly api: GitHub;
  readonly clock: ReturnType<typeof aClock>;
}> {
  const clock = aClock(Date.parse("2026-11-29T19:45:08Z"));
  const api = await startGitHub({ now: clock.now });
  afterwards(() => api.close());
  furnish(api);
  return { api, clock };
}

export function someSettings(api: GitHub, changes: Partial<Settings> = {}): Settings {
  return settings.parse({ token, repository, issue, allow: [eric.id], api_url: api.url, ...changes });
}

/** Short enough for a test: nobody waits for a list, and writes follow each other at once. */
export const quick: Partial<Timing> = {
  quickMs: 20,
  idleMs: 20,
  holdMs: 20_000,
  callMs: 5_000,
  gapMs: 0,
  settleMs: 0,
  privateMs: 0,
};

export async function aLine(
  api: GitHub,
  clock: { now(): number },
  changes: Partial<Settings> = {},
  timing: Partial<Timing> = {},
) {
  const channel = await open(someSettings(api, changes), aTools({ now: clock.now }), { ...quick, ...timing });
  afterwards(() => channel.close());
  return channel;
}

export function aMessage(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    headline: "Which way?",
    parts: [],
    body: "**Which way?**",
    plain: "Which way?",
    buttons: [],
    degraded: [],
    silent: false,
    ...changes,
  };
}
