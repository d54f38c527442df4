import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { owlpost } from "../app/process.ts";
import { afterwards, aHome } from "../homes.ts";

function aProject(settings?: string): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), "owlpost-project-"));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, ".claude", "settings.json");
  if (settings !== undefined) {
    mkdirSync(dirname(file));
    writeFileSync(file, settings, { mode: 0o640 });
  }
  return { folder, file };
}
const init = (home: string, folder: string, ...more: string[]) =>
  owlpost(home, ["init", "--claude-code", "--project-settings", folder, "--yes", ...more]);
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

test("the hooks are added, everything else stays as and where it is, and doing it again changes nothing", async () => {
  const home = aHome();
  const theirs = { matcher: "Bash", hooks: [{ type: "command", command: "./lint.sh" }] };
  const before = {
    model: "opus",
    hooks: { PreToolUse: [theirs], PostToolUse: [theirs] },
    permissions: { allow: ["Read"] },
  };
  const { folder, file } = aProject(`${JSON.stringify(before, null, "\t")}\n`);
  const done = await init(home, folder);
  expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({
    code: 0,
    file,
    written: true,
    backup: `${file}.bak`,
    undo: expect.stringContaining("take the entries"),
    mcp: "claude mcp add owlpost -- owlpost mcp",
  });
  const after = read(file);
  expect(Object.keys(after)).toEqual(["model", "hooks", "permissions"]);
  expect(after.hooks.PostToolUse).toEqual([theirs]);
  expect(after.hooks.PreToolUse).toEqual([
    theirs,
    {
      matcher: "AskUserQuestion",
      hooks: [
        {
          type: "command",
          command: expect.stringMatching(/hook claude-code --home /),
          // Above the deadline of 15 minutes.
          timeout: 960,
        },
      ],
    },
  ]);
  expect(Object.keys(after.hooks)).toEqual([
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Notification",
    "Stop",
  ]);
  expect(readFileSync(file, "utf8")).toMatch(/^\{\n\t"model"/);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(read(`${file}.bak`)).toEqual(before);
  const text = readFileSync(file, "utf8");
  expect(JSON.parse((await init(home, folder)).stdout)).toMatchObject({ written: false });
  expect(readFileSync(file, "utf8")).toBe(text);

  // A longer deadline moves the timeout of the same entries.
  writeFileSync(join(home, "config.yaml"), "hook: { deadline: 2h }\n");
  await init(home, folder);
  const moved = read(file);
  expect(moved.hooks.PreToolUse.length).toBe(2);
  expect(moved.hooks.PreToolUse[1].hooks[0].timeout).toBe(7_260);
});

test("without a file one is made; through a link its target is written", async () => {
  const home = aHome();
  const { folder, file } = aProject();
  expect((await init(home, folder)).code).toBe(0);
  expect(Object.keys(read(file))).toEqual(["hooks"]);
  const linked = aProject();
  mkdirSync(dirname(linked.file));
  symlinkSync(file, linked.file);
  expect(JSON.parse((await init(home, linked.folder)).stdout)).toMatchObject({ file, written: false });
});

test.each([
  ["no JSON", '{ "model": ', /is no JSON object/],
  ["JSON with comments", '{ // mine\n"model": "opus" }', /is no JSON object/],
  ["a list", "[]", /is no JSON object/],
  ["hooks that are no map", '{ "hooks": [] }', /its `hooks` are no map/],
  ["an event that is no list", '{ "hooks": { "Stop": {} } }', /its `hooks.Stop` are no list/],
])("a settings file that is %s is refused, and not touched", async (_name, text, why) => {
  const { folder, file } = aProject(text);
  const refused = await init(aHome(), folder);
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toEqual({ error: "bad-settings", message: expect.stringMatching(why) });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("without a terminal and without --yes nothing is written, and a folder that is not there is refused", async () => {
  const home = aHome();
  const { folder, file } = aProject("{}");
  const asked = await owlpost(home, ["init", "--claude-code", "--project-settings", folder]);
  expect([asked.code, JSON.parse(asked.stdout).error]).toEqual([2, "bad-usage"]);
  expect(readFileSync(file, "utf8")).toBe("{}");
  expect((await init(home, join(folder, "nowhere"))).code).toBe(2);
});
