import { describe, expect, it } from "vitest";
import { aPath, aPress, aQuestion, aStore, ask, logOf, moveOf, now, press } from "./builders.ts";

describe("turn", () => {
  it("stores an input once: the same key gives the stored ack and changes nothing", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const [first] = await press(store, [aPress(id, "u1")]);
    expect(first).toEqual({ accepted: true, state: "answered", text: "answered: 1" });
    const revision = (await store.question(id))?.revision;
    const again = await press(store, [aPress(id, "u1"), aPress(id, "u1", "2")]);
    expect(again[0]).toEqual({ ...first, repeated: true, replayed: true });
    // Another reply under a key that was used is never told the ack of the first.
    expect(again[1]).toMatchObject({ accepted: false, reason: "bad-command" });
    expect((await store.question(id))?.revision).toBe(revision);
    expect(await store.lastEvent()).toBe(2);
  });

  it("gives a refusal again as it was", async () => {
    const store = await aStore();
    const { id } = aQuestion().question;
    const refused = { accepted: false, reason: "no-such-question", text: "no such question" };
    expect(await press(store, [aPress(id, "u1")])).toEqual([refused]);
    await ask(store, aQuestion());
    expect(await press(store, [aPress(id, "u1")])).toEqual([{ ...refused, replayed: true }]);
    expect((await press(store, [aPress(id, "u2")]))[0]?.accepted).toBe(true);
  });

  it("keeps keys of different channels apart", async () => {
    const store = await aStore();
    const decided: string[] = [];
    for (const channel of ["cli", "inbox", "cli"]) {
      await store.turn(
        { channel, inputs: [{ key: "1", payload: undefined }] },
        () => ({ questions: [] }),
        () => {
          decided.push(channel);
          return { effects: [], value: { accepted: true, state: "", text: "" } };
        },
        now,
      );
    }
    expect(decided).toEqual(["cli", "inbox"]);
  });

  it("shows a later input of a batch what an earlier one did", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const acks = await press(store, [aPress(id, "u1", "2"), aPress(id, "u2", "1")]);
    expect(acks.map((ack) => ack.text)).toEqual(["answered: 2", "already answered: option 2"]);
  });

  it("decides a batch about many questions, known and unknown, each once", async () => {
    const store = await aStore();
    const rows = [1, 2, 3].map((seq) => aQuestion({ seq }));
    const [one, two] = await Promise.all(rows.slice(0, 2).map((row) => ask(store, row, "telegram")));
    if (!one || !two || !rows[2]) throw new Error("two were asked");
    for (const job of await store.nextJobs(now, 9))
      await store.sent(job, { ref: "m1", revision: 1 }, () => [], now);
    const batch = [
      aPress(two, "u1"),
      aPress(rows[2].question.id, "u2"),
      aPress(one, "u3", "2"),
      aPress(two, "u1"),
    ];
    const acks = await press(store, batch);
    expect(acks.map((ack) => ack.text)).toEqual([
      "answered: 1",
      "no such question",
      "answered: 2",
      "answered: 1",
    ]);
    expect(acks[3]).toHaveProperty("repeated", true);
    const jobs = await store.nextJobs(now, 9);
    expect(jobs.map((job) => job.question)).toEqual([two]);
  });

  it("commits the cursor with the replies, or neither", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    await press(store, [aPress(id, "u1")], "41");
    expect(await store.cursor("telegram")).toBe("41");
    expect(await store.cursor("slack")).toBeUndefined();
    const failing = store.turn(
      { channel: "telegram", inputs: [{ key: "u2", payload: {} }], cursor: "42" },
      () => ({ questions: [id] }),
      () => ({
        effects: [logOf(id, "reply.refused"), moveOf(id, "pending", "answered")],
        value: { accepted: true, state: "answered", text: "" },
      }),
      now,
    );
    await expect(failing).rejects.toMatchObject({ code: "conflict" });
    expect(await store.cursor("telegram")).toBe("41");
    expect(await store.lastEvent()).toBe(2);
    expect((await press(store, [aPress(id, "u2")]))[0]).not.toHaveProperty("repeated");
    await store.setCursor("telegram", "43", now);
    expect(await store.cursor("telegram")).toBe("43");
    const version = store.dataVersion();
    await press(store, [], "43");
    // The same cursor again is not written.
    expect(store.dataVersion()).toBe(version);
  });

  it("field 63: of 50 answers at once one wins, and 49 are told by whom", async () => {
    const path = aPath();
    const stores = await Promise.all(Array.from({ length: 5 }, () => aStore(path)));
    const first = stores[0] ?? (await aStore(path));
    const id = await ask(first, aQuestion());
    const acks = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        press(stores[at % 5] ?? first, [aPress(id, `u${at}`, at % 2 ? "1" : "2")]),
      ),
    );
    const flat = acks.flat();
    const winners = flat.filter((ack) => ack.accepted);
    const option = (await first.question(id))?.answer?.option;
    expect(winners).toEqual([{ accepted: true, state: "answered", text: `answered: ${option}` }]);
    const losers = flat.filter((ack) => ack.text === `already answered: option ${option}`);
    expect(losers).toHaveLength(49);
    expect((await first.events(0, 99)).filter((event) => event.kind === "question.answered")).toHaveLength(1);
  });
});
