import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { Board } from "../../src/app/board/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { TaskId } from "../../src/domain/ids.ts";
import { aConfig } from "../builders.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { aClock, afterwards, aHome } from "../homes.ts";

async function aBoard(home = aHome()): Promise<{ board: Board; home: string }> {
  const owlpost = await openOwlpost({ home, config: aConfig(), now: aClock().now, host: "owl" });
  afterwards(() => owlpost.close());
  const actor = { kind: "person", name: "eric" } as const;
  return { board: await owlpost.board({ board: "shop", actor, issuer: "eric" }), home };
}

async function exported(board: Board): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of board.export()) lines.push(line);
  return lines;
}

/** The tables of waggle-sqlite, as its init script makes them: without a verdict column and with foreign keys off. */
function waggleBoard(path: string): void {
  const db = new Database(path);
  db.exec(`
    CREATE TABLE tasks (
      id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT DEFAULT '', acceptance_criteria TEXT DEFAULT '',
      status TEXT DEFAULT 'Backlog', priority TEXT, executor TEXT, requires_review INTEGER DEFAULT 0,
      execution_plan TEXT DEFAULT '', working_directory TEXT DEFAULT '', session_reference TEXT DEFAULT '',
      dispatched_at TEXT, agent_output TEXT DEFAULT '', error_message TEXT DEFAULT '', context TEXT DEFAULT '',
      artifacts TEXT DEFAULT '', repository TEXT, due_date TEXT, tags TEXT DEFAULT '[]', parent_task_id TEXT,
      project TEXT, team TEXT, assignee TEXT DEFAULT '[]', issuer TEXT DEFAULT '', branch TEXT DEFAULT '',
      source_message_id TEXT, sprint_id TEXT, complexity_score INTEGER, backlog_order INTEGER,
      attachments TEXT DEFAULT '[]', start_date TEXT,
      created_at TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ','now')), updated_at TEXT
    );
    CREATE TABLE task_dependencies (task_id TEXT, blocked_by_id TEXT, PRIMARY KEY (task_id, blocked_by_id));
    CREATE TABLE teams (id TEXT PRIMARY KEY, name TEXT, members TEXT);
    CREATE TABLE intake_log (message_id TEXT PRIMARY KEY, tool_name TEXT, processed_at TEXT);
    INSERT INTO tasks (id, title, status, issuer, priority, due_date, tags, assignee, requires_review, created_at)
    VALUES ('${"a".repeat(32)}', 'Child', 'Ready', 'alice', 'High', '2026-07-09', '["web"]',
      '[{"id":"mara","name":"Mara"}]', 1, '2026-07-01T08:00:00Z'),
      ('${"b".repeat(32)}', 'Blocker', 'Done', 'alice', NULL, NULL, '[]', '[]', 0, '2026-07-01T09:00:00Z'),
      ('${"c".repeat(32)}', 'Parent', 'In Progress', 'bob', NULL, NULL, '[]', '[]', 0, '2026-07-01T10:00:00Z'),
      ('${"d".repeat(32)}', 'Odd', 'Someday', 'bob', NULL, NULL, '[]', '[]', 0, '2026-07-01T11:00:00Z'),
      ('${"e".repeat(32)}', 'Of nobody', 'Backlog', '', NULL, NULL, '[]', '[]', 0, '2026-07-01T12:00:00Z');
    UPDATE tasks SET sprint_id = 's1' WHERE title = 'Blocker';
    UPDATE tasks SET parent_task_id = '${"c".repeat(32)}' WHERE title = 'Child';
    INSERT INTO task_dependencies VALUES ('${"a".repeat(32)}', '${"b".repeat(32)}'), ('${"a".repeat(32)}', 'gone');
  `);
  db.close();
}

