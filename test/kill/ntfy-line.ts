import { open as openNtfy, type Settings, settings } from "../../channels/ntfy.ts";
import type { AnswerChannel, ChannelTools } from "../../src/domain/channel.ts";
import type { Message } from "../ntfy/server.ts";
import { callPeer } from "../peer/peer-channel.ts";
import {
  askTopic,
  botToken,
  buttonToken,
  type NtfyFault,
  type NtfyTap,
  type NtfyTapped,
  replyTopic,
} from "./ntfy-desk.ts";
import type { Steps } from "./telegram-line.ts";

/** The configuration of the real adapter against the server behind the door. */
export async function ntfySettings(door: string): Promise<Settings> {
  const { url } = await callPeer<{ url: string }>(`${door}/api`, "GET", undefined);
  return settings.parse({
    base_url: url,
    ask_topic: askTopic,
    reply_topic: replyTopic,
    token: botToken,
    button_token: buttonToken,
  });
}

export function ntfyChannel(given: Settings, tools: ChannelTools): Promise<AnswerChannel> {
  return openNtfy(given, tools, { waitMs: 20_000, shortMs: 0, callMs: 5_000 });
}

/** Whoever reads the topic, and what stands there. */
export function ntfyReader(play: Steps, door: string, cursor: () => Promise<string | undefined>) {
  const tap = (given: NtfyTap): Promise<string> =>
    play.step(`tap ${given.name}`, async () => {
      let made: NtfyTapped = { id: undefined };
      await play.until(`${given.question} has a button ${given.action}`, async () => {
        made = await callPeer<NtfyTapped>(`${door}/person/tap`, "POST", given);
        return made.id !== undefined;
      });
      return made.id ?? "";
    });

  return {
    /** While nothing runs. */
    tap: (name: string, question: string, action: string) => tap({ name, question, action }),
    /** The service runs, so it is taken in before it goes on. Ids rise. */
    async press(name: string, question: string, action: string, forged = false): Promise<void> {
      const id = await tap({ name, question, action, forged });
      await play.until(`${name} is taken in`, async () => ((await cursor())?.split(":")[1] ?? "") >= id);
    },
    fault: (name: string, fault: NtfyFault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
    /** Everything that was to fail until then has failed. */
    failed: (name: string) =>
      play.step(`failed ${name}`, () =>
        play.until(
          "what was to fail has failed",
          async () => (await callPeer<number>(`${door}/left`, "GET", undefined)) === 0,
        ),
      ),
    cut: (name: string) => play.step(`cut ${name}`, () => callPeer(`${door}/person/cut`, "POST", {})),
    /** The latest message about that task holds these words. */
    async seen(task: string, words = ""): Promise<void> {
      await play.until(`${task} stands there ${words}`, async () => {
        const kept = await callPeer<readonly Message[]>(`${door}/kept`, "GET", undefined);
        const about = kept.filter(({ message = "" }) => message.includes(`What about ${task}?`));
        return about.at(-1)?.message?.includes(words) === true;
      });
    },
  };
}
