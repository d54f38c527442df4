import { expect, test } from "vitest";
import { helpText, pendingText, statusText, unmatchedText } from "../../src/core/listing.ts";
import { roles } from "../../src/domain/person.ts";
import { aStored, evening, hour, aQuestionId as id } from "../builders.ts";

const open = [aStored({ deadlineAt: evening + 6 * hour })];
const facts = { channels: [], waiting: 0, zone: "Europe/Berlin", ringing: [] };

test("who may only look is shown no line to send", () => {
  for (const text of [
    pendingText(open, "viewer", evening),
    unmatchedText(open, "viewer", "/"),
    helpText("viewer", "/"),
  ]) {
    expect(text).not.toMatch(/Send|send|\/(?:skip|answer|steer)/);
  }
  expect(pendingText(open, "viewer", evening)).toContain(id);
});

test("with one question open, what was not understood is told how to answer that one, also in words", () => {
  const text = unmatchedText(open, "member", "!");
  expect(text).toContain(`For ${id} send 1 / 2 or !skip`);
  expect(text).toContain("!answer …");
  expect(text).toContain("!steer …");
});

test("with nothing to answer a member is not told that nothing is open: others may be waited for", () => {
  const said = roles.map((role) => pendingText([], role, evening));
  expect(said).toEqual(["No question waits for you.", "No question waits for you.", "No question is open."]);
});

test("a channel that is down is told in the zone of the configuration, also when nothing is open", () => {
  const channels = [{ channel: "slack", up: false, since: evening }];
  const text = statusText([], { ...facts, channels }, "owner", "/", evening + hour);
  expect(text).toContain("Down since 23:00: slack");
});
