import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsOfCommand, factsOfDiff, tailOf } from "../../src/app/facts.ts";
import { checkQuestion } from "../../src/core/contract.ts";
import { aDocument } from "../builders.ts";
import { aHome } from "../homes.ts";

/** Does a question keep the contract with these facts, and what of them is stored? */
function asked(facts: Readonly<Record<string, unknown>>) {
  return checkQuestion(aDocument({ facts: {}, default: { action: "skip_spec", at: "8h" } }), {
    now: 0,
    zone: "UTC",
    minLeadMs: 0,
    channels: [{ id: "inbox" }],
    ownerAutoDefault: false,
    asAgent: false,
    given: { project: "default", facts },
  });
}

describe("what a command printed", () => {
  test.each([
    ["one line without end", "x".repeat(300_000)],
    ["ten long lines of any script", `${"日本語のログ".repeat(3_000)}\n`.repeat(12)],
    ["quotes and control characters", `${'"\\\u0001'.repeat(40_000)}\n`.repeat(3)],
  ])("fits into the question, whatever it is: %s", (_name, output) => {
    const tail = tailOf(output);
    expect(asked({ output_tail: tail })).toMatchObject({ ok: true });
    expect(tail.length).toBeGreaterThan(5_000);
  });

  test("its last lines stay whole, and one that is cut shows it", () => {
    const tail = tailOf(`first\n${"y".repeat(60_000)}\nthe cause\nexit`);
    expect(tail).toMatch(/^…y+\nthe cause\nexit$/);
  });

  test("no half of a credential is left where a line is cut", () => {
    // Cut so that the end of the token would stand at the start of what is kept.
    const token = `ghp_${"Ab1".repeat(40)}`;
    for (const after of [19_900, 19_950, 19_990]) {
      const tail = tailOf(`${"x ".repeat(500)}${token} ${"y".repeat(after)}`);
      expect(tail).not.toContain("Ab1");
    }
  });

  test("one that a signal ended says which, as a shell does", async () => {
    expect(await factsOfCommand("kill -9 $$", aHome(), process.env)).toMatchObject({ exit_code: 137 });
    expect(await factsOfCommand("kill -TERM $$", aHome(), process.env)).toMatchObject({ exit_code: 143 });
  });

  test("it gets an end of input at once, and an agent's rights: tests are written by agents", async () => {
    const facts = await factsOfCommand("cat; echo $OWLPOST_AS", aHome(), process.env);
    expect(facts).toMatchObject({ exit_code: 0, output_tail: "agent" });
  });
});

describe("--diff-stat", () => {
  const who = ["-c", "user.name=o", "-c", "user.email=o@example.org", "-c", "init.defaultBranch=main"];
  function aTree(): { readonly folder: string; git(...args: string[]): void } {
    const folder = join(aHome(), "work");
    mkdirSync(folder);
    const git = (...args: string[]): void => {
      execFileSync("git", [...who, "-C", folder, ...args], { stdio: "ignore" });
    };
    git("init");
    for (const name of ["auth.ts", "code.evil"]) writeFileSync(join(folder, name), "one\n");
    git("add", "auth.ts", "code.evil");
    git("commit", "-m", "first");
    return { folder, git };
  }

  test("runs nothing that the work tree names: an agent writes there", async () => {
    const { folder, git } = aTree();
    const ran = join(aHome(), "ran");
    mkdirSync(ran);
    const program = (name: string): string => {
      const path = join(ran, `${name}.sh`);
      writeFileSync(path, `#!/bin/sh\ntouch "${join(ran, `${name}.ran`)}"\ncat 2>/dev/null\n`);
      chmodSync(path, 0o755);
      return path;
    };
    git("config", "core.fsmonitor", program("fsmonitor"));
    git("config", "core.pager", program("pager"));
    git("config", "diff.external", program("external"));
    git("config", "diff.evil.command", program("command"));
    git("config", "diff.evil.textconv", program("textconv"));
    git("config", "filter.evil.clean", program("clean"));
    git("config", "filter.odd name.x.process", program("process"));
    git("config", "filter.odd name.x.required", "true");
    writeFileSync(join(folder, ".gitattributes"), "*.evil diff=evil filter=evil\n");
    writeFileSync(join(folder, ".git", "hooks", "post-index-change"), `#!/bin/sh\n${program("hook")}\n`);
    chmodSync(join(folder, ".git", "hooks", "post-index-change"), 0o755);
    writeFileSync(join(folder, "code.evil"), "two\n");
    writeFileSync(join(folder, "auth.ts"), "two\n");
    const found = await factsOfDiff(folder, process.env);
    expect(found).toMatchObject({
      ok: true,
      facts: { diff_stat: expect.stringContaining("2 files changed"), branch: "main" },
    });
    expect(readdirSync(ran).filter((name) => name.endsWith(".ran"))).toEqual([]);
    expect(existsSync(join(folder, ".git", "index.lock"))).toBe(false);
  });

  test("a change to thousands of files fits, and its sum is kept", async () => {
    const { folder, git } = aTree();
    for (let at = 0; at < 1_500; at += 1)
      writeFileSync(join(folder, `a-module-with-a-long-name-${at}.ts`), "one\n");
    git("add", "--all");
    const found = await factsOfDiff(folder, process.env);
    if (!found.ok) throw new Error(found.message);
    expect(String(found.facts.diff_stat)).toMatch(/^…[\s\S]*1500 files changed, 1500 insertions\(\+\)$/);
    expect(asked(found.facts)).toMatchObject({ ok: true });
  });
});
