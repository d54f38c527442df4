import { isOpen, type StoredQuestion } from "../../src/domain/question.ts";
import type { BotMessage } from "../telegram/bot-api.ts";
import { inspectReceipts } from "./inspect-receipts.ts";
import { eric, mara, stranger, type TelegramDesk, token } from "./telegram-desk.ts";
import { type Found, messagesOf, type Night, type Post } from "./telegram-posts.ts";

const botId = token.split(":")[0];
export function inspectTelegram(night: Night): Found {
  const posts = (night.scene.allow ?? [eric, mara]).map((chat) => inspectPosts(night, chat));
  const receipts = inspectReceipts(night);
  return {
    wrong: [
      ...posts.flatMap(({ wrong }) => wrong),
      ...inspectTaps(night),
      ...inspectToasts(night),
      ...receipts.wrong,
    ],
    doubles: [...posts.flatMap(({ doubles }) => doubles), ...receipts.doubles],
  };
}

function inspectPosts(night: Night, chat: number): Found {
  const wrong: string[] = [];
  const doubles: string[] = [];
  for (const stored of night.questions) {
    const { id } = stored.question;
    const posts = postsOf(night.telegram, chat, id);
    const known = new Set(
      (night.copies.get(id) ?? [])
        .filter((copy) => copy.destination === String(chat))
        .map((copy) => copy.ref as string),
    );
    const name = ({ message }: Post): string => `${chat}:${message.message_id}`;
    if (posts.length === 0 && isOpen(stored.state)) wrong.push(`${id} was never posted to ${chat}`);
    posts.forEach((post, index) => {
      const last = index === posts.length - 1;
      if (post.unknown !== undefined && !(last && known.has(name(post)))) {
        doubles.push(`${name(post)} of ${id}: ${post.unknown}`);
      } else if (!last) wrong.push(`${id} was posted to ${chat} again, although ${name(post)} had arrived`);
      else if (!known.has(name(post))) wrong.push(`${name(post)} of ${id} had arrived and is no copy`);
      if (known.delete(name(post))) wrong.push(...inspectCopy(night, stored, post.message));
    });
    for (const ref of known) wrong.push(`${id} has the copy ${ref}, where no such message stands`);
  }
  return { wrong, doubles };
}

/** A copy that we know shows where its question stands. */
function inspectCopy(night: Night, stored: StoredQuestion, message: BotMessage): string[] {
  const wrong: string[] = [];
  const { id } = stored.question;
  const ref = `${message.chat}:${message.message_id}`;
  const copy = night.copies.get(id)?.find((each) => each.ref === ref);
  const buttons = message.markup !== undefined;
  const awayLines = message.versions.filter((text) => text.includes("I was away from"));
  if (isOpen(stored.state)) {
    if (!buttons) wrong.push(`${ref} of ${id} has lost its buttons`);
    const away = night.events.filter(({ kind }) => kind === "channel.away");
    if (awayLines.length > away.length)
      wrong.push(`${ref} of ${id} was touched up ${awayLines.length} times for ${away.length} outages`);
    if (away.length > 0 && !message.text.includes("I was away from"))
      wrong.push(`${ref} of ${id} says nothing of the outage`);
    return wrong;
  }
  if (copy?.revision !== stored.revision)
    wrong.push(`${ref} shows revision ${copy?.revision} of ${id}, it has ${stored.revision}`);
  if (buttons) wrong.push(`${ref} of ${id} can still be tapped`);
  const words = {
    applied: ["▶ Picked up by"],
    resolved: ["▶ Picked up by", `closed as ${stored.result}`],
  }[stored.state as string] ?? ["✅"];
  for (const word of words) {
    if (!message.text.includes(word)) wrong.push(`${ref} of ${id} does not say “${word}”: ${message.text}`);
  }
  return wrong;
}

function postsOf(desk: TelegramDesk, chat: number, id: string): Post[] {
  return messagesOf(desk, chat, (markup) => markup.includes(`o1|${id}|`));
}

