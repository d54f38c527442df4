import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startLine } from "../../src/app/hook/settings-file.ts";
import { cli, owlpost, run } from "../app/process.ts";
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
    // owlpost is in no folder that every shell looks into, and neither is the server of MCP.
    mcp: `claude mcp add owlpost -- ${process.execPath} ${cli} mcp --home ${home}`,
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
  [
    "JSON with comments",
    '{ // mine\n"model": "opus" }',
    /holds comments or trailing commas, which would be lost/,
  ],
  ["JSON with a trailing comma", '{ "url": "http://x//y,}", }', /holds comments or trailing commas/],
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

test("what was kept before is kept on, Windows' line ends stay, and the same again is kept once", async () => {
  const { folder, file } = aProject('{\r\n  "model": "opus"\r\n}\r\n');
  const before = readFileSync(file, "utf8");
  writeFileSync(`${file}.bak`, "somebody's own");
  const home = aHome();
  expect(JSON.parse((await init(home, folder)).stdout)).toMatchObject({ backup: `${file}.bak2` });
  expect(readFileSync(file, "utf8")).toMatch(/^\{\r\n {2}"model": "opus",\r\n/);
  expect(readFileSync(file, "utf8").replaceAll("\r\n", "")).not.toContain("\n");
  writeFileSync(file, before);
  expect(JSON.parse((await init(home, folder)).stdout)).toMatchObject({ backup: `${file}.bak2` });
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("somebody's own");
  expect(readFileSync(`${file}.bak2`, "utf8")).toBe(before);
});

test("a read-only file, a link to nothing and a folder are left alone", async () => {
  const home = aHome();
  const readOnly = aProject("{}");
  chmodSync(readOnly.file, 0o444);
  const dangling = aProject();
  mkdirSync(dirname(dangling.file));
  symlinkSync("nowhere.json", dangling.file);
  const aFolder = aProject();
  mkdirSync(aFolder.file, { recursive: true });
  for (const [{ folder, file }, why] of [
    [readOnly, "is read-only"],
    [dangling, "is a link to a file that is not there"],
    [aFolder, "is no file"],
  ] as const) {
    const refused = await init(home, folder);
    expect([refused.code, JSON.parse(refused.stdout).message]).toEqual([
      2,
      `${file} ${why}: nothing was changed`,
    ]);
  }
  expect(readFileSync(readOnly.file, "utf8")).toBe("{}");
});

test("where nothing can be written, the file is as it was and nothing lies beside it", async () => {
  const { folder, file } = aProject('{ "model": "opus" }');
  const words = [cli, "init", "--claude-code", "--project-settings", folder, "--yes", "--home", aHome()];
  const line = [process.execPath, ...words].map((word) => `'${word}'`).join(" ");
  const { code, stderr } = await run("sh", ["-c", `ulimit -f 0; exec ${line}`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} cannot be written (EFBIG)`)]);
  expect(readdirSync(dirname(file))).toEqual(["settings.json"]);
  expect(readFileSync(file, "utf8")).toBe('{ "model": "opus" }');
});

test("the command is one that every shell finds: no folder of npm, no file that cannot be run", () => {
  const bin = join(aHome(), "bin");
  const passing = join(aHome(), "node_modules", ".bin");
  for (const folder of [bin, passing]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "owlpost"), "#!/bin/sh\n", { mode: 0o755 });
  }
  const command = (...folders: string[]) =>
    startLine("hook claude-code", "/opt/owl post/cli.js", undefined, { PATH: folders.join(":") });
  expect(command("/nowhere", bin)).toBe("owlpost hook claude-code");
  expect(command(passing, "bin", "")).toBe(`${process.execPath} '/opt/owl post/cli.js' hook claude-code`);
  chmodSync(join(bin, "owlpost"), 0o644);
  expect(command(bin)).toContain("cli.js");
  expect(startLine("mcp", "/opt/cli.js", "/srv/owl's", { PATH: passing })).toBe(
    `${process.execPath} /opt/cli.js mcp --home '/srv/owl'\\''s'`,
  );
});

test("project settings beside other ones of the account: it is said that everything would be asked twice", async () => {
  const { folder: account } = aProject();
  const { folder } = aProject();
  const [first, second] = [aHome(), aHome()];
  const said = async (home: string, where: string): Promise<string> => {
    const words = ["init", "--claude-code", "--project-settings", where, "--yes", "--home", home];
    const { stderr } = await run("env", [`HOME=${account}`, process.execPath, cli, ...words]);
    return stderr;
  };
  expect(await said(first, account)).not.toContain("asked twice");
  // Claude Code runs the very same line once.
  expect(await said(first, folder)).not.toContain("asked twice");
  expect(await said(second, folder)).toContain(`in ${folder} everything would be asked twice`);
});

test("without a terminal and without --yes nothing is written, and a folder that is not there is refused", async () => {
  const home = aHome();
  const { folder, file } = aProject("{}");
  const asked = await owlpost(home, ["init", "--claude-code", "--project-settings", folder]);
  expect([asked.code, JSON.parse(asked.stdout).error]).toEqual([2, "bad-usage"]);
  expect(readFileSync(file, "utf8")).toBe("{}");
  expect((await init(home, join(folder, "nowhere"))).code).toBe(2);
});
