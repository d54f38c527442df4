import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Effect, Job, Store } from "../../src/domain/store.ts";
import { aPath, aQuestion, aStore, ask, logOf, minute, moveOf, now, sendOf } from "./builders.ts";

async function head(store: Store, at = now): Promise<Job> {
  const [job] = await store.nextJobs(at, 1);
  if (!job) throw new Error("the outbox is empty");
  return job;
}

/** Takes every job out, and gives their keys in the order in which they would have been sent. */
async function drained(store: Store, at = now): Promise<string[]> {
  const keys: string[] = [];
  for (let jobs = await store.nextJobs(at, 99); jobs.length > 0; jobs = await store.nextJobs(at, 99)) {
    for (const job of jobs) {
      keys.push(`${job.channel} ${job.key.split("/").slice(0, 2).join("/")}`);
      await store.drop(job, [], now);
    }
  }
  return keys;
}

/** The ids of all jobs, which leave as if they had been sent. */
function sentAway(path: string): number[] {
  const db = new Database(path);
  const ids = db.prepare<[], number>("DELETE FROM outbox RETURNING id").pluck().all();
  db.close();
  return ids.sort((a, b) => a - b);
}

function none(): readonly Effect[] {
  return [];
}

describe("the outbox", () => {
  it("keeps the order of each destination, and gives the head of every queue", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ seq: 1 }), "telegram", "slack");
    const two = await ask(store, aQuestion({ seq: 2 }), "telegram");
    await store.append([sendOf(one, "edit", "telegram", "43")], now);
    const jobs = await store.nextJobs(now, 9);
    expect(jobs.map(({ channel, destination, question }) => [channel, destination, question])).toEqual([
      ["telegram", "42", one],
      ["slack", "42", one],
      ["telegram", "43", one],
    ]);
    expect(await store.nextJobs(now, 2)).toHaveLength(2);
    await store.sent(jobs[0] as Job, undefined, none, now);
    expect((await store.nextJobs(now, 9)).map((job) => job.question)).toEqual([one, two, one]);
  });

  it("shows one queue from its head on, in order, also while it waits", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ seq: 1 }), "telegram", "slack");
    const two = await ask(store, aQuestion({ seq: 2 }), "telegram");
    await store.append([sendOf(one, "edit", "telegram", "43"), sendOf(one, "edit")], now);
    await store.postpone(await head(store), now + minute);
    const queued = async (limit: number, channel = "telegram", destination = "42") =>
      (await store.queue(channel, destination, limit)).map(({ kind, question }) => [kind, question]);
    expect(await queued(9)).toEqual([
      ["post", one],
      ["post", two],
      ["edit", one],
    ]);
    expect(await queued(2)).toHaveLength(2);
    expect(await queued(9, "telegram", "43")).toEqual([["edit", one]]);
    expect(await queued(9, "telegram", "4")).toEqual([]);
    const [first, second] = await store.queue("telegram", "42", 2);
    await Promise.all([first, second].map((job) => store.sent(job as Job, undefined, none, now)));
    expect(await queued(9)).toEqual([["edit", one]]);
  });

  it("holds a queue while its head waits, and no other queue", async () => {
    const store = await aStore();
    const one = await ask(store, aQuestion({ seq: 1 }), "telegram", "slack");
    await ask(store, aQuestion({ seq: 2 }), "telegram");
    expect(await store.nextJobAt()).toBe(now);
    await store.postpone(await head(store), now + minute);
    expect((await store.nextJobs(now, 9)).map((job) => job.channel)).toEqual(["slack"]);
    await store.drop(await head(store), [], now);
    expect(await store.nextJobs(now, 9)).toEqual([]);
    expect(await store.nextJobAt()).toBe(now + minute);
    expect(await head(store, now + minute)).toMatchObject({
      question: one,
      attempts: 1,
      notBeforeAt: now + minute,
    });
  });

  it("never gives an id or a key twice, however little is logged", async () => {
    const path = aPath();
    const store = await aStore(path);
    const { id } = aQuestion().question;
    const seen: number[] = [];
    for (const [sends, logs] of [
      [2, 1],
      [2, 0],
      [2, 0],
      [5_000, 1],
      [3, 1],
      [1, 0],
      [5_000, 0],
      [2, 2],
      [2, 0],
    ] as const) {
      const effects = [
        ...Array.from({ length: sends }, () => sendOf(id, "post")),
        ...Array.from({ length: logs }, () => logOf(id, "question.posted")),
      ];
      // Logs stand before, after and between the sends.
      await store.append(seen.length % 2 ? effects.reverse() : effects, now);
      seen.push(...sentAway(path));
    }
    expect(seen).toHaveLength(10_014);
    expect(seen.every((number, at) => at === 0 || number > (seen[at - 1] ?? 0))).toBe(true);
    expect(Number.isSafeInteger(seen.at(-1))).toBe(true);
  });

  it("carries notices, and keys that name what they carry", async () => {
    const store = await aStore();
    const notice = { kind: "stalled", text: "no progress for 2 h" };
    await store.append(
      [{ type: "send", job: { channel: "telegram", destination: "42", kind: "notice", notice } }],
      now,
    );
    const job = await head(store);
    expect(job).toEqual({
      channel: "telegram",
      destination: "42",
      kind: "notice",
      notice,
      id: job.id,
      key: `notice/notice/${job.id}`,
      attempts: 0,
      notBeforeAt: now,
      createdAt: now,
    });
  });
});

