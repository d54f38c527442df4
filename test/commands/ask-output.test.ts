import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { factsOfCommand, tailOf } from "../../src/app/facts.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { Question } from "../../src/domain/question.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const block = JSON.stringify({
  title: "Token refresh strategy?",
  context: "See `src/auth.ts`.",
  options: [
    { key: "1", label: "Rotation", consequence: "No schema change", recommended: true },
    { key: "2", label: "Longer TTL", consequence: "Weaker security" },
  ],
  facts: { exit_code: 0 },
  low_fidelity: true,
});
const decides = `12 passed\n<question>${block}</question>\n<promise>DECIDE:Token refresh strategy?</promise>\n`;
const fromOutput = ["ask", "--json", "--from-output", "-", "--task", "012-fix-auth"];

async function stored(id: unknown): Promise<Question> {
  const store = await openStore(join(desk.home, "owlpost.db"));
  try {
    const found = await store.question(id as QuestionId);
    if (!found) throw new Error(`${String(id)} is not stored`);
    return found.question;
  } finally {
    await store.close();
  }
}

describe("ask --from-output", () => {
  test("the question of the agent, with what it may not say told as dropped", async () => {
    const { exit, json } = await desk.run(fromOutput, { stdin: decides });
    expect(exit).toBe(0);
    expect(json).toMatchObject({
      promise: "DECIDE",
      asked: [{ id: "q-local-012-fix-auth-1", state: "pending" }],
    });
    const [asked] = json.asked as Record<string, unknown>[];
    expect(asked?.dropped).toEqual(["low_fidelity", "facts"]);
    expect(await stored(asked?.id)).toMatchObject({ title: "Token refresh strategy?" });
  });

  test("a bare promise leads with the end of the log, and --fact beats it", async () => {
    const log = Array.from({ length: 30 }, (_, line) => `\u001b[31mline ${line}\u001b[0m`).join("\r\n");
    const stdin = `${log}\r\n<promise>BLOCKED:the suite hangs</promise>\r\n`;
    const { json } = await desk.run([...fromOutput, "--fact", "command=make test", "--fact", "exit_code=2"], {
      stdin,
    });
    const [asked] = json.asked as Record<string, unknown>[];
    const shown = await stored(asked?.id);
    expect(shown).toMatchObject({
      kind: "blocked",
      low_fidelity: true,
      facts: {
        command: "make test",
        exit_code: 2,
        output_tail: expect.stringMatching(/^line 20\n[\s\S]*line 29$/),
      },
    });
  });

  test("a command's output is not told as the agent's: what the agent said last leads all the same", async () => {
    const stdin = "I propose to drop the index.\n<promise>DECIDE:Go on?</promise>";
    const { json } = await desk.run([...fromOutput, "--fact-command", "echo 3 failed; exit 1"], { stdin });
    const [asked] = json.asked as Record<string, unknown>[];
    expect(await stored(asked?.id)).toMatchObject({
      facts: {
        output_tail: "I propose to drop the index.",
        command_output: "3 failed",
        exit_code: 1,
      },
    });
    const named = await desk.run([...fromOutput, "--fact", "output_tail=the engine's own"], { stdin });
    const [other] = named.json.asked as Record<string, unknown>[];
    expect(await stored(other?.id)).toMatchObject({ facts: { output_tail: "the engine's own" } });
  });

  test("two questions in one promise are asked in order, and asking again with the key asks nothing new", async () => {
    const stdin = "<promise>DECIDE:Which auth approach?|Which session store?</promise>";
    const ids = async () =>
      ((await desk.run([...fromOutput, "--key", "k"], { stdin })).json.asked as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await ids()).toEqual(["q-local-012-fix-auth-1", "q-local-012-fix-auth-2"]);
    expect(await ids()).toEqual(["q-local-012-fix-auth-1", "q-local-012-fix-auth-2"]);
    const waiting = await desk.run([...fromOutput, "--wait", "1s"], { stdin });
    expect([waiting.exit, waiting.json.error]).toEqual([2, "bad-usage"]);
  });

  test("DONE and nothing at all ask nothing, and say so by exit code 4", async () => {
    const done = await desk.run(fromOutput, { stdin: "all well\n<promise>DONE</promise>" });
    expect([done.exit, done.json]).toEqual([4, { promise: "DONE", asked: [] }]);
    const none = await desk.run(fromOutput, { stdin: "I stopped." });
    expect([none.exit, none.json]).toEqual([4, { promise: null, asked: [] }]);
    const people = await desk.run(["ask", "--from-output", "-", "--task", "x"], { stdin: "" });
    expect(people.err).toContain("holds no complete <promise>");
  });

  test("a block that breaks the contract is refused with every rule, and nothing is stored", async () => {
    const stdin = '<question>{"title":"?","options":[]}</question><promise>DECIDE:x</promise>';
    const { exit, json } = await desk.run(fromOutput, { stdin });
    expect(exit).toBe(2);
    const [refused] = json.asked as { error: string; broken: { rule: string }[] }[];
    expect(refused?.error).toBe("rejected");
    expect(refused?.broken.map(({ rule }) => rule)).toContain("options-too-few");
    expect((await desk.run(["pending", "--json"])).json).toMatchObject({ open: [] });
  });

  test("the default is skip_spec in 8 hours, the agent may say another, and the flags beat both", async () => {
    const own = block.replace('"title"', '"default":{"action":"stay_parked","at":"2h"},"title"');
    const stdin = `<question>${own}</question><promise>DECIDE:x</promise>`;
    const [first] = (await desk.run(fromOutput, { stdin })).json.asked as { id: string }[];
    expect(await stored(first?.id)).toMatchObject({ default: { action: "stay_parked" } });
    const flags = ["--default", "skip_spec", "--at", "45m"];
    const [second] = (await desk.run([...fromOutput, ...flags], { stdin })).json.asked as { id: string }[];
    expect(await stored(second?.id)).toMatchObject({ default: { action: "skip_spec" } });
  });

  test("an agent that hands over its own output measures nothing", async () => {
    const stdin = "tail of the log\n<promise>BLOCKED</promise>";
    const env = { OWLPOST_AS: "agent" };
    const { json } = await desk.run([...fromOutput, "--fact", "exit_code=0", "--run", "zz"], { stdin, env });
    const [asked] = json.asked as Record<string, unknown>[];
    expect(asked?.dropped).toEqual(expect.arrayContaining(["facts", "run"]));
    const shown = await stored(asked?.id);
    expect(shown).toMatchObject({ tried: "tail of the log" });
    expect(shown.facts).toBeUndefined();
  });

  test("of a long output the end counts", async () => {
    const noise = `${"x".repeat(99)}\n`.repeat(120_000);
    const { json } = await desk.run(fromOutput, { stdin: `<promise>DONE</promise>\n${noise}${decides}` });
    expect(json).toMatchObject({ promise: "DECIDE" });
  });

  test("an output that is one endless line asks what stands at its end", async () => {
    const progress = "working 日本\r".repeat(400_000);
    const { json } = await desk.run(fromOutput, { stdin: `${progress}<promise>DECIDE:Which?</promise>\n` });
    expect(json).toMatchObject({ promise: "DECIDE" });
  });

  test("nothing is measured for an output that asks nothing, or may not be asked", async () => {
    const ran = join(desk.folder, "ran");
    const measures = [...fromOutput, "--fact-command", `touch '${ran}'`];
    expect((await desk.run(measures, { stdin: "<promise>DONE</promise>" })).exit).toBe(4);
    const two = "<promise>DECIDE:Which?|When?</promise>";
    expect((await desk.run([...measures, "--wait", "1s"], { stdin: two })).exit).toBe(2);
    expect(existsSync(ran)).toBe(false);
    expect((await desk.run(measures, { stdin: two })).exit).toBe(0);
    expect(existsSync(ran)).toBe(true);
  });

  test("what goes together is said", async () => {
    const both = await desk.run(["ask", "--json", "q.yaml", "--from-output", "-", "--task", "x"]);
    expect(both.json.message).toContain("leave the other one out");
    const neither = await desk.run(["ask", "--json"]);
    expect(neither.exit).toBe(2);
    const noTask = await desk.run(["ask", "--json", "--from-output", "-"], { stdin: decides });
    expect(noTask.json.message).toContain("--task");
    const key = await desk.run(["ask", "--json", "-", "--key", "hook:1"], { stdin: "{}" });
    expect(key.json.message).toContain("a take leaves them alone");
    const at = await desk.run(["ask", "--json", "-", "--at", "2h"], { stdin: "{}" });
    expect(at.json.message).toContain("--at goes with --from-output");
  });
});

