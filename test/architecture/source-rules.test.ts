import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { breaches, longFiles, sourceRules } from "./source-rules.ts";

const root = resolve(import.meta.dirname, "../..");

const sources = ["src", "renderers", "channels", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name}`)
    // This folder holds the breaches that it plants.
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith("test/architecture/")),
);

it.each(sourceRules)("every source file keeps $id", ({ id, why }) => {
  const broken = sources.flatMap((file) => breaches(file, readFileSync(join(root, file), "utf8")));
  expect(sources.length).toBeGreaterThan(10);
  expect(
    broken.filter((line) => line.includes(`: ${id}: `)),
    why,
  ).toEqual([]);
});

/** One breach of each rule, and beside it what looks alike and is right. */
const plants: readonly (readonly [rule: string, file: string, broken: string, right: string])[] = [
  ["no-randomness", "src/core/a.ts", "const a = Math.random();", "const a = Math.floor(1.5);"],
  [
    "no-randomness",
    "src/domain/a.ts",
    "const { random } = Math;",
    "// Math.random() is not for us\nconst a = Math.max(1, 2);",
  ],
  ["no-randomness", "renderers/a.ts", 'const a = Math["random"]();', "const a = Math.PI;"],
  ["no-randomness", "src/core/a.ts", "const a = randomUUID();", "const randomised = 1;"],
  ["no-clock", "src/core/a.ts", "const a = Date.now();", "type Dated = { askedAt: number };"],
  ["no-clock", "src/core/a.ts", "const a = new Date(5);", "const a = newDate(5);"],
  [
    "no-clock",
    "src/core/time.ts",
    "const a = DateTime.now();",
    "const a = DateTime.fromMillis(at, { zone });",
  ],
  ["no-environment", "renderers/a.ts", "const a = globalThis.process;", "/** not globalThis */ const a = 1;"],
  ["no-environment", "src/core/a.ts", "const a = b.toLocaleLowerCase();", "const a = b.toLowerCase();"],
  [
    "no-environment",
    "src/core/a.ts",
    "const a = new Intl.Segmenter();",
    'const a = new Intl.Segmenter("en");',
  ],
  ["no-sql-outside-store", "src/app/a.ts", 'db.prepare("SELECT 1")', 'const a = "select an option";'],
  [
    "no-sql-outside-store",
    "src/commands/a.ts",
    "db.exec(`\n  UPDATE questions SET state = 1`)",
    'const a = "UPDATE owlpost first";',
  ],
  [
    "lazy-imports-only-in-the-shell",
    "src/core/a.ts",
    'const a = await import("./b.ts");',
    'import { b } from "./b.ts";',
  ],
  [
    "lazy-imports-only-in-the-shell",
    "src/commands/a.ts",
    "const a = await import(path);",
    'const a = await import("../app/b.ts");',
  ],
  [
    "no-inline-import-type",
    "src/store/a.ts",
    'type A = import("../core/a.ts").Move;',
    'import type { Move } from "../domain/a.ts";',
  ],
  [
    "no-inline-import-type",
    "src/app/a.ts",
    'type A = typeof import("../commands/a.ts");',
    'const a = (await import("yaml")).parse(b);',
  ],
  [
    "climb-first",
    "src/core/a.ts",
    'import { b } from "../domain/../store/b.ts";',
    'import { b } from "../../domain/b.ts";',
  ],
  ["climb-first", "src/core/a.ts", 'export { b } from "./../store/b.ts";', 'export { b } from "./b.ts";'],
  [
    "page-imports-types",
    "src/page/a.ts",
    'import { b } from "../app/inbox-state.ts";',
    'import type { B } from "../app/inbox-state.ts";',
  ],
  [
    "page-imports-types",
    "src/page/a.ts",
    'import {\n  type B,\n} from "../app/inbox-state.ts";',
    'import { c } from "./c.ts";\nimport type { B } from "../app/b.ts";',
  ],
  ["file-names", "src/app/string-utils.ts", "", "const utils = 1;"],
  ["file-names", "src/core/helper.ts", "", ""],
  ["declared-names", "src/app/a.ts", "export class ChannelManager {}", "export class ChannelError {}"],
  ["declared-names", "src/app/a.ts", "type QuestionData = {};", "const data = 1; dataVersion();"],
  [
    "no-silenced-rule",
    "src/core/a.ts",
    "// biome-ignore lint/style/noRestrictedImports: just once",
    "// biome-ignore lint/style/noNonNullAssertion: checked above",
  ],
  [
    "no-silenced-rule",
    "src/app/a.ts",
    "// biome-ignore-all lint/style/noExcessiveLinesPerFile: long",
    "const a = 1;",
  ],
  ["no-silenced-rule", "test/a.test.ts", "// @ts-expect-error wrong on purpose", "expect(1).toBe(1);"],
  ["tests-are-real", "test/a.test.ts", 'vi.mock("../src/store/sqlite.ts");', "vi.fn();"],
  ["tests-are-real", "test/a.test.ts", 'it.skipIf(!linux)("a", () => {});', 'it("a", () => {});'],
  ["one-level-of-rooms", "src/store/room/closet/a.ts", "", ""],
  ["one-level-of-rooms", "src/extra/a.ts", "", ""],
  ["one-level-of-rooms", "channels/telegram/room/a.ts", "", ""],
];

it.each(plants)("%s speaks up in %s: %s", (rule, file, broken, right) => {
  expect(breaches(file, broken).map((line) => line.split(": ")[1])).toContain(rule);
  const innocent = broken === "" ? "src/app/a.ts" : file;
  expect(breaches(innocent, right)).toEqual([]);
});

it("every rule is planted", () => {
  expect(sourceRules.map(({ id }) => id).filter((id) => !plants.some(([rule]) => rule === id))).toEqual([]);
});

it("every long file that is excused still exists, is long, and has a reason", () => {
  for (const [file, reason] of Object.entries(longFiles)) {
    expect(readFileSync(join(root, file), "utf8").split("\n").length, file).toBeGreaterThan(300);
    expect(reason, file).not.toBe("");
  }
  expect(Object.keys(longFiles).length).toBeLessThan(3);
});
