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
  const names = ["auth.ts", "code.evil", "code.own", "code.more"];
  function aTree(): { readonly folder: string; git(...args: string[]): void } {
    const folder = join(aHome(), "work");
    mkdirSync(folder);
    const git = (...args: string[]): void => {
      execFileSync("git", [...who, "-C", folder, ...args], { stdio: "ignore" });
    };
    git("init");
    for (const name of names) writeFileSync(join(folder, name), "one\n");
    git("add", ...names);
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
    git("config", "extensions.worktreeConfig", "true");
    git("config", "--worktree", "filter.own.clean", program("own"));
    writeFileSync(join(folder, ".git", "more"), `[filter "more"]\n\tclean = ${program("more")}\n`);
    git("config", "include.path", "more");
    git("config", "filter.odd name.x.process", program("process"));
    git("config", "filter.odd name.x.required", "true");
    writeFileSync(
      join(folder, ".gitattributes"),
      "*.evil diff=evil filter=evil\n*.own filter=own\n*.more filter=more\n",
    );
    writeFileSync(join(folder, ".git", "hooks", "post-index-change"), `#!/bin/sh\n${program("hook")}\n`);
    chmodSync(join(folder, ".git", "hooks", "post-index-change"), 0o755);
    for (const name of names) writeFileSync(join(folder, name), "two\n");
    const found = await factsOfDiff(folder, process.env);
    expect(found).toMatchObject({
      ok: true,
      facts: { diff_stat: expect.stringContaining("4 files changed"), branch: "main" },
    });
    expect(readdirSync(ran).filter((name) => name.endsWith(".ran"))).toEqual([]);
    expect(existsSync(join(folder, ".git", "index.lock"))).toBe(false);
  });

  test.each([
    ["one that -c cannot name", '[filter "a=b"]\n\tclean = cat\n'],
    [
      "more than a command line holds",
      Array.from({ length: 40_000 }, (_, at) => `[filter "n${at}"]\n\tclean = cat\n`).join(""),
    ],
  ])("filters that cannot be left out stop no question either: %s", async (_name, config) => {
    const { folder, git } = aTree();
    writeFileSync(join(folder, ".git", "more"), config);
    git("config", "include.path", "more");
    const found = await factsOfDiff(folder, process.env);
    expect(found).toEqual({ ok: true, facts: {}, missing: expect.stringContaining("asked without") });
  });

  test("a git that takes too long stops no question: it is asked without, and says so", async () => {
    const slow = aHome();
    writeFileSync(join(slow, "git"), "#!/bin/sh\nexec sleep 30\n", { mode: 0o755 });
    const env = { ...process.env, PATH: `${slow}:${process.env.PATH}` };
    const found = await factsOfDiff(slow, env, 200);
    expect(found).toEqual({ ok: true, facts: {}, missing: expect.stringContaining("asked without") });
  });

  test("before the first commit there is nothing to compare with, and it is asked all the same", async () => {
    const folder = aHome();
    execFileSync("git", ["-C", folder, "init", "-q"], { stdio: "ignore" });
    expect(await factsOfDiff(folder, process.env)).toEqual({
      ok: true,
      facts: {},
      missing: expect.stringContaining("no commit"),
    });
    expect(await factsOfDiff(aHome(), process.env)).toMatchObject({ ok: false });
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