describe("sent", () => {
  async function post(store: Store, id: QuestionId): Promise<void> {
    const decide = (): Effect[] => [moveOf(id, "pending", "posted"), logOf(id, "question.posted")];
    await store.sent(await head(store), { ref: "m1", revision: 1 }, decide, now);
  }

  it("records the copy and moves the question in one transaction", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(), "telegram");
    await post(store, id);
    expect(await store.copies(id)).toEqual([
      { question: id, channel: "telegram", destination: "42", ref: "m1", revision: 1, postedAt: now },
    ]);
    expect((await store.question(id))?.state).toBe("posted");
    expect(await store.nextJobAt()).toBeUndefined();
  });

  it("does it all or nothing", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(), "telegram");
    const wrong = (): Effect[] => [moveOf(id, "posted", "answered")];
    const failing = store.sent(await head(store), { ref: "m1", revision: 1 }, wrong, now);
    await expect(failing).rejects.toMatchObject({ code: "conflict" });
    expect(await store.copies(id)).toEqual([]);
    expect((await head(store)).question).toBe(id);
  });

  it("told twice counts once", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(), "telegram");
    const job = await head(store);
    const decide = (): Effect[] => [logOf(id, "question.posted")];
    await store.sent(job, { ref: "m1", revision: 1 }, decide, now);
    await store.sent(job, { ref: "m1", revision: 1 }, decide, now);
    await store.drop(job, decide(), now);
    await store.postpone(job, now);
    expect(await store.lastEvent()).toBe(2);
    expect(await store.nextJobAt()).toBeUndefined();
  });

  it("keeps several copies at one destination, each by its own message", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(), "telegram");
    await post(store, id);
    const adopted = { question: id, channel: "telegram", destination: "42", ref: "m0" };
    const adopt = (revision: number): Promise<void> =>
      store.append([{ type: "adopt-copy", ...adopted, revision }], now + 1);
    const shown = async () => (await store.copies(id)).map(({ ref, revision }) => [ref, revision]);
    await adopt(0);
    expect(await shown()).toEqual([
      ["m0", 0],
      ["m1", 1],
    ]);
    await adopt(2);
    await adopt(0);
    expect(await shown()).toEqual([
      ["m0", 2],
      ["m1", 1],
    ]);
  });

  it("never lets an older revision overwrite a newer one", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion(), "telegram");
    await post(store, id);
    const revisionAfter = async (revision: number): Promise<number | undefined> => {
      await store.append([sendOf(id, "edit")], now);
      await store.sent(await head(store), { ref: "m1", revision }, none, now + 1);
      return (await store.copies(id))[0]?.revision;
    };
    expect(await revisionAfter(3)).toBe(3);
    expect(await revisionAfter(2)).toBe(3);
    expect((await store.copies(id))[0]?.postedAt).toBe(now);
  });
});

describe("edits", () => {
  it("one edit of a copy waits at a time, with the attempts that were made", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    await store.append([sendOf(id, "edit")], now);
    const first = await head(store);
    await store.postpone(first, now + minute);
    await store.append([sendOf(id, "edit"), sendOf(id, "edit", "slack"), sendOf(id, "post")], now);
    const waiting = (await store.nextJobs(now + minute, 9)).find((job) => job.channel === "telegram");
    expect(waiting).toMatchObject({ kind: "edit", attempts: 1, notBeforeAt: now + minute });
    expect(waiting?.id).toBeGreaterThan(first.id);
    await store.drop(waiting as Job, [], now);
    expect(await drained(store)).toEqual([`slack ${id}/edit`, `telegram ${id}/post`]);
  });

  it("the same holds for many edits of one queue in one change, and for two edits of one copy", async () => {
    const store = await aStore();
    const rows = [1, 2, 3, 4].map((seq) => aQuestion({ seq }));
    const ids = await Promise.all(rows.map((row) => ask(store, row)));
    const edits = ids.map((id) => sendOf(id, "edit"));
    await store.append(edits, now);
    await store.postpone(await head(store), now + minute);
    await store.append([...edits, ...edits], now);
    const before = await head(store, now + minute);
    expect(before).toMatchObject({ question: ids[0], attempts: 1, notBeforeAt: now + minute });
    expect(await drained(store, now + minute)).toEqual(ids.map((id) => `telegram ${id}/edit`));
  });

  it("a question that closes and moves on in one change waits with one edit a copy", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    const edit = sendOf(id, "edit");
    const closing = [moveOf(id, "pending", "expired"), edit, moveOf(id, "expired", "answered"), edit];
    await store.append(closing, now);
    expect(await drained(store)).toEqual([`telegram ${id}/edit`]);
    expect((await store.counts()).expired).toBe(0);
  });

  it("a move during an edit's journey leaves a newer edit behind", async () => {
    const store = await aStore();
    const id = await ask(store, aQuestion());
    await store.append([sendOf(id, "edit")], now);
    const travelling = await head(store);
    await store.append([moveOf(id, "pending", "answered"), sendOf(id, "edit")], now);
    await store.sent(travelling, { ref: "m1", revision: 1 }, none, now);
    expect((await store.copies(id))[0]?.revision).toBe(1);
    expect(await head(store)).toMatchObject({ kind: "edit", question: id });
  });
});
