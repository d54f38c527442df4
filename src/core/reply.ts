import type { Ack, Command, RefusalReason, Sender, SteerTarget } from "../domain/command.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Instant, QuestionId, RunId, TaskId } from "../domain/ids.ts";
import { type Answer, type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, NewNote, TurnSnapshot } from "../domain/store.ts";
import { log, type Move, move } from "./moves.ts";
import { expire } from "./sweep.ts";
import { optionWords, senderWords, standing } from "./wording.ts";

export type ReplySettings = {
  readonly sender: Sender;
  readonly now: Instant;
  /** When the platform says it was sent; absent: now. */
  readonly sentAt?: Instant;
  /** The project of a note that names no question. */
  readonly project: string;
};

type QuestionCommand = Exclude<Command, { verb: "steer" }>;

/** What a reply does: pure, total, and always with exactly one truthful ack. */
export function decideReply(
  snapshot: TurnSnapshot,
  command: Command,
  settings: ReplySettings,
): Decision<Ack> {
  if (command.verb === "steer") return steer(snapshot, command.target, command.text, settings);
  const stored = snapshot.questions.get(command.question);
  if (!stored) {
    return noSuchQuestion(command.question, command.verb);
  }
  const copies = snapshot.copies.get(command.question) ?? [];
  return command.verb === "override"
    ? override(stored, command.key, copies, settings)
    : reply(stored, command, copies, settings);
}

function reply(
  stored: StoredQuestion,
  command: Exclude<QuestionCommand, { verb: "override" }>,
  copies: readonly Copy[],
  settings: ReplySettings,
): Decision<Ack> {
  const { now } = settings;
  const sentAt = settings.sentAt ?? now;
  const before: Effect[] = [];
  let current = stored;
  // A deadline that nobody has swept yet has come all the same, unless the reply was sent before it.
  if (isOpen(stored.state) && stored.deadlineAt <= Math.min(now, sentAt)) {
    const expired = expire(stored);
    if (expired) {
      before.push(...expired.effects);
      current = expired.after;
    }
  }
  const waiting = isOpen(current.state) || current.state === "expired";
  if (!waiting) return settled(current, command, settings);
  if (command.verb === "choose" && !hasOption(current, command.key)) {
    return refusedReply(current, "bad-option", badOption(current, command.key), settings, before);
  }
  const given = {
    ...(command.verb === "skip" || command.verb === "retry" ? { verb: command.verb } : {}),
    ...(sentAt < current.deadlineAt ? ({ sent: "before-deadline" } as const) : {}),
  };
  const late = current.state === "expired" && sentAt >= current.deadlineAt;
  const answer: Answer = { ...answerOf(current, command, settings), ...(late ? { late } : {}) };
  const moved = move(current, "reply", given, { answer }, copies, eventWords(answer));
  if (!moved) return settled(current, command, settings);
  const outcome = moved.after.outcome ?? answer.outcome;
  const effects = [...before, ...withOutcome(moved, { ...answer, outcome })];
  return {
    effects,
    value: { accepted: true, state: "answered", text: acceptedText(moved.after, command) },
  };
}

/** The outcome is the table's; the answer that is stored carries it too. */
function withOutcome(moved: Move, answer: Answer): Effect[] {
  return moved.effects.map((effect) =>
    effect.type === "move-question" && effect.answer ? { ...effect, answer } : effect,
  );
}

function override(
  stored: StoredQuestion,
  key: string,
  copies: readonly Copy[],
  settings: ReplySettings,
): Decision<Ack> {
  if (stored.state !== "answered") {
    const hint =
      isOpen(stored.state) || stored.state === "expired"
        ? "there is no answer to change yet; answer it instead"
        : standing(stored, settings.now);
    return refusedReply(stored, "not-open", `${stored.question.id}: ${hint}.`, settings);
  }
  if (!hasOption(stored, key)) return refusedReply(stored, "bad-option", badOption(stored, key), settings);
  if (stored.answer?.option === key) return repeated(stored, settings);
  const answer: Answer = { ...answerOf(stored, { verb: "choose", key }, settings), outcome: "overridden" };
  const moved = move(stored, "override", {}, { answer }, copies, {
    ...eventWords(answer),
    was: stored.answer ? eventWords(stored.answer) : {},
  });
  if (!moved) return refusedReply(stored, "not-open", standing(stored, settings.now), settings);
  return {
    effects: moved.effects,
    value: {
      accepted: true,
      state: "answered",
      text: `Changed to ${optionWords(stored.question, key)}; it applies at the next iteration on ${stored.question.task}.`,
    },
  };
}

/** The question is decided already: the same choice again is a success, another one gets the current state. */
function settled(
  stored: StoredQuestion,
  command: Exclude<QuestionCommand, { verb: "override" }>,
  settings: ReplySettings,
): Decision<Ack> {
  if (stored.answer && sameChoice(stored.answer, command)) return repeated(stored, settings);
  const { id } = stored.question;
  const now = standing(stored, settings.now);
  if (stored.state === "answered") {
    const text = `${id} is already ${now}. ${overrideHint(settings.sender, id)}`;
    return refusedReply(stored, "not-open", text, settings);
  }
  const late: Effect = log(stored, "question.late-reply", {
    ...eventWords(answerOf(stored, command, settings)),
    state: stored.state,
  });
  const text = stored.state === "cancelled" ? `${id} was ${now}.` : `${id} can no longer be changed: ${now}.`;
  return refusedReply(stored, "not-open", text, settings, [late]);
}

