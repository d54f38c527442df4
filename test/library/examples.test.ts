import { expect, test } from "vitest";
import { askByFile } from "./examples.ts";

test("the example in shell asks by dropping a file, and takes by creating one", async () => {
  const { code, stdout, stderr } = await askByFile("/bin/sh", "ask.sh", "q-sh-021-import-1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^# Written by owlpost/);
  expect(stdout).toContain('label: "Only those with a customer"');
});

test("it does not wait for ever for the answer to a question that was cancelled", async () => {
  const id = "q-sh-021-import-1";
  const cancel = ["cancel", id, "--why", "not needed any more"];
  const { code, stdout, stderr } = await askByFile("/bin/sh", "ask.sh", id, cancel);
  expect([code, stdout, stderr]).toEqual([3, "", `${id} was cancelled: nobody will answer it\n`]);
});
