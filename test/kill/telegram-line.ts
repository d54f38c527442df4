import { open as openTelegram } from "../../channels/telegram.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { callPeer } from "../peer/peer-channel.ts";
import type { Fault } from "../telegram/bot-api.ts";
import { type Ahead, eric, type Made, mara, type Said, type Tap, token } from "./telegram-desk.ts";

/** The configuration of the real adapter against the server behind the door. */
export async function telegramSettings(door: string, allow: readonly number[] = [eric, mara]) {
  const { url } = await callPeer<{ url: string }>(`${door}/api`, "GET", undefined);
  return { token, allow: [...allow], api_root: url };
}

export function telegramChannel(
  settings: Awaited<ReturnType<typeof telegramSettings>>,
  now: () => number,
): Promise<AnswerChannel> {
  return openTelegram(settings, { waitMs: 20_000, graceMs: 10_000, callMs: 5_000, now });
}

export const setPlatformClock = (door: string, ahead: Ahead): Promise<unknown> =>
  callPeer(`${door}/person/clock`, "POST", ahead);

type TypeWays = Pick<Said, "to" | "edit">;

/** What the people need of the play: see there. */
export type Steps = {
  step<Value>(name: string, act: () => Promise<Value>): Promise<Value>;
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
};

/** The people of the scene, and what they see. */
export function telegramPeople(play: Steps, door: string) {
  const texts = (): Promise<string[][]> => callPeer(`${door}/texts`, "GET", undefined);

  const tap = (
    name: string,
    question: string,
    action: string,
    from = eric,
    chat = eric,
    alone = true,
  ): Promise<number | undefined> =>
    play.step(`tap ${name}`, async () => {
      let made: Made = { update: undefined };
      await play.until(`${question} is on the phone`, async () => {
        const body: Tap = { name, question, action, from, chat, alone };
        made = await callPeer<Made>(`${door}/person/tap`, "POST", body);
        return made.update !== undefined;
      });
      return made.update;
    });

  const type = (name: string, from: number, text: string, more: TypeWays, alone: boolean) =>
    play.step(`type ${name}`, async () => {
      let made: Made = { update: undefined };
      await play.until(`${name} can be typed`, async () => {
        const body: Said = { name, from, text, ...more, alone };
        made = await callPeer<Made>(`${door}/person/say`, "POST", body);
        return made.update !== undefined;
      });
      return made.update;
    });
  const confirmed = (name: string, update: number | undefined): Promise<void> =>
    play.until(`${name} is confirmed`, async () => {
      const waiting = await callPeer<number[]>(`${door}/waiting`, "GET", undefined);
      return update !== undefined && !waiting.includes(update);
    });

  return {
    /** Typed in a private chat while the service runs: taken in before it goes on. */
    async type(name: string, from: number, text: string, more: TypeWays = {}): Promise<void> {
      await confirmed(name, await type(name, from, text, more, false));
    },
    /** Typed while nothing runs. */
    leave: (name: string, from: number, text: string) => type(name, from, text, {}, true),
    /** A message that holds these words stands in that private chat. */
    reads: (chat: number, words: string): Promise<void> =>
      play.until(`${chat} reads “${words}”`, async () => {
        const all = await callPeer<string[]>(`${door}/texts/of`, "POST", { chat });
        return all.some((text) => text.includes(words));
      }),
    /** While nothing runs. */
    tap: (name: string, question: string, action: string) => tap(name, question, action),
    /** The service runs, so the tap is taken in before it goes on. */
    async press(name: string, question: string, action: string, from = eric, chat = eric): Promise<void> {
      await confirmed(name, await tap(name, question, action, from, chat, false));
    },
    fault: (name: string, fault: Fault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
    /** Both phones show that question, in a message that holds these words. */
    async seen(task: string, words = ""): Promise<void> {
      await play.until(`both phones show ${task} ${words}`, async () =>
        (await texts()).every((chat) =>
          chat.some((text) => text.includes(`What about ${task}?`) && text.includes(words)),
        ),
      );
    },
  };
}
