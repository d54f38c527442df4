import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { aTaskDesk, env } from "./task-desk.ts";

const desk = aTaskDesk();

async function threeTasks(): Promise<void> {
  await desk().task("create", "Parent", "--id", "p");
  await desk().task("create", "Child", "--id", "c", "--parent", "p");
  await desk().ready("r");
}

test("out to a file and in again on another board, twice the same", async () => {
  await threeTasks();
  const file = join(desk().folder, "tasks.jsonl");
  expect(await desk().task("export", "tasks.jsonl")).toEqual({ exit: 0, file, tasks: 3 });
  expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(3);
  expect(readdirSync(desk().folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  const report = { refused: [], dropped: [] };
  const onto = ["import", "tasks.jsonl", "--project", "copy"];
  expect(await desk().task(...onto)).toEqual({ exit: 0, added: 3, same: 0, ...report });
  expect(await desk().task(...onto)).toEqual({ exit: 0, added: 0, same: 3, ...report });
  expect(await desk().task("show", "r", "--project", "copy")).toMatchObject({ task: { status: "Ready" } });
  expect(await desk().shown(...onto)).toEqual([0, "", "0 tasks imported, 3 on the board already.\n"]);
});

test("to standard output as lines, and with --json as one document; both come in", async () => {
  expect(await desk().shown("export")).toEqual([0, "", ""]);
  expect(await desk().task("export")).toEqual({ exit: 0, results: [] });
  await threeTasks();
  const [, lines] = await desk().shown("export");
  const { results } = await desk().task("export");
  expect(
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(results);
  for (const [stdin, project] of [
    [lines, "one"],
    [JSON.stringify({ results }), "two"],
  ] as const) {
    const { exit, err } = await desk().run(["task", "import", "-", "--project", project], { env, stdin });
    expect([exit, err]).toEqual([0, "3 tasks imported.\n"]);
  }
});

test("what is not taken over is told with its line, and is exit 3", async () => {
  await desk().task("create", "Here before", "--id", "a");
  const file = desk().file(
    "t.jsonl",
    '{"id":"a","title":"Another"}\nnonsense\n{"id":"b","title":"B","parentTask":"none"}\n',
  );
  expect(await desk().task("import", file)).toMatchObject({
    exit: 3,
    added: 1,
    refused: [{ line: 1, id: "a" }, { line: 2 }],
    dropped: [{ line: 3, id: "b" }],
  });
  const [, , err] = await desk().shown("import", file);
  expect(err).toContain("line 1, a: the board has a task of that id already, which differs (title)");
});

test("a board of waggle-sqlite by its file; another database is named as none", async () => {
  const path = join(desk().folder, "waggle.db");
  const db = new Database(path);
  db.exec(`CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT, status TEXT, issuer TEXT, created_at TEXT);
    INSERT INTO tasks VALUES ('w1', 'From waggle', 'Ready', 'alice', '2026-07-01T08:00:00Z')`);
  db.close();
  expect(await desk().task("import", path)).toMatchObject({ exit: 0, added: 1 });
  expect(await desk().task("show", "w1")).toMatchObject({
    task: { title: "From waggle", issuer: { id: "alice" } },
  });
  const own = join(desk().home, "owlpost.db");
  expect(await desk().task("import", own)).toMatchObject({
    exit: 2,
    message: expect.stringContaining("no board of waggle-sqlite"),
  });
});

test("bad files and bad places", async () => {
  expect(await desk().task("import", "nowhere.jsonl")).toMatchObject({
    exit: 2,
    message: expect.stringContaining("there is no such file"),
  });
  expect(await desk().task("import", desk().folder)).toMatchObject({ exit: 2, error: "unreadable" });
  expect(await desk().task("export", "no/such/folder.jsonl")).toMatchObject({ exit: 2, error: "bad-file" });
  const target = desk().file("target", "mine");
  symlinkSync(target, join(desk().folder, "link"));
  expect(await desk().task("export", "link")).toMatchObject({
    exit: 2,
    message: expect.stringContaining("symbolic link"),
  });
  expect(readFileSync(target, "utf8")).toBe("mine");
});

test("many lines are taken over by and by, and those that name a later one find it", async () => {
  const lines = Array.from({ length: 4_500 }, (_, n) =>
    JSON.stringify({ id: `t-${n}`, title: `Task ${n}`, blockedBy: n % 500 === 0 ? [`t-${n + 450}`] : [] }),
  );
  const file = desk().file("many.jsonl", lines.join("\n"));
  expect(await desk().task("import", file)).toMatchObject({
    exit: 0,
    added: 4_500,
    refused: [],
    dropped: [],
  });
  expect(await desk().task("import", file)).toMatchObject({ exit: 0, same: 4_500, refused: [] });
  expect(await desk().task("show", "t-1500")).toMatchObject({
    open_blockers: 1,
    task: { blockedBy: ["t-1950"] },
  });
  const { results } = await desk().task("list", "--sort", "created", "--limit", "3");
  expect(results).toMatchObject([{ id: "t-450" }, { id: "t-0" }, { id: "t-1" }]);
});

test("an agent imports nothing: it would bring its own verdicts", async () => {
  const file = desk().file("t.jsonl", '{"id":"a","title":"A","status":"Ready"}');
  expect(await desk().agent("import", file)).toMatchObject({ exit: 3, error: "not-allowed" });
  expect(await desk().task("list")).toMatchObject({ results: [] });
});
