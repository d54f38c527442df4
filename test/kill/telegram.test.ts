import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild } from "./bundle.ts";
import { discard, play } from "./stage.ts";

let folder = "";
let child = "";
beforeAll(async () => {
  folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "owlpost-field-3-"));
  child = await bundleChild(folder);
});
afterAll(() => discard(folder));

/** The second batch of the scene is the owner's first tap; the one before it is a stranger's. */
test.each([
  ["between reception and handling", "receive/store.turn:before#2"],
  ["inside the transaction that handles it", "receive/sql INSERT inbox:before#2"],
  ["after it was handled, before the toast", "receive/store.turn:after#2"],
])(
  "field 3: kill -9 %s: after the restart the answer is applied exactly once",
  async (_when, step) => {
    const own = join(folder, step.replace(/\W/g, "-"));
    const { wrong, killed } = await play(child, own, { scene: "telegram", kills: [step] });
    expect(wrong).toEqual([]);
    expect(killed).toBe(1);
  },
  60_000,
);
