import { describe, expect, it } from "vitest";
import type { AskNeed, AskSnapshot, Store } from "../../src/domain/store.ts";
import { StoreError } from "../../src/domain/store.ts";
import {
  anAnswer,
  aPath,
  aQuestion,
  aRun,
  aStore,
  ask,
  aTask,
  logOf,
  minute,
  moveOf,
  now,
  sendOf,
} from "./builders.ts";

const need: AskNeed = { project: "shop", run: aRun("a3f2"), task: aTask("fix-auth") };

function look(store: Store, more: Partial<AskNeed> = {}): Promise<AskSnapshot> {
  return store.ask({ ...need, ...more }, (snapshot) => ({ effects: [], value: snapshot }), now);
}

describe("ask", () => {
  it("gives back what was stored, to the last field", async () => {
    const store = await aStore();
    const row = aQuestion({
      state: "applied",
      heldUntilAt: now + minute,
      outcome: "answered",
      answer: anAnswer({ text: "日本語", host: "mill" }),
      claim: { claim: "c1", run: "a3f2", takenAt: now, leaseUntilAt: now + minute, confirmedAt: now + 1 },
      result: "done",
      why: "because",
    });
    const id = await ask(store, row);
    expect(await store.question(id)).toEqual(row);
    const plain = aQuestion({ seq: 2 });
    expect(await store.question(await ask(store, plain))).toEqual(plain);
  });

  it("finds the same id, the same key within its project, and the next number", async () => {
    const store = await aStore();
    expect(await look(store)).toEqual({ nextSeq: 1 });
    const row = aQuestion();
    await store.append([{ type: "insert-question", row, key: "k" }], now);
    expect(await look(store, { id: row.question.id, key: "k" })).toEqual({
      sameId: row,
      sameKey: row,
      nextSeq: 2,
    });
    expect(await look(store, { project: "other", key: "k" })).toEqual({ nextSeq: 2 });
    expect(await look(store, { task: aTask("fix") })).toEqual({ nextSeq: 1 });
    expect(await look(store, { run: aRun("b") })).toEqual({ nextSeq: 1 });
  });

  it("counts tasks together whose first 24 characters are the same", async () => {
    const store = await aStore();
    const start = "a".repeat(24);
    await ask(store, aQuestion({ task: `${start}-one` }));
    expect((await look(store, { task: aTask(`${start}-two`) })).nextSeq).toBe(2);
  });

  it("fills a gap when the largest number was taken by choice, and says 10000 when none is left", async () => {
    const store = await aStore();
    await ask(store, aQuestion({ seq: 1 }));
    await ask(store, aQuestion({ seq: 9999 }));
    expect((await look(store)).nextSeq).toBe(2);
    const rest = Array.from({ length: 9997 }, (_, at) => aQuestion({ seq: at + 2 }));
    await store.append(
      rest.map((row) => ({ type: "insert-question", row })),
      now,
    );
    expect((await look(store)).nextSeq).toBe(10_000);
  });

  it("refuses a second row of the same id or key, and keeps nothing of the change", async () => {
    const store = await aStore();
    const row = aQuestion();
    await store.append([{ type: "insert-question", row, key: "k" }], now);
    const again = store.append(
      [logOf(row.question.id, "question.asked"), { type: "insert-question", row }],
      now,
    );
    await expect(again).rejects.toMatchObject({ name: "StoreError", code: "conflict" });
    const sameKey = store.append([{ type: "insert-question", row: aQuestion({ seq: 2 }), key: "k" }], now);
    await expect(sameKey).rejects.toBeInstanceOf(StoreError);
    expect(await store.lastEvent()).toBe(0);
    expect((await store.counts()).pending).toBe(1);
  });
});

describe("move", () => {
  it("changes what it names, takes away what is null, and raises the revision", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const claim = { claim: "c", run: "a3f2", takenAt: now, leaseUntilAt: now + minute };
    await store.append(
      [{ ...moveOf(id, "pending", "answered"), outcome: "answered", answer: anAnswer() }],
      now,
    );
    await store.append([{ ...moveOf(id, "answered", "applied"), claim }], now);
    expect(await store.question(id)).toEqual(
      aQuestion({ state: "applied", revision: 3, outcome: "answered", answer: anAnswer(), claim }),
    );
    await store.append(
      [{ ...moveOf(id, "applied", "answered"), claim: null, outcome: null, answer: null }],
      now,
    );
    expect(await store.question(id)).toEqual(aQuestion({ state: "answered", revision: 4 }));
    await store.append([{ ...moveOf(id, "answered", "resolved"), result: "failed", why: "gone" }], now);
    expect(await store.question(id)).toEqual(
      aQuestion({ state: "resolved", revision: 5, result: "failed", why: "gone" }),
    );
  });

  it("is a compare-and-set: another state is a conflict that leaves nothing behind", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const wrong = store.append([logOf(id, "question.applied"), moveOf(id, "answered", "applied")], now);
    await expect(wrong).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining(id) });
    expect(await store.question(id)).toEqual(aQuestion());
    expect(await store.lastEvent()).toBe(1);
  });

  it("hands over the row and its copies, or nothing", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const seen = await store.move(id, (stored, copies) => ({ effects: [], value: [stored, copies] }), now);
    expect(seen).toEqual([aQuestion(), []]);
    const { id: missing } = aQuestion({ seq: 9 }).question;
    expect(await store.move(missing, (stored) => ({ effects: [], value: stored }), now)).toBeUndefined();
    expect(await store.question(missing)).toBeUndefined();
    expect(await store.copies(missing)).toEqual([]);
  });
});

