import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * The layer rules stand in biome.json. Here each of them is broken on purpose in a small tree of its own, the real
 * linter runs over it once, and every plant must be refused by the rule that is meant, and everything else let through.
 */
const root = resolve(import.meta.dirname, "../..");
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");

type Finding = { readonly file: string; readonly line: number; readonly rule: string };
type Report = {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
};

/** What a file of each folder may import, and what it may not. One line of the planted file each. */
const imports: Readonly<Record<string, { readonly allowed: string[]; readonly refused: string[] }>> = {
  "src/domain/plant.ts": {
    allowed: ["./ids.ts", "./room/a.ts", "zod", "zod/mini"],
    refused: [
      "../core/a.ts",
      "../store/a.ts",
      "../app/a.ts",
      "../commands/a.ts",
      "../cli.ts",
      "../page/a.ts",
      "../../renderers/a.ts",
      "../../channels/a.ts",
      "luxon",
      "better-sqlite3",
      "node:fs",
      "fs",
      "zodiac",
      "..",
      "#core/a",
      "/a.ts",
    ],
  },
  "src/domain/room/plant.ts": {
    allowed: ["./a.ts", "../ids.ts", "../other/a.ts", "zod"],
    refused: [
      "../../core/a.ts",
      "../../cli.ts",
      "../../../renderers/a.ts",
      "../../../channels/a.ts",
      "luxon",
      "node:fs",
    ],
  },
  "src/core/plant.ts": {
    allowed: ["./a.ts", "./room/a.ts", "../domain/ids.ts", "../domain/room/a.ts"],
    refused: [
      "../store/a.ts",
      "../app/a.ts",
      "../commands/a.ts",
      "../cli.ts",
      "../page/a.ts",
      "../../renderers/a.ts",
      "../../channels/a.ts",
      "luxon",
      "node:crypto",
      "node:fs",
      "node:process",
      "better-sqlite3",
      "zod",
      "yaml",
    ],
  },
  "src/core/room/plant.ts": {
    allowed: ["./a.ts", "../a.ts", "../other/a.ts", "../../domain/ids.ts"],
    refused: [
      "../../store/a.ts",
      "../../app/a.ts",
      "../../cli.ts",
      "../../../channels/a.ts",
      "luxon",
      "node:crypto",
    ],
  },
  "src/core/time.ts": {
    allowed: ["./a.ts", "../domain/ids.ts", "luxon"],
    refused: ["../store/a.ts", "node:fs", "node:crypto"],
  },
  "src/core/digest.ts": {
    allowed: ["./a.ts", "../domain/ids.ts", "node:crypto"],
    refused: ["../store/a.ts", "node:fs", "luxon"],
  },
  "renderers/plant.ts": {
    allowed: ["./a.ts", "./room/a.ts", "../src/domain/ids.ts"],
    refused: [
      "../src/core/a.ts",
      "../src/store/a.ts",
      "../src/app/a.ts",
      "../src/commands/a.ts",
      "../src/cli.ts",
      "../channels/a.ts",
      "grammy",
      "zod",
      "luxon",
      "node:fs",
    ],
  },
  "renderers/room/plant.ts": {
    allowed: ["./a.ts", "../a.ts", "../other/a.ts", "../../src/domain/ids.ts"],
    refused: ["../../src/core/a.ts", "../../src/app/a.ts", "../../channels/a.ts", "grammy", "node:fs"],
  },
  "src/store/plant.ts": {
    allowed: ["./a.ts", "./room/a.ts", "../domain/ids.ts", "better-sqlite3", "node:fs", "node:fs/promises"],
    refused: [
      "../core/a.ts",
      "../app/a.ts",
      "../commands/a.ts",
      "../cli.ts",
      "../../renderers/a.ts",
      "../../channels/a.ts",
      "luxon",
      "zod",
      "pino",
      "undici",
    ],
  },
  "src/store/room/plant.ts": {
    allowed: ["./a.ts", "../a.ts", "../../domain/ids.ts", "better-sqlite3", "node:fs", "node:fs/promises"],
    refused: [
      "../../core/a.ts",
      "../../app/a.ts",
      "../../../renderers/a.ts",
      "../../../channels/a.ts",
      "luxon",
    ],
  },
  "channels/slack.ts": {
    allowed: ["./slack/a.ts", "../src/domain/ids.ts", "@slack/web-api"],
    refused: ["./inbox.ts", "./email/a.ts", "../src/app/a.ts", "grammy"],
  },
  "channels/slack/plant.ts": {
    allowed: ["./a.ts", "../../src/domain/ids.ts", "zod", "undici", "node:crypto", "@slack/web-api"],
    refused: ["../inbox.ts", "../email/a.ts", "../../src/core/a.ts", "../../src/app/a.ts", "grammy"],
  },
  "channels/room/plant.ts": {
    allowed: ["./a.ts", "../../src/domain/ids.ts", "zod", "node:crypto"],
    refused: ["../inbox.ts", "../../src/app/a.ts", "../../renderers/a.ts", "grammy", "@slack/web-api"],
  },
  "channels/plant.ts": {
    allowed: ["../src/domain/ids.ts", "zod", "zod/mini", "undici", "node:http", "node:fs/promises"],
    refused: [
      "./inbox.ts",
      "../src/core/a.ts",
      "../src/store/a.ts",
      "../src/app/a.ts",
      "../src/commands/a.ts",
      "../src/cli.ts",
      "../renderers/a.ts",
      "grammy",
      "hono",
      "better-sqlite3",
      "luxon",
    ],
  },
  "channels/telegram.ts": {
    allowed: ["../src/domain/ids.ts", "zod", "undici", "node:http", "grammy", "grammy/types"],
    refused: ["./inbox.ts", "../src/core/a.ts", "../renderers/a.ts", "@slack/bolt", "hono"],
  },
  "src/app/plant.ts": {
    allowed: [
      "./a.ts",
      "./room/a.ts",
      "../core/a.ts",
      "../store/a.ts",
      "../domain/ids.ts",
      "../../renderers/a.ts",
      "../../channels/a.ts",
      "hono",
      "@hono/node-server",
      "pino",
      "yaml",
      "zod",
      "node:net",
    ],
    refused: [
      "../commands/a.ts",
      "../cli.ts",
      "../page/a.ts",
      "../../scripts/a.ts",
      "../../test/a.ts",
      "better-sqlite3",
      "luxon",
    ],
  },
  "src/app/room/plant.ts": {
    allowed: [
      "./a.ts",
      "../a.ts",
      "../other/a.ts",
      "../../core/a.ts",
      "../../store/a.ts",
      "../../domain/ids.ts",
      "../../../renderers/a.ts",
      "../../../channels/a.ts",
      "yaml",
      "node:fs/promises",
    ],
    refused: [
      "../../commands/a.ts",
      "../../cli.ts",
      "../../page/a.ts",
      "../../../scripts/a.ts",
      "better-sqlite3",
      "luxon",
    ],
  },
  "src/commands/plant.ts": {
    allowed: [
      "./a.ts",
      "../app/a.ts",
      "../app/room/a.ts",
      "../store/a.ts",
      "../domain/ids.ts",
      "commander",
      "picocolors",
      "node:fs/promises",
    ],
    refused: [
      "../core/a.ts",
      "../cli.ts",
      "../page/a.ts",
      "../../channels/a.ts",
      "../../renderers/a.ts",
      "better-sqlite3",
      "hono",
      "@hono/node-server",
      "undici",
      "luxon",
    ],
  },
  "src/commands/room/plant.ts": {
    allowed: ["./a.ts", "../a.ts", "../../app/a.ts", "../../store/a.ts", "../../domain/ids.ts", "commander"],
    refused: [
      "../../core/a.ts",
      "../../cli.ts",
      "../../../channels/a.ts",
      "../../../renderers/a.ts",
      "better-sqlite3",
    ],
  },
  "src/library/plant.ts": {
    allowed: ["./a.ts", "../app/a.ts", "../domain/ids.ts", "node:crypto"],
    refused: ["../core/a.ts", "../store/a.ts", "../commands/a.ts", "../../channels/a.ts", "zod", "luxon"],
  },
  "src/cli.ts": {
    allowed: ["./commands/ask.ts", "./app/a.ts", "commander", "picocolors", "node:process"],
    refused: [
      "./core/a.ts",
      "./store/a.ts",
      "./domain/ids.ts",
      "./page/a.ts",
      "../channels/a.ts",
      "../renderers/a.ts",
      "better-sqlite3",
    ],
  },
  "src/page/plant.ts": {
    allowed: ["./a.ts", "../app/a.ts"],
    refused: [
      "../core/a.ts",
      "../store/a.ts",
      "../domain/ids.ts",
      "../commands/a.ts",
      "../../channels/a.ts",
      "zod",
      "node:fs",
    ],
  },
};