/** Every tap whose offset moved is stored. */
function inspectTaps(night: Night): string[] {
  const { telegram, inbox } = night;
  return [
    ...lostTaps(telegram, (update) => inbox.has(`telegram ${botId}:${update}`), undefined),
    ...inspectAdopted(night),
  ];
}

/**
 * What was left behind is in the inbox table: by the cursor, whose next update is `next`, or where that is absent, by the
 * server. A tap that grew too old in the server's queue is nobody's loss but the owner's.
 */
export function lostTaps(
  desk: TelegramDesk,
  isStored: (update: number) => boolean,
  next: number | undefined,
): string[] {
  const kept = new Set(desk.api.waiting(token));
  const confirmed = desk.api.confirmed(token);
  const wrong: string[] = [];
  for (const [name, { update }] of [...desk.taps, ...desk.said]) {
    const { update_id } = update;
    const past = next !== undefined && update_id < next && kept.has(update_id);
    if ((past || confirmed.has(update_id)) && !isStored(update_id)) wrong.push(`“${name}” is lost`);
  }
  const asked = Math.max(
    0,
    ...desk.api.calls
      .filter(({ method }) => method === "getUpdates")
      .map(({ params }) => Number(params.offset ?? 0)),
  );
  if (next !== undefined && asked > next) wrong.push(`the server was told ${asked}, the cursor is ${next}`);
  return wrong;
}

/** Whatever message an owner pressed, or replied to in words, is a copy from then on. */
function inspectAdopted({ telegram, inbox, copies }: Night): string[] {
  const tapped = [...telegram.taps.values()].map(({ tap, update }) => ({
    ...tap,
    update,
    message: update.callback_query?.message?.message_id,
  }));
  const replied = [...telegram.said.values()].flatMap(({ said, update }) => {
    const message = update.message?.reply_to_message?.message_id;
    const { name, from, to: question = "" } = said;
    return message === undefined ? [] : [{ name, from, chat: from, question, update, message }];
  });
  return [...tapped, ...replied].flatMap(({ name, from, chat, question, update, message }) => {
    if (from === stranger || !inbox.has(`telegram ${botId}:${update.update_id}`)) return [];
    const ref = `${chat}:${message}`;
    const known = copies.get(question)?.some((copy) => copy.ref === ref);
    return known ? [] : [`“${name}” came from ${ref}, which is no copy`];
  });
}

/** At most one answer a tap, and what it says is what was decided. */
function inspectToasts({ telegram, inbox }: Night): string[] {
  const wrong: string[] = [];
  const byQuery = new Map(
    [...telegram.taps.values()].map(({ update }) => [update.callback_query?.id ?? "", update.update_id]),
  );
  const asked = telegram.api.calls
    .filter(({ method }) => method === "answerCallbackQuery")
    .map(({ params }) => String(params.callback_query_id));
  for (const query of new Set(asked)) {
    const times = asked.filter((each) => each === query).length;
    if (times > 1) wrong.push(`the tap ${byQuery.get(query)} was answered ${times} times`);
  }
  for (const { id, text, alert } of telegram.api.answers) {
    const ack = inbox.get(`telegram ${botId}:${byQuery.get(id)}`);
    if (!ack) {
      wrong.push(`a toast for the tap ${byQuery.get(id)}, which is not stored: ${text}`);
    } else if (
      ack.text === "" ? text !== "" || alert : alert === ack.accepted || !sameWords(text, ack.text)
    ) {
      wrong.push(`an untrue toast for the tap ${byQuery.get(id)}: ${text}`);
    }
  }
  return wrong;
}

/** A toast may be cut, at 200 UTF-16 units. */
function sameWords(toast: string, text: string): boolean {
  return toast === text || (text.length > 200 && toast.endsWith("…") && text.startsWith(toast.slice(0, -1)));
}
