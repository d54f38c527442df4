import { describe, expect, test } from "vitest";
import { decideSweep } from "../../src/core/sweep.ts";
import { decideTake, type TakeSettings } from "../../src/core/take.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { ClaimRecord, Copy, StoredQuestion } from "../../src/domain/question.ts";
import type { Effect, TakeSnapshot } from "../../src/domain/store.ts";
import { anAnswer, aQuestion, aStored, evening, hour, minute } from "../builders.ts";

const now = evening + 8 * hour;
const settings: TakeSettings = { claim: "mine", run: "a3f2", now, leaseMs: 10 * minute, intact: () => true };
const nothing: TakeSnapshot = { due: [], decided: [], same: [], lapsed: [], copies: new Map() };
const aClaim: ClaimRecord = { claim: "theirs", takenAt: now - hour, leaseUntilAt: now - 50 * minute };

function numbered(seq: number, changes: Partial<StoredQuestion>): StoredQuestion {
  const id = `q-a3f2-012-fix-auth-${seq}` as QuestionId;
  return aStored({ question: aQuestion({ id }), askedAt: evening + seq, ...changes });
}

function moves(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) =>
    effect.type === "move-question" ? [`${effect.id.slice(-1)}: ${effect.from} → ${effect.to}`] : [],
  );
}

function events(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) => (effect.type === "log" ? [effect.event.kind] : []));
}

describe("a take", () => {
  test("sweeps what is due, takes back what lapsed, and gives everything out under one claim, the oldest first", () => {
    const snapshot: TakeSnapshot = {
      ...nothing,
      due: [numbered(1, {})],
      lapsed: [numbered(2, { state: "applied", answer: anAnswer(), outcome: "answered", claim: aClaim })],
      decided: [
        numbered(3, { state: "answered", answer: anAnswer(), outcome: "answered" }),
        numbered(4, { state: "expired", outcome: "expired" }),
      ],
    };
    const { effects, value } = decideTake(snapshot, settings);
    expect(value.taken.map((each) => [each.question.id.slice(-1), each.state, each.outcome])).toEqual([
      ["1", "default_applied", "defaulted"],
      ["2", "applied", "answered"],
      ["3", "applied", "answered"],
      ["4", "default_applied", "defaulted"],
    ]);
    expect(new Set(value.taken.map((each) => each.claim?.claim))).toEqual(new Set(["mine"]));
    expect(value.taken[0]?.claim).toEqual({
      claim: "mine",
      run: "a3f2",
      takenAt: now,
      leaseUntilAt: now + 10 * minute,
    });
    expect(moves(effects)).toEqual([
      "2: applied → answered",
      "1: posted → expired",
      "1: expired → default_applied",
      "2: answered → applied",
      "3: answered → applied",
      "4: expired → default_applied",
    ]);
  });

  test("field 64: the same claim again is the same take and moves nothing", () => {
    const before = numbered(1, {
      state: "applied",
      answer: anAnswer(),
      claim: { ...aClaim, claim: "mine", leaseUntilAt: now + 1 },
    });
    const waiting = numbered(2, { state: "answered", answer: anAnswer() });
    const { effects, value } = decideTake({ ...nothing, same: [before], decided: [waiting] }, settings);
    expect(effects).toEqual([]);
    expect(value.taken).toEqual([before]);
  });

  test("field 64: the same claim after its lease is renewed, so that nobody else is given the answer too", () => {
    const lapsed = numbered(1, { state: "applied", answer: anAnswer(), claim: { ...aClaim, claim: "mine" } });
    const { effects, value } = decideTake({ ...nothing, same: [lapsed] }, settings);
    expect(moves(effects)).toEqual(["1: applied → answered", "1: answered → applied"]);
    expect(events(effects)).toEqual(["question.lapsed", "question.applied"]);
    expect(value.taken[0]?.claim).toMatchObject({ claim: "mine", leaseUntilAt: now + 10 * minute });
  });

  test("stay_parked leaves nothing to take, expired or due", () => {
    const parked = numbered(1, { defaultAction: "stay_parked" });
    const { effects, value } = decideTake(
      {
        ...nothing,
        due: [parked],
        decided: [numbered(2, { state: "expired", defaultAction: "stay_parked" })],
      },
      settings,
    );
    expect(value.taken).toEqual([]);
    expect(moves(effects)).toEqual(["1: posted → expired"]);
  });

  test("field 67: an answer to another text than the one stored is not handed out", () => {
    const stored = numbered(1, { state: "answered", answer: anAnswer() });
    const { effects, value } = decideTake(
      { ...nothing, decided: [stored] },
      { ...settings, intact: () => false },
    );
    expect(value).toEqual({ taken: [], aborts: [], mismatched: [stored.question.id] });
    expect(moves(effects)).toEqual([]);
    expect(events(effects)).toEqual(["question.digest-mismatch"]);
  });

  test("every copy is told who took it", () => {
    const stored = numbered(1, { state: "answered", answer: anAnswer() });
    const copy: Copy = {
      question: stored.question.id,
      channel: "phone",
      destination: "7",
      ref: "m",
      revision: 2,
      postedAt: 0,
    };
    const { effects } = decideTake(
      { ...nothing, decided: [stored], copies: new Map([[stored.question.id, [copy]]]) },
      settings,
    );
    expect(effects.filter((effect) => effect.type === "send")).toHaveLength(1);
  });
});

describe("a sweep", () => {
  test("R1: silence expires a question and never answers it", () => {
    for (const defaultAction of ["skip_spec", "take_recommended", "stay_parked"] as const) {
      const { effects, value } = decideSweep(
        { due: [numbered(1, { defaultAction })], lapsed: [], copies: new Map() },
        now,
      );
      expect(value).toEqual({ expired: 1, lapsed: 0, gathered: 0 });
      expect(moves(effects)).toEqual(["1: posted → expired"]);
      for (const effect of effects) {
        if (effect.type === "move-question")
          expect([effect.outcome, effect.answer]).toEqual(["expired", undefined]);
      }
    }
  });

  test("a claim in its lease, or a confirmed one, does not lapse", () => {
    const fresh = numbered(1, {
      state: "applied",
      answer: anAnswer(),
      claim: { ...aClaim, leaseUntilAt: now + 1 },
    });
    const confirmed = numbered(2, {
      state: "applied",
      answer: anAnswer(),
      claim: { ...aClaim, confirmedAt: now - hour },
    });
    const lapsed = numbered(3, { state: "default_applied", claim: aClaim });
    const { effects, value } = decideSweep(
      { due: [], lapsed: [fresh, confirmed, lapsed], copies: new Map() },
      now,
    );
    expect(value).toEqual({ expired: 0, lapsed: 1, gathered: 0 });
    expect(moves(effects)).toEqual(["3: default_applied → expired"]);
    expect(effects[0]).toMatchObject({ claim: null, outcome: "expired" });
  });
});
