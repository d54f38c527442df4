import { open as openSlack, type Settings } from "../../channels/slack.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { callPeer } from "../peer/peer-channel.ts";
import type { Fault } from "../slack/slack-server.ts";
import type { Deed, DeedState } from "./slack-desk.ts";
import type { Steps } from "./telegram-line.ts";

/** The configuration of the real adapter against the server behind the door. */
export const slackSettings = (door: string): Promise<Settings> => callPeer(`${door}/api`, "GET", undefined);

export function slackChannel(settings: Settings, now: () => number): Promise<AnswerChannel> {
  return openSlack(settings, aTools({ now }), { graceMs: 50, callMs: 5_000, shortMs: 0 });
}

/** The people of the scene, and what they see. */
export function slackTeam(play: Steps, door: string) {
  const act = async (deed: Deed): Promise<DeedState> =>
    (await callPeer<{ state: DeedState }>(`${door}/person/act`, "POST", deed)).state;

  /** Once it is in the ledger it was done, and whoever did it saw that it was taken, unless nobody listened. */
  const once = (deed: Deed, isEnough: (state: DeedState) => boolean): Promise<unknown> =>
    play.step(`do ${deed.name}`, () =>
      play.until(`“${deed.name}” is done`, async () => isEnough(await act(deed))),
    );
  const isTaken = (state: DeedState): boolean => state === "acked";
  const isDone = (state: DeedState): boolean => state !== "missing";

  return {
    /** The service runs, so it is taken in before the play goes on; a tap that got lost is made again. */
    taps: (name: string, from: string, question: string, action: string) =>
      once({ name, from, question, action }, isTaken),
    types: (name: string, from: string, text: string, more: Pick<Deed, "question" | "edit"> = {}) =>
      once({ name, from, text, ...more }, isTaken),
    /** While nothing runs, or while it is not sure that anybody hears it. */
    leavesTap: (name: string, from: string, question: string, action: string) =>
      once({ name, from, question, action }, isDone),
    leaves: (name: string, from: string, text: string, more: Pick<Deed, "question" | "edit"> = {}) =>
      once({ name, from, text, ...more }, isDone),
    fault: (name: string, fault: Fault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
    line: (name: string, how: "cut" | "recycle") =>
      play.step(`line ${name}`, () => callPeer(`${door}/line`, "POST", { how })),
    /** Somebody listens. */
    isHeard: (): Promise<void> =>
      play.until("a line is open", async () => {
        const { live } = await callPeer<{ live: number }>(`${door}/lines`, "GET", undefined);
        return live > 0;
      }),
    /** The channel shows that question, in a message that holds these words. */
    sees: (task: string, words = ""): Promise<void> =>
      play.until(`the channel shows ${task} ${words}`, async () => {
        const texts = await callPeer<string[]>(`${door}/texts`, "GET", undefined);
        return texts.some((text) => text.includes(`What about ${task}?`) && text.includes(words));
      }),
  };
}
