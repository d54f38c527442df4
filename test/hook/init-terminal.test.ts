import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { aTerminal, keys } from "../commands/terminal.ts";
import { aHome } from "../homes.ts";

/** An account whose Claude Code has settings of its own, some of them of an older owlpost. */
function anAccount() {
  const folder = aHome();
  const file = join(folder, ".claude", "settings.json");
  const lint = { type: "command", command: "./lint.sh" };
  const older = { type: "command", command: "node /old/owlpost/dist/cli.js hook claude-code", timeout: 600 };
  const before = {
    model: "opus",
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [lint] }],
      Stop: [{ hooks: [older] }, { hooks: [older, lint] }],
    },
  };
  const text = `${JSON.stringify(before, null, 4)}\n`;
  mkdirSync(dirname(file));
  writeFileSync(file, text);
  chmodSync(file, 0o640);
  const env = { HOME: folder };
  const start = (...more: string[]) => aTerminal(["init", "--claude-code", ...more], { env, cwd: folder });
  return { folder, file, text, lint, start };
}

test("shown whole before anything is written; Enter writes it, and everything else stays", async () => {
  const { folder, file, text, lint, start } = anAccount();
  const terminal = start();
  await terminal.when(`Into ${file}`);
  for (const words of ['"PreToolUse"', '"AskUserQuestion"', '"PermissionRequest"', '"idle_prompt"', '"Stop"'])
    await terminal.when(words);
  await terminal.when("Write it? Everything else in the file stays.");
  expect([readFileSync(file, "utf8"), existsSync(`${file}.bak`)]).toEqual([text, false]);
  await terminal.when("", keys.enter);
  await terminal.when(`Written to ${file}.`);
  await terminal.when("To undo it: take the entries");
  await terminal.when(`as it was before it is kept in ${file}.bak`);
  await terminal.when("Next: start a new session of Claude Code");
  expect(await terminal.ended).toBe(0);

  const after = JSON.parse(readFileSync(file, "utf8"));
  expect(after.model).toBe("opus");
  expect(after.hooks.PreToolUse.map(({ matcher }: { matcher: string }) => matcher)).toEqual([
    "Bash",
    "AskUserQuestion",
  ]);
  // The older ones are gone, also out of the group that they shared; the other's stays.
  expect(after.hooks.Stop).toEqual([
    {
      hooks: [expect.objectContaining({ command: expect.stringContaining("hook claude-code"), timeout: 30 })],
    },
    { hooks: [lint] },
  ]);
  expect(readFileSync(file, "utf8")).toMatch(/^\{\n {4}"model"/);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe(text);
  expect(readdirSync(join(folder, ".claude")).sort()).toEqual(["settings.json", "settings.json.bak"]);

  const again = start();
  await again.when("It is in");
  expect(await again.ended).toBe(0);
  expect(again.all()).not.toContain("Write it?");
}, 40_000);

test.each([
  ["no", `${keys.right}${keys.enter}`],
  ["n", "n"],
  ["Ctrl-C", keys.stop],
  ["Escape", "\u001b"],
])(
  "%s writes nothing, says so in one line, and gives the terminal back",
  async (_name, typed) => {
    const { folder, file, text, start } = anAccount();
    const terminal = start("--project-settings", folder);
    await terminal.when("Write it?", typed);
    expect(await terminal.ended).toBe(2);
    expect(terminal.all().trim().split("\n").at(-1)).toBe("owlpost: Nothing was written.");
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(dirname(file))).toEqual(["settings.json"]);
    expect(terminal.raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(
      terminal.raw().lastIndexOf("\u001b[?25l"),
    );
  },
  40_000,
);

test("what was changed while the question stood is not written over", async () => {
  const { file, start } = anAccount();
  const terminal = start();
  await terminal.when("Write it?");
  writeFileSync(file, '{ "model": "sonnet" }\n');
  await terminal.when("", "y");
  expect(await terminal.ended).toBe(2);
  expect(terminal.all()).toContain("was changed meanwhile: start owlpost init again");
  expect(readFileSync(file, "utf8")).toBe('{ "model": "sonnet" }\n');
}, 40_000);

test("a file with comments is refused kindly, with what to put in by hand", async () => {
  const { file, start } = anAccount();
  const text = '{\n  // mine, see http://example.org/x\n  "model": "opus",\n}\n';
  writeFileSync(file, text);
  const terminal = start();
  expect(await terminal.ended).toBe(2);
  expect(terminal.all()).toContain(
    `${file} holds comments or trailing commas, which would be lost: nothing was changed`,
  );
  expect(terminal.all()).toMatch(/To put them in by hand:\s+\{\s+"hooks": \{\s+"PreToolUse"/);
  expect(readFileSync(file, "utf8")).toBe(text);
}, 40_000);
