import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { cli, type Ended, owlpost } from "../app/process.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { askUserQuestion, auth, type Event, notification, permissionRequest, stop } from "./events.ts";

/** The hook's own process, as an agent starts it: no flag of ours, the home by the environment. */
function start(home: string, input: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [cli, "hook", "claude-code", ...flags], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      OWLPOST_HOME: home,
      OWLPOST_AS: "agent",
      ...env,
    },
  });
  afterwards(() => void child.kill("SIGKILL"));
  return { child, ended: ending(child, input) };
}

function ending(child: ChildProcessWithoutNullStreams, input: string): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise<Ended>((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

const run = (home: string, event: Event, flags?: readonly string[], env?: NodeJS.ProcessEnv) =>
  start(home, JSON.stringify(event), flags, env).ended;

async function openIds(home: string): Promise<readonly string[]> {
  const { stdout } = await owlpost(home, ["status"]);
  return (JSON.parse(stdout) as { open: { id: string }[] }).open.map(({ id }) => id);
}
const asked = async (home: string): Promise<string> =>
  (
    await until(
      () => openIds(home),
      (ids) => ids.length === 1,
    )
  )[0] as string;

test("allowed on the phone while the hook waits: exactly one JSON document, and the take is confirmed", async () => {
  const home = aHome();
  const { ended } = start(home, JSON.stringify(permissionRequest()));
  const id = await asked(home);
  expect((await owlpost(home, ["answer", id, "1"])).code).toBe(0);
  expect(await ended).toMatchObject({
    code: 0,
    stdout: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n',
  });
  const state = JSON.parse((await owlpost(home, ["status", id])).stdout);
  expect(state).toMatchObject({ state: "applied", taken: { confirmed_at: expect.any(String) } });
});

test("killed with SIGKILL while it waits, it says nothing; stopped with SIGTERM, it takes its question back", async () => {
  const home = aHome();
  const killed = start(home, JSON.stringify(permissionRequest()));
  const first = await asked(home);
  killed.child.kill("SIGKILL");
  expect((await killed.ended).stdout).toBe("");
  // What is answered now allows nothing: nobody waits, and the next call is a question of its own.
  await owlpost(home, ["answer", first, "1"]);
  const stopped = start(home, JSON.stringify(permissionRequest()));
  await asked(home);
  stopped.child.kill("SIGTERM");
  expect(await stopped.ended).toMatchObject({ code: 0, stdout: "" });
  expect(await openIds(home)).toEqual([]);
});

test("a parked run: deferred at once, answered meanwhile, allowed when it is resumed; told by -p's environment", async () => {
  const home = aHome();
  const env = { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" };
  const event = askUserQuestion();
  expect(JSON.parse((await run(home, event, [], env)).stdout)).toEqual({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" },
  });
  await owlpost(home, ["answer", await asked(home), "1"]);
  expect(JSON.parse((await run(home, event, ["--headless"])).stdout)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: "allow",
      updatedInput: { answers: { [auth.question]: "JWT" } },
    },
  });
});

test("Stop hands over what was answered meanwhile, once; not while a stop hook is active already", async () => {
  const home = aHome();
  expect((await run(home, stop())).stdout).toBe("");
  await run(home, askUserQuestion(), ["--headless"]);
  const id = await asked(home);
  expect((await run(home, stop())).stdout).toBe("");
  await owlpost(home, ["answer", id, "2"]);
  expect((await run(home, stop({ stop_hook_active: true }))).stdout).toBe("");
  expect((await run(home, stop({ session_id: "another" }))).stdout).toBe("");
  expect(JSON.parse((await run(home, stop())).stdout)).toEqual({
    decision: "block",
    reason: expect.stringMatching(new RegExp(`have come:\\n${id} was answered .+: option 2 — Sessions\\.$`)),
  });
  expect((await run(home, stop())).stdout).toBe("");
});

test("standing still is told as a notice, once until the session stops or is answered; a permission prompt is not told twice", async () => {
  const home = aHome();
  const notices = async (): Promise<readonly string[]> =>
    (await owlpost(home, ["events"])).stdout.match(/"kind":"notice\.[^\n]+/g) ?? [];
  const idle = notification("idle_prompt");
  expect(await run(home, notification("permission_prompt"))).toMatchObject({ code: 0, stdout: "" });
  for (const { code, stdout } of await Promise.all([run(home, idle), run(home, idle), run(home, idle)]))
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  await run(home, idle);
  expect(await notices()).toEqual([
    expect.stringContaining("Claude Code stands still in /home/eric/shop: Claude is waiting for your input"),
  ]);
  await run(home, stop());
  await run(home, idle);
  await run(home, idle);
  expect(await notices()).toHaveLength(2);

  const { ended } = start(home, JSON.stringify(permissionRequest()));
  await owlpost(home, ["answer", await asked(home), "2"]);
  await ended;
  await run(home, idle);
  await run(home, idle);
  expect(await notices()).toHaveLength(3);
  await run(home, { ...idle, session_id: "another" });
  expect(await notices()).toHaveLength(4);
}, 40_000);

test("what is not owlpost's, or has nothing to say, needs two small files and no more", async () => {
  const home = aHome();
  const lean = join(home, "lean");
  mkdirSync(lean);
  for (const name of ["cli.js", "hook.js", "package.json"])
    copyFileSync(join(dirname(cli), name), join(lean, name));
  const events: readonly Event[] = [
    stop(),
    stop({ stop_hook_active: true }),
    notification("permission_prompt"),
    { ...askUserQuestion(), tool_name: "Bash" },
    permissionRequest({ tool_name: "AskUserQuestion" }),
  ];
  // As the settings have it: with a home of its own behind the agent's name.
  for (const event of events)
    expect(await node(join(lean, "cli.js"), ["--home", home, "--headless"], event)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  expect((await node(join(lean, "cli.js"), ["--home", home], permissionRequest())).stderr).toContain(
    "owlpost.js",
  );
});

async function node(program: string, flags: readonly string[], event: Event): Promise<Ended> {
  const child = spawn(process.execPath, [program, "hook", "claude-code", ...flags]);
  return ending(child, JSON.stringify(event));
}

test("a line that this version cannot read blocks no agent: its exit is never 2", async () => {
  const home = aHome();
  for (const flags of [["--later"], ["--home"], ["one more"]]) {
    const { code, stdout } = await start(home, JSON.stringify(stop()), flags).ended;
    expect([flags, code, stdout]).toEqual([flags, 1, ""]);
  }
});

test("whoever writes far too much can write it to its end", async () => {
  const { child, ended } = start(aHome(), JSON.stringify({ ...stop(), more: "x".repeat(20_000_000) }));
  const broken: string[] = [];
  child.stdin.on("error", ({ message }) => broken.push(message));
  expect(await ended).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringContaining("of at most 1 MiB"),
  });
  expect(broken).toEqual([]);
});

test.each([
  ["no JSON", "{", () => undefined],
  ["nothing at all", "", () => undefined],
  ["a list", "[]", () => undefined],
  ["another event", JSON.stringify({ hook_event_name: "SubagentStop" }), () => undefined],
  [
    "more than 1 MiB",
    JSON.stringify({ ...permissionRequest(), more: "x".repeat(1_100_000) }),
    () => undefined,
  ],
  [
    "a configuration that is refused",
    JSON.stringify(permissionRequest()),
    (home: string) => writeFileSync(join(home, "config.yaml"), "zone: Nowhere/Land\n"),
  ],
  [
    "a store that is broken",
    JSON.stringify(permissionRequest()),
    (home: string) => writeFileSync(join(home, "owlpost.db"), "this is no database".repeat(999)),
  ],
  [
    "a home that is refused",
    JSON.stringify(permissionRequest()),
    (home: string) => {
      writeFileSync(join(home, "other"), "");
      chmodSync(home, 0o777);
    },
  ],
  [
    "a folder in the store's place",
    JSON.stringify(askUserQuestion()),
    (home: string) => mkdirSync(join(home, "owlpost.db")),
  ],
])("with %s, nothing is said and the agent's own prompt asks", async (_name, input, spoil) => {
  const home = aHome();
  spoil(home);
  const { code, stdout } = await start(home, input).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});
