import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Decision, type OwlpostClient, openOwlpost } from "../../src/library/index.ts";
import { owlpost, run } from "../app/process.ts";
import { aDocument } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";

const root = resolve(import.meta.dirname, "../..");
const resolver = createRequire(import.meta.url);
const id = "q-a3f2-012-fix-auth-1";
const document = (changes: Record<string, unknown> = {}) =>
  aDocument({ default: { action: "skip_spec", at: "12h" }, ...changes }) as Parameters<
    OwlpostClient["ask"]
  >[0];

let home: string;
let client: OwlpostClient;
beforeEach(async () => {
  home = aHome();
  client = await openOwlpost({ home, as: "owner" });
});
afterEach(() => client.close());

describe("a program that asks and takes", () => {
  test("the same key is the same question, and what is wrong comes back as a value", async () => {
    expect(await client.ask(document(), { key: "k" })).toMatchObject({ ok: true, id, repeated: false });
    expect(await client.ask(document(), { key: "k" })).toMatchObject({ ok: true, id, repeated: true });
    expect(await client.ask(document({ title: "Other?" }), { key: "k" })).toMatchObject({
      ok: false,
      error: "id-conflict",
    });
    const refused = await client.ask(document({ options: [] }));
    expect(refused).toMatchObject({
      ok: false,
      error: "rejected",
      broken: [{ rule: "options-too-few" }, { rule: "recommended-not-one" }],
    });
  });

  test("take and confirm", async () => {
    await client.ask(document());
    expect(await client.take()).toEqual({ decisions: [], aborts: [] });
    await owlpost(home, ["answer", id, "2"]);
    const { decisions } = await client.take({ task: "012-fix-auth", claim: "mine" });
    expect(decisions).toMatchObject([
      { id, outcome: "answered", option: "2", claim: "mine", at: expect.any(Date) },
    ]);
    expect(decisions[0]?.told).toContain("was answered from the command line");
    expect(await client.confirm("mine")).toEqual([id]);
    expect(await client.confirm("another's")).toEqual([]);
  });

  test("field 70: who waits late finds what came before; who gives up takes nothing", async () => {
    await client.ask(document());
    expect(await client.wait(id, 0)).toBeUndefined();
    await owlpost(home, ["answer", id, "--text", "ask Mara"]);
    expect(await client.wait(id, 5_000)).toMatchObject({ text: "ask Mara" });
    expect(await client.wait("q-nobody-else-1", 5_000)).toBeUndefined();
  });

  test("an agent measures nothing", async () => {
    const agent = await openOwlpost({ home, as: "agent" });
    afterwards(() => agent.close());
    const asked = await agent.ask(document({ facts: { exit_code: 0 } }), { run: "zz" });
    expect(asked).toMatchObject({ ok: true, id: "q-local-012-fix-auth-1" });
    expect(asked.ok && [...asked.dropped].sort()).toEqual(["facts", "iteration", "progress", "run"]);
  });

  test("a home with a mistake in its configuration is refused in words", async () => {
    const other = aHome();
    writeFileSync(join(other, "config.yaml"), "zone: Mars/Olympus\n");
    await expect(openOwlpost({ home: other })).rejects.toThrow(/zone: must be an IANA time zone/);
  });
});

