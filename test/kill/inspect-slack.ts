import type { Ack } from "../../src/domain/command.ts";
import { isOpen, type StoredQuestion } from "../../src/domain/question.ts";
import { buttonsIn } from "../slack/blocks.ts";
import { inTeam, ops } from "../slack/team.ts";
import { botUser, type Message } from "../slack/workspace.ts";
import type { Remains } from "./remains.ts";
import type { Done, SlackDesk } from "./slack-desk.ts";

type Night = Remains & { readonly slack: SlackDesk };

const nameOf = ({ channel, ts }: Message): string => `${channel}:${ts}`;
const shown = ({ versions }: Message): string => (versions.at(-1) ?? "").replaceAll("\u2060", "");

/**
 * What Slack saw: each question stands there once, whatever was killed or lost, since a post is looked for before it is made
 * again; each tap and each word that was acked is stored; each of them was answered once, and truly.
 */
export function inspectSlack(night: Night): string[] {
  const { slack } = night.slack;
  const ours = [...slack.workspace.rooms.values()].flatMap(({ messages }) =>
    messages.filter(({ bot }) => bot !== undefined),
  );
  const posts = new Set(ours.filter(({ everyButton }) => everyButton.length > 0));
  return [
    ...slack.misuses(),
    ...inspectPosts(night, [...posts]),
    ...inspectDeeds(night),
    ...inspectReceipts(
      night,
      ours.filter((message) => !posts.has(message)),
    ),
    ...inspectWhispers(night),
    ...ours.flatMap((message) => message.pings.map((ping) => `${nameOf(message)} rings ${ping}`)),
  ];
}

function inspectPosts(night: Night, posts: readonly Message[]): string[] {
  return night.questions.flatMap((stored) => {
    const { id } = stored.question;
    const there = posts.filter(({ everyButton }) =>
      everyButton.some(({ value }) => value.startsWith(`o1|${id}|`)),
    );
    const refs = (night.copies.get(id) ?? []).map(({ ref }) => ref as string);
    const [post] = there;
    if (there.length !== 1 || !post) return [`${id} stands in the channel ${there.length} times`];
    if (refs.join() !== nameOf(post))
      return [`${id} stands at ${nameOf(post)}, its copies are ${refs.join()}`];
    return inspectCopy(night, stored, post);
  });
}

/** A copy shows where its question stands. */
function inspectCopy(night: Night, stored: StoredQuestion, message: Message): string[] {
  const wrong: string[] = [];
  const { id } = stored.question;
  const hasButtons = buttonsIn(message.blocks).length > 0;
  if (isOpen(stored.state)) {
    if (!hasButtons) wrong.push(`${id} has lost its buttons`);
    const away = night.events.filter(({ kind }) => kind === "channel.away").length;
    // An edit that nobody could record is made again, and changes nothing.
    const said = new Set(message.versions.filter((text) => text.includes("I was away from"))).size;
    if (said > away) wrong.push(`${id} was touched up ${said} times for ${away} outages`);
    if (away > 0 && !shown(message).includes("I was away from"))
      wrong.push(`${id} says nothing of the outage`);
    return wrong;
  }
  const copy = night.copies.get(id)?.[0];
  if (copy?.revision !== stored.revision)
    wrong.push(`${id} is shown in revision ${copy?.revision}, it has ${stored.revision}`);
  if (hasButtons) wrong.push(`${id} can still be tapped`);
  const words = {
    applied: ["▶ Picked up by"],
    resolved: ["▶ Picked up by", `closed as ${stored.result}`],
  }[stored.state as string] ?? ["✅"];
  for (const word of words) {
    if (!shown(message).includes(word)) wrong.push(`${id} does not say “${word}”: ${shown(message)}`);
  }
  return wrong;
}

/** Under which keys the adapter may have stored it: a tap by its time, words by their event or by their place. */
function acksOf({ inbox }: Night, { envelopes, message, deed }: Done): Ack[] {
  const keys = envelopes.flatMap(({ payload }) => {
    const [action] = (payload.actions ?? []) as { action_ts: string; action_id: string }[];
    if (action) return [`${inTeam(deed.from)}:${action.action_ts}:${action.action_id}`];
    const { message: changed } = payload.event as { message?: { edited?: { ts: string } } };
    const place = changed?.edited ? `${nameOf(message)}:${changed.edited.ts}` : nameOf(message);
    return [String(payload.event_id), place];
  });
  const found = keys.map((key) => inbox.get(`slack ${key}`)).filter((ack) => ack !== undefined);
  // The same words under two keys are one reply.
  return deed.action === undefined ? found.slice(0, 1) : found;
}

/** Talk in a thread by somebody whom nobody knows; it is heard, and means nothing. */
const isTalk = ({ deed }: Done): boolean => deed.name.startsWith("talk");

function inspectDeeds(night: Night): string[] {
  const wrong: string[] = [];
  for (const done of night.slack.deeds.values()) {
    const acked = done.envelopes.filter(({ state }) => state === "acked").length;
    const stored = acksOf(night, done).length;
    const { name, action } = done.deed;
    if (action === undefined) {
      // Words are read again, or come again: they are never lost.
      if (stored === 0 && !isTalk(done)) wrong.push(`“${name}” is lost`);
    } else if (acked > stored) wrong.push(`“${name}” was acked ${acked} times and stored ${stored} times`);
  }
  return wrong;
}

/** Whatever was typed and stored is answered once, in its thread, with the words that were decided; and nothing else was said. */
function inspectReceipts(night: Night, said: readonly Message[]): string[] {
  const wrong: string[] = [];
  const left = new Set(said);
  const take = (what: string, text: string, isMeant: (message: Message) => boolean, least: number): void => {
    const found = [...left].filter((each) => isMeant(each) && spoken(shown(each)) === spoken(text));
    for (const each of found) left.delete(each);
    if (found.length < least || found.length > 1)
      wrong.push(`${what} was told ${found.length} times: ${text}`);
  };
  for (const done of night.slack.deeds.values()) {
    const { deed, message } = done;
    const thread = message.thread ?? message.ts;
    for (const ack of acksOf(night, done)) {
      if (ack.text === "") continue;
      if (deed.action === undefined) take(`“${deed.name}”`, ack.text, (each) => each.thread === thread, 1);
      // A toast that did not arrive is told in the channel instead, unless the question itself shows it.
      else if (!ack.accepted) take(`“${deed.name}”`, ack.text, () => true, 0);
    }
  }
  for (const message of left)
    wrong.push(`${nameOf(message)} says what nobody has decided: ${shown(message)}`);
  return wrong;
}

/** What one person alone was shown is what was decided on something that this person did. */
function inspectWhispers(night: Night): string[] {
  const deeds = [...night.slack.deeds.values()];
  return night.slack.slack.workspace.ephemerals.flatMap(({ user, reads }) => {
    const told = deeds.some(
      (done) =>
        done.deed.from === user &&
        acksOf(night, done).some((ack) => spoken(reads.replaceAll("\u2060", "")) === spoken(ack.text)),
    );
    return told
      ? []
      : [`${user === botUser ? "the bot" : user} was told in ${ops} what nobody has decided: ${reads}`];
  });
}

function spoken(text: string): string {
  return text
    .replaceAll("\u2060", "")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}
