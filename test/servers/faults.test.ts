import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import type { AskOutcome, Owlpost } from "../../src/app/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { StoreError } from "../../src/domain/store.ts";
import { cli, type Ended, run } from "../app/process.ts";
import { aConfig, aDocument } from "../builders.ts";
import { afterwards, aHome, aService, until } from "../homes.ts";
import { bundleChild } from "../kill/bundle.ts";
import { play } from "../kill/stage.ts";

/** What a missing tool means here is told by the test that needs it: it fails. */
beforeAll(() => {
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: npm run build");
  for (const tool of ["strace", "mount", "umount", "setpriv"]) {
    if (spawnSync(tool, ["--version"]).status !== 0) throw new Error(`${tool} is missing`);
  }
});

function question(task: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return aDocument({
    task,
    title: `What about ${task}?`,
    default: { action: "skip_spec", at: "8h" },
    ...more,
  });
}

/** `owlpost ask` under a key, so that doing it again is safe; `wrap` goes before the command. */
function ask(home: string, task: string, wrap: readonly string[] = []): Promise<Ended> {
  const [command = "", ...args] = [
    ...wrap,
    process.execPath,
    cli,
    "ask",
    "-",
    "--key",
    `key-${task}`,
    "--home",
    home,
  ];
  return run(command, args, JSON.stringify(question(task)));
}

