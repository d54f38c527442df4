import { describe, expect, it } from "vitest";
import type { PairingCode } from "../../src/domain/person.ts";
import type { Effect, PeopleSnapshot, Store } from "../../src/domain/store.ts";
import { aPath, aStore, minute, now } from "./builders.ts";
import { aCode, bindOf, eric, mara } from "./people.ts";

async function pair(store: Store, ...effects: readonly Effect[]): Promise<PeopleSnapshot> {
  return store.pair((snapshot) => ({ effects, value: snapshot }), now);
}

async function newCode(store: Store, more: Parameters<typeof aCode>[0] = {}): Promise<PairingCode> {
  await pair(store, { type: "insert-code", code: aCode(more) });
  const code = (await store.codes(now)).at(-1);
  if (!code) throw new Error("a code was made");
  return code;
}

describe("bindings", () => {
  it("are made with their person, kept in the order of pairing, and survive a reopening", async () => {
    const path = aPath();
    const store = await aStore(path);
    await pair(store, bindOf(mara, "7"), bindOf(eric, "42"), bindOf(eric, "U02", { channel: "slack" }));
    const bindings = [
      { id: 1, person: mara, channel: "telegram", address: "7", createdAt: now },
      { id: 2, person: eric, channel: "telegram", address: "42", createdAt: now },
      { id: 3, person: eric, channel: "slack", address: "U02", createdAt: now },
    ];
    expect(await store.bindings()).toEqual(bindings);
    expect(await (await aStore(path)).bindings()).toEqual(bindings);
    expect(await pair(store)).toEqual({ bindings, codes: [] });
  });

  it("whoever decides is told the number that the next one gets, also after one was taken away", async () => {
    const store = await aStore();
    const told = (effects: readonly Effect[]) =>
      store.pair((_snapshot, nextId) => ({ effects, value: nextId }), now);
    expect(await told([bindOf(mara, "7")])).toBe(1);
    expect(await told([{ type: "unbind", binding: 1 }])).toBe(2);
    expect(await told([{ type: "insert-code", code: aCode() }])).toBe(2);
    expect(await told([bindOf(eric, "42")])).toBe(3);
    expect((await store.bindings()).map(({ id }) => id)).toEqual([3]);
  });

  it("someone who is known keeps their role", async () => {
    const store = await aStore();
    await pair(store, bindOf(eric, "42"));
    await pair(store, bindOf({ name: "eric", role: "viewer" }, "U02", { channel: "slack" }));
    expect((await store.bindings()).map(({ person }) => person)).toEqual([eric, eric]);
  });

  it("an address of a channel is bound once; the same on another channel is another address", async () => {
    const store = await aStore();
    await pair(store, bindOf(eric, "42"));
    await expect(pair(store, bindOf(mara, "42"))).rejects.toMatchObject({
      name: "StoreError",
      code: "conflict",
    });
    await pair(store, bindOf(mara, "42", { channel: "slack" }));
    expect((await store.bindings()).map(({ person }) => person.name)).toEqual(["eric", "mara"]);
  });

  it("a person whose last binding went is forgotten, and may come back with another role", async () => {
    const store = await aStore();
    await pair(store, bindOf(eric, "42"), bindOf(eric, "U02", { channel: "slack" }));
    await pair(store, { type: "unbind", binding: 1 });
    await pair(store, bindOf({ name: "eric", role: "viewer" }, "43"));
    expect((await store.bindings()).map(({ person }) => person)).toEqual([eric, eric]);
    for (const { id } of await store.bindings()) await pair(store, { type: "unbind", binding: id });
    expect(await store.bindings()).toEqual([]);
    await pair(store, bindOf({ name: "eric", role: "viewer" }, "42"));
    expect((await store.bindings())[0]?.person).toEqual({ name: "eric", role: "viewer" });
  });

  it("an id is never given twice, so that an old line to revoke it hits nobody else", async () => {
    const store = await aStore();
    await pair(store, bindOf(eric, "42"));
    await pair(store, { type: "unbind", binding: 1 });
    await pair(store, { type: "insert-code", code: aCode() }, bindOf(mara, "7"));
    expect((await store.codes(now)).map(({ id }) => id)).toEqual([2]);
    expect((await store.bindings()).map(({ id }) => id)).toEqual([3]);
    await pair(store, { type: "unbind", binding: 1 }, { type: "revoke-codes", codes: [1, 3] });
    expect(await store.bindings()).toHaveLength(1);
    expect(await store.codes(now)).toHaveLength(1);
  });

  it("can be replaced in one change", async () => {
    const store = await aStore();
    await pair(store, bindOf(eric, "42"));
    await pair(store, { type: "unbind", binding: 1 }, bindOf(mara, "42"));
    expect((await store.bindings()).map(({ person, address }) => [person.name, address])).toEqual([
      ["mara", "42"],
    ]);
  });
});