describe("onDecision", () => {
  test("each decision once, with a claim of its own, confirmed when the listener is done", async () => {
    for (const task of ["one", "two", "three"]) await client.ask(document({ task }));
    await owlpost(home, ["answer", "q-a3f2-one-1", "1"]);
    const heard: Decision[] = [];
    const stop = client.onDecision({}, (decision) => void heard.push(decision));
    await until(
      () => heard.length,
      (length) => length === 1,
    );
    await owlpost(home, ["skip", "q-a3f2-two-1"]);
    await owlpost(home, ["answer", "q-a3f2-three-1", "2"]);
    await until(
      () => heard.length,
      (length) => length === 3,
    );
    stop();
    expect(heard.map(({ task, outcome }) => `${task} ${outcome}`)).toEqual([
      "one answered",
      "two skipped",
      "three answered",
    ]);
    expect(new Set(heard.map(({ claim }) => claim)).size).toBe(3);
    const state = async (): Promise<unknown> =>
      JSON.parse((await owlpost(home, ["status", "q-a3f2-three-1"])).stdout).taken.confirmed_at;
    await until(state, (at) => at !== undefined);
  });

  test("a listener that fails leaves its own decision unconfirmed, and no other", async () => {
    for (const task of ["one", "two"]) await client.ask(document({ task }));
    for (const task of ["one", "two"]) await owlpost(home, ["answer", `q-a3f2-${task}-1`, "1"]);
    const errors: unknown[] = [];
    const heard: string[] = [];
    client.onDecision({ onError: (error) => void errors.push(error) }, async ({ task }) => {
      heard.push(task);
      if (task === "one") throw new Error("no room");
    });
    await until(
      () => heard.length,
      (length) => length === 2,
    );
    expect(errors).toMatchObject([{ message: "no room" }]);
    const taken = async (task: string): Promise<{ confirmed_at?: string }> =>
      JSON.parse((await owlpost(home, ["status", `q-a3f2-${task}-1`])).stdout).taken;
    await until(
      () => taken("two"),
      (claim) => claim.confirmed_at !== undefined,
    );
    expect((await taken("one")).confirmed_at).toBeUndefined();
  });

  test("other tasks, runs and projects are left alone", async () => {
    await client.ask(document({ task: "one" }));
    await owlpost(home, ["answer", "q-a3f2-one-1", "1"]);
    const heard: string[] = [];
    for (const filter of [{ task: "two" }, { run: "zz" }, { project: "shop" }, { question: "q-a3f2-one-2" }])
      client.onDecision(filter, ({ task: said }) => void heard.push(said));
    client.onDecision({ task: "one", run: "a3f2", project: "default" }, () => void heard.push("right"));
    await until(
      () => heard,
      (all) => all.length > 0,
    );
    expect(heard).toEqual(["right"]);
  });
});

describe("the package", () => {
  test("publint has nothing to say", async () => {
    const { messages } = await publint({ pkgDir: root, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  test("attw: an ES module with its types, for every way of resolving that knows exports", async () => {
    const { checkPackage, Package } = await import("@arethetypeswrong/core");
    const { readFileSync, readdirSync } = await import("node:fs");
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const files: Record<string, string> = {
      "/node_modules/owlpost/package.json": readFileSync(join(root, "package.json"), "utf8"),
    };
    for (const name of readdirSync(join(root, "dist/lib")))
      files[`/node_modules/owlpost/dist/lib/${name}`] = readFileSync(join(root, "dist/lib", name), "utf8");
    const found = await checkPackage(new Package(files, "owlpost", version));
    if (!found.types) throw new Error("no types");
    const kinds = found.problems.map(
      (problem) => `${problem.kind} ${"resolutionKind" in problem ? problem.resolutionKind : ""}`,
    );
    // require() of an ES module, and TypeScript's resolution from before `exports` was known.
    expect(
      kinds.filter((kind) => kind !== "CJSResolvesToESM node16-cjs" && kind !== "NoResolution node10"),
    ).toEqual([]);
  });

  test("the example is typed as it stands, and runs in a project of its own", async () => {
    const project = aHome();
    mkdirSync(join(project, "node_modules", "@types"), { recursive: true });
    symlinkSync(root, join(project, "node_modules", "owlpost"));
    symlinkSync(join(root, "node_modules/@types/node"), join(project, "node_modules/@types/node"));
    symlinkSync(join(root, "node_modules/undici-types"), join(project, "node_modules/undici-types"));
    cpSync(join(root, "config/examples/loop.ts"), join(project, "loop.ts"));
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const options = { strict: true, module: "nodenext", target: "es2023", noEmit: true, types: ["node"] };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["loop.ts"] }),
    );
    const tsc = join(resolver.resolve("typescript/package.json"), "../bin/tsc");
    const typed = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    expect(typed.stdout + typed.stderr).toBe("");

    const running = run("/bin/sh", [
      "-c",
      `cd "${project}" && OWLPOST_HOME="${home}" exec "${process.execPath}" --import "${resolver.resolve("tsx")}" loop.ts`,
    ]);
    await until(
      () => owlpost(home, ["status", id]),
      ({ code }) => code === 0,
    );
    await owlpost(home, ["answer", id, "1"]);
    const { code, stdout, stderr } = await running;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^asked q-a3f2-012-fix-auth-1, until .+\nworking on 013-search-index meanwhile\nq-a3f2-012-fix-auth-1 was answered from the command line on .+: option 1 — Refresh-token rotation\.\n012-fix-auth goes on with: Refresh-token rotation\n$/,
    );
  });
});
