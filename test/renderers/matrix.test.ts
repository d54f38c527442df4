import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { matrix, rowOf } from "../../renderers/matrix.ts";
import { channelTable, withTable } from "../../scripts/channel-table.ts";
import type { Capabilities } from "../../src/domain/capabilities.ts";

const rows = Object.entries(matrix as Readonly<Record<string, Capabilities>>);

test("README shows the matrix as it is", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  expect(withTable(readme)).toBe(readme);
  expect(channelTable().split("\n")).toHaveLength(rows.length + 2);
  expect(() => withTable("no marks")).toThrow("README.md needs the lines");
});

test("every row names its sources with their day", () => {
  const known = ["telegram", "slack", "ntfy", "email", "github", "feishu", "webhook", "inbox"];
  expect(rows.map(([channel]) => channel)).toEqual(expect.arrayContaining(known));
  for (const [, row] of rows) {
    expect(row.sources.length).toBeGreaterThan(0);
    for (const source of row.sources) expect(source.on).toMatch(/^20\d\d-\d\d-\d\d$/);
  }
});

test("a row is values only: it survives JSON, and a channel without one is plain text", () => {
  expect(JSON.parse(JSON.stringify(matrix))).toEqual(matrix);
  expect(rowOf("made-up")).toBe(matrix.webhook);
  expect(rowOf("toString")).toBe(matrix.webhook);
});
