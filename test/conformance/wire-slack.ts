import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Decoded,
  decode,
  encode,
  type Frame,
  formId,
  formMeta,
  inputAction,
  inputBlock,
  type Me,
} from "../../channels/slack.ts";
import type { ChannelMessage, Reply } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";
import { type CaseFile, type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";

/** A button of ours, found by making one. */
function buttonOf(question: QuestionId, key: string): Fields & { readonly block: string } {
  const message: ChannelMessage = {
    headline: "?",
    parts: [],
    body: "?",
    plain: "?",
    buttons: [{ label: key, question, action: { key }, primary: false }],
    degraded: [],
    silent: false,
  };
  for (const block of encode("C0FAKEOPS1", message).blocks) {
    const [button] = "elements" in block ? block.elements : [];
    if (button?.type === "button") return { ...button, block: block.block_id ?? "" };
  }
  throw new Error("a button that is nowhere");
}

const ofQuestion: Readonly<Record<string, (question: QuestionId, key: string) => unknown>> = {
  PRESS: (question, key) => buttonOf(question, key).value,
  ACTION: (question, key) => buttonOf(question, key).action_id,
  BLOCK: (question) => buttonOf(question, "1").block,
  META: (question) => formMeta(question),
};
const ofForm: Readonly<Record<string, string>> = {
  MODAL: formId,
  INPUT_BLOCK: inputBlock,
  INPUT_ACTION: inputAction,
};

/** A file of the folder, with the identifiers of our own messages and forms put in. */
export function readSlackWire(folder: string, name: string): Fields {
  const text = readFileSync(join(folder, name), "utf8");
  return JSON.parse(
    text.replace(/@@([A-Z_]+)(?::([^:@]+))?(?::([^:@]+))?@@/g, (whole, what: string, id = "", key = "1") => {
      const question = questionId(id);
      const made = question ? ofQuestion[what]?.(question, key) : ofForm[what];
      return made === undefined ? whole : String(made);
    }),
  );
}

/** The bot, as `world.json` names it. */
export const meOf = (world: Fields): Me => ({ team: String(world.team), user: String(world.botUser) });

const last = (ref: string | undefined): string | undefined => ref?.split(":").at(-1);

/** A reply in the words of the case files. A private chat is named by its person, whose room is in what was said there. */
export function asSlackCase(reply: Reply | null): Fields | null {
  if (!reply) return null;
  const [team, senderId] = reply.sender.split("/");
  const { about, text, press } = reply;
  // The question of a form stands before what was written there.
  const written = reply.toast && about !== undefined ? text?.replace(`!answer ${about} `, "") : undefined;
  return {
    kind: press ? "press" : "text",
    senderId,
    team,
    chat: (reply.message ?? reply.to ?? reply.chat ?? "").split(":")[0],
    private: reply.private,
    to: last(reply.to),
    text: written ?? text,
    token: press
      ? buttonOf(press.question as QuestionId, press.action).value
      : written === undefined
        ? undefined
        : formMeta(about ?? ""),
    addressed: reply.addressed,
    mention: reply.mentions?.length ? true : undefined,
    edited: reply.edited,
    message: reply.edited ? last(reply.message) : undefined,
    at: reply.at === undefined ? undefined : new Date(reply.at).toISOString(),
  };
}

/** Only what the case names is compared, but nothing may be there that belongs to another kind of reply. */
export function narrowed(actual: Fields | null, expected: unknown): unknown {
  if (!actual || !isFields(expected)) return actual;
  const always = ["to", "token", "edited", "at"];
  const names = [...Object.keys(expected), ...always.filter((name) => !(name in expected))];
  return Object.fromEntries(names.map((name) => [name, actual[name]]));
}

/** `wire/slack/`: frames of a Socket Mode line, and what each of them says. */
export const caseKind: CaseKind = {
  name: "wire-slack",
  knows(file) {
    if (!isFields(file.content) || !readdirSync(file.folder).includes("world.json")) return false;
    const world: unknown = JSON.parse(readFileSync(join(file.folder, "world.json"), "utf8"));
    return isFields(world) && typeof world.botUser === "string";
  },
  run(file) {
    const me = meOf(readSlackWire(file.folder, "world.json"));
    const expected = readSlackWire(file.folder, "expect.json") as Record<string, Fields>;
    return Object.entries(expected).flatMap(([name, wanted]) => verdicts(file, name, wanted, me));
  },
};

const eventOf = ({ payload }: Frame): string | undefined => payload?.event_id;

function read(frame: Frame, me: Me): Decoded {
  const { envelope_id: id } = frame;
  return id === undefined ? { reply: null } : decode({ ...frame, envelope_id: id }, me);
}

function verdicts(file: CaseFile, name: string, expected: Fields, me: Me): Verdict[] {
  const frameOf = (other: string): Frame => readSlackWire(file.folder, other);
  const frame = frameOf(name);
  // What the store does with a key that it knows.
  const seen = "after" in expected ? read(frameOf(String(expected.after)), me).reply?.key : undefined;
  const decoded = read(frame, me);
  const isNew = decoded.reply === null || decoded.reply.key !== seen;
  const got = asSlackCase(isNew ? decoded.reply : null);
  const choices = [expected.reply, ...((expected.alsoOk as unknown[] | undefined) ?? [])];
  const same = choices.find((each) => JSON.stringify(narrowed(got, each)) === JSON.stringify(each));
  const found: Verdict[] = [
    judge(`${name} reply`, same ?? expected.reply, () => narrowed(got, same ?? expected.reply)),
  ];
  if ("dedup" in expected) {
    found.push(judge(`${name} dedup`, expected.dedup, () => decoded.reply?.key ?? eventOf(frame)));
  }
  if (expected.ack === "envelope with response_action errors") {
    found.push(judge(`${name} ack`, "errors", () => decoded.answer?.response_action));
  } else if ("ack" in expected) {
    found.push(judge(`${name} ack`, [null, null], () => [decoded.answer ?? null, decoded.form ?? null]));
  }
  return found;
}
