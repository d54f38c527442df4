import { expect, test } from "vitest";
import { askByFile } from "../library/examples.ts";

test("the example in Python asks by dropping a file, and takes by creating one", async () => {
  const { code, stdout, stderr } = await askByFile("python3", "ask.py", "q-py-022-cache-1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain('label: "Leave it"');
});
