import { test } from "vitest";
import { exampleOf, expectReceiver } from "../docs/examples.ts";

test("the receiver in Python takes what owlpost signs, once, and nothing else", async () => {
  await expectReceiver("python3", ["-u", "-c", exampleOf("webhook.md", "python")]);
});
