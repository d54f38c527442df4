import type { Abort } from "../domain/abort.ts";
import type { Claim, Instant, QuestionId } from "../domain/ids.ts";
import type { ClaimRecord, Copy, StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, TakeSnapshot } from "../domain/store.ts";
import { retakeAborts, takeAborts } from "./abort.ts";
import { takeMark } from "./digest.ts";
import { log, type Move, move } from "./moves.ts";
import { expire, lapse } from "./sweep.ts";

export type TakeSettings = {
  readonly claim: Claim;
  readonly run?: string;
  readonly now: Instant;
  readonly leaseMs: number;
  /** Under which claim of the board the taker works on a task; `asker`: whoever asked has waited for the answer and goes on. */
  readonly works?: Claim | "asker";
  /** Does the stored question still have the digest under which it was answered? */
  readonly intact: (stored: StoredQuestion) => boolean;
};

export type TakeValue = {
  readonly taken: readonly StoredQuestion[];
  /** Runs that are to stop. */
  readonly aborts: readonly Abort[];
  /** Answers to another text than the one stored: not handed out. */
  readonly mismatched: readonly QuestionId[];
};

/**
 * The loop's boundary call. Due deadlines and lapsed claims are swept first; then everything decided moves to
 * `applied` or `default_applied` under one claim, and with it go the runs that are to stop. The same claim again gives the same questions and moves nothing.
 */
export function decideTake(snapshot: TakeSnapshot, settings: TakeSettings): Decision<TakeValue> {
  const { aborts: waiting = [] } = snapshot;
  const held = waiting.filter(({ claim }) => claim?.claim === settings.claim);
  if (snapshot.same.length > 0 || held.length > 0) return again(snapshot, held, settings);

  const aborts = takeAborts(waiting, settings);
  const effects: Effect[] = [...aborts.effects];
  const taken: StoredQuestion[] = [];
  const mismatched: QuestionId[] = [];
  const copies = (stored: StoredQuestion): readonly Copy[] => snapshot.copies.get(stored.question.id) ?? [];
  const commit = (done: Move | undefined): StoredQuestion | undefined => {
    if (done) effects.push(...done.effects);
    return done?.after;
  };

  const candidates = [
    ...snapshot.decided,
    ...snapshot.lapsed.map((stored) => commit(lapse(stored, settings.now))),
    ...snapshot.due.map((stored) => commit(expire(stored))),
  ].filter((stored) => stored !== undefined);
  candidates.sort((a, b) => a.askedAt - b.askedAt);

  for (const stored of candidates) {
    if (!settings.intact(stored)) {
      mismatched.push(stored.question.id);
      effects.push(log(stored, "question.digest-mismatch", { digest: stored.digest }));
      continue;
    }
    const after = commit(consume(stored, settings, copies(stored)));
    if (after) taken.push(after);
    // Nothing to take (stay_parked): an expiry that came with this call still shows on its copies.
    else effects.push(...touch(stored, copies(stored)));
  }
  return { effects, value: { taken, aborts: aborts.taken, mismatched } };
}

/** The same take once more. A lease that ran out meanwhile begins anew, so that nobody else is given it as well. */
function again(snapshot: TakeSnapshot, held: readonly Abort[], settings: TakeSettings): Decision<TakeValue> {
  const aborts = retakeAborts(held, settings);
  const effects: Effect[] = [...aborts.effects];
  const taken = snapshot.same.map((stored) => {
    const back = lapse(stored, settings.now);
    if (!back) return stored;
    const retaken = consume(back.after, settings, snapshot.copies.get(stored.question.id) ?? []);
    if (!retaken) return stored;
    effects.push(...back.effects, ...retaken.effects);
    return retaken.after;
  });
  return { effects, value: { taken, aborts: aborts.taken, mismatched: [] } };
}

function consume(stored: StoredQuestion, settings: TakeSettings, copies: readonly Copy[]): Move | undefined {
  const run = settings.run === undefined ? {} : { run: settings.run };
  const claim: ClaimRecord = {
    claim: settings.claim,
    takenAt: settings.now,
    leaseUntilAt: settings.now + settings.leaseMs,
    ...run,
  };
  const works = settings.works === undefined ? {} : { works: settings.works };
  const data = { take: takeMark(settings.claim), ...run };
  return move(stored, "consume", { default_action: stored.defaultAction }, { claim, ...works }, copies, data);
}

function touch(stored: StoredQuestion, copies: readonly Copy[]): Effect[] {
  return copies.map((copy) => ({
    type: "send",
    job: {
      channel: copy.channel,
      destination: copy.destination,
      kind: "edit",
      question: stored.question.id,
    },
  }));
}
