import { describe, expect, it } from "vitest";
import type { NewAbort } from "../../src/domain/abort.ts";
import type { RunSnapshot, Store, TakeNeed } from "../../src/domain/store.ts";
import { aPath, aQuestion, aRun, aStore, ask, aTask, minute, moveOf, now } from "./builders.ts";

const run = aRun("a3f2");

function anAbort(changes: Partial<NewAbort> = {}): NewAbort {
  return { run, project: "shop", sender: { via: "telegram", by: "eric" }, at: now, ...changes };
}

function abort(store: Store, changes: Partial<NewAbort> = {}): Promise<void> {
  return store.append([{ type: "insert-abort", abort: anAbort(changes) }], now);
}

/** What a take sees, as `run@project`. */
function seen(store: Store, need: Partial<TakeNeed> = {}): Promise<string[]> {
  return store.take({ claim: "c", now, ...need }, ({ aborts = [] }) => ({
    effects: [],
    value: aborts.map((each) => `${each.run}@${each.project}`),
  }));
}

/** Claims whatever nobody holds. */
function take(store: Store, claim: string, at = now): Promise<number> {
  return store.take({ claim, now: at }, ({ aborts = [] }) => {
    const free = aborts.filter((each) => !each.claim || each.claim.leaseUntilAt <= at);
    return {
      effects: free.map(({ id }) => ({
        type: "claim-abort",
        id,
        claim: { claim, takenAt: at, leaseUntilAt: at + minute, run: "a3f2" },
      })),
      value: free.length,
    };
  });
}

describe("which take gets an order to stop", () => {
  it.each<[string, Partial<TakeNeed>, boolean]>([
    ["of everything", {}, true],
    ["of its project", { project: "shop" }, true],
    ["of another project", { project: "site" }, false],
    ["of its run", { run }, true],
    ["of its run and project", { run, project: "shop" }, true],
    ["of its run in a project where that run never asked", { run, project: "attic" }, true],
    ["of another run", { run: aRun("b7d0") }, false],
    ["of a task that its run asked about last", { task: aTask("fix-auth") }, true],
    ["of a task that another run asked about since", { task: aTask("docs") }, false],
    ["of such a task, with its run", { task: aTask("docs"), run }, true],
    ["of a task that nobody asked about", { task: aTask("unheard-of"), project: "shop" }, true],
    ["of one question: that is no loop", { question: aQuestion().question.id }, false],
  ])("a take %s", async (_, need, gets) => {
    const store = await aStore();
    await ask(store, aQuestion());
    await ask(store, aQuestion({ task: "docs" }));
    await ask(store, aQuestion({ task: "docs", run: "b7d0" }));
    await ask(store, aQuestion({ run: "b7d0", project: "site" }));
    await abort(store);
    expect(await seen(store, need)).toEqual(gets ? ["a3f2@shop"] : []);
  });

  it("a run of two projects has an order in each, and neither loop takes that of the other", async () => {
    const store = await aStore();
    await ask(store, aQuestion());
    await ask(store, aQuestion({ seq: 2, project: "site" }));
    await abort(store);
    await abort(store, { project: "site" });
    expect(await seen(store, { run, project: "shop" })).toEqual(["a3f2@shop"]);
    expect(await seen(store, { project: "site" })).toEqual(["a3f2@site"]);
    expect(await seen(store, { run })).toEqual(["a3f2@shop", "a3f2@site"]);
  });

  it("comes back to the claim that holds it, whatever is asked for", async () => {
    const store = await aStore();
    await ask(store, aQuestion());
    await abort(store);
    await take(store, "c");
    expect(await seen(store, { run: aRun("b7d0") })).toEqual(["a3f2@shop"]);
    expect(await seen(store, { claim: "d", run: aRun("b7d0") })).toEqual([]);
  });
});

