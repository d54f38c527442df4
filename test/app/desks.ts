import { open as openEmail } from "../../channels/email.ts";
import { open as openFeishu } from "../../channels/feishu.ts";
import { open as openGitHub } from "../../channels/github.ts";
import { open as openNtfy } from "../../channels/ntfy.ts";
import { open as openSlack } from "../../channels/slack.ts";
import { open as openTelegram } from "../../channels/telegram.ts";
import { open as openWebhook, settings as webhookSettings } from "../../channels/webhook.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import { startHookServer } from "../feishu/hook-server.ts";
import {
  furnish,
  bot as githubBot,
  eric as githubEric,
  issue,
  quick,
  repository,
  shown,
  someSettings,
} from "../github/desk.ts";
import { startGitHub } from "../github/server.ts";
import { afterwards } from "../homes.ts";
import { eric as mailEric, tapped, writeMail } from "../mail/phone.ts";
import { withoutDelimiter } from "../mail/post-office.ts";
import { aMailTown } from "../mail/town.ts";
import { aNtfy, ask, buttonOf, press, shownOn, someSettings as someNtfySettings } from "../ntfy/phone.ts";
import { buttonsIn, readBlocks } from "../slack/blocks.ts";
import { appToken, botToken, inTeam, settle as settleSlack, eric as slackEric } from "../slack/phone.ts";
import { startSlack } from "../slack/slack-server.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, token } from "../telegram/phone.ts";
import { startReceiver } from "../webhook/receiver.ts";

/** A message as it reads now. */
export type Standing = { readonly text: string; readonly buttons: number };

/** One platform, as strict as it is, and the adapter that talks to it. */
export type Desk = {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Can a message be edited there? */
  readonly edits: boolean;
  open(): Promise<AnswerChannel> | AnswerChannel;
  /** Everything that stands there, the oldest first. */
  standing(): readonly Standing[];
  /** Somebody chooses that option of the latest message that holds `part`. Absent where nobody can. */
  choose?(part: string, key: string): void;
  /** What whoever chose was told, in order. */
  told?(): readonly string[];
  /** The next calls that send something fail: `stall` for good, `broken` as long as it is out of order. */
  fail(how: "stall" | "broken", times: number): void;
};

/** A desk for a test whose clock is `now`; the platform's own is another where it is given. */
export type DeskMaker = (now: () => number, theirs?: () => number) => Promise<Desk>;

export const telegramDesk: DeskMaker = async (now) => {
  // A poll that brings nothing is over soon, so that a start need not wait for it.
  const api = await startBotApi({ now, heldSecondMs: 200 });
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  const settings = { token, allow: [eric], api_root: api.url };
  return {
    id: "telegram",
    settings,
    edits: true,
    open: () => openTelegram(settings, { waitMs: 1_000, graceMs: 5_000, callMs: 5_000, now }),
    standing: () =>
      api.messages(eric).map(({ text, markup }) => ({
        text: text.replaceAll("\u2060", ""),
        buttons: markup?.inline_keyboard.flat().length ?? 0,
      })),
    choose(part, key) {
      const message = api.messages(eric).findLast(({ text }) => text.includes(part));
      const data = [...(message?.payloads ?? [])].find((each) => each.endsWith(`|${key}`)) ?? "";
      api.press(token, { chat: eric, message: message?.message_id ?? 0, from: eric, data });
    },
    told: () => api.answers.map(({ text }) => text),
    fail(how, times) {
      const fault = how === "stall" ? ("hang" as const) : { error_code: 502, description: "Bad Gateway" };
      for (const method of ["sendMessage", "editMessageText"]) api.fail({ method, how: fault, times });
    },
  };
};

export const slackDesk: DeskMaker = async (now) => {
  const slack = await startSlack({ now, patient: true });
  afterwards(() => slack.close());
  settleSlack(slack);
  const owner = inTeam(slackEric);
  const settings = { bot_token: botToken, app_token: appToken, allow: [owner], api_url: slack.url };
  const ours = () => slack.workspace.direct(slackEric).messages.filter(({ bot }) => bot !== undefined);
  return {
    id: "slack",
    settings,
    edits: true,
    open: () => openSlack(settings, aTools({ now }), { waitMs: 1_000, callMs: 5_000 }),
    standing: () =>
      ours().map(({ text, blocks }) => ({
        text: (blocks.length === 0 ? text : readBlocks(blocks).join("\n")).replaceAll("\u2060", ""),
        buttons: buttonsIn(blocks).length,
      })),
    choose(part, key) {
      const message = ours().findLast(({ blocks }) => readBlocks(blocks).join("\n").includes(part));
      if (!message) throw new Error(`nothing on Slack holds ${part}`);
      slack.people.taps(slackEric, message, ({ value }) => value.endsWith(`|${key}`));
    },
    told: () => slack.people.whispers(slackEric),
    fail(how, times) {
      for (const method of ["chat.postMessage", "chat.update"])
        slack.fail({ method, how: how === "stall" ? "hang" : { page: 503 }, times });
    },
  };
};

