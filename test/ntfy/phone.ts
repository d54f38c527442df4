import { decode, open, recipientOf, type Settings, settings } from "../../channels/ntfy.ts";
import type { Button, ChannelMessage, ChannelTools } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { aClock, afterwards } from "../homes.ts";
import { startFront } from "./front.ts";
import { type Action, type Message, type NtfyOptions, startNtfy } from "./server.ts";

export const ask = "nightjar-ask-7c1e9Fake";
export const reply = "nightjar-reply-4b82dFake";
/** Made up: no server knows them. */
export const botToken = "tk_botFAKEbotFAKEbotFAKE";
export const buttonToken = "tk_buttonFAKEbuttonFAKE";
const readerToken = "tk_readerFAKEreaderFAKE";

/** A server with the rights that the page about ntfy tells to give, and a front before it that can fail. */
export async function aNtfy(options: NtfyOptions = {}) {
  const clock = aClock(Date.parse("2026-11-29T19:45:08Z"));
  const server = await startNtfy({
    now: clock.now,
    everybody: { "*": "deny" },
    tokens: {
      [botToken]: { [ask]: "rw", [reply]: "rw" },
      [buttonToken]: { [reply]: "wo" },
      [readerToken]: { [ask]: "ro" },
    },
    ...options,
  });
  afterwards(() => server.close());
  const front = await startFront(server.url, { ask, reply });
  afterwards(() => front.close());
  return { server, front, clock };
}
export type Ntfy = Awaited<ReturnType<typeof aNtfy>>;

/** Settings as the configuration reads them. */
export function someSettings(baseUrl: string, changes: Partial<Settings> = {}): Settings {
  return settings.parse({
    base_url: baseUrl,
    ask_topic: ask,
    reply_topic: reply,
    token: botToken,
    button_token: buttonToken,
    ...changes,
  });
}

/** The adapter against that server, with waits short enough for a test. */
export async function aLine(
  { front, clock }: Pick<Ntfy, "front" | "clock">,
  changes: Partial<Settings> = {},
  timing: Parameters<typeof open>[2] = {},
  tools: Partial<ChannelTools> = {},
) {
  const channel = await open(someSettings(front.url, changes), aTools({ now: clock.now, ...tools }), {
    waitMs: 1_000,
    silenceMs: 5_000,
    callMs: 5_000,
    ...timing,
  });
  afterwards(() => channel.close());
  return channel;
}

/** What a phone shows of a topic: a message of the same sequence takes the place of the one before, a deletion takes it away. */
export function shownOn(kept: readonly Message[]): readonly (Message & { readonly versions: number })[] {
  const shown = new Map<string, Message & { readonly versions: number }>();
  for (const message of kept) {
    const name = message.sequence_id ?? message.id;
    if (message.event === "message_delete") shown.delete(name);
    if (message.event !== "message") continue;
    shown.set(name, { ...message, versions: (shown.get(name)?.versions ?? 0) + 1 });
  }
  return [...shown.values()];
}

/** Somebody taps a button, as the app does: it calls what the button says. Returns the status. */
export async function press({ url = "", method = "POST", headers = {}, body }: Action): Promise<number> {
  const answered = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  await answered.arrayBuffer();
  return answered.status;
}

/** The button of that option, verb or label on the latest message that has one. */
export function buttonOf(messages: readonly Message[], said: string): Action {
  const all = messages.flatMap(({ actions = [] }) => actions);
  const found = all.findLast(({ body = "", label }) => body.split(" ")[1] === said || label.includes(said));
  if (!found) throw new Error(`no button ${said}: ${all.map(({ label }) => label).join(", ")}`);
  return found;
}

export function aButton(key: string, label = `${key} Go`, question: QuestionId = aQuestionId): Button {
  return { label, question, action: { key }, primary: key === "1" };
}

export function aMessage(changes: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    headline: "Which way?",
    parts: [{ name: "header", text: "Which way?" }],
    body: "Which way?",
    plain: "Which way?",
    buttons: [aButton("1"), aButton("2")],
    degraded: [],
    silent: false,
    ...changes,
  };
}

/** What a line of the stream says to the adapter with these settings. */
export function heard(event: unknown, given: Settings, tools: ChannelTools = aTools()) {
  return decode(event, { replyTopic: given.reply_topic, recipient: recipientOf(given) }, tools);
}

export const never = new AbortController().signal;
