import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sourcesState } from "../../scripts/sources.mjs";
import { aDocument } from "../builders.ts";

/** What people run: the built command, as a process of its own. */
const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const folder = mkdtempSync(join(tmpdir(), "owlpost-bundle-"));
const home = join(folder, "home");
const env = { PATH: process.env.PATH, HOME: folder, OWLPOST_HOME: home };
const question = JSON.stringify(aDocument({ default: { action: "skip_spec", at: "12h" } }));

beforeAll(() => {
  if (isFresh()) return;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/build.mjs"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isFresh(): boolean {
  try {
    return readFileSync("dist/.sources", "utf8") === sourcesState();
  } catch {
    return false;
  }
}

function owlpost(line: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...line], {
    env,
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Starts the service and resolves with the JSON line that it prints. */
async function serve(): Promise<{ readonly child: ChildProcess; readonly inbox: string }> {
  const child = spawn(process.execPath, [cli, "serve", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", resolve);
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });
  return { child, inbox: JSON.parse(line).inbox };
}

describe("without a service", () => {
  test("a question that fits no channel is refused with its size on each; one more channel takes it", () => {
    const small = join(folder, "small");
    const options = Array.from({ length: 9 }, (_, at) => ({
      key: String(at + 1),
      label: `${"選".repeat(79)}${at + 1}`,
      consequence: "択".repeat(160),
      ...(at === 0 ? { recommended: true } : {}),
    }));
    const input = JSON.stringify(aDocument({ options, default: { action: "skip_spec", at: "12h" } }));
    const deliver = (...channels: readonly string[]) => {
      mkdirSync(small, { recursive: true, mode: 0o700 });
      const ntfy = { base_url: "http://127.0.0.1:9", ask_topic: "ask", reply_topic: "reply" };
      const config = { deliver: channels, channels: { inbox: { port: 0 }, ntfy } };
      writeFileSync(join(small, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
      return owlpost(["ask", "--json", "--home", small, "-"], input);
    };
    const refused = deliver("ntfy");
    expect([refused.status, refused.stderr]).toEqual([2, ""]);
    expect(JSON.parse(refused.stdout)).toEqual({
      error: "rejected",
      broken: [
        {
          rule: "too-large",
          field: "options",
          found: expect.stringMatching(/^ntfy: \d{4} of 4095 bytes$/),
          mend: expect.stringContaining("offer fewer options"),
        },
      ],
    });
    const taken = deliver("ntfy", "inbox");
    expect([taken.status, JSON.parse(taken.stdout).channels]).toEqual([0, ["ntfy", "inbox"]]);
  });

  test("ask, answer, take, confirm, with their exit codes", () => {
    expect(owlpost(["take", "--json"])).toEqual({
      status: 4,
      stdout: '{"taken":[],"aborts":[]}\n',
      stderr: "",
    });
    const asked = owlpost(["ask", "-"], question);
    expect([asked.status, asked.stdout]).toEqual([0, "q-a3f2-012-fix-auth-1\n"]);
    expect(owlpost(["answer", "q-a3f2-012-fix-auth-1", "9"]).status).toBe(3);
    expect(owlpost(["answer", "q-a3f2-012-fix-auth-1", "1"])).toMatchObject({ status: 0, stdout: "" });
    const { taken } = JSON.parse(owlpost(["take", "--json", "--claim", "c"]).stdout);
    expect(taken).toMatchObject([{ option: "1", claim: "c" }]);
    expect(owlpost(["confirm", "c"]).status).toBe(0);
    expect(owlpost(["ask"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("every sample is a question that keeps the contract", () => {
    for (const name of ["first-question", "stalled", "fact"]) {
      const { status, stderr } = owlpost(["ask", join("config", "samples", `${name}.yaml`)]);
      expect([name, status, stderr]).toEqual([name, 0, expect.stringContaining("is stored")]);
    }
  });

  test("a reader of events that went away has seen enough: no stack trace", async () => {
    const child = spawn(process.execPath, [cli, "events"], { env, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const stderr: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
    const status = await new Promise((resolve) => {
      child.on("close", resolve);
    });
    expect([status, stderr.join("")]).toEqual([0, ""]);
  });
});

test("beside a service: handed over, seen by it, one service a home, a clean stop", async () => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), "channels: { inbox: { port: 0 } }\n");
  const { child, inbox } = await serve();
  try {
    expect(inbox).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=/);
    const asked = owlpost(["ask", "--json", "--key", "beside", "-"], question);
    expect([asked.status, JSON.parse(asked.stdout).state]).toEqual([0, "pending"]);
    expect(owlpost(["inbox"]).stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n$/);
    const second = owlpost(["serve", "--json"]);
    expect([second.status, JSON.parse(second.stdout).error]).toEqual([3, "home-taken"]);
    const { id } = JSON.parse(asked.stdout);
    for (
      let look = 0;
      look < 50 && JSON.parse(owlpost(["status", id, "--json"]).stdout).state !== "posted";
      look++
    );
    expect(JSON.parse(owlpost(["status", id, "--json"]).stdout).state).toBe("posted");
  } finally {
    child.kill("SIGTERM");
  }
  const status = await new Promise((resolve) => {
    child.on("exit", resolve);
  });
  expect(status).toBe(0);
  expect(owlpost(["serve", "--once"]).status).toBe(0);
  expect(owlpost(["status", "--json"]).stdout).toContain('"running":false');
}, 60_000);