/** How to change an answer, in the words of the surface that asks. */
function overrideHint(sender: Sender, id: QuestionId): string {
  if (sender.via === "inbox") return "To change it, press Change.";
  if (sender.via === "cli") return `To change it: owlpost override ${id} <option>.`;
  return `To change it: /override ${id} <option>.`;
}

function repeated(stored: StoredQuestion, settings: ReplySettings): Decision<Ack> {
  const text = `Already recorded: ${stored.question.id} is ${standing(stored, settings.now)}.`;
  return { effects: [], value: { accepted: true, repeated: true, state: stored.state, text } };
}

function sameChoice(answer: Answer, command: Exclude<QuestionCommand, { verb: "override" }>): boolean {
  if (command.verb === "choose") return answer.option === command.key;
  if (command.verb === "answer") return answer.option === undefined && answer.text === command.text;
  return answer.outcome === (command.verb === "skip" ? "skipped" : "retried");
}

function answerOf(
  stored: StoredQuestion,
  command: { verb: "choose"; key: string } | { verb: "answer"; text: string } | { verb: "skip" | "retry" },
  settings: ReplySettings,
): Answer {
  const { sender } = settings;
  const outcome = command.verb === "skip" ? "skipped" : command.verb === "retry" ? "retried" : "answered";
  return {
    outcome,
    ...(command.verb === "choose" ? { option: command.key } : {}),
    ...(command.verb === "answer" ? { text: command.text } : {}),
    ...(sender.by === undefined ? {} : { by: sender.by }),
    via: sender.via,
    ...(sender.host === undefined ? {} : { host: sender.host }),
    at: settings.sentAt ?? settings.now,
    digest: stored.digest,
  };
}

function eventWords(answer: Answer): Record<string, unknown> {
  const { option, text, by, via, host } = answer;
  return {
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
    ...(by === undefined ? {} : { by }),
    via,
    ...(host === undefined ? {} : { host }),
  };
}

function acceptedText(
  after: StoredQuestion,
  command: Exclude<QuestionCommand, { verb: "override" }>,
): string {
  const { question } = after;
  const passed =
    after.defaultAction === "stay_parked" ? "the task was still parked" : "this replaces the default";
  const late = after.outcome === "overridden" ? ` The deadline had passed; ${passed}.` : "";
  switch (command.verb) {
    case "choose":
      return `Answered: ${optionWords(question, command.key)}; it applies at the next iteration on ${question.task}.${late}`;
    case "answer":
      return `Answered in words; they reach the next iteration on ${question.task}.${late}`;
    case "skip":
      return `Skipped: ${question.task} stays blocked and the loop goes on with the rest.`;
    default:
      return `Retry: ${question.task} runs again without an answer.`;
  }
}

function hasOption(stored: StoredQuestion, key: string): boolean {
  return stored.question.options.some((option) => option.key === key);
}

function badOption(stored: StoredQuestion, key: string): string {
  const keys = stored.question.options.map((option) => optionWords(stored.question, option.key)).join("; ");
  return `${stored.question.id} has no option “${key}”. Choose one of: ${keys}.`;
}

function refusedReply(
  stored: StoredQuestion,
  reason: RefusalReason,
  text: string,
  settings: ReplySettings,
  before: readonly Effect[] = [],
): Decision<Ack> {
  return refuse(
    reason,
    text,
    [...before, log(stored, "reply.refused", { reason, via: settings.sender.via })],
    stored.state,
  );
}

function refuse(
  reason: RefusalReason,
  text: string,
  effects: readonly Effect[],
  state?: StoredQuestion["state"],
): Decision<Ack> {
  return { effects, value: { accepted: false, reason, text, ...(state === undefined ? {} : { state }) } };
}

function noSuchQuestion(id: QuestionId, verb: Command["verb"]): Decision<Ack> {
  const reason = "no-such-question";
  const event: NewEvent = { kind: "reply.refused", data: { reason, verb } };
  return refuse(reason, `There is no question ${id}.`, [{ type: "log", event }]);
}

function steer(
  snapshot: TurnSnapshot,
  target: SteerTarget,
  text: string,
  settings: ReplySettings,
): Decision<Ack> {
  const about: { project: string; task?: TaskId; run?: RunId } = { project: settings.project };
  let state = "noted";
  let note: NewNote = { project: settings.project, sender: settings.sender, text };
  if ("question" in target) {
    const stored = snapshot.questions.get(target.question);
    if (!stored) return noSuchQuestion(target.question, "steer");
    about.project = stored.question.project;
    about.task = stored.question.task;
    state = stored.state;
    note = { ...note, question: target.question };
  } else if ("task" in target) about.task = target.task;
  else about.run = target.run;
  note = { ...note, ...about };
  const place = about.task === undefined ? `run ${about.run}` : about.task;
  return {
    effects: [
      { type: "note", note },
      {
        type: "log",
        event: {
          kind: "steering.noted",
          project: about.project,
          ...(about.task === undefined ? {} : { task: about.task }),
          ...("question" in target ? { question: target.question } : {}),
          data: { via: settings.sender.via, ...(about.run === undefined ? {} : { run: about.run }), text },
        },
      },
    ],
    value: {
      accepted: true,
      state,
      text: `Noted for the next iteration on ${place}${"question" in target ? "; the question stays as it is" : ""} (${senderWords(settings.sender)}).`,
    },
  };
}