/** Other ways to write the same import; the folder is pure, so each is refused. */
const forms = [
  'import { a } from "../store/a.ts";',
  'import type { B } from "../store/a.ts";',
  'import { type C } from "../store/a.ts";',
  'export { d } from "../store/a.ts";',
  'export * from "../store/a.ts";',
  'export const e = () => import("../store/a.ts");',
];

const globals = [
  "Date",
  "process",
  "fetch",
  "WebSocket",
  "console",
  "performance",
  "crypto",
  "globalThis",
  "global",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
];
const pureFolders = [
  "src/domain",
  "src/domain/room",
  "src/core",
  "src/core/room",
  "renderers",
  "renderers/room",
];
const useOf = (name: string) => `export const use${name} = () => ${name};`;

const long = (lines: number) =>
  Array.from({ length: lines }, (_, n) => `export const n${n} = ${n};`).join("\n");

/** The rest: a file, its text, and the line on which which rule must speak. */
const others: readonly (Finding & { readonly text: string })[] = [
  {
    file: "src/core/cycle-a.ts",
    line: 1,
    rule: "noImportCycles",
    text: 'import { b } from "./cycle-b.ts";\nexport const a = (): unknown => b;',
  },
  {
    file: "src/core/cycle-b.ts",
    line: 1,
    rule: "noImportCycles",
    text: 'import { a } from "./cycle-a.ts";\nexport const b = (): unknown => a;',
  },
  {
    file: "src/domain/cycle-c.ts",
    line: 1,
    rule: "noImportCycles",
    text: 'import type { D } from "./cycle-d.ts";\nexport type C = { d: D };',
  },
  {
    file: "src/domain/cycle-d.ts",
    line: 1,
    rule: "noImportCycles",
    text: 'import type { C } from "./cycle-c.ts";\nexport type D = { c?: C };',
  },
  { file: "src/app/talk.ts", line: 1, rule: "noConsole", text: 'console.log("hello");' },
  { file: "channels/talk.ts", line: 1, rule: "noConsole", text: 'console.error("hello");' },
  {
    file: "src/store/any.ts",
    line: 1,
    rule: "noExplicitAny",
    text: "export const a = (b: unknown) => b as any;",
  },
  { file: "test/any.ts", line: 1, rule: "noExplicitAny", text: "export const a = (b: unknown) => b as any;" },
  {
    file: "src/app/type.ts",
    line: 1,
    rule: "useImportType",
    text: 'import { Question } from "../domain/a.ts";\nexport type Q = Question;',
  },
  {
    file: "src/app/forgotten.ts",
    line: 2,
    rule: "noFloatingPromises",
    text: "export const save = async (): Promise<void> => {};\nexport const run = () => { save(); };",
  },
  {
    file: "src/app/require.ts",
    line: 1,
    rule: "noCommonJs",
    text: 'export const a = () => require("node:fs");',
  },
  { file: "src/app/enum.ts", line: 1, rule: "noEnum", text: "export enum State { open }" },
  {
    file: "src/store/protocol.ts",
    line: 1,
    rule: "useNodejsImportProtocol",
    text: 'import { join } from "path";\nexport const a = join;',
  },
  { file: "src/app/too-long.ts", line: 1, rule: "noExcessiveLinesPerFile", text: long(301) },
  { file: "src/app/CamelCase.ts", line: 0, rule: "useFilenamingConvention", text: "export const a = 1;" },
  { file: "channels/snake_case.ts", line: 0, rule: "useFilenamingConvention", text: "export const a = 1;" },
  {
    file: "test/skipped.test.ts",
    line: 2,
    rule: "noSkippedTests",
    text: 'import { it } from "vitest";\nit.skip("a", () => {});',
  },
  {
    file: "test/only.test.ts",
    line: 2,
    rule: "noFocusedTests",
    text: 'import { it } from "vitest";\nit.only("a", () => {});',
  },
  {
    file: "src/store/ignored.ts",
    line: 1,
    rule: "noTsIgnore",
    text: "// @ts-ignore\nexport const a: string = 1;",
  },
];

