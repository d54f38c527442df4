import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { outputs, root } from "../../scripts/schema.ts";
import { questionSchema } from "../../src/domain/question-schema.ts";
import { aDocument } from "../builders.ts";

describe("the published schemas", () => {
  it.each(outputs.map((output) => [output.path, output] as const))(
    "%s is fresh (else: npm run schema)",
    (path, output) => {
      expect(readFileSync(join(root, path), "utf8")).toBe(`${output.make()}\n`);
    },
  );
});

describe("the schema of a question", () => {
  const real = join(root, "test/cases/questions/real");

  it.each(readdirSync(real).filter((name) => name.endsWith(".yaml")))("takes %s", (name) => {
    expect(questionSchema.safeParse(parse(readFileSync(join(real, name), "utf8"))).error).toBeUndefined();
  });

  it("takes every question of the table that the contract takes", () => {
    const cases = JSON.parse(readFileSync(join(root, "test/cases/questions/contract.json"), "utf8")) as {
      id: string;
      question: unknown;
      expect: string[];
      config?: unknown;
    }[];
    const good = cases.filter((each) => each.expect.length === 0);
    expect(good.length).toBeGreaterThan(40);
    for (const each of good)
      expect([each.id, questionSchema.safeParse(each.question).error]).toEqual([each.id, undefined]);
  });

  it.each([
    ["title", "x".repeat(121)],
    ["title", "a\nb"],
    ["context", ""],
    ["context", "😀".repeat(601)],
    ["options", []],
    ["options", { 1: {} }],
    ["default", { action: "merge", at: "06:00" }],
    ["task", "012_fix"],
    ["kind", "question"],
    ["id", "q-a3f2-012-0"],
    ["facts", []],
  ])("refuses a %s that is %j", (field, value) => {
    expect(questionSchema.safeParse(aDocument({ [field]: value })).success).toBe(false);
  });

  it("counts characters as people do", () => {
    expect(questionSchema.safeParse(aDocument({ title: "😀".repeat(120) })).success).toBe(true);
  });
});
