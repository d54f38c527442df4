import { expect } from "vitest";
import { open, type Timing } from "../../channels/slack.ts";
import { aConfig, aTools } from "../builders.ts";
import { conversing } from "../conversing.ts";
import { afterwards, aQuickHome, aService, until } from "../homes.ts";
import { buttonsIn } from "../slack/blocks.ts";
import { appToken, aSlack, botToken, eric, inTeam } from "../slack/phone.ts";
import type { Message } from "../slack/workspace.ts";

export type SlackConversation = Awaited<ReturnType<typeof aSlackConversation>>;

type Part = string | RegExp;
const holds =
  (parts: readonly Part[]) =>
  (text: string): boolean =>
    parts.every((part) => (typeof part === "string" ? text.includes(part) : part.test(text)));
// Joiners that nobody sees keep Slack from making a format of what stands in a sentence.
const seen = (text: string): string => text.replaceAll("\u2060", "");

/**
 * The real service with the real adapter against the strict Slack, driven by what people type, tap and fill in, and read back
 * from what each of them sees. The clock stands still until it is moved.
 */
export async function aSlackConversation(
  settings: { readonly allow?: string[]; readonly channel?: string } = {},
  more: {
    readonly config?: Parameters<typeof aConfig>[0];
    readonly slack?: Parameters<typeof aSlack>[0];
    readonly timing?: Partial<Timing>;
  } = {},
) {
  const { slack, clock } = await aSlack(more.slack);
  afterwards(() => expect(slack.misuses()).toEqual([]));
  const given = {
    bot_token: botToken,
    app_token: appToken,
    allow: [inTeam(eric)],
    api_url: slack.url,
    ...settings,
  };
  const home = aQuickHome();
  const start = async (isLive = true) => {
    const channel = await open(given, aTools({ now: clock.now }), { callMs: 5_000, ...more.timing });
    const service = await aService({
      home,
      now: clock.now,
      config: aConfig({
        deliver: ["slack"],
        channels: { inbox: { port: 0 }, slack: given },
        ...more.config,
      }),
      channels: new Map([["slack", channel]]),
    });
    if (isLive) await connected();
    return service;
  };
  const connected = () =>
    until(
      () => slack.sockets.live(),
      (count) => count > 0,
    );
  let service = await start();

  const roomOf = (place: string) =>
    slack.workspace.people.has(place) ? slack.workspace.direct(place) : slack.workspace.room(place);
  const messages = (place: string): readonly Message[] => roomOf(place).messages;
  const read = (message: Message): string => seen(message.versions.at(-1) ?? "");
  const messageWith = (place: string, ...parts: Part[]): Message => {
    const found = messages(place).find((each) => holds(parts)(read(each)));
    if (!found) throw new Error(`no message holds ${parts.join(" + ")}:\n${texts(place).join("\n---\n")}`);
    return found;
  };
  const texts = (place: string): string[] => messages(place).map(read);

  async function waitFor(
    what: string,
    all: () => readonly string[],
    parts: readonly Part[],
  ): Promise<string> {
    const found = await until(all, (each) => each.some(holds(parts))).catch(() => {
      throw new Error(`${what} ${parts.join(" + ")}; there stands:\n${all().join("\n---\n")}`);
    });
    return found.find(holds(parts)) ?? "";
  }

  return {
    ...conversing(() => service, clock),
    slack,
    clock,
    home,
    /** The service that runs now. */
    get service() {
      return service;
    },
    connected,
    /** The service ends, `meanwhile` happens, and it starts again. */
    async sleeps(meanwhile: () => void | Promise<void>, isLive = true): Promise<void> {
      await service.close();
      await until(
        () => slack.sockets.sockets().length,
        (count) => count === 0,
      );
      await meanwhile();
      service = await start(isLive);
    },
    /** Somebody types: in the private chat, in a channel, or there in the thread of the message that holds `thread`. */
    types(from: string, text: string, ways: { readonly in?: string; readonly thread?: Part } = {}): Message {
      const place = ways.in ?? from;
      return slack.people.says(from, text, {
        in: roomOf(place).id,
        ...(ways.thread === undefined ? {} : { thread: messageWith(place, ways.thread).ts }),
      });
    },
    edits: (message: Message, text: string): Message =>
      slack.people.edits(message.user, message.channel, message.ts, text),
    /** Somebody taps the button whose label begins with that key or holds that word, on the message that holds `part`. */
    taps(from: string, label: string, part: Part, place = from) {
      const message = messageWith(place, part);
      return slack.people.taps(from, message, (button) =>
        /^\w$/.test(label) ? button.label.startsWith(`${label} `) : button.label.includes(label),
      );
    },
    slash: (from: string, text: string, place = from) =>
      slack.people.slash(from, text, { in: roomOf(place).id }),
    /** The form that opens before somebody within a moment; returns its lines. */
    async form(user: string): Promise<string> {
      const modal = await until(
        () => slack.people.modal(user),
        (open) => open !== undefined,
      );
      return JSON.stringify(modal?.view);
    },
    submits: (user: string, text: string) => slack.people.submits(user, text),
    /** A message that holds every part stands there, now or soon; returns its text. */
    sees: (place: string, ...parts: Part[]): Promise<string> =>
      waitFor(`nobody in ${place} sees`, () => texts(place), parts),
    /** This person alone is shown a text that holds every part, now or soon. */
    isTold: (user: string, ...parts: Part[]): Promise<string> =>
      waitFor(`${user} is not told`, () => slack.people.whispers(user).map(seen), parts),
    /** Everything that stands in a place. */
    texts,
    whispers: (user: string): string[] => slack.people.whispers(user).map(seen),
    message: messageWith,
    messages,
    /** What hangs below the message that holds `part`. */
    thread: (place: string, part: Part): string[] =>
      slack.workspace.repliesTo(roomOf(place), messageWith(place, part).ts).map(read),
    /** What can be tapped there now. */
    buttons: (place: string, part: Part): string[] =>
      buttonsIn(messageWith(place, part).blocks).map(({ label }) => label),
    /** Waits until everything that came in is decided and everything that goes out has gone. */
    async settles(): Promise<void> {
      await until(
        () => slack.unacked(),
        (left) => left === 0,
      );
      await service.settle();
    },
  };
}
