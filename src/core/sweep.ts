import type { Instant, QuestionId } from "../domain/ids.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, SweepSnapshot } from "../domain/store.ts";
import { takeMark } from "./digest.ts";
import { type Move, move } from "./moves.ts";

/** The deadline has come: the question expires, whatever its default is; only the loop applies a default. */
export function expire(stored: StoredQuestion, copies: readonly Copy[] = []): Move | undefined {
  return move(stored, "deadline", {}, {}, copies, { default: stored.defaultAction });
}

/** A claim that nobody confirmed in time: the answer can be taken again. */
export function lapse(stored: StoredQuestion, now: Instant, copies: readonly Copy[] = []): Move | undefined {
  const claim = stored.claim;
  if (!claim || claim.leaseUntilAt > now) return undefined;
  const given = { confirmed: claim.confirmedAt !== undefined };
  return move(stored, "lapse", given, { claim: null }, copies, { take: takeMark(claim.claim) });
}

/** How many questions expired and how many claims lapsed. */
export type Swept = { readonly expired: number; readonly lapsed: number };

export function decideSweep(snapshot: SweepSnapshot, now: Instant): Decision<Swept> {
  const effects: Effect[] = [];
  const copies = (id: QuestionId): readonly Copy[] => snapshot.copies.get(id) ?? [];
  let expired = 0;
  let lapsed = 0;
  for (const stored of snapshot.due) {
    const done = expire(stored, copies(stored.question.id));
    if (!done) continue;
    effects.push(...done.effects);
    expired += 1;
  }
  for (const stored of snapshot.lapsed) {
    const done = lapse(stored, now, copies(stored.question.id));
    if (!done) continue;
    effects.push(...done.effects);
    lapsed += 1;
  }
  return { effects, value: { expired, lapsed } };
}
