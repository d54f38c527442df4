import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { replyAddress } from "../../channels/email/address.ts";
import { type MailRead, readMail } from "../../channels/email/read.ts";
import { heardOf } from "../../src/app/inbox-turn.ts";
import { decideReceived } from "../../src/core/receive.ts";
import type { Reply } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Role } from "../../src/domain/person.ts";
import type { Copy, Question, StoredQuestion } from "../../src/domain/question.ts";
import type { Effect, TurnSnapshot } from "../../src/domain/store.ts";
import { aBinding, aPlace, aQuestion, aStored, aTools } from "../builders.ts";
import { type CaseFile, type CaseKind, type Fields, isFields, judge, type Verdict } from "./case-kind.ts";

type World = {
  readonly now: string;
  readonly zone: string;
  readonly authservId: string;
  readonly bot: { readonly address: string };
  readonly senders: readonly { readonly name: string; readonly address: string; readonly role: Role }[];
  readonly questions: readonly (Question & {
    readonly messageId: string;
    readonly deadline: string;
    readonly askedAt: string;
    readonly postedTo: readonly string[];
  })[];
};

type Expected = {
  readonly outcome: string;
  readonly option?: string;
  readonly alsoOk?: readonly string[];
  readonly effect?: string;
  readonly after?: string;
  readonly mac?: { readonly question: QuestionId; readonly recipient: string };
};

const { sign } = aTools();
const places = [aPlace({ channel: "email" }), aPlace({ allow: ["42"] })];

/** `mail/`: raw mails, each through the reader and then through the real decision. */
export const caseKind: CaseKind = {
  name: "mail",
  knows: ({ path, content }) =>
    basename(path) === "expect.json" &&
    isFields(content) &&
    Object.keys(content).length > 0 &&
    Object.keys(content).every((name) => name.endsWith(".eml")),
  async run(file) {
    const world = JSON.parse(readFileSync(join(file.folder, "world.json"), "utf8")) as World;
    const verdicts: Verdict[] = [];
    for (const [name, expected] of Object.entries(file.content as Record<string, Expected>)) {
      verdicts.push(await runCase(file, name, expected, world));
    }
    return verdicts;
  },
};

async function runCase(file: CaseFile, name: string, expected: Expected, world: World): Promise<Verdict> {
  const wanted = expectedFields(expected);
  const found = await outcomeOf(file, name, expected, world).catch((fault: unknown) => fault);
  return judge(name, wanted, () => {
    if (!isFields(found)) throw found;
    const isOther = (expected.alsoOk ?? []).includes(String(found.outcome));
    const whole: Fields = {
      ...found,
      ...(isOther ? { outcome: wanted.outcome, comment: wanted.comment } : {}),
    };
    return Object.fromEntries(Object.keys(wanted).map((field) => [field, whole[field]]));
  });
}

function expectedFields(expected: Expected): Fields {
  const { alsoOk: _alsoOk, after: _after, mac: _mac, ...rest } = expected;
  const { exercises: _exercises, why: _why, comment, ...fields } = rest as Fields;
  return { ...fields, ...(typeof comment === "string" ? { comment: folded(comment) } : {}) };
}

const folded = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The raw mail with its tokens. Bytes stay bytes. */
function rawMail(file: CaseFile, name: string, { mac }: Expected, world: World): Buffer {
  const [first] = world.questions;
  const question = mac?.question ?? first?.id;
  const recipient = mac?.recipient ?? world.senders[0]?.address;
  if (question === undefined || recipient === undefined) throw new Error("a world without a question");
  const token = /\.([^.@]+)@/.exec(replyAddress(world.bot.address, question, recipient, sign))?.[1] ?? "";
  const text = readFileSync(join(file.folder, name)).toString("latin1");
  const filled = text
    .replaceAll("@@MAC@@", token)
    .replaceAll("@@MACUPPER@@", token.toUpperCase())
    .replaceAll("@@BADMAC@@", sign("not", "valid").slice(0, token.length));
  return Buffer.from(filled, "latin1");
}

function read(file: CaseFile, name: string, expected: Expected, world: World): Promise<MailRead> {
  const now = Date.parse(world.now);
  return readMail(rawMail(file, name, expected, world), {
    ours: world.bot.address,
    authservId: world.authservId,
    sign,
    // The signatures in these files are made up and verify nowhere.
    resolver: () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
    receivedAt: now,
    now,
  });
}

