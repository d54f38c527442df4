import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../src/app/hook/event.ts";
import { hookSettings } from "../../src/app/hook/settings.ts";
import { exampleOf } from "./examples.ts";

test("the settings on the page of agents are those that init writes, and every agent has its hook or its plugin there", () => {
  const shown: unknown = JSON.parse(exampleOf("agents.md", "json"));
  expect(shown).toEqual(hookSettings({ command: "owlpost hook claude-code", timeoutSeconds: 960 }));
  const page = readFileSync(join(import.meta.dirname, "../../docs/agents.md"), "utf8");
  for (const agent of agents) {
    expect(page).toMatch(agent === "opencode" ? /opencode-plugin\.ts/ : new RegExp(`owlpost hook ${agent}`));
  }
});
