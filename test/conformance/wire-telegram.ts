import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Update } from "grammy/types";
import { type Bot, type Decoded, decode, encode } from "../../channels/telegram.ts";
import type { ChannelMessage, Reply } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";
import { type CaseFile, type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";

type World = { readonly bot: Bot };

/** What a button of ours carries, found by making one. */
export function pressPayload(question: QuestionId, key: string): string {
  const message: ChannelMessage = {
    headline: "",
    parts: [],
    body: "?",
    plain: "?",
    buttons: [{ label: key, question, action: { key }, primary: false }],
    degraded: [],
    silent: false,
  };
  const [button] = encode("1", message).reply_markup?.inline_keyboard.flat() ?? [];
  if (!button || !("callback_data" in button)) throw new Error("a button that carries nothing");
  return button.callback_data;
}

/** A file of the folder, with the payloads of our own buttons put in. */
export function readWire(folder: string, name: string): Fields {
  const text = readFileSync(join(folder, name), "utf8");
  return JSON.parse(
    text.replace(/@@PRESS:([^:@]+):([^:@]+)@@/g, (whole, id: string, key: string) => {
      const question = questionId(id);
      return question ? pressPayload(question, key) : whole;
    }),
  );
}

/** A reply in the words of the case files. */
function asCase(reply: Reply | null): Fields | null {
  if (!reply) return null;
  const last = (ref: string | undefined): string | undefined => ref?.split(":").at(-1);
  return {
    kind: reply.press ? "press" : "text",
    senderId: reply.sender,
    chat: reply.chat,
    private: reply.private,
    to: last(reply.to),
    thread: reply.thread,
    text: reply.text,
    token: reply.press && `@@PRESS:${reply.press.question}:${reply.press.action}@@`,
    addressed: reply.addressed,
    edited: reply.edited,
    message: last(reply.message),
    at: reply.at === undefined ? undefined : new Date(reply.at).toISOString().replace(".000Z", "Z"),
  };
}

/** Only what the case names is compared, but nothing may be there that belongs to another kind of reply. */
function narrowed(actual: Fields | null, expected: unknown): unknown {
  if (!actual || !isFields(expected)) return actual;
  const always = ["to", "token", "edited", "at"];
  const names = [...Object.keys(expected), ...always.filter((name) => !(name in expected))];
  return Object.fromEntries(names.map((name) => [name, actual[name]]));
}

/** `wire/telegram/`: answers of getUpdates, and what each of them says. */
export const caseKind: CaseKind = {
  name: "wire-telegram",
  knows(file) {
    if (!isFields(file.content) || !readdirSync(file.folder).includes("world.json")) return false;
    const world: unknown = JSON.parse(readFileSync(join(file.folder, "world.json"), "utf8"));
    return isFields(world) && isFields(world.bot) && world.bot.is_bot === true;
  },
  run(file) {
    const { bot } = readWire(file.folder, "world.json") as unknown as World;
    return Object.entries(file.content as Record<string, Fields>).flatMap(([name, expected]) =>
      verdicts(file, name, expected, bot),
    );
  },
};

const keyOf = (update: Update): string => String(update.update_id);

function verdicts(file: CaseFile, name: string, expected: Fields, me: Bot): Verdict[] {
  const updatesOf = (other: string) => (readWire(file.folder, other).result ?? []) as Update[];
  // What the store does with a key it knows.
  const seen = new Set("after" in expected ? updatesOf(String(expected.after)).map(keyOf) : []);
  const updates = updatesOf(name);
  const decoded = updates.map(
    (update): Decoded => (seen.has(keyOf(update)) ? { reply: null } : decode(update, me)),
  );
  const wanted = "replies" in expected ? (expected.replies as unknown[]) : [expected.reply];
  const found: Verdict[] = [
    judge(`${name} replies`, wanted, () => decoded.map(({ reply }, n) => narrowed(asCase(reply), wanted[n]))),
  ];
  const [first] = decoded;
  if ("ack" in expected) {
    found.push(judge(`${name} ack`, expected.ack, () => first?.callback && "answerCallbackQuery"));
  }
  if ("dedup" in expected) {
    found.push(
      judge(`${name} dedup`, expected.dedup, () => first?.reply?.key ?? (updates[0] && keyOf(updates[0]))),
    );
  }
  const chat = /^chat (\S+) becomes (\S+)$/.exec(String(expected.effect ?? ""));
  if (chat)
    found.push(
      judge(`${name} effect`, chat.slice(1), () => [first?.moved?.from, first?.moved?.to].map(String)),
    );
  return found;
}
