import { describe, expect, test } from "vitest";
import type { Board } from "../../src/app/board/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { decideChange } from "../../src/core/board/change.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import type { Task, TaskStatus } from "../../src/domain/task.ts";
import { aConfig, minute } from "../builders.ts";
import { passFor, readyTask, wholeSpec } from "../contract/spec.ts";
import { aClock, afterwards, aHome, aQuickHome } from "../homes.ts";
import { aTaskRow } from "../memory-board.ts";

const actor = { kind: "person", name: "eric" } as const;

async function aDispatcher(home = aHome(), now = aClock().now) {
  const owlpost = await openOwlpost({ home, config: aConfig(), now, host: "owl" });
  afterwards(() => owlpost.close());
  const board = await owlpost.board({ board: "default", actor, issuer: "eric" });
  return { owlpost, board, store: owlpost.store };
}

/** A hub with so many dependants that they are told in several transactions; its process dies after the first one. */
async function aHalfToldBoard(status: TaskStatus, change: (at: number) => Partial<Task> = () => ({})) {
  const home = aQuickHome();
  const clock = aClock();
  const { store, board } = await aDispatcher(home, clock.now);
  const count = 1_200;
  const hub = aTaskRow({ id: "hub", ...readyTask, status: status === "Done" ? "In Progress" : "Done" });
  const dependants = Array.from({ length: count }, (_, at) =>
    aTaskRow({ ...readyTask, blockedBy: [hub.id], ...change(at), id: `d${at}` }),
  );
  await store.append(
    [hub, ...dependants].map((task) => ({ type: "insert-task", task })),
    clock.now(),
  );
  // What `updateTask` does first; then the process is gone.
  const moved = await store.changeBoard(
    { board: "default", tasks: [hub.id] },
    (snapshot, at) =>
      decideChange(
        snapshot,
        { id: hub.id, fields: { agentOutput: "It is done." }, status },
        { now: at, iso: new Date(at).toISOString(), actor, directories: new Set() },
      ),
    clock.now,
  );
  expect(moved.ok).toBe(true);
  return { store, board, count };
}

describe("a process that dies before all who waited for a task are told", () => {
  test("leaves nothing behind that looks like an empty board: whoever looks next tells the rest", async () => {
    const { store, board, count } = await aHalfToldBoard("Done");
    expect(await store.nextTasks("default", { limit: 5_000 })).toHaveLength(500);
    expect(await board.next({ limit: 5_000 })).toHaveLength(count);
  });

  test("nor to the first who claims", async () => {
    const { store, board } = await aHalfToldBoard("Done");
    for (let at = 0; at < 500; at += 1) {
      const [first] = await store.nextTasks("default", { limit: 1 });
      await store.append(
        [{ type: "delete-task", board: "default", id: first?.task.id as TaskId, revision: 1 }],
        0,
      );
    }
    expect(await store.nextTasks("default", { limit: 1 })).toEqual([]);
    expect(await board.claim({ token: "mine" })).toMatchObject({ ok: true });
  });

  test("nor to one who could begin none of those that were told first: who is told then may stand before them", async () => {
    // Told first, last in the order, and without anybody who could carry them out.
    const { board, store } = await aHalfToldBoard("Done", (at) =>
      at < 700 ? { priority: null, executor: at < 480 ? "human" : null } : { priority: "Low" },
    );
    const gone = Array.from({ length: 480 }, (_, at) => ({ id: `d${at}` as TaskId, revision: 1 }));
    await store.append(
      gone.map((each) => ({ type: "delete-task", board: "default", ...each })),
      0,
    );
    expect(await board.claim({ token: "mine" })).toMatchObject({ ok: true, task: { priority: "Low" } });
  });

  test("lists nothing as to be begun that waits for a task that was opened again", async () => {
    const { store } = await aHalfToldBoard("Backlog");
    const ids = async (actionable: boolean): Promise<string[]> =>
      (
        await store.tasks({
          board: "default",
          filter: { actionable, status: ["Ready"] },
          sort: "priority",
          limit: 5_000,
        })
      ).map(({ task }) => task.id);
    expect(await ids(true)).toEqual([]);
    expect(await store.nextTasks("default", { limit: 5_000 })).toEqual([]);
    expect(await ids(false)).toHaveLength(1_200);
  });

  test("lets nobody begin what waits for a task that was opened again", async () => {
    const { store, board } = await aHalfToldBoard("Backlog");
    const last = "d1199" as TaskId;
    expect((await store.task("default", last))?.openBlockers).toBe(1);
    expect(await board.claim({ id: last, token: "mine" })).toMatchObject({
      ok: false,
      reason: "not-dispatch-ready",
    });
  });

  test("lets nobody begin it in the very moment either: what a decision reads is counted, not remembered", async () => {
    const { store } = await aHalfToldBoard("Backlog");
    const seen = await store.changeBoard(
      { board: "default", tasks: ["d1199" as TaskId] },
      ({ tasks }) => ({ effects: [], value: tasks.get("d1199" as TaskId)?.openBlockers }),
      () => 0,
    );
    expect(seen).toBe(1);
  });
});

