import type { Ground } from "./setup.ts";
import type { Choices } from "./setup-draft.ts";
import { exportLine, type Given } from "./setup-flags.ts";
import type { Prompts } from "./setup-prompts.ts";
import { chatOf, type TelegramTrial, type Trial, usualVariable } from "./setup-telegram.ts";

export type Talk = {
  readonly ground: Ground;
  readonly given: Given;
  readonly trial: TelegramTrial;
  readonly prompts: Prompts;
};

export type TelegramAnswer = {
  readonly choice: NonNullable<Choices["telegram"]>;
  /** Tested. Held in memory, and written only where `keepIn` is `file`. */
  readonly token: string;
  /** `there`: it is in the environment or in `secrets.env` already. */
  readonly keepIn: "there" | "environment" | "file";
};

type TestedToken = Pick<TelegramAnswer, "token" | "keepIn">;

const howToMakeABot = [
  "Telegram: a bot of owlpost's own.",
  "1. Open @BotFather, send /newbot and choose a name: it gives a token.",
  "2. Open the new bot's chat and press Start: a bot may not write first.",
].join("\n");

/** Everything about Telegram, each answer tried before the next question; `none` where no phone is to ring. */
export async function askTelegram(talk: Talk): Promise<TelegramAnswer | "none" | undefined> {
  const { ground, given, prompts } = talk;
  const variable = given.variable ?? ground.telegram?.variable ?? usualVariable;
  if (given.variable === undefined) {
    const wanted = await prompts.yes({
      message: "Shall questions ring a phone, by Telegram?",
      otherwise: true,
    });
    if (wanted === undefined) return undefined;
    if (!wanted) return "none";
  }
  const apiRoot = given.apiRoot ?? ground.telegram?.apiRoot;
  const root = apiRoot === undefined ? {} : { apiRoot };
  const tested = await askToken(talk, variable, root);
  if (tested === undefined) return undefined;
  const chat = await settleChat(talk, { token: tested.token, ...root });
  if (chat === undefined) return undefined;
  return { ...tested, choice: { variable, chat, ...root } };
}

async function askToken(
  talk: Talk,
  variable: string,
  root: { readonly apiRoot?: string },
): Promise<TestedToken | undefined> {
  const { ground, prompts, trial } = talk;
  const atHand = ground.env[variable] || ground.telegram?.token;
  if (atHand !== undefined && trial.tokenProblem(atHand) === undefined) {
    const from = ground.env[variable] ? variable : "the present file";
    const keep = await prompts.yes({ message: `Use the token that ${from} holds?`, otherwise: true });
    if (keep === undefined) return undefined;
    const told = keep ? await tryToken(talk, { token: atHand, ...root }) : { ok: false as const };
    if (told === undefined) return undefined;
    if (told.ok) {
      const keepIn = ground.env[variable] ? "there" : await askWhere(talk, variable);
      return keepIn === undefined ? undefined : { token: atHand, keepIn };
    }
  } else prompts.say(howToMakeABot);
  for (let before: string | undefined; ; ) {
    const again = before;
    const typed = await prompts.secret({
      message:
        again === undefined ? "The bot's token" : "The bot's token (Enter alone tries the same one again)",
      check: (text) =>
        again !== undefined && text.trim() === "" ? undefined : trial.tokenProblem(text.trim()),
    });
    if (typed === undefined) return undefined;
    const token: string = typed.trim() || (again ?? "");
    const told = await tryToken(talk, { token, ...root });
    if (told === undefined) return undefined;
    if (told.ok) {
      const keepIn = await askWhere(talk, variable);
      return keepIn === undefined ? undefined : { token, keepIn };
    }
    before = token;
  }
}

function tryToken({ prompts, trial }: Talk, line: Trial) {
  return prompts.wait({ message: "Asking Telegram", work: () => trial.token(line), told: (told) => told });
}

async function askWhere({ prompts }: Talk, variable: string): Promise<"environment" | "file" | undefined> {
  return prompts.choose({
    message: `config.yaml will say \${${variable}}. Where does the token itself live?`,
    options: [
      { value: "environment", label: "in the environment", hint: exportLine(variable) },
      { value: "file", label: "in secrets.env of the home", hint: "readable by this account alone" },
    ],
  });
}

/** A chat that was given by flag is tried too, and asked for when it cannot be reached. */
async function settleChat(talk: Talk, line: Trial): Promise<string | number | null | undefined> {
  const { chat } = talk.given;
  if (chat === undefined) return askChat(talk, line);
  const told = await tryChat(talk, { ...line, chat });
  if (told === undefined) return undefined;
  return told.ok ? chat : askChat(talk, line);
}

/** `null`: private chats. */
async function askChat(talk: Talk, line: Trial): Promise<string | number | null | undefined> {
  const { ground, prompts, trial } = talk;
  const present = ground.telegram?.chat;
  const kind = await prompts.choose({
    message: "Where do questions go?",
    options: [
      { value: "private", label: "to the private chat of each owner" },
      { value: "group", label: "to one group chat", hint: "everybody there can read them" },
    ],
    otherwise: present === undefined ? "private" : "group",
  });
  if (kind === undefined) return undefined;
  if (kind === "private") return null;
  for (;;) {
    const typed = await prompts.text({
      message: "The group's id, such as -1001234, with /44 behind it for topic 44. The bot must be a member.",
      ...(present === undefined ? {} : { otherwise: String(present), hint: `Enter keeps ${present}` }),
      check: (text) => trial.chatProblem(text.trim()),
    });
    if (typed === undefined) return undefined;
    const chat = chatOf(typed.trim());
    const told = await tryChat(talk, { ...line, chat });
    if (told === undefined) return undefined;
    if (told.ok) return chat;
  }
}

function tryChat({ prompts, trial }: Talk, line: Trial) {
  return prompts.wait({
    message: "Looking for the chat",
    work: () => trial.chat(line),
    told: ({ ok, text }) => ({ ok, text: ok ? `The chat ${text}` : text }),
  });
}
