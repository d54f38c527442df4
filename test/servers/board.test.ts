import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleWorker, race } from "../app/board-race.ts";
import { aQuickHome } from "../homes.ts";

const folder = mkdtempSync(join(tmpdir(), "owlpost-board-"));
let program = "";
beforeAll(async () => {
  program = await bundleWorker(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("two processes that claim 10,000 tasks each at once: none is claimed twice, and none is left out", {
  timeout: 240_000,
}, async () => {
  const { won, rows, wrong } = await race(program, aQuickHome(), {
    tasks: 20_010,
    names: ["one", "two"],
    what: "claim",
    count: 10_000,
  });
  expect(wrong).toEqual([]);
  expect(won.map(({ length }) => length)).toEqual([10_000, 10_000]);
  expect(new Set(won.flat().map(([id]) => id)).size).toBe(20_000);
  const count = (status: string): number => rows.tasks.filter((task) => task.status === status).length;
  expect([count("In Progress"), count("Ready")]).toEqual([20_000, 10]);
});