export const githubDesk: DeskMaker = async (now) => {
  const api = await startGitHub({ now });
  afterwards(() => api.close());
  furnish(api);
  const settings = someSettings(api);
  return {
    id: "github",
    settings,
    edits: true,
    open: () => openGitHub(settings, aTools({ now }), { ...quick, holdMs: 1_000 }),
    standing: () =>
      api
        .comments(repository, issue)
        .filter(({ login }) => login === githubBot.login)
        .map(({ body }) => ({ text: shown(body).replaceAll("\u2060", ""), buttons: 0 })),
    choose: (part, key) => void api.say(repository, issue, githubEric.login, `/answer ${part} ${key}`),
    fail(how, times) {
      for (const on of ["post", "edit"] as const)
        api.fail({ on, how: how === "stall" ? "hang" : { page: 502 }, times });
    },
  };
};

export const emailDesk: DeskMaker = async (now) => {
  const { imap, smtp, settings, inbox } = await aMailTown({}, { now });
  const read = () =>
    inbox(mailEric).map(({ mail }) => ({
      mail,
      text: withoutDelimiter(mail.text),
      buttons: mail.html?.match(/href="mailto:/g)?.length ?? 0,
    }));
  return {
    id: "email",
    settings,
    edits: false,
    open: () => openEmail(settings, aTools({ now }), { waitMs: 1_000 }),
    standing: () => read().map(({ text, buttons }) => ({ text, buttons })),
    choose(part, key) {
      const latest = read().findLast(({ text, buttons }) => buttons > 0 && text.includes(part));
      if (!latest) throw new Error(`no mail holds ${part}`);
      imap.deliver(writeMail(tapped(latest.mail, key)).raw);
    },
    fail(how, times) {
      for (let n = 0; n < times; n += 1)
        smtp.fail(how === "stall" ? { on: "data", how: "stall" } : { on: "connect", how: "garbage" });
    },
  };
};

export const feishuDesk: DeskMaker = async (now, theirs = now) => {
  const secret = "TEST-only-not-the-secret-of-a-bot";
  const bot = await startHookServer({ secret, now: theirs });
  afterwards(() => bot.close());
  const settings = { webhook: bot.url, secret };
  return {
    id: "feishu",
    settings,
    edits: false,
    open: () => openFeishu(settings, aTools({ now }), { callMs: 5_000 }),
    standing: () => bot.messages.map(({ texts }) => ({ text: texts.join("\n\n"), buttons: 0 })),
    fail: (how, times) => bot.fail(how === "stall" ? "stall" : { page: 502 }, times),
  };
};

async function aHook(now: () => number, kind: "owlpost" | "discord"): Promise<Desk> {
  const secret = "TEST-only-not-the-secret-of-a-receiver";
  const receiver = await startReceiver({ secret, now, kind });
  afterwards(() => receiver.close());
  const settings = webhookSettings.parse({ url: receiver.url, secret, format: kind });
  return {
    id: "webhook",
    settings,
    edits: false,
    open: () => openWebhook(settings, aTools({ now }), { callMs: 5_000 }),
    standing: () => receiver.received.map(({ text }) => ({ text, buttons: 0 })),
    fail: (how, times) => receiver.fail(how === "stall" ? "stall" : { status: 502 }, times),
  };
}

export const webhookDesk: DeskMaker = (now) => aHook(now, "owlpost");
export const discordDesk: DeskMaker = (now) => aHook(now, "discord");

async function anNtfy(now: () => number, version: "2.16" | "2.11"): Promise<Desk> {
  const { server, front } = await aNtfy({ now, version });
  const settings = someNtfySettings(front.url);
  const shown = () =>
    shownOn(server.told(ask)).map((message) => ({
      ...message,
      text: (message.message ?? "").replaceAll("\u2060", ""),
    }));
  return {
    id: "ntfy",
    settings,
    edits: version === "2.16",
    open: () => openNtfy(settings, aTools({ now }), { waitMs: 1_000, callMs: 5_000 }),
    standing: () => shown().map(({ text, actions = [] }) => ({ text, buttons: actions.length })),
    choose(part, key) {
      const about = shown().filter(({ text }) => text.includes(part));
      void press(buttonOf(about, key));
    },
    fail(how, times) {
      for (const on of ["post", "edit"] as const)
        for (let n = 0; n < times; n += 1) front.fail(on, how === "stall" ? "hang" : "broken");
    },
  };
}

export const ntfyDesk: DeskMaker = (now) => anNtfy(now, "2.16");
/** A server that knows nothing of edits. */
export const oldNtfyDesk: DeskMaker = (now) => anNtfy(now, "2.11");

/** Every platform that a question goes to at once. Another one is a line here. */
export const deskMakers: readonly DeskMaker[] = [
  telegramDesk,
  slackDesk,
  githubDesk,
  emailDesk,
  feishuDesk,
  webhookDesk,
  ntfyDesk,
];
