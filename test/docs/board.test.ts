import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sourcesState } from "../../scripts/sources.mjs";
import { reviewInput } from "../../src/app/board/reviewer.ts";
import { readConfig } from "../../src/app/config-read.ts";
import { readReview } from "../../src/core/board/review.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { until } from "../homes.ts";
import { exampleOf } from "./examples.ts";

const page = "board.md";
const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "owlpost-docs-board-"));
const bin = join(folder, "bin");
const env = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: folder,
  OWLPOST_HOME: join(folder, "home"),
  WAGGLE_USER_ID: "eric",
  LOOK_MS: "50",
};

/** A program on the path of whatever a test starts. */
function program(name: string, text: string): void {
  const path = join(bin, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

beforeAll(() => {
  if (readFresh() !== sourcesState()) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root });
  mkdirSync(bin);
  program("owlpost", `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist", "cli.js")}" "$@"\n`);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readFresh(): string {
  try {
    return readFileSync(join(root, "dist", ".sources"), "utf8");
  } catch {
    return "";
  }
}

function owlpost(line: readonly string[], input = ""): Record<string, unknown> {
  const out = execFileSync("owlpost", [...line, "--json"], { env, input, encoding: "utf8" });
  return JSON.parse(out) as Record<string, unknown>;
}

test("the first five minutes run as they stand on the page", () => {
  const script = exampleOf(page, "sh");
  const out = execFileSync("sh", ["-e", "-c", script], { env, cwd: folder, encoding: "utf8" });
  expect(out).toContain("012-fix-auth  Ready   High      claude-code  Fix the token refresh");
  expect(out).toContain("claim     my-first-claim, until");
  expect(owlpost(["task", "show", "012-fix-auth"])).toMatchObject({
    task: { status: "Done", agentOutput: "Rotation is in; 42 tests pass.", workingDirectory: folder },
  });
}, 60_000);

test("the loop claims, asks, works on something else, and goes on once it is answered", async () => {
  const spec = { ...wholeSpec, executor: "claude-code", workingDirectory: folder };
  for (const [id, priority] of [
    ["asks", "High"],
    ["plain", "Low"],
  ] as const)
    owlpost(
      ["task", "create", "--file", "-"],
      JSON.stringify({
        id,
        status: "ready",
        ...spec,
        title: id,
        priority,
        qualityVerdict: passFor({ ...spec, title: id }),
      }),
    );
  const log = join(folder, "agent.log");
  program(
    "an-agent",
    `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require("node:fs");
const work = readFileSync(0, "utf8");
const title = work.split("\\n")[0];
const answered = work.includes("Blue");
appendFileSync(${JSON.stringify(log)}, title + (answered ? " answered" : "") + " " + process.env.OWLPOST_AS + "\\n");
if (title === "asks" && !answered) {
  const options = [{ key: "1", label: "Red", consequence: "It is red", recommended: true }, { key: "2", label: "Blue", consequence: "It is blue" }];
  console.log("<question>" + JSON.stringify({ title: "Which colour?", context: "See src/colour.ts.", options }) + "</question>");
  console.log("<promise>DECIDE:Which colour?</promise>");
} else console.log("It is in.\\n<promise>DONE</promise>");
`,
  );
  const loop = join(folder, "loop.mjs");
  writeFileSync(loop, exampleOf(page, "js"));
  const child = spawn(process.execPath, [loop, "an-agent"], { env, stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const status = (id: string) => (owlpost(["task", "show", id]).task as { status: string }).status;
  await until(
    () => status("plain"),
    (each) => each === "Done",
  );
  const { task, parked_for } = owlpost(["task", "show", "asks"]);
  expect(task).toMatchObject({ status: "Blocked" });
  owlpost(["answer", String((parked_for as string[])[0]), "2"]);
  expect(await ended).toBe(0);
  expect(status("asks")).toBe("Done");
  expect(readFileSync(log, "utf8")).toBe("asks agent\nplain agent\nasks answered agent\n");
}, 60_000);

test("the reviewer on the page gives a review, whatever its model writes around it", () => {
  const script = join(folder, "review.mjs");
  writeFileSync(script, exampleOf(page, "mjs"));
  program(
    "claude",
    `#!/usr/bin/env node
const prompt = require("node:fs").readFileSync(0, "utf8");
const axes = /six axes: (.*)\\./.exec(prompt)[1].split(", ");
console.log("Here you are:\\n" + JSON.stringify({ axes: Object.fromEntries(axes.map((axis) => [axis, "△"])), gaps: ["g"], fixes: [] }) + "\\nBye.");
`,
  );
  const input = JSON.stringify(reviewInput("a", wholeSpec));
  const out = execFileSync(process.execPath, [script], { env, input, encoding: "utf8" });
  expect(readReview(JSON.parse(out))).toMatchObject({ verdict: "NEEDS_REFINEMENT", gaps: ["g"] });
});

test("the configuration is one, and what the reviewer reads is as the page shows it", async () => {
  const read = await readConfig(exampleOf(page, "yaml"), {});
  expect(read).toMatchObject({
    ok: true,
    config: {
      reviewer: { command: ["node", "/opt/owl/review.mjs"], timeLimitMs: 300_000, mode: "cache-aware" },
    },
  });
  const shown = JSON.parse(exampleOf(page, "json")) as Record<string, object>;
  const real = reviewInput("012-fix-auth", wholeSpec) as Record<string, object>;
  expect({ ...shown, task: Object.keys(shown.task ?? {}) }).toEqual({
    ...real,
    task: Object.keys(real.task ?? {}),
  });
});
