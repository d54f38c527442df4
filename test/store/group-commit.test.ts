import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/sqlite.ts";
import { aPath, aQuestion, aStore, ask, logOf, moveOf, now, sendOf } from "./builders.ts";

describe("writes in flight together", () => {
  it("each is on its own: one that throws takes back its own alone", async () => {
    const store = await aStore();
    const boom = new Error("boom");
    const { id } = aQuestion().question;
    const results = await Promise.allSettled([
      ask(store, aQuestion({ seq: 1 }), "telegram"),
      store.move(
        id,
        () => {
          throw boom;
        },
        now,
      ),
      store.append(
        [sendOf(id, "post"), logOf(id, "question.applied"), moveOf(id, "answered", "applied")],
        now,
      ),
      ask(store, aQuestion({ seq: 2 }), "telegram"),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(results[1]).toMatchObject({ reason: boom });
    expect(results[2]).toMatchObject({ reason: { code: "conflict" } });
    expect((await store.counts()).pending).toBe(2);
    expect((await store.events(0, 9)).map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, "question.asked"],
      [2, "question.asked"],
    ]);
  });

  it("a throwing decide that comes alone leaves nothing, and its error comes through as it is", async () => {
    const store = await aStore();
    const boom = new RangeError("boom");
    const { id } = aQuestion().question;
    const failing = store.move(
      id,
      () => {
        throw boom;
      },
      now,
    );
    await expect(failing).rejects.toBe(boom);
    await ask(store, aQuestion());
    expect((await store.counts()).pending).toBe(1);
  });

  it("share one transaction, in the order of the calls; a later one sees an earlier one", async () => {
    const path = aPath();
    const [store, other] = [await aStore(path), await aStore(path)];
    const before = other.dataVersion();
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        store.ask(
          { project: "shop", run: aQuestion().question.run, task: aQuestion().question.task },
          ({ nextSeq }) => {
            seen.push(nextSeq);
            // Nobody else may see a part of the group.
            expect(other.dataVersion()).toBe(before);
            return { effects: [{ type: "insert-question", row: aQuestion({ seq: nextSeq }) }], value: at };
          },
          now,
        ),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
    expect(other.dataVersion() - before).toBe(1);
  });

  it("more than fit in one commit are committed one after the other", async () => {
    const store = await aStore();
    const rows = Array.from({ length: 700 }, (_, at) => aQuestion({ seq: at + 1 }));
    const ids = await Promise.all(rows.map((row) => ask(store, row)));
    expect(ids).toEqual(rows.map((row) => row.question.id));
    expect((await store.counts()).pending).toBe(700);
  });

  it("all fail by name when the lock cannot be had, and the same again succeeds", async () => {
    const path = aPath();
    const store = await aStore(path, { busyTimeoutMs: 20 });
    const holder = new Database(path);
    holder.exec("BEGIN IMMEDIATE");
    const writes = (): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled([ask(store, aQuestion()), store.setCursor("telegram", "1", now)]);
    const busy = { status: "rejected", reason: { name: "StoreError", code: "busy" } };
    expect(await writes()).toMatchObject([busy, busy]);
    expect((await store.counts()).pending).toBe(0);
    holder.exec("ROLLBACK");
    holder.close();
    expect((await writes()).map((result) => result.status)).toEqual(["fulfilled", "fulfilled"]);
    expect((await store.counts()).pending).toBe(1);
  });

  it("wait for the lock of another connection while the event loop turns", async () => {
    const path = aPath();
    const store = await aStore(path);
    const holder = new Database(path);
    holder.exec("BEGIN IMMEDIATE");
    const asked = Promise.all([ask(store, aQuestion()), ask(store, aQuestion({ seq: 2 }))]);
    // Only a timer of this very event loop lets the lock go.
    setTimeout(() => holder.exec("ROLLBACK"), 60);
    expect(await asked).toHaveLength(2);
    expect((await store.counts()).pending).toBe(2);
    holder.close();
  });

  it("close waits for what was asked for before, and takes nothing after", async () => {
    const path = aPath();
    const store = await openStore(path);
    const asked = ask(store, aQuestion());
    await store.close();
    expect(await asked).toBe(aQuestion().question.id);
    await expect(ask(store, aQuestion({ seq: 2 }))).rejects.toMatchObject({ code: "closed" });
    await expect(store.counts()).rejects.toMatchObject({ code: "closed" });
    expect((await (await aStore(path)).counts()).pending).toBe(1);
  });
});