/** Makes that system call on the store's files fail, in whatever runs behind it. */
function injecting(home: string, call: string, fault: string): string[] {
  const file = join(home, "owlpost.db");
  const paths = ["-P", file, "-P", `${file}-wal`];
  return [
    "strace",
    "-f",
    "-qq",
    "-o",
    "/dev/null",
    ...paths,
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:${fault}`,
  ];
}

/** A small disk of its own, with a home on it. */
function aDisk(size: string): { home: string; remount(options: string): void } {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-disk-"));
  sh("mount", ["-t", "tmpfs", "-o", `size=${size}`, "owlpost-test", folder]);
  afterwards(() => {
    sh("umount", ["-l", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  return { home, remount: (options) => sh("mount", ["-o", `remount,${options}`, folder]) };
}

function sh(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
}

/** Leaves no block of that disk free. */
function fillDisk(home: string): void {
  spawnSync("dd", ["if=/dev/zero", `of=${join(home, "..", "filler")}`, "bs=4k"]);
}

function fileOne(owlpost: Pick<Owlpost, "ask">, n: number): Promise<AskOutcome> {
  return owlpost.ask({ document: question(`t-${n}`), project: "default", key: `key-${n}` });
}

/** The fault that ends it; the journal may still have pages of its own to use. */
async function fileUntilFull(owlpost: Pick<Owlpost, "ask">): Promise<unknown> {
  for (let n = 2; n < 400; n += 1) {
    try {
      await fileOne(owlpost, n);
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

type Serve = {
  /** The exit code; undefined while it runs. */
  exited(): number | string | undefined;
  /** Resolves with the exit code; fails when it takes longer than five seconds. */
  stop(): Promise<number | string>;
};

/** `owlpost serve` in a process of its own, once it listens. */
async function aServe(home: string): Promise<Serve> {
  const child = spawn(process.execPath, [cli, "serve", "--home", home], {
    env: { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" },
  });
  afterwards(() => {
    child.kill("SIGKILL");
  });
  let said = "";
  let end: number | string | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  child.on("exit", (code, signal) => {
    end = code ?? signal ?? "gone";
  });
  await until(
    () => said,
    (text) => text.includes("is listening") || end !== undefined,
  );
  if (end !== undefined) throw new Error(`serve ended at once: ${said}`);
  return {
    exited: () => (end === undefined ? undefined : `${end}: ${said}`),
    async stop() {
      child.kill("SIGTERM");
      await until(
        () => end,
        (code) => code !== undefined,
      );
      return end ?? said;
    },
  };
}

function rowsOf(home: string): { tasks: string[]; jobs: number; asked: number } {
  const database = new Database(join(home, "owlpost.db"));
  try {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    const read = <Value>(text: string): Value[] => database.prepare(text).pluck().all() as Value[];
    return {
      tasks: read<string>("SELECT task FROM questions ORDER BY n"),
      jobs: read<number>("SELECT count(*) FROM outbox WHERE kind = 'post'")[0] ?? -1,
      asked: read<number>("SELECT count(*) FROM events WHERE kind = 'question.asked'")[0] ?? -1,
    };
  } finally {
    database.close();
  }
}

/** Every question whole: its row, its event, its post; nothing else. */
function expectWhole(home: string, tasks: readonly string[]): void {
  expect(rowsOf(home)).toEqual({ tasks, jobs: tasks.length, asked: tasks.length });
}

describe("the disk is full", () => {
  test("asks are refused with what to do; what was acknowledged is there; with room again the same ask is safe", async () => {
    const { home, remount } = aDisk("640k");
    const owlpost = await openOwlpost({ home, config: aConfig() });
    afterwards(() => owlpost.close());
    const askBig = (n: number) =>
      owlpost.ask({
        document: question(`t-${n}`, { tried: "tests/auth.spec.ts\n".repeat(500) }),
        project: "default",
        key: `key-${n}`,
      });
    const stored: string[] = [];
    let fault: unknown;
    for (let n = 0; n < 500 && fault === undefined; n += 1) {
      try {
        expect(await askBig(n)).toMatchObject({ ok: true });
        stored.push(`t-${n}`);
      } catch (error) {
        fault = error;
      }
    }
    expect(fault).toBeInstanceOf(StoreError);
    expect(fault).toMatchObject({ code: "disk-full", message: expect.stringContaining("free some space") });
    expect(stored.length).toBeGreaterThan(3);
    // A small one may still fit into what the journal holds already.
    let ended: Ended = { code: 0, stdout: "", stderr: "" };
    const small: string[] = [];
    for (let n = 0; n < 20 && ended.code === 0; n += 1) {
      ended = await ask(home, `small-${n}`);
      if (ended.code === 0) small.push(`small-${n}`);
    }
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/disk is full|cannot be opened/);
    const missed = `small-${small.length}`;

    remount("size=16m");
    const last = stored.length;
    const again = await askBig(last);
    expect(again).toMatchObject({ ok: true });
    expect(await askBig(last)).toMatchObject({ ok: true, repeated: true });
    expect((await ask(home, missed)).code).toBe(0);
    expectWhole(home, [...stored, ...small, `t-${last}`, missed]);
  });

  test("a write that finds no space leaves nothing behind", async () => {
    const home = aHome();
    expect((await ask(home, "first")).code).toBe(0);
    for (const when of [1, 2, 3, 5]) {
      const { code, stderr } = await ask(
        home,
        "second",
        injecting(home, "pwrite64", `error=ENOSPC:when=${when}+`),
      );
      expect(code).toBe(1);
      expect(stderr).toContain("the disk is full and nothing was written: free some space");
      expectWhole(home, ["first"]);
    }
    expect((await ask(home, "second")).code).toBe(0);
    expectWhole(home, ["first", "second"]);
  });

  test("a running service lives through it, and goes on afterwards", async () => {
    const { home, remount } = aDisk("2m");
    const service = await aService({ home, now: Date.now });
    const file = (n: number) => fileOne(service.owlpost, n);
    expect(await file(1)).toMatchObject({ ok: true });
    await service.settle();
    fillDisk(home);
    expect(await fileUntilFull(service.owlpost)).toMatchObject({ code: "disk-full" });

    remount("size=32m");
    await until(
      () => file(1_000).catch(() => undefined),
      (asked) => asked?.ok === true,
    );
    await until(
      () => service.store.counts(),
      ({ pending, posted }) => pending === 0 && posted > 1,
    );
  });

  test("`owlpost serve` lives through it, stops within seconds while it lasts, and starts again", async () => {
    const { home, remount } = aDisk("2m");
    writeFileSync(join(home, "config.yaml"), "channels:\n  inbox: { port: 0 }\n");
    const first = await aServe(home);
    expect((await ask(home, "first")).code).toBe(0);
    fillDisk(home);
    const store = await openOwlpost({ home, config: aConfig() });
    expect(await fileUntilFull(store)).toMatchObject({ code: "disk-full" });
    await store.close();
    // A minute's worth of trouble: asks over the socket, and a log that cannot be written either.
    for (let n = 0; n < 5; n += 1) expect((await ask(home, `refused-${n}`)).code).toBe(1);
    expect(first.exited()).toBeUndefined();
    await first.stop();

    remount("size=32m");
    const second = await aServe(home);
    expect((await ask(home, "second")).code).toBe(0);
    expect(await second.stop()).toBe(0);
    const { tasks } = rowsOf(home);
    expect(tasks.at(0)).toBe("first");
    expect(tasks.at(-1)).toBe("second");
    expect(tasks.filter((task) => task.startsWith("refused"))).toEqual([]);
  });
});

describe("the disk may only be read", () => {
  test("asks are refused, the store is as it was, and afterwards the same ask is safe", async () => {
    const { home, remount } = aDisk("8m");
    expect((await ask(home, "first")).code).toBe(0);
    remount("ro");
    const { code, stdout, stderr } = await ask(home, "second");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/may only be read|cannot be opened/);
    remount("rw");
    expectWhole(home, ["first"]);
    expect((await ask(home, "second")).code).toBe(0);
    expect((await ask(home, "second")).code).toBe(0);
    expectWhole(home, ["first", "second"]);
  });

  test("a store that was open when the disk became read-only says so", async () => {
    const { home, remount } = aDisk("8m");
    const owlpost = await openOwlpost({ home, config: aConfig() });
    afterwards(() => owlpost.close());
    const file = () => owlpost.ask({ document: question("one"), project: "default", key: "k" });
    // Open handles keep a mount from becoming read-only; a failing write is what they see of it.
    expect(() => remount("ro")).toThrow();
    expect(await file()).toMatchObject({ ok: true });
    const { code, stderr } = await ask(home, "two", injecting(home, "pwrite64", "error=EROFS:when=1+"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/the disk failed|may only be read/);
    expectWhole(home, ["one"]);
  });

  test("a folder that may not be written", async () => {
    const home = aHome();
    const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
    const wrap =
      nobody === undefined ? [] : ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    if (nobody !== undefined) chownSync(home, nobody, nobody);
    chmodSync(home, 0o500);
    const { code, stdout, stderr } = await ask(home, "one", wrap);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("check that its folder exists and may be written");
    chmodSync(home, 0o700);
    expect((await ask(home, "one", wrap)).code).toBe(0);
    expectWhole(home, ["one"]);
  });
});

describe("the disk fails", () => {
  test("an ask whose fsync fails says that nobody knows, and the same ask again is one row", async () => {
    const home = aHome();
    expect((await ask(home, "first")).code).toBe(0);
    const { code, stdout, stderr } = await ask(home, "second", injecting(home, "fsync", "error=EIO:when=1"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("the disk failed");
    expect(stderr).toContain("do the same again, which is safe");
    expect((await ask(home, "second")).code).toBe(0);
    expect((await ask(home, "second")).code).toBe(0);
    expectWhole(home, ["first", "second"]);
  });

  test("whichever call fails while a scene is played, what is left is whole and goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "owlpost-faults-"));
    afterwards(() => rmSync(folder, { recursive: true, force: true }));
    const child = await bundleChild(folder);
    const faults = ["fsync:EIO", "pwrite64:EIO", "pwrite64:ENOSPC"].flatMap((fault) =>
      [3, 11, 24, 40, 57].map((nth) => `fault/${fault}#${nth}`),
    );
    const wrong: string[] = [];
    let happened = 0;
    for (const fault of faults) {
      const scene = faults.indexOf(fault) % 2 === 0 ? "phone" : "desk";
      const outcome = await play(child, join(folder, fault.replaceAll("/", "-")), { scene, kills: [fault] });
      wrong.push(...outcome.wrong.map((line) => `${scene} ${fault}: ${line}`));
      happened += outcome.killed;
    }
    expect(wrong).toEqual([]);
    // How many calls there are differs a little from run to run.
    expect(happened).toBeGreaterThan(faults.length - 4);
  });
});

