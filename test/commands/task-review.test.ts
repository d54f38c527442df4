import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wholeSpec } from "../contract/provider.ts";
import { until } from "../homes.ts";
import { aTaskDesk, env } from "./task-desk.ts";

const desk = aTaskDesk();

/** A reviewer that answers with what the script gives for the spec that it reads as `input`. */
function aReviewer(body: string, more = ""): void {
  const path = desk().file(
    "reviewer.mjs",
    `import { readFileSync, writeFileSync } from "node:fs";
const input = JSON.parse(readFileSync(0, "utf8"));
const marks = (mark) => Object.fromEntries(input.axes.map((axis) => [axis, mark]));
const say = (value) => console.log(JSON.stringify(value));
${body}
`,
  );
  const home = desk().home;
  const command = JSON.stringify([process.execPath, path]);
  writeFileSync(join(home, "config.yaml"), `reviewer: { command: ${command}, name: owl-judge${more} }\n`);
  chmodSync(path, 0o600);
}

/** Thirty tasks that people have judged, of which a reviewer that says PASS alone gets so many right. */
function judged(right: number): string {
  const lines = Array.from({ length: 30 }, (_, at) =>
    JSON.stringify({
      ...wholeSpec,
      id: `s-${at}`,
      title: `Task ${at}`,
      verdict: at < right ? "PASS" : "REJECT",
    }),
  );
  return desk().file("judged.jsonl", lines.join("\n"));
}

async function aDraft(changes: Record<string, unknown> = {}): Promise<void> {
  const file = desk().file("draft.json", JSON.stringify({ id: "a", ...wholeSpec, ...changes }));
  expect(await desk().task("create", "--file", file)).toMatchObject({ exit: 0 });
}

const pass = 'say({ axes: marks("◯"), gaps: [], fixes: [] });';

test("a person passes a task, an edit makes that stale, and findings stand on the task", async () => {
  await aDraft();
  expect(await desk().task("move", "a", "ready")).toMatchObject({ exit: 3, error: "not-ready" });
  expect(await desk().task("review", "a")).toMatchObject({ exit: 2, error: "no-reviewer" });
  expect(await desk().task("review", "a", "--mode", "cache-only")).toMatchObject({
    exit: 4,
    error: "unreviewed",
  });
  const said = await desk().task("review", "a", "--verdict", "pass");
  expect(said).toMatchObject({ exit: 0, id: "a", how: "stored", verdict: "PASS" });
  expect(said.line).toMatch(/^PASS hash=[0-9a-f]{8} @\S+ v2 reviewer=eric$/);
  expect(await desk().task("review", "a")).toMatchObject({ exit: 0, how: "stood", verdict: "PASS" });
  expect(await desk().task("move", "a", "ready")).toMatchObject({ exit: 0 });
  await desk().task("edit", "a", "--plan", "1. another way");
  expect(await desk().task("next")).toMatchObject({
    exit: 4,
    message: expect.stringContaining("changed after its review"),
  });
  const refined = ["--verdict", "needs-refinement", "--gap", "Which form kit?", "--fix", "Name it."];
  expect(await desk().shown("review", "a", ...refined)).toEqual([
    0,
    "NEEDS_REFINEMENT\nGaps:\n  - Which form kit?\nSuggested fixes:\n  - Name it.\n",
    "",
  ]);
  expect(await desk().task("show", "a")).toMatchObject({
    task: { context: expect.stringContaining("- Which form kit?") },
  });
  expect(await desk().task("review", "a", "--mode", "cache-only")).toMatchObject({
    verdict: "NEEDS_REFINEMENT",
    gaps: ["Which form kit?"],
  });
});

test("what lacks something is mended first, by whomever it is judged", async () => {
  await aDraft({ acceptanceCriteria: "[DRAFT-AC]" });
  for (const line of [
    ["review", "a"],
    ["review", "a", "--verdict", "pass"],
  ])
    expect(await desk().task(...line)).toMatchObject({
      exit: 3,
      error: "not-ready",
      findings: [expect.objectContaining({ rule: "placeholder_present" })],
    });
  expect(await desk().task("review", "a", "--verdict", "reject")).toMatchObject({ exit: 0 });
  expect(await desk().task("review", "b", "--verdict", "pass")).toMatchObject({
    exit: 3,
    error: "no-such-task",
  });
});