describe("the clock of a claim", () => {
  async function claimed(): Promise<{ board: Board; clock: ReturnType<typeof aClock>; home: string }> {
    const home = aHome();
    const clock = aClock();
    const { board } = await aDispatcher(home, clock.now);
    await board.createTask({ ...wholeSpec, id: "one", qualityVerdict: passFor(wholeSpec), status: "Ready" });
    expect(await board.claim({ id: "one", token: "first" })).toMatchObject({ ok: true });
    return { board, clock, home };
  }

  test("of another process may be a little behind: it takes nothing away", async () => {
    const { clock, home } = await claimed();
    const { board: other } = await aDispatcher(home, aClock(clock.now() - 3_000).now);
    expect(await other.claim({ id: "one", token: "second" })).toMatchObject({ ok: false, reason: "claimed" });
    expect((await other.stored("one"))?.claim?.token).toBe("first");
    expect(await other.claim({ token: "second" })).toMatchObject({ ok: false, reason: "nothing-ready" });
  });

  test("that was set back by days ends a lease that would never be over", async () => {
    const { clock, home } = await claimed();
    const { board: other } = await aDispatcher(home, aClock(clock.now() - 2 * 24 * 60 * minute).now);
    expect(await other.claim({ id: "one", token: "second" })).toMatchObject({ ok: true });
  });

  test("that was set back ends what runs for too long, also beside a longer lease that does not", async () => {
    const clock = aClock();
    const { board, store } = await aDispatcher(aHome(), clock.now);
    for (const id of ["short", "long"]) await board.createTask({ ...readyTask, id });
    await board.claim({ id: "short", leaseMs: 10 * minute });
    await board.claim({ id: "long", leaseMs: 24 * 60 * minute });
    clock.advance(-3 * 60 * minute);
    expect(await store.nextLapseAt(clock.now())).toBe(clock.now());
    expect((await board.next({ limit: 9 })).map(({ stored }) => stored.task.id)).toEqual(["short"]);
    expect((await board.stored("long"))?.task.status).toBe("In Progress");
  });

  test("is read once the file is free: whoever has waited for another process decides with the time it is then", async () => {
    const { board, clock, home } = await claimed();
    const { store } = await aDispatcher(home, clock.now);
    const read: number[] = [];
    const waiting = store.changeBoard(
      { board: "default", lapsed: { limit: 5 } },
      ({ lapsed }, now) => {
        read.push(now);
        return { effects: [], value: lapsed.length };
      },
      clock.now,
    );
    clock.advance(10 * minute);
    expect(await waiting).toBe(1);
    expect(read).toEqual([clock.now()]);
    expect((await board.stored("one"))?.task.status).toBe("Ready");
  });
});

test("the same call that is made twice at once is one claim, also of the next task", async () => {
  const home = aHome();
  const clock = aClock();
  const { board } = await aDispatcher(home, clock.now);
  const { board: other } = await aDispatcher(home, clock.now);
  for (const id of ["one", "two", "three"]) {
    await board.createTask({ ...wholeSpec, id, qualityVerdict: passFor(wholeSpec), status: "Ready" });
  }
  const told = await Promise.all([board, other, board].map((each) => each.claim({ token: "mine" })));
  expect(new Set(told.map((each) => (each.ok ? each.task.id : each.reason))).size).toBe(1);
  expect(told.filter((each) => each.ok && each.repeated)).toHaveLength(2);
  expect(await board.next({ limit: 9 })).toHaveLength(2);
});
