import { expect, test } from "vitest";
import { openBoard } from "../../src/app/board/board.ts";
import { openBoardDesk } from "../../src/app/board/board-desk.ts";
import type { Desk } from "../../src/app/desk.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { decideRemove } from "../../src/core/board/remove.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import { type Effect, type Store, StoreError } from "../../src/domain/store.ts";
import { aConfig, aDocument, evening } from "../builders.ts";
import { afterwards, aHome } from "../homes.ts";
import { aTaskRow } from "../memory-board.ts";

const count = 1_300;
const eric = { kind: "person", name: "eric" } as const;

function aDesk(store: Store): Desk {
  return {
    home: aHome(),
    config: aConfig(),
    store,
    router: () => Promise.reject(new Error("nobody is rung")),
    now: () => evening,
    host: "owl",
    committed: () => undefined,
  };
}

async function aBoard() {
  const owlpost = await openOwlpost({ home: aHome(), config: aConfig(), now: () => evening });
  afterwards(() => owlpost.close());
  const actor = { kind: "person", name: "eric" } as const;
  const board = await owlpost.board({ board: "shop", actor, issuer: "eric" });
  const hub = aTaskRow({ id: "hub" });
  const waiting = Array.from({ length: count }, (_, at) =>
    aTaskRow({ id: `d${at}`, status: "Ready", blockedBy: [hub.id] }),
  );
  const effects = [hub, ...waiting].map((task): Effect => ({ type: "insert-task", task }));
  await owlpost.store.append(effects, evening);
  const free = async (): Promise<number> => (await owlpost.store.nextTasks("shop", { limit: 5_000 })).length;
  return { owlpost, board, free };
}

test("whoever deletes or cancels a task tells all who wait for it, however many", async () => {
  const { board, free } = await aBoard();
  expect(await free()).toBe(0);
  expect((await board.updateTask("hub", { status: "Cancelled" })).ok).toBe(true);
  expect(await free()).toBe(count);
  expect((await board.updateTask("hub", { status: "Backlog" })).ok).toBe(true);
  expect(await free()).toBe(0);
  expect((await board.stored("d1299"))?.openBlockers).toBe(1);
  expect((await board.deleteTask("hub")).ok).toBe(true);
  expect(await free()).toBe(count);
});

test("what a process that died has left is done bit by bit by others, and holds none of them up", async () => {
  const { owlpost, board, free } = await aBoard();
  const settings = {
    now: evening,
    iso: new Date(evening).toISOString(),
    actor: { kind: "person", name: "eric" } as const,
    directories: new Set<string>(),
  };
  await owlpost.store.changeBoard(
    { board: "shop", tasks: ["hub" as TaskId] },
    (snapshot) => decideRemove(snapshot, { id: "hub" as TaskId }, settings),
    () => evening,
  );
  expect(await free()).toBe(500);
  expect((await board.createTask({ title: "Another one" })).ok).toBe(true);
  expect(await free()).toBe(600);
  // A look helps, too, and waits for no more than it needs.
  expect(await board.next()).toHaveLength(1);
  expect(await free()).toBe(700);
  for (let more = 0; more < 8; more += 1) await board.createTask({ title: `Another one ${more}` });
  expect(await free()).toBe(count);
  expect(await owlpost.store.settleBlockers(1)).toBe(false);
});

test("who is deleted with very many dependants leaves nothing of it in the log but that, whatever it was parked for", async () => {
  const { owlpost, board } = await aBoard();
  await owlpost.store.append(
    [
      {
        type: "update-task",
        board: "shop",
        id: "hub" as TaskId,
        revision: 1,
        change: { status: "In Progress" },
      },
    ],
    evening,
  );
  const asked = await owlpost.ask({ document: aDocument({ task: "hub" }), project: "shop" });
  if (!asked.ok) throw new Error(asked.error);
  expect((await board.stored("hub"))?.parkedFor).toEqual([asked.id]);
  const before = (await owlpost.events(0, 99)).length;
  expect((await board.deleteTask("hub")).ok).toBe(true);
  const events = (await owlpost.events(0, 99)).slice(before);
  expect(events.map(({ kind, task, project }) => [kind, task, project])).toEqual([
    ["question.cancelled", "hub", "shop"],
    ["task.deleted", "hub", "shop"],
  ]);
  expect(await owlpost.question(asked.id)).toMatchObject({ state: "cancelled" });
});

test("whoever waits for news hears of it when it is written, and again when all are told", async () => {
  const { owlpost } = await aBoard();
  const { store } = owlpost;
  const told: number[] = [];
  const free = async (): Promise<number> => (await store.nextTasks("shop", { limit: 5_000 })).length;
  const counts: Promise<number>[] = [];
  const desk: Desk = { ...aDesk(store), committed: () => void counts.push(free()) };
  const { change } = openBoardDesk(desk, { board: "shop", actor: eric, issuer: "eric" });
  await change({ tasks: ["hub" as TaskId] }, (snapshot, settings) =>
    decideRemove(snapshot, { id: "hub" as TaskId }, settings),
  );
  for (const each of counts) told.push(await each);
  expect(told).toEqual([500, count]);
});

test("nothing looks like an empty board while another process tells those who wait", async () => {
  const { owlpost, board } = await aBoard();
  const { store } = owlpost;
  const hub = { type: "delete-task", board: "shop", id: "hub" as TaskId, revision: 1 } as const;
  await store.append([hub], evening);
  const gone = Array.from({ length: 500 }, (_, at) => ({ ...hub, id: `d${at}` as TaskId }));
  await store.append(gone, evening);
  let looks = 0;
  const busy: Store = {
    ...store,
    // This one finds nothing to do: the other has just done it.
    settleBlockers: async () => {
      looks += 1;
      if (looks > 1) while (await store.settleBlockers(500));
      return false;
    },
  };
  expect(await store.nextTasks("shop", { limit: 1 })).toEqual([]);
  const other = openBoard(aDesk(busy), { board: "shop", actor: eric, issuer: "eric" });
  expect(await other.next()).toHaveLength(1);
  expect(await board.next({ limit: 1_000 })).toHaveLength(count - 500);
});

test("what is written is written, also where those who wait for it cannot be told at once", async () => {
  const { owlpost, board } = await aBoard();
  const { store } = owlpost;
  let commits = 0;
  const broken: Store = {
    ...store,
    settleBlockers: () => Promise.reject(new StoreError("busy", "another process writes")),
  };
  const desk: Desk = {
    ...aDesk(broken),
    committed: () => {
      commits += 1;
    },
  };
  const { change } = openBoardDesk(desk, { board: "shop", actor: eric, issuer: "eric" });
  const removed = await change({ tasks: ["hub" as TaskId] }, (snapshot, settings) =>
    decideRemove(snapshot, { id: "hub" as TaskId }, settings),
  );
  expect(removed.ok).toBe(true);
  expect(commits).toBeGreaterThan(0);
  expect(await board.getTask("hub")).toBeUndefined();
});