test("guessed lines are shown with their numbers, and adopted one by one", async () => {
  await aDraft({ acceptanceCriteria: "- [INFERRED] it is fast\n- [INFERRED] it is blue" });
  expect((await desk().shown("show", "a"))[1]).toContain("  2  it is blue");
  expect(await desk().agent("review", "a", "--confirm-line", "1")).toMatchObject({
    exit: 3,
    error: "not-allowed",
  });
  expect(await desk().task("review", "a", "--confirm-line", "1")).toMatchObject({
    exit: 0,
    unconfirmed: 1,
    task: { acceptanceCriteria: "- it is fast\n- [INFERRED] it is blue" },
  });
  expect(await desk().task("review", "a", "--confirm-line", "2")).toMatchObject({
    exit: 3,
    error: "no-such-line",
  });
});

test("a reviewer counts once it agreed on enough tasks, and stays disabled below 80 %", async () => {
  await aDraft();
  aReviewer(pass);
  expect(await desk().task("review", "a")).toMatchObject({ exit: 2, error: "reviewer-disabled" });
  expect(await desk().task("review", "a", "--advice")).toMatchObject({
    exit: 0,
    how: "advice",
    verdict: "PASS",
  });
  expect((await desk().task("show", "a")).task).toMatchObject({ qualityVerdict: "" });

  const below = await desk().task("review", "--calibrate", judged(23));
  expect(below).toMatchObject({ exit: 3, samples: 30, agreed: 23, enabled: false });
  expect(below.disagreed).toHaveLength(7);
  expect(below).toHaveProperty("disagreed.0", { id: "s-23", expected: "REJECT", got: "PASS" });
  expect(await desk().task("review", "a")).toMatchObject({
    exit: 2,
    error: "reviewer-disabled",
    message: expect.stringContaining("23 of 30"),
  });

  expect(await desk().task("review", "--calibrate", judged(24))).toMatchObject({
    exit: 0,
    agreement: 0.8,
    enabled: true,
  });
  const reviewed = await desk().agent("review", "a");
  expect(reviewed).toMatchObject({
    exit: 0,
    how: "stored",
    verdict: "PASS",
    axes: { goal: "◯", fidelity: "◯" },
  });
  expect(reviewed.line).toMatch(/ v2 reviewer=owl-judge$/);
  expect(await desk().task("move", "a", "ready")).toMatchObject({ exit: 0 });

  // Another command is another reviewer.
  aReviewer(pass);
  const config = join(desk().home, "config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace('.mjs"]', '.mjs", "--hard"]'));
  expect(await desk().task("review", "a", "--mode", "live")).toMatchObject({
    exit: 2,
    error: "reviewer-disabled",
  });
}, 60_000);

test("samples that are none are named, and few samples enable nothing", async () => {
  await aDraft();
  aReviewer(pass);
  const bad = desk().file("bad.jsonl", '{"title":"x","verdict":"MAYBE"}');
  expect(await desk().task("review", "--calibrate", bad)).toMatchObject({
    exit: 2,
    message: expect.stringContaining("Sample 1 has no verdict"),
  });
  const few = desk().file("few.jsonl", JSON.stringify({ ...wholeSpec, verdict: "PASS" }));
  expect(await desk().task("review", "--calibrate", few)).toMatchObject({
    exit: 3,
    enabled: false,
    why: expect.stringContaining("only 1"),
  });
  expect(await desk().agent("review", "--calibrate", few)).toMatchObject({ exit: 3, error: "not-allowed" });
});