describe("other troubles", () => {
  test("too few files may be open", async () => {
    const home = aHome();
    const limits: (number | null)[] = [];
    for (const files of [19, 20, 21, 22, 23]) {
      const command = `ulimit -n ${files}; exec "$@"`;
      const { code, stdout, stderr } = await ask(home, `f-${files}`, ["bash", "-c", command, "bash"]);
      limits.push(code);
      if (code === 0) continue;
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/enough files may be open|too many open files|EMFILE/);
    }
    expect(limits).toContain(1);
    if (existsSync(join(home, "owlpost.db")) && statSync(join(home, "owlpost.db")).size > 0) {
      expectWhole(
        home,
        limits.flatMap((code, n) => (code === 0 ? [`f-${19 + n}`] : [])),
      );
    }
    expect((await ask(home, "f-19")).code).toBe(0);
  });

  test("a store that is no database is named, and left as it is", async () => {
    const home = aHome();
    const file = join(home, "owlpost.db");
    const text = "this is somebody's diary, and no database at all\n".repeat(100);
    writeFileSync(file, text, { mode: 0o600 });
    const { code, stdout, stderr } = await ask(home, "one");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("damaged or is no database");
    expect(stderr).toContain(file);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("a store whose pages are damaged is named", async () => {
    const home = aHome();
    for (const task of ["one", "two", "three"]) expect((await ask(home, task)).code).toBe(0);
    const file = join(home, "owlpost.db");
    const database = new Database(file);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xee, 4_096);
    writeFileSync(file, bytes);
    const { code, stdout, stderr } = await ask(home, "four");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("damaged or is no database");
    expect(stderr).toContain("put a backup in its place");
  });

  test("a store that was cut off is named", async () => {
    const home = aHome();
    for (const task of ["one", "two", "three"]) expect((await ask(home, task)).code).toBe(0);
    const file = join(home, "owlpost.db");
    const database = new Database(file);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    truncateSync(file, 4_096 * 3);
    const { code, stderr } = await ask(home, "four");
    expect(code).toBe(1);
    expect(stderr).toContain("damaged or is no database");
  });
});
