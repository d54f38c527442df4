import { randomUUID } from "node:crypto";
import { goAhead } from "../core/go-ahead.ts";
import { move } from "../core/moves.ts";
import { formAt, morningAfter } from "../core/night.ts";
import { redact } from "../core/redact.ts";
import { decideReply, type ReplySettings } from "../core/reply.ts";
import { readableText } from "../core/steering.ts";
import { expire } from "../core/sweep.ts";
import { standing } from "../core/wording.ts";
import type { Ack, Command, Sender } from "../domain/command.ts";
import { type Instant, isProjectName, type QuestionId, questionId, runId, taskId } from "../domain/ids.ts";
import { isOpen, type Result, type StoredQuestion } from "../domain/question.ts";
import type { TurnInput } from "../domain/store.ts";
import { oneLine, shorten } from "../domain/text.ts";
import type { LocalCommand, LocalSurface } from "./api.ts";
import type { Desk } from "./desk.ts";
import { projectFor } from "./project.ts";

/** What the owner decides on this machine: answers and their like, cancelling, and closing a question. */
export function deciding(desk: Desk) {
  const { config, store, now, host, committed } = desk;

  async function decide(local: LocalCommand, surface: LocalSurface, key?: string): Promise<Ack> {
    const understood = commandOf(local);
    if (!understood.ok) return understood.ack;
    if (!isProjectName(projectOf(local))) return badProject(projectOf(local));
    const { command } = understood;
    const sender: Sender = { via: surface, host };
    const at = now();
    const formNow = ({ question }: StoredQuestion) => formAt(question, config.night, at);
    const morningAt = morningAfter(config.night, at);
    const settings: ReplySettings = {
      sender,
      now: at,
      project: projectOf(local),
      form: formNow,
      ...(morningAt === undefined ? {} : { morningAt }),
      ...("confirmed" in local && local.confirmed !== undefined ? { confirmed: local.confirmed } : {}),
    };
    const input: TurnInput = { key: key ?? freshKey(at), payload: local };
    const [ack] = await store.turn(
      { channel: surface, inputs: [input] },
      () => ({ questions: questionsOf(command) }),
      (snapshot) => decideReply(snapshot, goAhead(snapshot, command, formNow, surface), settings),
      at,
    );
    if (!ack) throw new Error("a turn of one input gave no ack");
    committed();
    return ack;
  }

  function projectOf(local: LocalCommand): string {
    const flag = local.verb === "steer" ? local.project : undefined;
    return projectFor({ flag, config });
  }

  async function cancel(id: string, given: string): Promise<Ack> {
    const known = questionId(id);
    if (!known) return noSuchQuestion(id);
    const why = whyOf(given);
    const at = now();
    const ack = await store.move<Ack>(
      known,
      (stored, copies) => {
        if (!stored) return { effects: [], value: noSuchQuestion(id) };
        // A deadline that nobody has swept yet has come all the same.
        const expired = isOpen(stored.state) && stored.deadlineAt <= at ? expire(stored, copies) : undefined;
        if (expired) return { effects: expired.effects, value: notOpen(expired.after, at) };
        const moved = move(stored, "cancel", {}, { why }, copies, { why });
        if (!moved) return { effects: [], value: notOpen(stored, at) };
        return {
          effects: moved.effects,
          value: { accepted: true, state: "cancelled", text: `Cancelled ${id}: ${why}` },
        };
      },
      at,
    );
    committed();
    return ack;
  }

  async function resolve(id: string, result: Result): Promise<Ack> {
    const known = questionId(id);
    if (!known) return noSuchQuestion(id);
    const at = now();
    const ack = await store.move<Ack>(
      known,
      (stored, copies) => {
        if (!stored) return { effects: [], value: noSuchQuestion(id) };
        if (stored.state === "resolved" && stored.result === result) {
          const text = `${id} is closed as ${result} already.`;
          return { effects: [], value: { accepted: true, repeated: true, state: "resolved", text } };
        }
        const moved = move(stored, "outcome", {}, { result }, copies, { result });
        if (!moved) return { effects: [], value: notTaken(stored, at) };
        return {
          effects: moved.effects,
          value: { accepted: true, state: "resolved", text: `Closed ${id}: ${result}` },
        };
      },
      at,
    );
    committed();
    return ack;
  }

  return { decide, cancel, resolve };
}

/** Keys that rise with time lie side by side in the store, so that a new one touches what is at hand already. */
export function freshKey(at: Instant): string {
  return `${at.toString(36)}-${randomUUID()}`;
}

type Understood =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly ack: Ack };

function commandOf(local: LocalCommand): Understood {
  if (local.verb === "steer") {
    if (local.text.trim() === "") {
      return { ok: false, ack: { accepted: false, reason: "bad-command", text: "A note needs some words." } };
    }
    const question = questionId(local.target);
    if (question) return { ok: true, command: { verb: "steer", target: { question }, text: local.text } };
    const run = local.target.startsWith("run:") ? runId(local.target.slice(4)) : undefined;
    if (run) return { ok: true, command: { verb: "steer", target: { run }, text: local.text } };
    const task = taskId(local.target);
    if (task) return { ok: true, command: { verb: "steer", target: { task }, text: local.text } };
    const text = `“${local.target}” is neither a question's id nor a task's.`;
    return { ok: false, ack: { accepted: false, reason: "bad-command", text } };
  }
  const question = questionId(local.question);
  if (!question) return { ok: false, ack: noSuchQuestion(local.question) };
  if (local.verb === "answer") {
    if (local.text.trim() === "") {
      const text = "An answer in words needs some words.";
      return { ok: false, ack: { accepted: false, reason: "bad-command", text } };
    }
    return { ok: true, command: { verb: "answer", question, text: local.text.trim() } };
  }
  if ("key" in local) return { ok: true, command: { verb: local.verb, question, key: local.key } };
  return { ok: true, command: { verb: local.verb, question } };
}

function questionsOf(command: Command): QuestionId[] {
  if (command.verb !== "steer") return [command.question];
  return "question" in command.target ? [command.target.question] : [];
}

/** People read it on every copy, and an agent may have written it: one short line, with nothing hidden and no credential in it. */
function whyOf(given: string): string {
  return shorten(readableText(oneLine(redact(given).text)), mostWhy);
}

const mostWhy = 300;

function badProject(project: string): Ack {
  const text = `“${project}” is no project's name: letters, digits, “.”, “_” and “-”, not beginning with a dot.`;
  return { accepted: false, reason: "bad-command", text };
}

function noSuchQuestion(id: string): Ack {
  return {
    accepted: false,
    reason: "no-such-question",
    text: `There is no question ${id}; owlpost pending lists the open ones.`,
  };
}

/** Only what was taken can be closed. */
function notTaken(stored: StoredQuestion, at: Instant): Ack {
  const { id } = stored.question;
  const over = stored.state === "resolved" || stored.state === "cancelled";
  const hint = over ? "" : " It can be closed once it was taken.";
  return {
    accepted: false,
    reason: "not-taken",
    text: `${id}: ${standing(stored, at)}.${hint}`,
    state: stored.state,
  };
}

function notOpen(stored: StoredQuestion, at: Instant): Ack {
  const text = `${stored.question.id}: ${standing(stored, at)}.`;
  return { accepted: false, reason: "not-open", text, state: stored.state };
}
