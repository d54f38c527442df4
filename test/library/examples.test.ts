import { expect, test } from "vitest";
import { askByFile } from "./examples.ts";

test("the example in shell asks by dropping a file, and takes by creating one", async () => {
  const { code, stdout, stderr } = await askByFile("/bin/sh", "ask.sh", "q-sh-021-import-1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^# Written by owlpost/);
  expect(stdout).toContain('label: "Only those with a customer"');
});
