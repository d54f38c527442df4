import type { Ack, Command } from "../domain/command.ts";
import { type Answer, type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, TurnSnapshot } from "../domain/store.ts";
import { log, type Move, move } from "./moves.ts";
import { mayAnswer, mayOverride } from "./people.ts";
import { noSuchQuestion, type ReplySettings, refuseReply, refuseRole } from "./reply/refusing.ts";
import { steer } from "./reply/steer.ts";
import * as words from "./reply/words.ts";
import { expire } from "./sweep.ts";

export type { ReplySettings } from "./reply/refusing.ts";

type QuestionCommand = Exclude<Command, { verb: "steer" }>;
type OverrideCommand = Extract<QuestionCommand, { verb: "override" }>;
type FirstCommand = Exclude<QuestionCommand, { verb: "override" }>;

/** What a reply does: pure, total, and always with exactly one truthful ack. */
export function decideReply(
  snapshot: TurnSnapshot,
  command: Command,
  settings: ReplySettings,
): Decision<Ack> {
  if (settings.role === "viewer") return refuseRole(command.verb, settings);
  if (command.verb === "steer") return steer(snapshot, command.target, command.text, settings);
  const stored = snapshot.questions.get(command.question);
  if (!stored) return noSuchQuestion(command.question, command.verb, settings);
  if (!mayAnswer(words.doerOf(settings), stored.question.answerable_by)) {
    return refuseReply(stored, "not-allowed", words.notAllowedText(stored), settings);
  }
  const copies = snapshot.copies.get(command.question) ?? [];
  const decided =
    command.verb === "override"
      ? override(stored, command, copies, settings)
      : reply(stored, command, copies, settings);
  const { value, effects } = decided;
  return value.accepted && !value.repeated
    ? { value, effects: [...effects, ...closeAgain(snapshot, stored)] }
    : decided;
}

/** A question of the night that is answered after all must not be waited for a second time. */
function closeAgain(
  { questions, copies }: TurnSnapshot,
  { state, question }: StoredQuestion,
): readonly Effect[] {
  // While it is open nothing asks it again.
  if (isOpen(state)) return [];
  const why = `answered as ${question.id}`;
  return [...questions.values()]
    .filter((each) => each.question.again === question.id && isOpen(each.state))
    .flatMap(
      (each) => move(each, "cancel", {}, { why }, copies.get(each.question.id) ?? [], { why })?.effects ?? [],
    );
}

function reply(
  stored: StoredQuestion,
  command: FirstCommand,
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
  const form = settings.form?.(current);
  if (command.verb === "choose" && !hasOption(current, command.key)) {
    const text = words.badOptionText(current, command.key, form, settings);
    return refuseReply(current, "bad-option", text, settings, before);
  }
  const isConfirmed = settings.confirmed === "in-full" && settings.sender.via === "inbox" && form === "held";
  if (form !== undefined && !isConfirmed && !isSafe(current, command, form)) {
    const text = words.confirmationText(current, form, settings);
    return refuseReply(current, "needs-confirmation", text, settings, before);
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
    value: {
      accepted: true,
      state: "answered",
      text: words.acceptedText(moved.after, command, form, settings),
    },
  };
}

/** What a question takes at night: *Go ahead* where it stands in its night form, and what chooses nothing. */
function isSafe({ question }: StoredQuestion, command: FirstCommand, form: "consent" | "held"): boolean {
  if (command.verb === "skip" || command.verb === "retry") return true;
  if (command.verb !== "choose" || command.goAhead !== true || form === "held") return false;
  return question.options.some((option) => option.key === command.key && option.recommended === true);
}

/** The outcome is the table's; the answer that is stored carries it too. */
function withOutcome(moved: Move, answer: Answer): Effect[] {
  return moved.effects.map((effect) =>
    effect.type === "move-question" && effect.answer ? { ...effect, answer } : effect,
  );
}