describe("pairing codes", () => {
  it("come back as they were stored, and are live until they run out", async () => {
    const store = await aStore();
    const plain = aCode();
    const addressed = aCode({ channel: "email", address: "mara@example.org", person: mara });
    await pair(store, { type: "insert-code", code: plain }, { type: "insert-code", code: addressed });
    const codes = [
      { ...plain, id: 1, createdAt: now, failures: 0 },
      { ...addressed, id: 2, createdAt: now, failures: 0 },
    ];
    expect(await store.codes(now)).toEqual(codes);
    expect(await pair(store)).toEqual({ bindings: [], codes });
    expect(await store.codes(plain.expiresAt - 1)).toHaveLength(2);
    expect(await store.codes(plain.expiresAt)).toEqual([]);
  });

  it("bind once", async () => {
    const store = await aStore();
    const { id } = await newCode(store);
    await pair(store, bindOf(eric, "42", { code: id }));
    expect(await store.codes(now)).toEqual([]);
    // Known before it is made: the line that revokes it goes out in the same change.
    expect(await store.bindings()).toMatchObject([{ id, address: "42" }]);
    const again = pair(store, bindOf(eric, "43", { code: id }));
    await expect(again).rejects.toMatchObject({
      name: "StoreError",
      code: "conflict",
      message: expect.stringContaining("owlpost pair"),
    });
    expect((await store.bindings()).map(({ address }) => address)).toEqual(["42"]);
  });

  it("bind nobody on another channel, after their time, or revoked; and then nothing of the change stays", async () => {
    const store = await aStore();
    const { id, expiresAt } = await newCode(store);
    const wrong = pair(store, bindOf(eric, "U02", { channel: "slack", code: id }));
    await expect(wrong).rejects.toMatchObject({ code: "conflict" });
    const late = store.pair(
      () => ({ effects: [bindOf(eric, "42", { code: id })], value: undefined }),
      expiresAt,
    );
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect(await store.codes(now)).toHaveLength(1);
    await pair(store, { type: "revoke-codes", codes: [id] });
    await expect(pair(store, bindOf(eric, "42", { code: id }))).rejects.toMatchObject({ code: "conflict" });
    expect(await store.bindings()).toEqual([]);
  });

  it("a wrong attempt counts against every live code of its channel, and those past leave the file", async () => {
    const store = await aStore();
    await newCode(store, { expiresAt: now + 1 });
    await newCode(store);
    await newCode(store, { channel: "slack" });
    const fail: Effect = { type: "fail-codes", channel: "telegram" };
    await pair(store, fail, fail);
    await store.append([fail], now + 1);
    const failures = async (at: number): Promise<number[]> =>
      (await store.codes(at)).map((code) => code.failures);
    expect(await failures(now)).toEqual([2, 3, 0]);
    await store.append([{ type: "insert-code", code: aCode() }], now + 1);
    expect(await failures(now)).toEqual([3, 0, 0]);
  });

  it("of ten that race in one process for a code, one is bound", async () => {
    const path = aPath();
    const stores = [await aStore(path), await aStore(path)];
    const { id } = await newCode(stores[0] as Store);
    const told = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (stores[at % 2] as Store).pair(({ codes }) => {
          const live = codes.some((code) => code.id === id);
          return { effects: live ? [bindOf(eric, `${at}`, { code: id })] : [], value: live };
        }, now),
      ),
    );
    expect(told.filter((bound) => bound)).toHaveLength(1);
    expect(await (stores[1] as Store).bindings()).toHaveLength(1);
  });
});

describe("counters of a sender", () => {
  it("are set by name, for that sender of that channel alone", async () => {
    const store = await aStore();
    const refusals = { channel: "telegram", sender: "42", name: "refusals", value: 1, sinceAt: now } as const;
    const help = { ...refusals, name: "help", value: 9 } as const;
    await store.append(
      [
        { type: "count", counter: refusals },
        { type: "count", counter: help },
        { type: "count", counter: { ...refusals, sender: "43" } },
        { type: "count", counter: { ...refusals, value: 2, sinceAt: now + minute } },
      ],
      now,
    );
    expect(await store.counters("telegram", "42")).toEqual([
      help,
      { ...refusals, value: 2, sinceAt: now + minute },
    ]);
    expect(await store.counters("telegram", "43")).toEqual([{ ...refusals, sender: "43" }]);
    expect(await store.counters("slack", "42")).toEqual([]);
  });
});
