import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideChange } from "../../src/core/board/change.ts";
import { decideCreate } from "../../src/core/board/create.ts";
import { compareNext } from "../../src/core/board/next.ts";
import { decideRemove } from "../../src/core/board/remove.ts";
import { specHash } from "../../src/core/board/verdict.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/domain/store.ts";
import type { StoredTask, Task } from "../../src/domain/task.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aStep, planOf, prelude } from "../board-play.ts";
import { evening, minute } from "../builders.ts";
import { readBoard } from "../kill/board-rows.ts";
import { inspectBoard } from "../kill/inspect-board.ts";
import { aTaskRow, memoryBoard } from "../memory-board.ts";
import { aPath, aStore } from "./builders.ts";

const settings = {
  now: evening,
  iso: "2026-07-06T21:00:00Z",
  actor: { kind: "person", name: "eric" } as const,
  directories: new Set<string>(),
};

function insert(store: Store, ...tasks: readonly Task[]): Promise<void> {
  return store.append(
    tasks.map((task) => ({ type: "insert-task", task })),
    evening,
  );
}

function aReadyTask(id: string, changes: Partial<Omit<Task, "id">> = {}): Task {
  const task = aTaskRow({
    id,
    status: "Ready",
    description: "Build the login page with the existing form kit, and keep the old URL.",
    acceptanceCriteria: "- the suite passes",
    executionPlan: "1. write it",
    executor: "human",
    ...changes,
  });
  return { ...task, qualityVerdict: `PASS hash=${specHash(task)} @2026-07-06T20:00:00Z v2` };
}

const nextIds = async (store: Store, limit = 100): Promise<string[]> =>
  (await store.nextTasks("shop", { limit })).map(({ task }) => task.id);

const idOf = ({ task }: StoredTask): string => task.id;

async function move(store: Store, id: string, status: Task["status"]): Promise<boolean> {
  const value = await store.changeBoard(
    { board: "shop", tasks: [id as TaskId] },
    (snapshot) =>
      decideChange(
        snapshot,
        { id: id as TaskId, fields: { agentOutput: "It is done." }, status, changesRequested: true },
        settings,
      ),
    () => evening,
  );
  return value.ok;
}

