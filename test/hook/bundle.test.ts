import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
  const ended = new Promise<Ended>((done) => child.on("close", (code) => done({ code, stdout, stderr })));
  return { child, ended };
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

test("standing still is told as a notice; a permission prompt is not told twice", async () => {
  const home = aHome();
  expect(await run(home, notification("permission_prompt"))).toMatchObject({ code: 0, stdout: "" });
  expect(await run(home, notification("idle_prompt"))).toMatchObject({ code: 0, stdout: "" });
  const events = (await owlpost(home, ["events"])).stdout;
  expect(events.match(/"kind":"notice\.\w+/g)).toHaveLength(1);
  expect(events).toContain("stalled");
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
