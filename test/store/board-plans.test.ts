import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Claim, TaskId } from "../../src/domain/ids.ts";
import type { TaskFilter } from "../../src/domain/provider.ts";
import { taskSorts } from "../../src/domain/provider.ts";
import type { Effect } from "../../src/domain/store.ts";
import { board } from "../../src/store/board/board.ts";
import { connect } from "../../src/store/connection.ts";
import { type Sql, statements } from "../../src/store/statements.ts";
import { evening } from "../builders.ts";
import { aTaskRow } from "../memory-board.ts";
import { anAnswer, aPath, aQuestion, aTask, moveOf } from "./builders.ts";

/** The board on an own connection, and every SQL text that it used. */
function tapped() {
  const db = connect(aPath(), 1_000);
  onTestFinished(() => {
    db.close();
  });
  const prepared = statements(db);
  const texts = new Set<string>();
  const sql: Sql = (text) => {
    texts.add(text);
    return prepared(text);
  };
  const store = board(sql, async (write) => db.transaction(write)());
  return { db, store, texts };
}

/** Everything that the board does with the store, with every filter, order and page. */
async function everything() {
  const { db, store, texts } = tapped();
  const write = (...effects: Effect[]): Promise<void> =>
    store.changeBoard(
      {
        board: "shop",
        tasks: ["part" as TaskId],
        next: { limit: 3 },
        lapsed: { limit: 3 },
        heldUnder: "c" as Claim,
      },
      (snapshot) => {
        snapshot.blockersOf("part" as TaskId);
        return { effects, value: undefined };
      },
      () => evening,
    );
  const update = (id: string, revision: number, change: object): Effect => ({
    type: "update-task",
    board: "shop",
    id: aTask(id),
    revision,
    change,
  });
  const hub = aTaskRow({ id: "hub", status: "In Progress" });
  const whole = aTaskRow({ id: "whole", priority: "Low", dueDate: "2026-07-09" });
  await write({ type: "insert-task", task: hub }, { type: "insert-task", task: whole });
  const many = Array.from({ length: 501 }, (_, at) => aTaskRow({ id: `d${at}`, blockedBy: [hub.id] }));
  await write(...many.map((task): Effect => ({ type: "insert-task", task })));
  const part = aTaskRow({ id: "part", parentTask: whole.id, blockedBy: [hub.id], status: "Ready" });
  await write({ type: "insert-task", task: part });
  await write(update("part", 1, { blockedBy: [], title: "Part" }), update("hub", 1, { status: "Done" }));
  // While its dependants are told, next looks at them.
  await store.nextTasks("shop", { limit: 1 });
  while (await store.settleBlockers(300));
  const claim = {
    token: "c",
    by: "loop",
    claimedAt: evening,
    leaseMs: 60_000,
    leaseUntilAt: evening + 60_000,
    leftMs: null,
  };
  await write(update("part", 2, { status: "In Progress", claim }));
  await store.nextLapseAt(evening);
  const first = aQuestion({ task: "part" });
  await write({ type: "insert-question", row: first });
  const again = aQuestion({ task: "part", seq: 2 });
  await write({ type: "insert-question", row: again });
  await write(moveOf(again.question.id, "pending", "cancelled"));
  const { id } = first.question;
  await write({ ...moveOf(id, "pending", "answered"), outcome: "answered", answer: anAnswer() });
  await write(moveOf(id, "answered", "applied"));
  await store.boards();
  await store.missingTaskFields();

  const place = { priority: null, dueDate: null, createdAt: evening, id: "d1" as TaskId };
  const dated = { ...place, dueDate: "2026-07-01" };
  for (const need of [{}, { executors: ["cli"] }, { owner: "eric" }, { after: place }]) {
    await store.nextTasks("shop", { limit: 2, ...need });
  }
  const filters: readonly TaskFilter[] = [
    {},
    { status: ["Ready"] },
    { status: ["Done"] },
    { status: ["Ready", "Done"] },
    { priority: ["High", null] },
    { executor: ["cli", null] },
    { assignee: "eric" },
    { assignee: null },
    { issuer: "eric", project: "Relaunch", tag: "web", sourceMessageId: "C1:17" },
    { parentTask: null },
    { parentTask: "whole" as TaskId },
    { actionable: true },
    { actionable: false },
  ];
  for (const filter of filters) {
    for (const sort of taskSorts) {
      for (const after of [undefined, place, dated]) {
        await store.tasks({ board: "shop", filter, sort, limit: 2, ...(after ? { after } : {}) });
      }
    }
  }
  await write(update("hub", 2, { status: "Backlog" }));
  while (await store.settleBlockers(300));
  await write({ type: "delete-task", board: "shop", id: hub.id, revision: 3 });
  while (await store.settleBlockers(300));
  return { db, texts };
}