describe("what the engine measured", () => {
  const document = JSON.stringify(
    aDocument({ default: { action: "skip_spec", at: "12h" }, facts: { exit_code: 0, host: "ci-3" } }),
  );

  test("--fact-command keeps the exit code and the last ten lines", async () => {
    const command = "seq 1 40; echo wrong >&2; exit 3";
    const { json, err } = await desk.run(["ask", "--json", "-", "--fact-command", command], {
      stdin: document,
    });
    expect(err).toBe("");
    const { facts } = await stored(json.id);
    expect(facts).toMatchObject({ command, exit_code: 3, host: "ci-3" });
    const lines = String(facts?.output_tail).split("\n");
    expect(lines).toHaveLength(10);
    expect(lines).toContain("40");
    expect(lines).toContain("wrong");
  });

  test("a command that hangs is ended with all that it started, and says so by exit code 124", async () => {
    const began = performance.now();
    const facts = await factsOfCommand("echo begun; sleep 600 & sleep 600", desk.folder, process.env, 300);
    expect(facts).toEqual({
      command: "echo begun; sleep 600 & sleep 600",
      exit_code: 124,
      output_tail: "begun",
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("a command that leaves something running does not hold up the ask", async () => {
    const facts = await factsOfCommand("(sleep 20; echo late) & echo now", desk.folder, process.env);
    expect(facts).toMatchObject({ exit_code: 0, output_tail: "now" });
  });

  test("--diff-stat tells what changed and where, and says when it cannot", async () => {
    const folder = join(desk.folder, "work");
    mkdirSync(folder);
    const git = (...args: string[]): void => {
      const who = ["-c", "user.name=o", "-c", "user.email=o@example.org", "-c", "init.defaultBranch=main"];
      execFileSync("git", [...who, "-C", folder, ...args], { stdio: "ignore" });
    };
    git("init");
    git("checkout", "-b", "owl/a3f2");
    writeFileSync(join(folder, "auth.ts"), "one\n");
    git("add", "auth.ts");
    git("commit", "-m", "first");
    writeFileSync(join(folder, "auth.ts"), "two\nthree\n");
    const { json } = await desk.run(["ask", "--json", "-", "--diff-stat", "work"], { stdin: document });
    expect((await stored(json.id)).facts).toMatchObject({
      diff_stat: expect.stringContaining("auth.ts | 3 ++-"),
      branch: "owl/a3f2",
    });
    const wrong = await desk.run(["ask", "--json", "-", "--diff-stat", "."], { stdin: document });
    expect([wrong.exit, wrong.json.message]).toEqual([2, expect.stringContaining("no git work tree")]);
  });

  test("a fact without a name is refused", async () => {
    const { exit, json } = await desk.run(["ask", "--json", "-", "--fact", "oops"], { stdin: document });
    expect([exit, json.message]).toEqual([2, expect.stringContaining("such as --fact branch=owl/a3f2")]);
  });

  test("the tail has no colours and no blank end", () => {
    expect(tailOf("\u001b[1mone\u001b[0m\r\ntwo\r\n\r\n")).toBe("one\ntwo");
  });
});
