import { describe, expect, it } from "vitest";
import type { Effect, GatheredLine, GatheredReceipt, Store } from "../../src/domain/store.ts";
import { aPath, aQuestion, aStore, ask, minute, now } from "./builders.ts";

const due = now + minute;

function gather(text: string, more: Partial<GatheredLine> = {}): Effect {
  const line = { channel: "telegram", sender: "7", destination: "42", text, dueAt: due };
  return { type: "gather", line: { ...line, ...more } };
}

function sweep(store: Store, at: number, limit = 9): Promise<readonly GatheredReceipt[]> {
  return store.sweep(at, limit, ({ gathered }) => ({ effects: [], value: gathered ?? [] }));
}

describe("gathered receipts", () => {
  it("the first line sets the hour and the message that is answered; the others join it in order", async () => {
    const path = aPath();
    const store = await aStore(path);
    await store.append([gather("one", { replyTo: "42:1" })], now);
    await store.append([gather("two", { replyTo: "42:2", dueAt: due + 9 }), gather("three")], now);
    expect(await store.nextSweepAt(now)).toBe(due);
    expect(await sweep(store, due - 1)).toEqual([]);
    expect(await sweep(await aStore(path), due)).toEqual([
      {
        channel: "telegram",
        sender: "7",
        destination: "42",
        replyTo: "42:1",
        lines: ["one", "two", "three"],
      },
    ]);
    expect(await store.nextSweepAt(now)).toBeUndefined();
    expect(await sweep(store, due)).toEqual([]);
  });

  it("a line after the sweep begins another receipt", async () => {
    const store = await aStore();
    await store.append([gather("one")], now);
    await sweep(store, due);
    await store.append([gather("two", { dueAt: due + minute })], due);
    expect(await store.nextSweepAt(due)).toBe(due + minute);
    expect((await sweep(store, due + minute)).map(({ lines }) => lines)).toEqual([["two"]]);
  });

  it("each sender, and each place where they speak, has its own; the oldest come first, within the limit", async () => {
    const store = await aStore();
    await store.append(
      [
        gather("a", { dueAt: due + 2 }),
        gather("b", { sender: "8", dueAt: due + 1 }),
        gather("c", { destination: "-100" }),
        gather("d", { channel: "slack", dueAt: due + 3 }),
        gather("e", { sender: "8" }),
      ],
      now,
    );
    const lines = async (limit: number) =>
      (await sweep(store, due + 9, limit)).map((receipt) => [receipt.sender, ...receipt.lines]);
    expect(await lines(2)).toEqual([
      ["7", "c"],
      ["8", "b", "e"],
    ]);
    expect(await store.nextSweepAt(due)).toBe(due + 2);
    expect(await lines(9)).toEqual([
      ["7", "a"],
      ["7", "d"],
    ]);
  });

  it("stay when the sweep that took them fails", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    await store.append([gather("one")], now);
    const failing = store.sweep(due, 9, () => ({
      effects: [{ type: "move-question", id, from: "posted", to: "expired" }],
      value: undefined,
    }));
    await expect(failing).rejects.toMatchObject({ code: "conflict" });
    expect((await sweep(store, due)).map(({ lines }) => lines)).toEqual([["one"]]);
  });
});

describe("a receipt in the outbox", () => {
  it("keeps the message that it answers, and has a key of its own", async () => {
    const store = await aStore();
    const { id } = aQuestion().question;
    const job = {
      channel: "telegram",
      destination: "42",
      kind: "receipt",
      notice: { kind: "receipt", text: "✅ Answered: 1" },
    } as const;
    await store.append(
      [
        { type: "send", job: { ...job, replyTo: "42:9" } },
        { type: "send", job },
        { type: "send", job: { ...job, question: id } },
      ],
      now,
    );
    const keys: string[] = [];
    const told: unknown[] = [];
    for (let [head] = await store.nextJobs(now, 1); head; [head] = await store.nextJobs(now, 1)) {
      const { key, kind, notice, replyTo, question } = head;
      told.push([kind, notice?.text, replyTo, question]);
      keys.push(key);
      await store.sent(head, undefined, () => [], now);
    }
    expect(told).toEqual([
      ["receipt", "✅ Answered: 1", "42:9", undefined],
      ["receipt", "✅ Answered: 1", undefined, undefined],
      ["receipt", "✅ Answered: 1", undefined, id],
    ]);
    expect(new Set(keys).size).toBe(3);
  });
});