function planOf(db: Database.Database, text: string): string[] {
  // What stands for values plays no part in these plans.
  const count = text.replaceAll(/'[^']*'/g, "").split("?").length - 1;
  return db
    .prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
    .all(...Array.from({ length: count }, () => null))
    .map(({ detail }) => detail);
}

const big = ["tasks", "task_dependencies", "parkings", "questions", "events"];

describe("whatever the board asks of the store", () => {
  it("is found by an index: nothing looks through all tasks, counts them, or skips some", async () => {
    const { db, texts } = await everything();
    const ours = [...texts].filter((text) => /\b(tasks|task_dependencies|parkings)\b/.test(text));
    expect(ours.length).toBeGreaterThan(40);
    for (const text of ours) {
      expect(text).not.toMatch(/\boffset\b|\bcount\s*\(/i);
      const names = new Set(
        [...text.matchAll(/\b(?:FROM|JOIN) (\w+)(?: (\w))?\b/g)].flatMap(([, ...each]) => each),
      );
      const scanned = planOf(db, text).filter((line) => {
        const table = /^SCAN (\w+)/.exec(line)?.[1];
        return table !== undefined && (big.includes(table) || (table.length === 1 && names.has(table)));
      });
      expect([text, scanned]).toEqual([text, []]);
    }
  });

  it("is sorted by the index it is read from, but for the parts of one task and what pages are joined", async () => {
    const { db, texts } = await everything();
    const sorts = (text: string): number =>
      planOf(db, text).filter((line) => line.includes("TEMP B-TREE")).length;
    // A page that is joined from two, each of which is sorted by its index, is sorted once itself.
    const joined = (text: string): boolean => text.startsWith("SELECT n FROM (SELECT");
    const few = /INDEXED BY tasks_parents|WHERE k\.task = \?/;
    const sorting = [...texts].filter((text) => sorts(text) > (joined(text) ? 1 : 0) && !few.test(text));
    expect(sorting).toEqual([]);
    expect([...texts].filter(joined).length).toBeGreaterThan(3);
  });

  it("looks at what it is given first, and at no task for each of that", async () => {
    const { db, texts } = await everything();
    const inner = [...texts].filter((text) => {
      const plan = planOf(db, text);
      return plan.some(
        (line, at) => /^SCAN json_each/.test(line) && /^(SEARCH|SCAN) \w/.test(plan[at - 1] ?? ""),
      );
    });
    // A person among the few of one task, a tag among the few of one task.
    expect(inner.filter((text) => !/json_each\((assignee|tags)\)/.test(text))).toEqual([]);
  });

  it("needs every index that a commit pays for", async () => {
    const { db, texts } = await everything();
    const indexes = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'task%' OR name LIKE 'parkings_%'",
      )
      .pluck()
      .all();
    const plans = [...texts].flatMap((text) => planOf(db, text)).join("\n");
    expect(indexes.filter((name) => !plans.includes(` ${name} `) && !plans.endsWith(` ${name}`))).toEqual([]);
  });

  it("is all in this test: each text that stands in its files was used", async () => {
    const { texts } = await everything();
    const folder = fileURLToPath(new URL("../../src/store/board", import.meta.url));
    const beginnings = readdirSync(folder)
      .filter((name) => name !== "waggle.ts")
      .flatMap((name) => [
        ...readFileSync(`${folder}/${name}`, "utf8").matchAll(
          /["`](?:SELECT|UPDATE|INSERT|DELETE|WITH) [^"`$\n]*/g,
        ),
      ])
      .map(([text]) => text.slice(1));
    const used = [...texts].join("\n");
    expect(beginnings.length).toBeGreaterThan(30);
    expect(beginnings.filter((text) => !used.includes(text))).toEqual([]);
  });
});