describe("tasks go out and come in", () => {
  test("as JSON lines, with everything but their revision", async () => {
    const { board } = await aBoard();
    await board.createTask({ title: "Parent", id: "p" });
    const parentTask = (await board.getTask("p"))?.id ?? null;
    const more = { parentTask, tags: ["a"], assignee: [{ id: "1", name: "Mara" }], dueDate: "2026-07-09" };
    await board.createTask({
      ...wholeSpec,
      ...more,
      id: "c",
      qualityVerdict: passFor(wholeSpec),
      status: "Ready",
    });
    await board.claim({ id: "c", token: "t" });
    const lines = await exported(board);
    expect(lines).toHaveLength(2);

    const { board: other } = await aBoard();
    const text = lines.toReversed().join("\n");
    expect(await other.importText(text)).toEqual({ added: 2, same: 0, refused: [], dropped: [] });
    expect((await exported(other)).map(withoutRevision)).toEqual(lines.map(withoutRevision));
    expect(await other.importText(text)).toEqual({ added: 0, same: 2, refused: [], dropped: [] });
    // A claim is a token of this machine: it does not travel.
    expect((await other.stored("c"))?.claim).toBeNull();
  });

  test("with parents that wait for what belongs to them, whatever the order of the lines", async () => {
    const { board } = await aBoard();
    await board.createTask({ title: "Whole", id: "whole" });
    const whole = (await board.getTask("whole"))?.id ?? null;
    await board.createTask({ title: "Part", id: "part", parentTask: whole });
    const part = (await board.getTask("part"))?.id;
    await board.createTask({ title: "Between", id: "between", blockedBy: part ? [part] : [] });
    const between = (await board.getTask("between"))?.id;
    const waits = await board.updateTask("whole", { blockedBy: between ? [between] : [] });
    expect(waits.ok).toBe(true);
    const lines = await exported(board);
    for (const order of [lines, lines.toReversed()]) {
      const { board: other } = await aBoard();
      const text = order.join("\n");
      expect(await other.importText(text)).toEqual({ added: 3, same: 0, refused: [], dropped: [] });
      expect((await other.getTask("part"))?.parentTask).toBe("whole");
      expect((await other.getTask("whole"))?.blockedBy).toEqual(["between"]);
      expect((await other.stored("whole"))?.children).toEqual({ all: 1, open: 1, done: 0 });
      expect(await other.importText(text)).toEqual({ added: 0, same: 3, refused: [], dropped: [] });
    }
  });

  test("as one list, and as what a query prints", async () => {
    const { board } = await aBoard();
    expect(await board.importText(JSON.stringify([{ title: "One" }, { title: "Two" }]))).toMatchObject({
      added: 2,
    });
    expect(await board.importText(JSON.stringify({ results: [{ title: "Three" }] }))).toMatchObject({
      added: 1,
    });
  });

  test("what does not fit is named by its line, and the rest is taken over", async () => {
    const { board } = await aBoard();
    const report = await board.importText(
      [
        '{"title": "Good", "id": "good", "blockedBy": ["nowhere"]}',
        "{torn",
        '{"title": ""}',
        '{"title": "Odd", "priority": "Soon"}',
        '{"title": "Other", "id": "good"}',
        '{"title": "Circle a", "id": "a", "blockedBy": ["b"]}',
        '{"title": "Circle b", "id": "b", "blockedBy": ["a"]}',
      ].join("\n"),
    );
    expect(report.added).toBe(3);
    expect(report.refused).toEqual([
      { line: 2, message: "is no JSON document" },
      { line: 3, message: "title must not be empty" },
      { line: 4, message: "priority must be one of Urgent, High, Medium, Low" },
      {
        line: 5,
        id: "good",
        message: "the board has a task of that id already, which differs (title) and stays as it is",
      },
    ]);
    expect(report.dropped.map(({ id, message }) => [id, message])).toEqual([
      ["good", "its blocker nowhere, which is not there"],
      [
        "b",
        "its blocker a: b waits for a waits for b: none of them could ever begin. Leave one of these out.",
      ],
    ]);
  });

  test("keys that mean something to the engine mean nothing here", async () => {
    const { board } = await aBoard();
    const names = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"];
    const lines = names.map((name, at) => `{"id":"t-${at}","title":"${name}","${name}":{"status":"Done"}}`);
    const report = await board.importText(lines.join("\n"));
    expect(report).toMatchObject({ added: 5, refused: [] });
    expect(report.dropped.map(({ message }) => message)).toEqual(
      names.map((name) => `its ${name}, for which a task has no field`),
    );
    expect(await board.getTask("t-0")).toMatchObject({ title: "__proto__", status: "Backlog" });
  });

  test("one wrong blocker takes no other with it", async () => {
    const { board } = await aBoard();
    const report = await board.importText(
      [
        { id: "a", title: "A", blockedBy: ["a", "b", "c", "d", "p"], parentTask: "p" },
        { id: "b", title: "B" },
        { id: "c", title: "C", blockedBy: ["a"] },
        { id: "p", title: "P" },
      ]
        .map((each) => JSON.stringify(each))
        .join("\n"),
    );
    expect(report.dropped.map(({ id, message }) => `${id}: ${message.slice(0, 22)}`)).toEqual([
      "a: its blocker d, which i",
      "a: its parent p: a belong",
      "a: its blocker a: a canno",
      "c: its blocker a: c waits",
    ]);
    expect(await board.getTask("a")).toMatchObject({ blockedBy: ["b", "c", "p"], parentTask: null });
  });

  test("a parent that waits for a part of its own, and one that does so through another", async () => {
    const { board } = await aBoard();
    for (const id of ["p", "c", "q", "x", "d"]) await board.createTask({ title: id, id });
    const link = async (id: string, fields: Record<string, unknown>) =>
      expect((await board.updateTask(id, fields)).ok).toBe(true);
    await link("c", { parentTask: "p" });
    await link("p", { blockedBy: ["c"] });
    await link("d", { parentTask: "q" });
    await link("q", { blockedBy: ["x"] });
    await link("x", { blockedBy: ["d"] });
    const lines = await exported(board);
    const { board: other } = await aBoard();
    expect(await other.importText(lines.join("\n"))).toMatchObject({ added: 5, refused: [], dropped: [] });
    const byId = (all: string[]) =>
      all.map(withoutRevision).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(byId(await exported(other))).toEqual(byId(lines));
    expect(await other.importText(lines.join("\n"))).toMatchObject({ same: 5, refused: [] });
    expect((await other.stored("p"))?.children).toEqual({ all: 1, open: 1, done: 0 });
  });

  test("what was cut in two finds together, as long as nobody has touched it since", async () => {
    const { board } = await aBoard();
    const late = '{"id":"late","title":"Late","blockedBy":["early"],"parentTask":"whole"}';
    expect((await board.importText(late)).dropped).toHaveLength(2);
    await board.importText('{"id":"early","title":"Early"}\n{"id":"whole","title":"Whole"}');
    expect(await board.importText(late)).toEqual({ added: 0, same: 1, refused: [], dropped: [] });
    expect(await board.stored("late")).toMatchObject({
      openBlockers: 1,
      task: { blockedBy: ["early"], parentTask: "whole" },
    });
    expect((await board.importText('{"id":"early","title":"Early","blockedBy":["whole"]}')).same).toBe(1);
    const without = '{"id":"early","title":"Early","blockedBy":[]}';
    expect((await board.importText(without)).refused).toHaveLength(1);
    expect(await board.getTask("early")).toMatchObject({ blockedBy: ["whole"] });
    await board.updateTask("late", { blockedBy: [] });
    expect((await board.importText(late)).refused).toHaveLength(1);
  });

  test("an import that was cut short is made whole by the same import, also where one names what comes later", async () => {
    const part = '{"id":"part","title":"Part","parentTask":"whole"}';
    const whole = '{"id":"whole","title":"Whole","blockedBy":["part"]}';
    // Neither can come first, and either may be what came before the cut.
    for (const before of [part, whole])
      for (const lines of [
        [part, whole],
        [whole, part],
      ]) {
        const { board } = await aBoard();
        await board.importText(before);
        const report = await board.importText(lines.join("\n"));
        expect(report).toEqual({ added: 1, same: 1, refused: [], dropped: [] });
        expect(await board.stored("part")).toMatchObject({ task: { parentTask: "whole" } });
        expect(await board.stored("whole")).toMatchObject({ children: { all: 1 }, openBlockers: 1 });
      }
  });

  test("what was touched since it came is told of what it still lacks, and keeps what it has", async () => {
    const { board } = await aBoard();
    const late = '{"id":"late","title":"Late","blockedBy":["early"]}';
    const early = '{"id":"early","title":"Early","parentTask":"late"}';
    await board.importText(late);
    await board.updateTask("late", { priority: "High" });
    const report = await board.importText(`${early}\n${late}`);
    expect(report).toMatchObject({ added: 1, same: 1 });
    expect(report.dropped.map(({ id, message }) => [id, message])).toEqual([
      ["late", "its blocker early: the board's own task was changed since it came, and stays as it is"],
    ]);
    expect(await board.getTask("late")).toMatchObject({ blockedBy: [] });
  });

  test("whoever changes a task while it still waits for those that it names finds his change in it afterwards", async () => {
    const { board } = await aBoard();
    for (const id of ["mine", "gone"]) await board.createTask({ title: id, id });
    const mine = "mine" as TaskId;
    async function* lines() {
      yield Buffer.from('{"id":"late","title":"Late","blockedBy":["early","gone"],"parentTask":"whole"}\n');
      yield Buffer.from('{"id":"moved","title":"Moved","parentTask":"whole"}\n');
      for (let at = 0; at < 2_000; at += 1) yield Buffer.from(`{"id":"n${at}","title":"N"}\n`);
      expect((await board.updateTask("late", { blockedBy: [mine] })).ok).toBe(true);
      expect((await board.updateTask("moved", { parentTask: mine })).ok).toBe(true);
      yield Buffer.from('{"id":"early","title":"Early"}\n{"id":"whole","title":"Whole"}\n');
    }
    const report = await board.importStream(lines());
    expect(report).toMatchObject({ added: 2_004, refused: [], dropped: [] });
    expect(await board.getTask("late")).toMatchObject({ blockedBy: ["early", "mine"], parentTask: "whole" });
    expect(await board.getTask("moved")).toMatchObject({ parentTask: "mine" });
  });

  test("a blocker that the same task came with before is not taken away by a document without it", async () => {
    const { board } = await aBoard();
    const all = ["a", "b"].map((id) => JSON.stringify({ id, title: id })).join("\n");
    await board.importText(`${all}\n{"id":"c","title":"C","blockedBy":["a","b"]}`);
    const { refused } = await board.importText('{"id":"c","title":"C","blockedBy":["a"]}');
    expect(refused.map(({ id }) => id)).toEqual(["c"]);
    expect(await board.getTask("c")).toMatchObject({ blockedBy: ["a", "b"], revision: 1 });
  });

  test("what a document does not say is not compared when it comes again", async () => {
    const { board } = await aBoard();
    const text = '{"id":"a","title":"A","description":"More to come"}';
    expect(await board.importText(text)).toMatchObject({ added: 1 });
    expect(await board.importText(text)).toMatchObject({ same: 1, refused: [] });
    await board.updateTask("a", { priority: "High" });
    expect(await board.importText(text)).toMatchObject({ same: 1, refused: [] });
    await board.updateTask("a", { description: "Nothing more" });
    const { refused } = await board.importText(text);
    expect(refused.map(({ message }) => message)).toEqual([
      "the board has a task of that id already, which differs (description) and stays as it is",
    ]);
  });

  test("half a surrogate pair is no text, and a day that is none is no date", async () => {
    const { board } = await aBoard();
    const text = '{"id":"a","title":"\\ud83e","tags":["\\udd89"],"assignee":["\\ud83e"]}';
    expect(await board.importText(text)).toMatchObject({ added: 1 });
    expect(await board.importText(text)).toMatchObject({ same: 1, refused: [] });
    const report = await board.importText(
      [
        '{"title":"A","dueDate":"2026-02-30"}',
        '{"title":"B","startDate":"2026-02-30T10:00:00Z"}',
        '{"id":"c","title":"C","dueDate":"2026-07-09T01:00:00+09:00"}',
      ].join("\n"),
    );
    expect(report.refused.map(({ line }) => line)).toEqual([1, 2]);
    // The order of due dates is that of their texts.
    expect(await board.getTask("c")).toMatchObject({ dueDate: "2026-07-08T16:00:00Z" });
  });

  test("a folder that nobody may look at keeps nobody from what comes behind it", async () => {
    const { board } = await aBoard();
    const spec = { ...wholeSpec, executor: "cli", status: "Ready", qualityVerdict: passFor(wholeSpec) };
    const far = { ...spec, id: "far", priority: "Urgent", workingDirectory: `/${"x".repeat(5_000)}` };
    const nul = { ...spec, id: "nul", priority: "Urgent", workingDirectory: "/srv\0" };
    const near = { ...spec, id: "near", executor: "human" };
    expect(await board.importText(JSON.stringify([far, nul, near]))).toMatchObject({ added: 3 });
    const rules = (await board.next({ limit: 9 })).map(({ stored, findings }) => [
      stored.task.id,
      findings.map(({ rule }) => rule),
    ]);
    expect(rules).toEqual([
      ["far", ["not_a_directory"]],
      ["nul", ["not_a_directory"]],
      ["near", []],
    ]);
    expect(await board.claim({})).toMatchObject({ ok: true, task: { id: "near" } });
  });

  test("from a board that waggle-sqlite keeps", async () => {
    const { board, home } = await aBoard();
    const path = join(home, "waggle.db");
    waggleBoard(path);
    const report = await board.importWaggle(path);
    expect(report).toMatchObject({ added: 4, same: 0 });
    expect(report.refused.map(({ message }) => message)).toEqual([
      "status must be one of Backlog, Ready, In Progress, In Review, Done, Blocked, Cancelled",
    ]);
    expect(report.dropped.map(({ message }) => message)).toEqual([
      "its blocker gone, which is not there",
      "its sprint_id, for which a task has no field",
      "its issuer, who is not named: eric is",
    ]);
    const child = await board.getTask("a".repeat(32));
    expect(child).toMatchObject({
      title: "Child",
      status: "Ready",
      priority: "High",
      issuer: { id: "alice", name: "alice" },
      assignee: [{ id: "mara", name: "Mara" }],
      requiresReview: true,
      blockedBy: ["b".repeat(32)],
      parentTask: "c".repeat(32),
      createdAt: Date.parse("2026-07-01T08:00:00Z"),
      qualityVerdict: "",
    });
    expect((await board.next()).map(({ stored }) => stored.task.title)).toEqual(["Child"]);
    expect(await board.importWaggle(path)).toMatchObject({ added: 0, same: 4 });
    await expect(board.importWaggle(join(home, "owlpost.db"))).rejects.toMatchObject({ code: "no-board" });
    await expect(board.importWaggle(join(home, "none.db"))).rejects.toMatchObject({ code: "cannot-open" });
  });
});

function withoutRevision(line: string): Record<string, unknown> {
  const { revision: _, updatedAt: __, ...rest } = JSON.parse(line) as Record<string, unknown>;
  return rest;
}