/** Ordinary files of each folder, about which the linter has nothing to say. */
const ordinary: Readonly<Record<string, string>> = {
  "src/domain/ordinary.ts": 'import { z } from "zod";\nexport const title = z.string();\n',
  "src/core/ordinary.ts":
    'import type { Question } from "../domain/a.ts";\nexport const name = (question: Question) => question;\n',
  "renderers/ordinary.ts":
    'import type { Question } from "../src/domain/a.ts";\nexport const name = (question: Question) => question;\n',
  "src/store/001-ordinary.ts":
    'import Database from "better-sqlite3";\nexport const open = (path: string) => new Database(path);\n',
  "channels/ordinary.ts":
    "export const now = () => Date.now();\nexport const wait = () => setTimeout(now, 5);\n",
  "src/app/ordinary.ts": "export const now = () => new Date(process.hrtime()[0]);\n",
  "src/app/just-right.ts": `${long(300)}\n`,
  "src/commands/ordinary.ts": 'process.stdout.write("hello");\n',
  "test/ordinary.tz.test.ts":
    'import { expect, it } from "vitest";\nit("adds", () => expect(1 + 1).toBe(2));\n',
};

const planted: Record<string, string> = { ...ordinary };
for (const [file, { allowed, refused }] of Object.entries(imports)) {
  planted[file] = [...allowed, ...refused].map((path) => `import "${path}";`).join("\n");
}
planted["src/core/forms.ts"] = forms.join("\n");
for (const folder of pureFolders) planted[`${folder}/globals.ts`] = globals.map(useOf).join("\n");
for (const { file, text } of others) planted[file] = text;

