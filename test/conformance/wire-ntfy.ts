import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode, encode, recipientOf, type Settings, settings } from "../../channels/ntfy.ts";
import type { Reply } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";
import { aTools } from "../builders.ts";
import { type CaseFile, type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";

type World = { readonly base: string; readonly askTopic: string; readonly replyTopic: string };

const isWorld = (world: unknown): world is World =>
  isFields(world) && "askTopic" in world && "replyTopic" in world && "base" in world;

/** What a button of ours publishes, found by making one. */
function pressBody(question: QuestionId, key: string, given: Settings): string {
  const button = { label: key, question, action: { key }, primary: false };
  const shown = { headline: "?", body: "?", plain: "?", parts: [], degraded: [], silent: false };
  const [action] = encode("", { ...shown, buttons: [button] }, aTools(), given).actions ?? [];
  if (!action) throw new Error("a button that publishes nothing");
  return action.body;
}

/** The last letter is another one, so that nothing of its form is wrong. */
function forged(body: string): string {
  return `${body.slice(0, -1)}${body.endsWith("a") ? "b" : "a"}`;
}

/** A file of the folder, with the bodies of our own buttons put in. */
function readWire(folder: string, name: string, given: Settings): Fields {
  const text = readFileSync(join(folder, name), "utf8");
  return JSON.parse(
    text.replace(/@@(BAD)?PRESS:([^:@]+):([^:@]+)@@/g, (whole, bad: string, id: string, key: string) => {
      const question = questionId(id);
      if (!question) return whole;
      const body = pressBody(question, key, given);
      return bad ? forged(body) : body;
    }),
  );
}

/** A reply in the words of the case files. */
function asCase(reply: Reply | null): Fields | null {
  if (!reply) return null;
  const { press } = reply;
  const mark = press && reply.token === press.question ? "PRESS" : "BADPRESS";
  return {
    kind: press ? "press" : "text",
    senderId: reply.sender === "" ? null : reply.sender,
    chat: reply.chat,
    private: reply.private,
    at: reply.at === undefined ? undefined : new Date(reply.at).toISOString().replace(".000Z", "Z"),
    text: reply.text,
    token: press && `@@${mark}:${press.question}:${press.action}@@`,
  };
}

/** Only what the case names is compared, but nothing may be there that belongs to another kind of reply. */
function narrowed(actual: Fields | null, expected: unknown): unknown {
  if (!actual || !isFields(expected)) return actual;
  const names = [...Object.keys(expected), ...["text", "token"].filter((name) => !(name in expected))];
  return Object.fromEntries(names.map((name) => [name, actual[name]]));
}

/** `wire/ntfy/`: single lines of the stream, and what each of them says. */
export const caseKind: CaseKind = {
  name: "wire-ntfy",
  knows(file) {
    if (!isFields(file.content) || !readdirSync(file.folder).includes("world.json")) return false;
    return isWorld(JSON.parse(readFileSync(join(file.folder, "world.json"), "utf8")));
  },
  run(file) {
    const world = JSON.parse(readFileSync(join(file.folder, "world.json"), "utf8")) as World;
    const given = settings.parse({
      base_url: world.base,
      ask_topic: world.askTopic,
      reply_topic: world.replyTopic,
    });
    return Object.entries(file.content as Record<string, Fields>).flatMap(([name, expected]) =>
      verdicts(file, name, expected, given),
    );
  },
};

function verdicts(file: CaseFile, name: string, expected: Fields, given: Settings): Verdict[] {
  const ears = { replyTopic: given.reply_topic, recipient: recipientOf(given) };
  const read = (other: string) => decode(readWire(file.folder, other, given), ears, aTools());
  const { reply, kept } = read(name);
  // What the store does with a key it knows.
  const seen = "after" in expected ? read(String(expected.after)).kept?.id : undefined;
  const heard = kept?.id === seen && seen !== undefined ? null : reply;
  const found = [
    judge(`${name} reply`, expected.reply, () => narrowed(asCase(heard), expected.reply)),
    judge(`${name} dedup`, expected.dedup, () => kept?.id),
  ];
  // A hint, and a press that is refused, prove nothing.
  if ("then" in expected) found.push(judge(`${name} then`, null, () => reply?.token));
  return found;
}
