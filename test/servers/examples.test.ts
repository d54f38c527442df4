import { expect, test } from "vitest";
import { askByFile } from "../library/examples.ts";

test("the example in Python asks by dropping a file, and takes by creating one", async () => {
  const { code, stdout, stderr } = await askByFile("python3", "ask.py", "q-py-022-cache-1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain('label: "Leave it"');
});

test("it does not wait for ever for the answer to a question that was cancelled", async () => {
  const id = "q-py-022-cache-1";
  const cancel = ["cancel", id, "--why", "not needed any more"];
  const { code, stderr } = await askByFile("python3", "ask.py", id, cancel);
  expect([code, stderr]).toEqual([1, `${id} was cancelled: nobody will answer it\n`]);
});
