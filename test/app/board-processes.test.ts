import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aQuickHome } from "../homes.ts";
import { bundleWorker, race } from "./board-race.ts";

describe("a board of many processes", () => {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-board-"));
  let program = "";
  beforeAll(async () => {
    program = await bundleWorker(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("gives each task to one of two that claim at once, and to nobody twice", {
    timeout: 60_000,
  }, async () => {
    const { won, rows, wrong } = await race(program, aQuickHome(), {
      tasks: 1_010,
      names: ["one", "two"],
      what: "claim",
      count: 500,
    });
    expect(wrong).toEqual([]);
    expect(won.map(({ length }) => length)).toEqual([500, 500]);
    expect(new Set(won.flat().map(([id]) => id)).size).toBe(1_000);
    const count = (status: string): number => rows.tasks.filter((task) => task.status === status).length;
    expect([count("In Progress"), count("Ready")]).toEqual([1_000, 10]);
  });

  it.each(["owl", "mill", "lake"])(
    "keeps all that it counts while three claim, lose, ask, finish and move at once: %s",
    { timeout: 60_000 },
    async (seed) => {
      const { rows, won, wrong } = await race(program, aQuickHome(), {
        tasks: 12,
        names: [`${seed}-a`, `${seed}-b`, `${seed}-c`],
        what: "mix",
        count: 300,
      });
      expect(wrong).toEqual([]);
      expect(won.flat().length).toBeGreaterThan(20);
      const kinds = new Set(rows.events.map(({ kind }) => kind));
      expect([...kinds]).toEqual(
        expect.arrayContaining([
          "task.claimed",
          "task.lapsed",
          "task.released",
          "task.parked",
          "task.freed",
          "task.moved",
        ]),
      );
    },
  );
});
