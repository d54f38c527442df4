import { describe, expect, it } from "vitest";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import type { Store, SweepSnapshot, TakeNeed, TakeSnapshot } from "../../src/domain/store.ts";
import { aQuestion, aRun, aStore, ask, aTask, minute, moveOf, now } from "./builders.ts";

type Ids = Record<"due" | "decided" | "same" | "lapsed", QuestionId[]>;

function ids(rows: readonly StoredQuestion[]): QuestionId[] {
  return rows.map((row) => row.question.id);
}

async function look(store: Store, more: Partial<TakeNeed> = {}): Promise<Ids> {
  const seen = await store.take({ claim: "mine", now, ...more }, (snapshot: TakeSnapshot) => ({
    effects: [],
    value: snapshot,
  }));
  return { due: ids(seen.due), decided: ids(seen.decided), same: ids(seen.same), lapsed: ids(seen.lapsed) };
}

function claimed(claim: string, leaseUntilAt = now + minute): Partial<StoredQuestion> {
  return { state: "applied", claim: { claim, run: "a3f2", takenAt: now - minute, leaseUntilAt } };
}

const nothing: Ids = { due: [], decided: [], same: [], lapsed: [] };

describe("take", () => {
  it("sees what is due, decided, taken with the same claim, and lapsed; nothing else", async () => {
    const store = await aStore();
    const late = await ask(store, aQuestion({ seq: 1, deadlineAt: now }));
    const posted = await ask(store, aQuestion({ seq: 2, state: "posted", deadlineAt: now - 1 }));
    await ask(store, aQuestion({ seq: 3, deadlineAt: now + 1 }));
    const answered = await ask(store, aQuestion({ seq: 4, state: "answered", deadlineAt: now - 9 }));
    const expired = await ask(store, aQuestion({ seq: 5, state: "expired" }));
    await ask(store, aQuestion({ seq: 6, state: "expired", defaultAction: "stay_parked" }));
    const same = await ask(store, aQuestion({ seq: 7, ...claimed("mine", now - 1) }));
    const lapsed = await ask(store, aQuestion({ seq: 8, ...claimed("theirs", now) }));
    await ask(store, aQuestion({ seq: 9, ...claimed("theirs") }));
    await ask(store, aQuestion({ seq: 10, ...claimed("mine"), state: "resolved", result: "done" }));
    await ask(store, aQuestion({ seq: 11, state: "cancelled" }));
    expect(await look(store)).toEqual({
      due: [posted, late],
      decided: [answered, expired],
      same: [same],
      lapsed: [lapsed],
    });
  });

  it("filters by project, task, run and question; the same claim comes back whatever the filter", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ state: "answered" }));
    const due = await ask(store, aQuestion({ seq: 2, deadlineAt: now }));
    const lapsed = await ask(store, aQuestion({ seq: 3, ...claimed("theirs", now - 1) }));
    const two = await ask(store, aQuestion({ state: "answered", task: "docs", run: "b", project: "site" }));
    const same = await ask(store, aQuestion({ seq: 4, ...claimed("mine") }));
    const here = { due: [due], decided: [one], same: [same], lapsed: [lapsed] };
    const there = { ...nothing, decided: [two], same: [same] };
    expect(await look(store, { project: "shop" })).toEqual(here);
    expect(await look(store, { task: aTask("fix-auth") })).toEqual(here);
    expect(await look(store, { run: aRun("a3f2") })).toEqual(here);
    expect(await look(store, { project: "site", task: aTask("docs"), run: aRun("b") })).toEqual(there);
    expect(await look(store, { question: two })).toEqual(there);
    expect(await look(store, { question: due })).toEqual({ ...nothing, due: [due], same: [same] });
    expect(await look(store, { question: two, project: "shop" })).toEqual({ ...nothing, same: [same] });
    expect(await look(store, { run: aRun("zz") })).toEqual({ ...nothing, same: [same] });
  });

  it("hands out the oldest first, at most 1,000, each with its copies", async () => {
    const store = await aStore();
    const rows = Array.from({ length: 1_001 }, (_, at) =>
      aQuestion({ seq: at + 1, state: "answered", task: at % 2 ? "b" : "a" }),
    );
    await store.append(
      rows.map((row) => ({ type: "insert-question", row })),
      now,
    );
    const seen = await store.take({ claim: "c", now }, (snapshot) => ({ effects: [], value: snapshot }));
    expect(ids(seen.decided)).toEqual(ids(rows.slice(0, 1_000)));
    expect(seen.copies.size).toBe(1_000);
    expect(seen.copies.get(rows[0]?.question.id as QuestionId)).toEqual([]);
  });

  it("field 64: of 20 takes at once each answer goes to one", async () => {
    const store = await aStore();
    for (let seq = 1; seq <= 5; seq += 1) await ask(store, aQuestion({ seq, state: "answered" }));
    const takes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const claim = { claim: `c${at}`, takenAt: now, leaseUntilAt: now + minute };
        return store.take({ claim: claim.claim, now }, ({ decided }) => ({
          effects: decided.map((row) => ({ ...moveOf(row.question.id, "answered", "applied"), claim })),
          value: ids(decided),
        }));
      }),
    );
    expect(takes.flat()).toHaveLength(5);
    expect(takes.filter((taken) => taken.length > 0)).toHaveLength(1);
  });
});