describe("a claim on an order to stop", () => {
  it("field 64: of 20 takes at once, in two processes, one gets it", async () => {
    const path = aPath();
    const [one, two] = [await aStore(path), await aStore(path)];
    await ask(one, aQuestion());
    await abort(one);
    const got = await Promise.all(Array.from({ length: 20 }, (_, at) => take(at % 2 ? one : two, `c${at}`)));
    expect(got.filter((count) => count > 0)).toEqual([1]);
  });

  it("lapses unless it is confirmed; then it is gone for good", async () => {
    const store = await aStore();
    await ask(store, aQuestion());
    await abort(store);
    expect(await take(store, "dead")).toBe(1);
    expect(await take(store, "early", now + minute - 1)).toBe(0);
    expect(await take(store, "next", now + minute)).toBe(1);
    expect(await store.confirm("dead", now + minute)).toEqual([]);
    expect(await store.confirm("next", now + 2 * minute, { take: "mark" })).toEqual([run]);
    expect(await store.aborts()).toEqual([]);
    expect(await take(store, "later", now + 60 * minute)).toBe(0);
    expect(await seen(store, { claim: "next" })).toEqual([]);
  });

  it("is confirmed once, together with its questions, and told again", async () => {
    const store = await aStore();
    const claim = { claim: "mine", takenAt: now, leaseUntilAt: now + minute };
    const id = await ask(store, aQuestion({ state: "applied", claim }));
    await abort(store);
    await take(store, "mine");
    expect(await store.confirm("mine", now)).toEqual([id, run]);
    expect(await store.confirm("mine", now + 1)).toEqual([id, run]);
    const kinds = (await store.events(1, 9)).map(({ kind, project, data }) => [kind, project, data]);
    expect(kinds).toEqual([
      ["question.confirmed", "shop", {}],
      ["run.abort-confirmed", "shop", { run }],
    ]);
  });

  it("cannot be laid on one that was confirmed", async () => {
    const store = await aStore();
    await ask(store, aQuestion());
    await abort(store);
    const [waiting] = await store.aborts();
    await take(store, "mine");
    await store.confirm("mine", now);
    const late = { claim: "late", takenAt: now, leaseUntilAt: now + minute };
    await expect(
      store.append([{ type: "claim-abort", id: waiting?.id ?? 0, claim: late }], now),
    ).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("an order to stop", () => {
  it("waits once for each run and project, and again when the first was confirmed", async () => {
    const store = await aStore();
    await ask(store, aQuestion());
    await abort(store);
    await expect(abort(store)).rejects.toThrow();
    await take(store, "mine");
    await store.confirm("mine", now);
    await abort(store, { at: now + 5 });
    expect(await store.aborts()).toEqual([{ ...anAbort({ at: now + 5 }), id: 2 }]);
  });

  it("field 66: it is stored with everything that it cancels, or nothing is", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ seq: 1 }));
    const two = await ask(store, aQuestion({ seq: 2 }));
    const effects = [
      moveOf(one, "pending", "cancelled"),
      { type: "insert-abort", abort: anAbort() } as const,
      // What the transaction cannot do undoes all of it.
      moveOf(two, "posted", "cancelled"),
    ];
    await expect(store.append(effects, now)).rejects.toMatchObject({ code: "conflict" });
    expect([(await store.question(one))?.state, await store.aborts()]).toEqual(["pending", []]);
    expect((await store.counts()).cancelled).toBe(0);
  });

  it("is seen by an ask of that run alone, and until it is confirmed", async () => {
    const store = await aStore();
    const sees = (of: string) =>
      store.ask(
        { project: "site", run: aRun(of), task: aTask("docs") },
        ({ abort: waiting }) => ({ effects: [], value: waiting?.run }),
        now,
      );
    await ask(store, aQuestion());
    expect(await sees("a3f2")).toBeUndefined();
    await abort(store);
    expect([await sees("a3f2"), await sees("b7d0")]).toEqual([run, undefined]);
    await take(store, "mine");
    expect(await sees("a3f2")).toBe(run);
    await store.confirm("mine", now);
    expect(await sees("a3f2")).toBeUndefined();
  });

  it("a turn sees all open questions of the run with their copies, its projects and what waits", async () => {
    const store = await aStore();
    const rows = Array.from({ length: 250 }, (_, at) => aQuestion({ seq: at + 1 }));
    await store.append(
      rows.map((row) => ({ type: "insert-question", row })),
      now,
    );
    await ask(store, aQuestion({ seq: 300, project: "site", state: "answered", zone: "UTC" }));
    await ask(store, aQuestion({ run: "b7d0" }));
    await abort(store);
    let got: RunSnapshot | undefined;
    await store.turn(
      { channel: "telegram", inputs: [{ key: "1", payload: {} }] },
      () => ({ questions: [], runs: [run] }),
      ({ runs, copies }) => {
        got = runs?.get(run);
        const text = String(got?.open.every(({ question }) => copies.has(question.id)));
        return { effects: [], value: { accepted: true, state: "told", text } };
      },
      now,
    );
    expect(got?.open.map(({ question }) => question.id)).toEqual(rows.map(({ question }) => question.id));
    expect(got).toMatchObject({
      projects: ["shop", "site"],
      zone: "UTC",
      aborts: [{ run, project: "shop" }],
    });
  });
});
