import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aPath, aQuestion, aStore, ask, now } from "./builders.ts";
import { aCode } from "./people.ts";

/** One file, so that fifty processes start quickly; the driver is loaded from where it lies. */
async function bundle(outfile: string): Promise<void> {
  const driver = pathToFileURL(fileURLToPath(import.meta.resolve("better-sqlite3"))).href;
  await build({
    entryPoints: [fileURLToPath(new URL("./writer.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    plugins: [
      {
        name: "driver",
        setup: (building) =>
          building.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: driver, external: true })),
      },
    ],
  });
}

/** The JSON lines that the process printed. */
function run(command: string, ...given: string[]): Promise<Record<string, unknown>[]> {
  return new Promise((resolve) => {
    execFile(command, given, (_error, stdout) => {
      resolve(
        stdout
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      );
    });
  });
}

function many<Value>(count: number, start: (at: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => start(at)));
}

function integrity(path: string): unknown {
  const db = new Database(path);
  const found = db.pragma("integrity_check", { simple: true });
  db.close();
  return found;
}

describe("many processes", () => {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-writer-"));
  const program = join(folder, "writer.mjs");
  beforeAll(() => bundle(program));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function writer(...given: string[]): Promise<Record<string, unknown>[]> {
    return run(process.execPath, program, ...given);
  }

  it("field 79: 50 that write at once store 50 rows, beside a store that is open", {
    timeout: 90_000,
  }, async () => {
    const path = aPath();
    const store = await aStore(path);
    const written = await many(50, (at) => writer("ask", path, String(at)));
    expect(written).toEqual(Array.from({ length: 50 }, () => [{ stored: true }]));
    expect((await store.counts()).pending).toBe(50);
    expect(await store.questions({ limit: 99 })).toHaveLength(50);
    expect(integrity(path)).toBe("ok");
  });

  it("that begin a new home at once all succeed", { timeout: 60_000 }, async () => {
    const path = aPath();
    const written = await many(8, (at) => writer("ask", path, String(at)));
    expect(written).toEqual(Array.from({ length: 8 }, () => [{ stored: true }]));
    expect((await (await aStore(path)).counts()).pending).toBe(8);
  });

  it("10 that want the service's place: one holds it, and all name the same", {
    timeout: 60_000,
  }, async () => {
    const path = aPath();
    const holders = (await many(10, (at) => writer("acquire", path, `t${at}`))).flat();
    expect(holders).toHaveLength(10);
    expect(new Set(holders.map(({ holder }) => holder)).size).toBe(1);
    expect((await (await aStore(path)).service())?.token).toBe(holders[0]?.holder);
  });

  it("10 that race for one pairing code: one is bound, the others find it gone", {
    timeout: 60_000,
  }, async () => {
    const path = aPath();
    const store = await aStore(path);
    await store.append([{ type: "insert-code", code: aCode() }], now);
    const told = (await many(10, (at) => writer("pair", path, `p${at}`))).flat();
    expect(told).toHaveLength(10);
    expect(told.filter(({ bound }) => bound)).toHaveLength(1);
    expect(told.filter(({ bound }) => bound === false)).toHaveLength(9);
    expect(await store.bindings()).toHaveLength(1);
    expect(await store.codes(now)).toEqual([]);
  });

  it("a file that may not grow is a fault with a name, and what was acknowledged is there", {
    timeout: 60_000,
  }, async () => {
    const path = aPath();
    await ask(await aStore(path), aQuestion({ task: "before" }));
    const limited = `trap '' XFSZ; ulimit -f 600; exec '${process.execPath}' '${program}' fill '${path}' x`;
    const told = await run("bash", "-c", limited);
    const fault = told.pop();
    expect(fault).toMatchObject({ name: "StoreError", code: "io" });
    expect(fault?.message).toContain("may or may not have been written");
    const store = await aStore(path);
    expect((await store.counts()).pending).toBeGreaterThan(told.length);
    expect(told.length).toBeGreaterThan(5);
    expect(integrity(path)).toBe("ok");
    // The same again is safe.
    await ask(store, aQuestion({ task: "after" }));
  });
});