describe("the board on disk", () => {
  it("keeps every field", async () => {
    const path = aPath();
    const store = await aStore(path);
    const whole = aReadyTask("whole", {
      priority: "Urgent",
      requiresReview: true,
      workingDirectory: "/srv/app",
      sessionReference: "waggle-1:0.0",
      dispatchedAt: evening,
      agentOutput: "日本語 👩‍👩‍👧",
      errorMessage: "none",
      context: "a\r\nb",
      artifacts: "https://example.org/1\nout/x",
      repository: "https://example.org/app",
      startDate: "2026-07-01",
      dueDate: "2026-07-09T10:00:00Z",
      tags: ["a", "b|c"],
      project: "Website Relaunch",
      team: "web",
      assignee: [{ id: "1", name: "Mara" }],
      attachments: [{ url: "https://example.org/a.png", name: "a.png", mime_type: "image/png", size: 7 }],
      branch: "login",
      acknowledgedAt: evening,
      sourceMessageId: "C1:17",
    });
    const child = aTaskRow({ id: "child", parentTask: whole.id, blockedBy: [] });
    await insert(
      store,
      whole,
      child,
      aTaskRow({ id: "waits", blockedBy: [whole.id, child.id].sort() as TaskId[] }),
    );
    expect((await store.task("shop", whole.id))?.task).toEqual(whole);
    expect((await store.task("shop", whole.id))?.children).toEqual({ all: 1, open: 1, done: 0 });
    expect((await store.task("shop", child.id))?.task).toEqual(child);
    expect((await store.task("shop", "waits" as TaskId))?.task.blockedBy).toEqual(["child", "whole"]);
    expect((await store.task("shop", "waits" as TaskId))?.openBlockers).toBe(2);
    expect(await store.task("other", whole.id)).toBeUndefined();
    expect(await store.boards()).toEqual(["shop"]);
  });

  it("is what the same operations make of a board in memory", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 5, maxLength: 30, size: "max" }), async (steps) => {
        const path = aPath();
        const store = await aStore(path);
        const memory = memoryBoard();
        let now = evening;
        for (const [serial, step] of [...prelude, ...steps].entries()) {
          if (step.do === "wait") now += step.minutes * minute;
          const { need, decide } = planOf(step, (id) => memory.get(id), now, serial);
          const before = memory.log.length;
          const told = memory.run(need, decide, now);
          const events = await store.lastEvent();
          expect(await store.changeBoard({ board: "shop", ...need }, decide, () => now)).toEqual(told);
          expect((await store.lastEvent()) - events).toBe(memory.log.length - before);
        }
        for (const { id } of memory.all()) expect(await store.task("shop", id)).toEqual(memory.get(id));
        expect(await nextIds(store)).toEqual(memory.next());
        expect((await store.tasks({ board: "shop", filter: {}, sort: "priority", limit: 99 })).length).toBe(
          memory.all().length,
        );
        expect(await store.check()).toEqual([]);
        expect(inspectBoard(readBoard(path))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe("next", () => {
  const many = fc.array(
    fc.record({
      priority: fc.constantFrom("Urgent", "High", "Medium", "Low", null),
      dueDate: fc.constantFrom(null, "2026-07-09", "2026-07-10", "2026-12-31"),
      createdAt: fc.constantFrom(evening, evening + 1),
      status: fc.constantFrom("Ready", "Ready", "Backlog"),
    }),
    { maxLength: 25 },
  );

  it("comes in its order, in pages that fit together", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(many, async (rows) => {
        const store = await aStore();
        const tasks = rows.map((row, at) => aTaskRow({ id: `t${at}`, ...(row as Partial<Task>) }));
        await insert(store, ...tasks);
        const wanted = tasks.filter(({ status }) => status === "Ready").sort(compareNext);
        const ids = wanted.map(({ id }) => id);
        expect(await nextIds(store)).toEqual(ids);
        const behind = wanted[3];
        if (behind) {
          const page = await store.nextTasks("shop", { limit: 4, after: behind });
          expect(page.map(({ task }) => task.id)).toEqual(ids.slice(4, 8));
        }
      }),
      { numRuns: 25 },
    );
  });

  it("reads one entry of its index", async () => {
    const path = aPath();
    await (await aStore(path)).close();
    const db = new Database(path, { readonly: true });
    const plan = db
      .prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT n FROM tasks INDEXED BY tasks_next
        WHERE project = 'shop' AND status = 'Ready' AND open_blockers = 0 ORDER BY rank, due, created_at, id LIMIT 1`,
      )
      .all()
      .map(({ detail }) => detail);
    expect(plan).toEqual(["SEARCH tasks USING INDEX tasks_next (project=?)"]);
    db.close();
  });

  it("leaves out other executors and other people", async () => {
    const store = await aStore();
    const mara = [{ id: "7", name: "mara" }];
    await insert(
      store,
      aReadyTask("a", { executor: "cowork" }),
      aReadyTask("b", { executor: "cli", assignee: mara }),
      aReadyTask("c", { executor: null }),
    );
    const ids = async (need: object): Promise<string[]> =>
      (await store.nextTasks("shop", { limit: 9, ...need })).map(({ task }) => task.id);
    expect(await ids({ executors: ["cli"] })).toEqual(["b", "c"]);
    expect(await ids({ owner: "mara" })).toEqual(["b"]);
    expect(await ids({ owner: "mar" })).toEqual([]);
    expect(await ids({ owner: "eric" })).toEqual(["a", "c"]);
  });
});

describe("a blocker of very many", () => {
  it("is settled in chunks, may change its mind between them, and nothing that is blocked is served", async () => {
    const store = await aStore();
    const hub = aReadyTask("hub", { status: "In Progress" });
    await insert(store, hub);
    const count = 1_700;
    await insert(
      store,
      ...Array.from({ length: count }, (_, at) =>
        aReadyTask(`d${at}`, { blockedBy: [hub.id], priority: "Urgent" }),
      ),
    );
    expect(await nextIds(store)).toEqual([]);
    expect(await move(store, "hub", "Done")).toBe(true);
    expect((await nextIds(store, 5_000)).length).toBe(500);
    expect(await store.settleBlockers(500)).toBe(true);
    expect((await nextIds(store, 5_000)).length).toBe(1_000);
    // Half of them believe that it is Done when it is opened again.
    expect(await move(store, "hub", "Backlog")).toBe(true);
    expect(await nextIds(store, 5_000)).toEqual([]);
    while (await store.settleBlockers(300));
    expect(await nextIds(store, 5_000)).toEqual([]);
    expect((await store.task("shop", "d1699" as TaskId))?.openBlockers).toBe(1);
    expect(await move(store, "hub", "Cancelled")).toBe(true);
    while (await store.settleBlockers(300));
    expect((await nextIds(store, 5_000)).length).toBe(count);
    expect((await store.task("shop", "d1699" as TaskId))?.cancelledBlockers).toBe(1);
  });

  it("is deleted at once, and they are told in chunks, also by a process that comes after the one that died", async () => {
    const path = aPath();
    const store = await openStore(path);
    const hub = aReadyTask("hub", { status: "In Progress", dueDate: "2026-07-09" });
    await insert(store, hub, aReadyTask("other", { status: "Backlog" }));
    const count = 1_300;
    await insert(
      store,
      ...Array.from({ length: count }, (_, at) =>
        aReadyTask(`d${at}`, { blockedBy: (at === 1_299 ? [hub.id, "other"] : [hub.id]) as TaskId[] }),
      ),
    );
    const removed = await store.changeBoard(
      { board: "shop", tasks: [hub.id] },
      (snapshot) => decideRemove(snapshot, { id: hub.id }, settings),
      () => evening,
    );
    expect(removed.ok).toBe(true);
    // It died here.
    await store.close();

    const after = await aStore(path);
    expect(await after.task("shop", hub.id)).toBeUndefined();
    expect((await after.tasks({ board: "shop", filter: {}, sort: "due", limit: 1 })).map(idOf)).not.toContain(
      "hub",
    );
    expect(await after.boards()).toEqual(["shop"]);
    expect((await nextIds(after, 5_000)).length).toBe(500);
    const waiting = await after.task("shop", "d1299" as TaskId);
    // The counter is behind; a task that is read has its blockers counted.
    expect([waiting?.task.blockedBy, waiting?.openBlockers]).toEqual([["other"], 1]);
    // Another task of that name is another task.
    await insert(after, aReadyTask("hub"));
    let chunks = 0;
    while (await after.settleBlockers(300)) chunks += 1;
    expect(chunks).toBe(3);
    expect((await nextIds(after, 5_000)).length).toBe(count);
    expect((await after.task("shop", "d1299" as TaskId))?.openBlockers).toBe(1);
    expect(await move(after, "other", "Cancelled")).toBe(true);
    expect((await nextIds(after, 5_000)).length).toBe(count + 1);
    const rows = new Database(path, { readonly: true });
    expect(rows.prepare("SELECT count(*) FROM tasks WHERE project <> 'shop'").pluck().get()).toBe(0);
    expect(rows.prepare("SELECT count(*) FROM unsettled_blockers").pluck().get()).toBe(0);
    rows.close();
    expect(await after.check()).toEqual([]);
  });

  it("is deleted while they are told that it blocks again", async () => {
    const store = await aStore();
    const hub = aReadyTask("hub", { status: "In Progress" });
    await insert(store, hub);
    await insert(
      store,
      ...Array.from({ length: 1_300 }, (_, at) => aReadyTask(`d${at}`, { blockedBy: [hub.id] })),
    );
    expect(await move(store, "hub", "Done")).toBe(true);
    expect(await store.settleBlockers(500)).toBe(true);
    expect(await move(store, "hub", "Backlog")).toBe(true);
    await store.changeBoard(
      { board: "shop", tasks: [hub.id] },
      (snapshot) => decideRemove(snapshot, { id: hub.id }, settings),
      () => evening,
    );
    while (await store.settleBlockers(500));
    expect((await nextIds(store, 5_000)).length).toBe(1_300);
    expect((await store.task("shop", "d7" as TaskId))?.openBlockers).toBe(0);
  });
});

describe("pages of the board", () => {
  it("fit together in every order, and show every task once", { timeout: 60_000 }, async () => {
    const store = await aStore();
    const statuses = ["Backlog", "Ready", "Done", "Blocked"] as const;
    const tasks = Array.from({ length: 60 }, (_, at) =>
      aTaskRow({
        id: `t${(at * 7) % 60}`,
        status: statuses[at % 4] as Task["status"],
        priority: (["Urgent", "Low", null] as const)[at % 3] ?? null,
        dueDate: at % 5 === 0 ? `2026-07-${10 + (at % 3)}` : null,
        createdAt: evening + (at % 4),
      }),
    );
    await insert(store, ...tasks);
    for (const sort of ["priority", "due", "created"] as const) {
      const seen: Task[] = [];
      for (;;) {
        const after = seen.at(-1);
        const page = await store.tasks({
          board: "shop",
          filter: { status: ["Backlog", "Ready", "Done"] },
          sort,
          limit: 7,
          ...(after ? { after } : {}),
        });
        seen.push(...page.map(({ task }) => task));
        if (page.length < 7) break;
      }
      expect(seen.map(({ id }) => id)).toHaveLength(45);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(45);
      if (sort === "priority") expect(seen).toEqual([...seen].sort(compareNext));
      if (sort === "due") {
        expect(seen.map(({ dueDate }) => dueDate ?? "~")).toEqual(
          seen.map(({ dueDate }) => dueDate ?? "~").sort(),
        );
      }
    }
  });
});

describe("a home that was made before the board", () => {
  it("creates a task like any other", async () => {
    const store = await aStore();
    const made = await store.changeBoard(
      { board: "default", tasks: ["first" as TaskId] },
      (snapshot) =>
        decideCreate(
          snapshot,
          { board: "default", id: "first" as TaskId, issuer: "eric", fields: { title: "First" } },
          settings,
        ),
      () => evening,
    );
    expect(made.ok).toBe(true);
    expect((await store.events(0, 9)).map(({ kind, task }) => [kind, task])).toEqual([
      ["task.created", "first"],
    ]);
  });
});
