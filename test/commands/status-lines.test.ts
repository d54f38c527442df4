import { expect, test } from "vitest";
import { questionLines } from "../../src/commands/status-lines.ts";
import { aQuestion, aStored } from "../builders.ts";

test("one question is shown with all that was measured, whole: a shortened message sends people here", () => {
  const long = "x".repeat(5_000);
  const facts = {
    command: "npm test",
    exit_code: 1,
    output_tail: ["expected 200", "got \u202e401"],
    diff_stat: "3 files changed",
    branch: "feat/auth",
    next_task: "013-search",
    arguments: long,
    arguments_sha256: "f73a7f14ea5d600c",
  };
  const links = { pull_request: "https://git.example.org/318" };
  const lines = questionLines(aStored({ question: aQuestion({ facts, links }) }), []);
  const from = lines.indexOf("Facts:");
  expect(lines.slice(from + 1, from + 9)).toEqual([
    "  command: npm test → exit 1",
    "    expected 200",
    "    got ⟨U+202E⟩401",
    "  diff: 3 files changed",
    "  branch: feat/auth",
    "  next task: 013-search",
    `  arguments: ${long}`,
    "  pull request: https://git.example.org/318",
  ]);
});

test("a question without facts has no heading for them", () => {
  const { facts: _facts, links: _links, ...bare } = aQuestion();
  expect(questionLines(aStored({ question: bare }), [])).not.toContain("Facts:");
});
