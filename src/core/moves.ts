import type { EventKind } from "../domain/event.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Effect } from "../domain/store.ts";
import { type Given, type Trigger, transition } from "./lifecycle.ts";

type MoveEffect = Extract<Effect, { type: "move-question" }>;
type Change = Omit<MoveEffect, "type" | "id" | "from" | "to" | "outcome">;

/** A move that the table allows, as effects: the move, its event, and an edit of every copy. */
export type Move = { readonly effects: readonly Effect[]; readonly after: StoredQuestion };

/**
 * Applies a trigger to a question. Returns undefined when the table refuses it. `after` is the row as it will be,
 * so that a second trigger can follow in the same transaction.
 */
export function move(
  stored: StoredQuestion,
  trigger: Trigger,
  given: Given,
  change: Change,
  copies: readonly Copy[] = [],
  data: Readonly<Record<string, unknown>> = {},
): Move | undefined {
  const next = transition(stored.state, trigger, given);
  if (!next.ok) return undefined;
  if (next.event === undefined) return { effects: [], after: stored };
  const id = stored.question.id;
  const outcome = next.outcome;
  const effect: MoveEffect = {
    type: "move-question",
    id,
    from: stored.state,
    to: next.state,
    ...(outcome === undefined ? {} : { outcome }),
    ...change,
  };
  const effects: Effect[] = [
    effect,
    log(stored, next.event, { ...(outcome === undefined ? {} : { outcome }), ...data }),
    ...copies.map(
      (copy): Effect => ({
        type: "send",
        job: { channel: copy.channel, destination: copy.destination, kind: "edit", question: id },
      }),
    ),
  ];
  return { effects, after: moved(stored, effect) };
}

/** An event about a question, with its task and project. */
export function log(
  stored: StoredQuestion,
  kind: EventKind,
  data: Readonly<Record<string, unknown>> = {},
): Effect {
  const { id, task, project } = stored.question;
  return { type: "log", event: { kind, question: id, task, project, data } };
}

/** The row as that effect leaves it. */
export function moved(stored: StoredQuestion, effect: MoveEffect): StoredQuestion {
  const { outcome: before, answer, claim, ...rest } = stored;
  const outcome = effect.outcome === undefined ? before : effect.outcome;
  const nextAnswer = effect.answer === undefined ? answer : effect.answer;
  const nextClaim = effect.claim === undefined ? claim : effect.claim;
  return {
    ...rest,
    state: effect.to,
    revision: stored.revision + 1,
    ...(outcome ? { outcome } : {}),
    ...(nextAnswer ? { answer: nextAnswer } : {}),
    ...(nextClaim ? { claim: nextClaim } : {}),
    ...(effect.result === undefined ? {} : { result: effect.result }),
    ...(effect.why === undefined ? {} : { why: effect.why }),
  };
}
