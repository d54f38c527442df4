import { describe, expect, test } from "vitest";
import { type ListReader, pendingText, unmatchedText } from "../../src/core/listing.ts";
import { aQuestion, aStored, evening, aQuestionId as id } from "../builders.ts";
import { nightRules } from "../renderers/night-cases.ts";

const consent = aStored();
const held = aStored({ state: "pending", question: aQuestion({ kind: "blocked" }) });
const day: ListReader = { mark: "/", now: evening };
const night: ListReader = { ...day, night: nightRules() };
const always: ListReader = { ...day, night: nightRules({ window: "00:00-24:00" }) };
const slack: ListReader = { ...night, mark: "!" };

describe("what a list tells to send is taken at that hour", () => {
  test.each([
    ["a day", consent, day, `open until 06:00. Send: ${id} 1 (or 2)`],
    ["a night", consent, night, `open until 06:00. Send: ${id} go, or /skip ${id}`],
    ["a night in Slack", consent, slack, `open until 06:00. Send: ${id} go, or !skip ${id}`],
    [
      "a night that holds it",
      held,
      night,
      `open until 06:00. Held until 08:00. Works now: /skip ${id}, /retry ${id}`,
    ],
    ["a night without an end", held, always, `open until 06:00. Held. Works now: /skip ${id}, /retry ${id}`],
  ])("in %s", (_when, stored, reader, line) => {
    expect(pendingText([stored], reader).split("\n").at(-1)?.trim()).toBe(line);
  });

  test.each([
    ["a day", consent, day, `For ${id} send 1 / 2 or /skip;`],
    ["a night", consent, night, `For ${id} send go or /skip;`],
    ["a night that holds it", held, night, `For ${id} send /retry or /skip;`],
  ])("after words that are no answer, in %s", (_when, stored, reader, words) => {
    expect(unmatchedText([stored], reader)).toContain(words);
  });
});
