import { open, settings } from "../../channels/github.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { eric, issue, mara, repository, token } from "../github/cast.ts";
import type { Fault } from "../github/server.ts";
import { callPeer } from "../peer/peer-channel.ts";
import type { Commented } from "./github-desk.ts";
import type { Steps } from "./telegram-line.ts";

/** The configuration of the real adapter against the server behind the door. */
export async function githubSettings(door: string) {
  const { url } = await callPeer<{ url: string }>(`${door}/api`, "GET", undefined);
  return settings.parse({ token, repository, issue, allow: [eric.id, mara.id], api_url: url });
}

export function githubChannel(
  given: Awaited<ReturnType<typeof githubSettings>>,
  now: () => number,
): Promise<AnswerChannel> {
  const timing = { quickMs: 25, holdMs: 20_000, callMs: 5_000, gapMs: 0, settleMs: 50, privateMs: 0 };
  return open(given, aTools({ now }), timing);
}

/** Those who comment, and what they see. */
export function githubPeople(play: Steps, door: string) {
  const say = (name: string, login: string, text: string) =>
    play.step(`comment ${name}`, () =>
      callPeer<{ id: number }>(`${door}/person/comment`, "POST", { name, login, text } satisfies Commented),
    );
  return {
    /** While nothing runs. */
    leave: say,
    /** The service runs, so the comment is taken in before it goes on. */
    async comment(name: string, login: string, text: string): Promise<void> {
      await say(name, login, text);
      await play.until(
        `${name} is read`,
        async () => (await callPeer<{ told: boolean }>(`${door}/told`, "GET", undefined)).told,
      );
    },
    /** A comment that holds all of these stands there. */
    sees: (...words: string[]): Promise<void> =>
      play.until(`a comment says ${words.join(" + ")}`, async () => {
        const all = await callPeer<string[]>(`${door}/texts`, "GET", undefined);
        return all.some((text) => words.every((word) => text.includes(word)));
      }),
    fault: (name: string, fault: Fault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
  };
}