async function outcomeOf(file: CaseFile, name: string, expected: Expected, world: World): Promise<Fields> {
  const mail = await read(file, name, expected, world);
  if (expected.after !== undefined && mail.kind === "reply") {
    const before = await read(file, expected.after, {} as Expected, world);
    if (before.kind === "reply" && before.reply.key === mail.reply.key)
      return { outcome: "drop", sender: named(world, mail.reply.sender) };
  }
  if (mail.kind === "drop") {
    const ours = world.questions.some(({ messageId }) => messageId === mail.bounceOf);
    return {
      outcome: mail.why === "not-an-answer" ? mail.why : "drop",
      // Who a robot or a calendar speaks for is nobody's business.
      ...("sender" in expected ? { sender: (expected as Fields).sender } : {}),
      ...("question" in expected ? { question: (expected as Fields).question } : {}),
      ...("correlatedBy" in expected ? { correlatedBy: (expected as Fields).correlatedBy } : {}),
      ...(ours ? { effect: `destination-failed:${mail.failed}` } : {}),
    };
  }
  return decided(mail.reply, mail.signs, world);
}

function named(world: World, address: string): string | undefined {
  return world.senders.find((sender) => sender.address === address)?.name;
}

function decided(reply: Reply, signs: readonly string[], world: World): Fields {
  const now = Date.parse(world.now);
  const snapshot = snapshotOf(reply, world);
  const heard = heardOf("email", reply, snapshot, { places });
  const { effects, value } = decideReceived(snapshot, heard, {
    now,
    mark: "/",
    project: "default",
    places,
    followsUp: true,
    status: { channels: [], waiting: 0, zone: world.zone, ringing: [] },
    runs: [],
    pair: () => ({ effects: [], value: { accepted: false, reason: "bad-command", text: "" } }),
  });
  const answer = effects.flatMap((effect) => (effect.type === "move-question" ? [effect.answer] : []))[0];
  const note = effects.flatMap((effect) => (effect.type === "note" ? [effect.note] : []))[0];
  const beside = answer?.option === undefined ? "" : (answer.text ?? "");
  const verb = note ? "steer" : verbOf(answer?.outcome, answer?.option, reply.text);
  return {
    outcome: outcomeName(effects, value.accepted, heard.speaker?.role, beside),
    question: reply.token ?? reply.about,
    sender: heard.speaker?.name,
    correlatedBy: signs,
    text: verb === "answer" ? answer?.text : reply.text,
    ...(answer?.option === undefined ? {} : { option: answer.option }),
    ...(verb === undefined ? {} : { verb }),
    ...(beside === "" ? {} : { comment: folded(beside) }),
    ...(value.accepted ? {} : { refusal: value.reason }),
  };
}

function verbOf(outcome: string | undefined, option: string | undefined, text = ""): string | undefined {
  if (outcome === "skipped") return "skip";
  if (outcome === "retried") return "retry";
  if (outcome !== undefined) return option === undefined ? "answer" : undefined;
  return /^[/!](\w+)/.exec(text)?.[1];
}

function outcomeName(
  effects: readonly Effect[],
  accepted: boolean,
  role: Role | undefined,
  beside: string,
): string {
  const jobs = effects.flatMap((effect) => (effect.type === "send" ? [effect.job] : []));
  const told = (channel: string): boolean => jobs.some((job) => job.channel === channel);
  const events = effects.flatMap((effect) => (effect.type === "log" ? [effect.event.kind] : []));
  if (events.includes("reply.quarantined")) {
    return told("email") || !told("telegram") ? "quarantine, and told wrongly" : "quarantine";
  }
  if (role === undefined) return jobs.length === 0 ? "drop" : "dropped, and told";
  if (!told("email")) return "no receipt";
  if (!accepted) return role === "viewer" ? "not-an-answer" : "ask-again";
  if (!effects.some(({ type }) => type === "move-question")) return "not-an-answer";
  return beside === "" ? "answer" : "comment+answer";
}

function snapshotOf(reply: Reply, world: World): TurnSnapshot {
  const stored = world.questions.map(
    ({ messageId: _id, deadline, askedAt, postedTo: _to, ...question }): StoredQuestion =>
      aStored({
        question: { ...aQuestion(), ...question },
        askedAt: Date.parse(askedAt),
        deadlineAt: Date.parse(deadline),
      }),
  );
  const copies = world.questions.map(({ id, messageId, postedTo, askedAt }): [QuestionId, Copy[]] => [
    id,
    postedTo.map((destination) => ({
      question: id,
      channel: "email",
      destination,
      ref: messageId,
      revision: 1,
      postedAt: Date.parse(askedAt),
    })),
  ]);
  const thread = world.questions.find(({ messageId }) => messageId === reply.to)?.id;
  const sender = world.senders.find(({ address }) => address === reply.sender);
  return {
    questions: new Map(stored.map((each) => [each.question.id, each])),
    copies: new Map(copies),
    open: stored,
    counters: [],
    people: { bindings: [], codes: [] },
    ...(thread === undefined ? {} : { thread }),
    ...(sender === undefined
      ? {}
      : {
          binding: aBinding({
            channel: "email",
            address: sender.address,
            person: { name: sender.name, role: sender.role },
          }),
        }),
  };
}