let folder: string;
let findings: Finding[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "owlpost-layers-"));
  copyFileSync(join(root, "biome.json"), join(folder, "biome.json"));
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n");
  for (const [file, text] of Object.entries(planted)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const run = spawnSync(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.stdout.trim() === "") throw new Error(`the linter printed nothing: ${run.stderr}`);
  const report = JSON.parse(run.stdout) as Report;
  findings = report.diagnostics.map(({ category, location }) => ({
    file: location.path,
    line: location.start.line,
    rule: category.slice(category.lastIndexOf("/") + 1),
  }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rulesAt = (file: string, line: number) =>
  findings.filter((found) => found.file === file && found.line === line).map((found) => found.rule);

describe.each(Object.entries(imports))("%s", (file, { allowed, refused }) => {
  it.each(allowed.map((path, n) => [path, n + 1] as const))("may import %s", (_path, line) => {
    expect(rulesAt(file, line)).not.toContain("noRestrictedImports");
  });

  it.each(refused.map((path, n) => [path, allowed.length + n + 1] as const))(
    "may not import %s",
    (_path, line) => {
      expect(rulesAt(file, line)).toContain("noRestrictedImports");
    },
  );
});

it.each(forms.map((form, n) => [form, n + 1] as const))(
  "refuses an import of a sibling written as %s",
  (_form, line) => {
    expect(rulesAt("src/core/forms.ts", line)).toContain("noRestrictedImports");
  },
);

describe.each(pureFolders)("%s is pure", (pure) => {
  it.each(globals.map((name, n) => [name, n + 1] as const))("and does not know %s", (_name, line) => {
    expect(rulesAt(`${pure}/globals.ts`, line)).toContain("noRestrictedGlobals");
  });
});

it.each(others)("$rule refuses $file", ({ file, line, rule }) => {
  expect(rulesAt(file, line)).toContain(rule);
});

it.each(Object.keys(ordinary))("has nothing to say about %s", (file) => {
  expect(findings.filter((found) => found.file === file)).toEqual([]);
});
