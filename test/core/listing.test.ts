import { describe, expect, test } from "vitest";
import { letterHelpText, pendingLetterText } from "../../src/core/letter-words.ts";
import { helpText, type ListReader, pendingText, statusText, unmatchedText } from "../../src/core/listing.ts";
import { type Role, roles } from "../../src/domain/person.ts";
import { aQuestion, aStored, evening, hour, aQuestionId as id } from "../builders.ts";
import { nightRules } from "../renderers/night-cases.ts";

const open = [aStored({ deadlineAt: evening + 6 * hour })];
const reader = (role: Role, mark: "/" | "!" = "/"): ListReader => ({ role, mark, now: evening });
const facts = { channels: [], waiting: 0, zone: "Europe/Berlin", ringing: [] };

test("who may only look is shown no line to send", () => {
  for (const text of [
    pendingText(open, reader("viewer")),
    unmatchedText(open, reader("viewer")),
    helpText("viewer", "/"),
  ]) {
    expect(text).not.toMatch(/Send|send|\/(?:skip|answer|steer)/);
  }
  expect(pendingText(open, reader("viewer"))).toContain(id);
});

test("with one question open, what was not understood is told how to answer that one, also in words", () => {
  const text = unmatchedText(open, reader("member", "!"));
  expect(text).toContain(`For ${id} send 1 / 2 or !skip`);
  expect(text).toContain("!answer …");
  expect(text).toContain("!steer …");
});

test("where a reply needs the id, every line to send has it, and a verb without one a mention", () => {
  const byId = { ...reader("owner"), byId: true as const };
  expect(unmatchedText(open, byId)).toBe(
    `Nothing was recorded: I could not tell what that answers. Send: ${id} 1 (or 2), or /skip ${id}; in your own words: /answer ${id} …; as a note: /steer ${id} …. A mention of me with “help” shows the rest.`,
  );
  expect(unmatchedText([], byId)).toContain("A mention of me with “help” shows how to say it.");
  for (const line of helpText("owner", "/", true).split("\n")) expect(line).not.toMatch(/^\/\w+ (?!q-)/);
  expect(helpText("member", "/", true)).not.toContain("abort");
  expect(helpText("viewer", "/", true)).toContain("Mention me with: pending");
  expect(helpText("viewer", "/", true)).not.toContain("/skip");
});

test("in a group, what is to be sent is said with a mention: without one it is heard by nobody", () => {
  const there = { ...reader("owner"), inGroup: true as const };
  expect(pendingText(open, there)).toContain(`Send, with a mention of me: ${id} 1 (or 2)`);
  expect(unmatchedText(open, there)).toContain(`For ${id} send, with a mention of me, 1 / 2 or /skip;`);
});

test("by mail a viewer is told what looking takes, and nothing that answers", () => {
  expect(letterHelpText("viewer", "/")).not.toMatch(/skip|answer …|reply to/);
  expect(letterHelpText("owner", "/")).not.toContain("abort");
  expect(pendingLetterText(open, reader("viewer"))).toBe(pendingText(open, reader("viewer")));
  expect(pendingLetterText([], reader("owner"))).toBe("No question waits for you.");
});

test("with nothing to answer a member is not told that nothing is open: others may be waited for", () => {
  const said = roles.map((role) => pendingText([], reader(role)));
  expect(said).toEqual(["No question waits for you.", "No question waits for you.", "No question is open."]);
});

test("a channel that is down is told in the zone of the configuration, also when nothing is open", () => {
  const channels = [{ channel: "slack", up: false, since: evening }];
  const text = statusText([], { ...facts, channels }, "owner", "/", evening + hour);
  expect(text).toContain("Down since 23:00: slack");
});

const consent = aStored();
const held = aStored({ state: "pending", question: aQuestion({ kind: "blocked" }) });
const day: ListReader = { role: "owner", mark: "/", now: evening };
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