test("what it reads, and the little that it is given", async () => {
  await aDraft({
    context:
      "See the design.\n--- Quality Review Findings hash=00000000 @x ---\nGaps:\n- old\n--- End Quality Review Findings ---",
  });
  const seen = join(desk().folder, "seen.json");
  aReviewer(
    `writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ input, cwd: process.cwd(), env: process.env }));\n${pass}`,
    ", env: [JUDGE_KEY]",
  );
  const more = { ...env, JUDGE_KEY: "k", OTHER_SECRET: "s", PATH: String(process.env.PATH) };
  const { exit } = await desk().run(["task", "review", "a", "--advice"], { env: more });
  expect(exit).toBe(0);
  const { input, cwd, env: given } = JSON.parse(readFileSync(seen, "utf8"));
  expect(input).toMatchObject({ version: 1, rubric: "irc-6axis", axes: expect.arrayContaining(["goal"]) });
  expect(input.task).toMatchObject({ id: "a", title: wholeSpec.title, context: "See the design.\n" });
  expect(
    Object.keys(given)
      .filter((name) => !name.startsWith("__"))
      .sort(),
  ).toEqual(["HOME", "JUDGE_KEY", "OWLPOST_AS", "PATH"]);
  expect(given.OWLPOST_AS).toBe("agent");
  expect([cwd.startsWith(desk().folder), existsSync(cwd)]).toEqual([false, false]);
});

test("what fails, takes too long or is no review stores nothing and says so", async () => {
  await aDraft();
  const broken = async (body: string, error: string, part: string) => {
    aReviewer(body, ", time_limit: 1m");
    const failed = await desk().task("review", "a", "--advice");
    expect(failed).toMatchObject({ exit: 1, error });
    expect(failed.message).toContain(part);
  };
  await broken('console.log("It looks fine to me.");', "reviewer-malformed", "is no review");
  await broken('say({ axes: { goal: "◯" }, gaps: [], fixes: [] });', "reviewer-malformed", "six axes");
  await broken('process.stdout.write("x".repeat(300_000));', "reviewer-malformed", "256 KiB");
  await broken('console.error("no key"); process.exit(3);', "reviewer-failed", "exit code 3: no key");
  expect((await desk().task("show", "a")).task).toMatchObject({ qualityVerdict: "" });
  writeFileSync(join(desk().home, "config.yaml"), "reviewer: { command: [no-such-program-anywhere] }\n");
  expect(await desk().task("review", "a", "--advice")).toMatchObject({ exit: 1, error: "reviewer-failed" });
});

test("a task that was changed while it was judged keeps no verdict", async () => {
  await aDraft();
  aReviewer(pass);
  await desk().task("review", "--calibrate", judged(30));
  const go = join(desk().folder, "go");
  const begun = join(desk().folder, "begun");
  const script = join(desk().folder, "reviewer.mjs");
  const wait = `writeFileSync(${JSON.stringify(begun)}, ""); while (!existsSync(${JSON.stringify(go)})) await new Promise((next) => setTimeout(next, 5));\n`;
  writeFileSync(
    script,
    readFileSync(script, "utf8")
      .replace("readFileSync,", "existsSync, readFileSync,")
      .replace(pass, wait + pass),
  );
  const reviewing = desk().task("review", "a");
  await until(() => existsSync(begun), Boolean);
  await desk().task("edit", "a", "--plan", "1. another way");
  writeFileSync(go, "");
  expect(await reviewing).toMatchObject({ exit: 3, error: "changed-meanwhile" });
}, 60_000);

test("an agent writes no verdict", async () => {
  await aDraft();
  expect(await desk().agent("review", "a", "--verdict", "pass")).toMatchObject({
    exit: 3,
    error: "not-allowed",
  });
  expect((await desk().task("show", "a")).task).toMatchObject({ qualityVerdict: "" });
});

test("bad usage", async () => {
  for (const [line, part] of [
    [[], "name the task"],
    [["a", "--verdict", "fine"], "--verdict is one of pass"],
    [["a", "--gap", "x"], "go with --verdict"],
    [["a", "--mode", "fast"], "--mode is one of"],
    [["a", "--confirm-line", "0"], "--confirm-line needs"],
    [["a", "--advice", "--verdict", "pass"], "give one of"],
    [["a", "--calibrate", "f"], "no single task"],
  ] as const)
    expect(await desk().task("review", ...line)).toMatchObject({
      exit: 2,
      error: "bad-usage",
      message: expect.stringContaining(part),
    });
});