function override(
  stored: StoredQuestion,
  command: OverrideCommand,
  copies: readonly Copy[],
  settings: ReplySettings,
): Decision<Ack> {
  const { key, comment } = command;
  if (!mayOverride(words.doerOf(settings), stored.question, stored.answer)) {
    return refuseReply(stored, "not-allowed", words.notTheirsText(stored, settings), settings);
  }
  if (stored.state !== "answered") {
    const unanswered = isOpen(stored.state) || stored.state === "expired";
    const text = words.nothingToChangeText(stored, settings, unanswered);
    return refuseReply(stored, "not-open", text, settings);
  }
  if (!hasOption(stored, key)) {
    const text = words.badOptionText(stored, key, undefined, settings);
    return refuseReply(stored, "bad-option", text, settings);
  }
  if (stored.answer?.option === key) return repeated(stored, settings, comment);
  const choice = { verb: "choose", key, ...(comment === undefined ? {} : { comment }) } as const;
  const answer: Answer = { ...answerOf(stored, choice, settings), outcome: "overridden" };
  const moved = move(stored, "override", {}, { answer }, copies, {
    ...eventWords(answer),
    was: stored.answer ? eventWords(stored.answer) : {},
  });
  if (!moved) return refuseReply(stored, "not-open", words.tooLateText(stored, settings), settings);
  return {
    effects: moved.effects,
    value: { accepted: true, state: "answered", text: words.changedText(stored, command) },
  };
}

/** The question is decided already: the same choice again is a success, another one gets the current state. */
function settled(stored: StoredQuestion, command: FirstCommand, settings: ReplySettings): Decision<Ack> {
  if (stored.answer && sameChoice(stored.answer, command))
    return repeated(stored, settings, commentOf(command));
  if (stored.state === "answered") {
    return refuseReply(stored, "not-open", words.alreadyText(stored, settings), settings);
  }
  const late: Effect = log(stored, "question.late-reply", {
    ...eventWords(answerOf(stored, command, settings)),
    state: stored.state,
  });
  return refuseReply(stored, "not-open", words.tooLateText(stored, settings), settings, [late]);
}

/** What is said beside a choice that stands already is no second answer: it is noted, so that it is not lost. */
function repeated(stored: StoredQuestion, settings: ReplySettings, comment?: string): Decision<Ack> {
  const { question, answer, state } = stored;
  const text = words.repeatedText(stored, settings);
  const value: Ack = { accepted: true, repeated: true, state, text };
  if (comment === undefined || comment === answer?.text) return { effects: [], value };
  const noted = steer(
    { questions: new Map([[question.id, stored]]), copies: new Map() },
    { question: question.id },
    comment,
    settings,
  );
  return { effects: noted.effects, value: { ...value, text: `${text} ${noted.value.text}` } };
}

function commentOf(command: FirstCommand): string | undefined {
  return command.verb === "answer" ? undefined : command.comment;
}

function sameChoice(answer: Answer, command: FirstCommand): boolean {
  if (command.verb === "choose") return answer.option === command.key;
  const { outcome } = answer;
  if (command.verb === "answer") {
    const inWords = answer.option === undefined && outcome !== "skipped" && outcome !== "retried";
    return inWords && answer.text === command.text;
  }
  return outcome === (command.verb === "skip" ? "skipped" : "retried");
}

function answerOf(
  stored: StoredQuestion,
  command: FirstCommand | { verb: "choose"; key: string; comment?: string },
  settings: ReplySettings,
): Answer {
  const { sender } = settings;
  const text = command.verb === "answer" ? command.text : command.comment;
  const outcome = command.verb === "skip" ? "skipped" : command.verb === "retry" ? "retried" : "answered";
  return {
    outcome,
    ...(command.verb === "choose" ? { option: command.key } : {}),
    ...(text === undefined ? {} : { text }),
    ...(sender.by === undefined ? {} : { by: sender.by }),
    via: sender.via,
    ...(sender.host === undefined ? {} : { host: sender.host }),
    at: settings.sentAt ?? settings.now,
    ...(command.verb === "skip" && settings.onNightForm ? { night: true as const } : {}),
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

function hasOption(stored: StoredQuestion, key: string): boolean {
  return stored.question.options.some((option) => option.key === key);
}