describe("confirm", () => {
  it("confirms a claim once, tells it again, and knows nothing of other claims", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ seq: 1, ...claimed("mine", now - 1) }));
    const two = await ask(store, aQuestion({ seq: 2, ...claimed("mine"), state: "default_applied" }));
    const other = await ask(store, aQuestion({ seq: 3, ...claimed("theirs", now - 1) }));
    expect(await store.confirm("mine", now)).toEqual([one, two]);
    expect((await store.question(one))?.claim?.confirmedAt).toBe(now);
    expect((await store.question(one))?.revision).toBe(1);
    expect(await store.confirm("mine", now + 5)).toEqual([one, two]);
    expect((await store.question(two))?.claim?.confirmedAt).toBe(now);
    expect(await store.confirm("nobody", now)).toEqual([]);
    const told = (await store.events(3, 9)).map(({ kind, question, data }) => [kind, question, data]);
    expect(told).toEqual([
      ["question.confirmed", one, {}],
      ["question.confirmed", two, {}],
    ]);
    expect((await look(store, { claim: "new" })).lapsed).toEqual([other]);
  });

  it("does not stand once the claim has lapsed", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(claimed("mine", now)));
    await store.append([{ ...moveOf(id, "applied", "answered"), claim: null }], now);
    expect(await store.confirm("mine", now)).toEqual([]);
  });
});

describe("sweep", () => {
  const see = (snapshot: SweepSnapshot): { effects: []; value: [QuestionId[], QuestionId[]] } => ({
    effects: [],
    value: [ids(snapshot.due), ids(snapshot.lapsed)],
  });

  it("gives the oldest deadlines and leases first, within the limit, and knows when the next is", async () => {
    const store = await aStore();
    expect(await store.nextSweepAt(now)).toBeUndefined();
    const second = await ask(store, aQuestion({ seq: 1, deadlineAt: now - 1 }));
    const first = await ask(store, aQuestion({ seq: 2, deadlineAt: now - 2 }));
    const third = await ask(store, aQuestion({ seq: 3, deadlineAt: now }));
    await ask(store, aQuestion({ seq: 4, deadlineAt: now + 1 }));
    const lapsed = await ask(store, aQuestion({ seq: 5, ...claimed("a", now - 7) }));
    const later = await ask(store, aQuestion({ seq: 6, ...claimed("b", now) }));
    expect(await store.sweep(now, 2, see)).toEqual([
      [first, second],
      [lapsed, later],
    ]);
    expect(await store.sweep(now, 9, see)).toEqual([
      [first, second, third],
      [lapsed, later],
    ]);
    expect(await store.sweep(now - 5, 9, see)).toEqual([[], [lapsed]]);
    expect(await store.nextSweepAt(now)).toBe(now - 7);
    await store.confirm("a", now);
    expect(await store.nextSweepAt(now)).toBe(now - 2);
  });

  it("empties in steps when its effects move what it saw", async () => {
    const store = await aStore();
    for (let seq = 1; seq <= 7; seq += 1) await ask(store, aQuestion({ seq, deadlineAt: now - seq }));
    const swept: number[] = [];
    for (let count = -1; count !== 0; ) {
      count = await store.sweep(now, 3, ({ due }) => ({
        effects: due.map((row) => moveOf(row.question.id, "pending", "expired")),
        value: due.length,
      }));
      swept.push(count);
    }
    expect(swept).toEqual([3, 3, 1, 0]);
    expect((await store.counts()).expired).toBe(7);
  });
});