describe("lists and counts", () => {
  it("counts every state and lists by state, project and age", async () => {
    const store = await aStore();
    const states = [
      "pending",
      "posted",
      "answered",
      "applied",
      "expired",
      "default_applied",
      "resolved",
      "cancelled",
    ] as const;
    let seq = 0;
    for (const state of [...states, "posted", "resolved"] as const) {
      seq += 1;
      await ask(store, aQuestion({ seq, state, project: seq % 2 ? "odd" : "even" }));
    }
    expect(await store.counts()).toEqual({
      pending: 1,
      posted: 2,
      answered: 1,
      applied: 1,
      expired: 1,
      default_applied: 1,
      resolved: 2,
      cancelled: 1,
    });
    const seqs = async (filter: Parameters<Store["questions"]>[0]): Promise<number[]> =>
      (await store.questions(filter)).map(({ question }) => Number(question.id.split("-").at(-1)));
    expect(await seqs({ limit: 100 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await seqs({ limit: 3, newest: true })).toEqual([10, 9, 8]);
    expect(await seqs({ limit: 9, states: ["posted", "pending"] })).toEqual([1, 2, 9]);
    expect(await seqs({ limit: 2, states: ["resolved", "posted", "answered"], newest: true })).toEqual([
      10, 9,
    ]);
    expect(await seqs({ limit: 9, states: [...states], project: "even" })).toEqual([2, 4, 6, 8, 10]);
    expect(await seqs({ limit: 9, project: "odd", newest: true })).toEqual([9, 7, 5, 3, 1]);
    expect(await seqs({ limit: 9, states: [] })).toEqual([]);
    for (const [at, state] of states.entries())
      expect((await seqs({ limit: 1, states: [state] }))[0]).toBe(at + 1);
  });

  it("keeps the counts right through moves", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const path = [
      "pending",
      "posted",
      "expired",
      "default_applied",
      "expired",
      "answered",
      "applied",
      "resolved",
    ] as const;
    for (const [at, to] of path.entries()) {
      const from = path[at - 1];
      if (from) await store.append([moveOf(id, from, to)], now);
      const counts = await store.counts();
      expect(Object.entries(counts).filter(([, count]) => count !== 0)).toEqual([[to, 1]]);
    }
  });
});

describe("events and notes", () => {
  it("come back in order, by place and by project", async () => {
    const store = await aStore();
    expect(await store.lastEvent()).toBe(0);
    const { id } = aQuestion().question;
    const asked = {
      kind: "question.asked",
      question: id,
      task: "fix-auth",
      project: "shop",
      data: { a: [1] },
    } as const;
    await store.append(
      [
        { type: "log", event: asked },
        { type: "log", event: { kind: "service.started", data: {} } },
      ],
      now,
    );
    await store.append([{ type: "log", event: { ...asked, project: "other" } }], now + 1);
    expect(await store.events(0, 2)).toEqual([
      { seq: 1, at: now, ...asked },
      { seq: 2, at: now, kind: "service.started", data: {} },
    ]);
    expect((await store.events(1, 9)).map(({ seq }) => seq)).toEqual([2, 3]);
    expect((await store.events(0, 9, "shop")).map(({ seq }) => seq)).toEqual([1]);
    expect(await store.lastEvent()).toBe(3);
  });

  it("notes keep who spoke", async () => {
    const store = await aStore();
    const note = {
      project: "shop",
      task: aTask("fix-auth"),
      sender: { via: "cli", host: "mill" },
      text: "mind the gap",
    };
    const runNote = {
      project: "other",
      run: aRun("a3f2"),
      question: aQuestion().question.id,
      sender: { via: "inbox" },
      text: "x",
    };
    await store.append(
      [
        { type: "note", note },
        { type: "note", note: runNote },
      ],
      now,
    );
    expect(await store.notes(0, 9)).toEqual([
      { id: 1, at: now, ...note },
      { id: 2, at: now, ...runNote },
    ]);
    expect(await store.notes(0, 9, "other")).toHaveLength(1);
    expect(await store.notes(1, 9)).toHaveLength(1);
  });
});

describe("the version", () => {
  it("changes with a commit of this process and of another connection, and not by looking", async () => {
    const path = aPath();
    const [one, two] = [await aStore(path), await aStore(path)];
    const before = one.dataVersion();
    await one.append([], now);
    await look(one);
    expect(one.dataVersion()).toBe(before);
    await one.append([sendOf(aQuestion().question.id, "post")], now);
    const own = one.dataVersion();
    expect(own).not.toBe(before);
    await ask(two, aQuestion());
    const foreign = one.dataVersion();
    expect(foreign).not.toBe(own);
    expect(foreign).not.toBe(before);
  });
});
