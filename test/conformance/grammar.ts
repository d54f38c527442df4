import { idsIn, type Known, type Reading, readSaid, type Said, type World } from "../../src/core/grammar.ts";
import { decideReply } from "../../src/core/reply.ts";
import type { QuestionId, RunId } from "../../src/domain/ids.ts";
import type { Role } from "../../src/domain/person.ts";
import type { Answer, Option, Question, State, StoredQuestion } from "../../src/domain/question.ts";
import { anAnswer, aQuestion, aStored, evening, hour } from "../builders.ts";
import { type CaseKind, type Fields, isCaseList, isFields, judge } from "./case-kind.ts";

type CaseQuestion = Partial<Question> & {
  readonly id: QuestionId;
  readonly state?: State;
  readonly answer?: string;
  readonly by?: "self" | "other";
  readonly consent?: true;
  readonly held?: true;
};

type Context = {
  readonly channel: string;
  readonly chat: Said["chat"];
  readonly addressed: boolean;
  readonly role?: Role;
  readonly sender?: "unknown";
  readonly open?: readonly CaseQuestion[];
  readonly closed?: readonly CaseQuestion[];
  readonly answered?: readonly CaseQuestion[];
  readonly inThreadOf?: QuestionId;
  readonly runs?: readonly RunId[];
  readonly token?: "valid" | "none";
  readonly tokenFor?: QuestionId;
  readonly event?: string;
  readonly press?: { readonly qid: string; readonly key: string };
};

const myself = "eric";
const mentions = ["@owlpost_bot", "<@U0BOT>"];

/** `replies/grammar.json`: what one reply means, through the grammar and the decision. */
export const caseKind: CaseKind = {
  name: "grammar",
  knows: (file) => isCaseList(file.content, "text", "context", "expect"),
  run: (file) =>
    (file.content as readonly Fields[]).map((each) => {
      const expected = isFields(each.expect) ? each.expect : {};
      const wanted = Object.keys(expected);
      return judge(String(each.id), expected, () => {
        const found = outcomeOf(String(each.text), each.context as unknown as Context);
        // Where a conflict is denied, its absence says so.
        const whole: Fields = { conflict: false, ...found };
        return Object.fromEntries(wanted.map((name) => [name, whole[name]]));
      });
    }),
};

function outcomeOf(text: string, context: Context): Fields {
  // What is no text and no press reaches nobody: the channels hand over none of it.
  if (context.event !== undefined && context.event !== "press") return { kind: "ignored" };
  const rows = rowsOf(context);
  const said = saidOf(text, context);
  const reading = readSaid(said, worldOf(rows, context));
  if (reading.kind === "refused") {
    const silent = reading.reason === "unknown-sender";
    return { kind: silent ? "ignored" : "refused", reason: reading.reason, qid: reading.question };
  }
  if (reading.kind === "command") return decided(reading, rows, said, context);
  return reading;
}

function saidOf(text: string, context: Context): Said {
  const { inThreadOf: thread, press, token, channel } = context;
  const named = context.tokenFor ?? press?.qid ?? thread ?? idsIn(text)[0];
  return {
    text,
    chat: context.chat,
    addressed: context.addressed,
    mentions,
    role: context.sender === "unknown" ? undefined : context.role,
    ...(thread === undefined ? {} : { thread }),
    ...(press === undefined ? {} : { press: { question: press.qid, action: press.key } }),
    ...(token === undefined ? {} : { token: token === "valid" && named ? (named as QuestionId) : null }),
    ...(channel === "email" ? { buttonless: true } : {}),
  };
}

type Row = { readonly stored: StoredQuestion; readonly form?: "consent" | "held"; readonly open: boolean };

function rowsOf(context: Context): readonly Row[] {
  const rows = (list: readonly CaseQuestion[] | undefined, state: State): readonly Row[] =>
    (list ?? []).map((each) => ({
      stored: storedOf(each, each.state ?? (each.held ? "pending" : state)),
      open: state === "posted",
      ...(each.consent ? { form: "consent" as const } : each.held ? { form: "held" as const } : {}),
    }));
  return [
    ...rows(context.open, "posted"),
    ...rows(context.closed, "resolved"),
    ...rows(context.answered, "answered"),
  ];
}

function storedOf(each: CaseQuestion, state: State): StoredQuestion {
  const { id, kind = "decide", options = [], task = aQuestion().task, answerable_by } = each;
  const full = options.map((option): Option => ({ ...option, consequence: "Nothing else changes" }));
  const question: Question = {
    ...aQuestion({ id, kind, task, options: full }),
    ...(answerable_by === undefined ? {} : { answerable_by }),
  };
  const by = each.by === "other" ? "mara" : myself;
  const given: Partial<Answer> = { by, via: "telegram", ...(each.answer ? { option: each.answer } : {}) };
  return aStored({
    question,
    state,
    ...(state === "expired" || state === "default_applied" ? { deadlineAt: evening } : {}),
    ...(each.answer === undefined ? {} : { answer: anAnswer(given) }),
    ...(each.held ? { heldUntilAt: evening + 9 * hour } : {}),
  });
}

function worldOf(rows: readonly Row[], context: Context): World {
  const known = ({ stored, form }: Row): Known => ({
    question: stored.question,
    ...(form === undefined ? {} : { form }),
  });
  return {
    open: rows.filter((row) => row.open).map(known),
    question: (id) => rows.filter((row) => row.stored.question.id === id).map(known)[0],
    runs: context.runs ?? [],
  };
}

function decided(
  { command, conflict }: Extract<Reading, { kind: "command" }>,
  rows: readonly Row[],
  said: Said,
  context: Context,
): Fields {
  const steered = command.verb === "steer" ? command.target : undefined;
  const qid = "question" in command ? command.question : steered && "question" in steered && steered.question;
  const { value } = decideReply(
    { questions: new Map(rows.map((row) => [row.stored.question.id, row.stored])), copies: new Map() },
    command,
    {
      sender: { via: context.channel, by: myself },
      now: evening + hour,
      project: "default",
      ...(said.role === undefined ? {} : { role: said.role }),
      form: (stored) => rows.find((row) => row.stored.question.id === stored.question.id)?.form,
    },
  );
  if (!value.accepted) return { kind: "refused", reason: value.reason, qid };
  const over = { conflict: conflict !== undefined, ...(qid ? { qid } : {}) };
  if (command.verb === "choose") return { kind: "option", key: command.key, ...over };
  if (command.verb === "answer") return { kind: "answer-text", text: command.text, ...over };
  if (command.verb === "steer") return { kind: "steer", text: command.text, ...steered, ...over };
  return { kind: command.verb, ...("key" in command ? { key: command.key } : {}), ...over };
}
