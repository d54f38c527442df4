import { expect, test } from "vitest";
import { hour, minute, someRules } from "../builders.ts";
import { eric } from "../telegram/phone.ts";
import { aConversation } from "./conversation.ts";

const night = { ...someRules("21:15-08:00"), isolated: true };

test("a run that is to stop is not asked about again while its loop does not know it yet", async () => {
  const talk = await aConversation({}, { night });
  await talk.settles();
  talk.clock.advance(hour);
  const id = await talk.asks({ default: { action: "skip_spec", at: "14h" } });
  await talk.sees(eric, "Recommended: Refresh");
  talk.taps(eric, "/skip", "Recommended: Refresh");
  await talk.becomes(id, "answered");
  talk.types(eric, "/abort a3f2");
  await talk.sees(eric, "is to stop");
  talk.clock.advance(11 * hour);
  await talk.settles();
  expect((await talk.service.owlpost.status()).open).toEqual([]);
});

test("a question that somebody put off is asked again although another one about the same task waits", async () => {
  const talk = await aConversation({}, { night });
  await talk.settles();
  talk.clock.advance(hour);
  const id = await talk.asks({ default: { action: "skip_spec", at: "14h" } });
  await talk.sees(eric, "Recommended: Refresh");
  talk.taps(eric, "/skip", "Recommended: Refresh");
  await talk.becomes(id, "answered");
  await talk.asks({
    kind: "blocked",
    title: "Which region does `deploy/eu.yaml` mean?",
    default: { action: "skip_spec", at: "20h" },
  });
  talk.clock.advance(11 * hour);
  await talk.settles();
  const open = (await talk.service.owlpost.status()).open.map(({ question }) => question.again);
  expect(open).toContain(id);
});

test("“skip it, ask me tomorrow” that arrives when the night is just over is asked again all the same", async () => {
  const talk = await aConversation({}, { night });
  await talk.settles();
  talk.clock.advance(hour);
  const id = await talk.asks({ default: { action: "skip_spec", at: "14h" } });
  await talk.sees(eric, "Recommended: Refresh");
  await talk.service.settle();
  talk.clock.advance(hour * 10 + 14 * minute);
  await talk.sleeps(() => {
    talk.taps(eric, "/skip", "Recommended: Refresh");
    talk.clock.advance(2 * minute);
  });
  await talk.becomes(id, "answered");
  await talk.settles();
  const open = (await talk.service.owlpost.status()).open.map(({ question }) => question.again);
  expect(open).toEqual([id]);
});

test("among several questions of a night, what is told to be sent for a held one works", async () => {
  const talk = await aConversation({}, { night });
  await talk.settles();
  talk.clock.advance(hour);
  await talk.asks({ default: { action: "skip_spec", at: "14h" } });
  const held = await talk.asks({
    kind: "blocked",
    task: "013-drop",
    default: { action: "skip_spec", at: "14h" },
  });
  await talk.sees(eric, "Recommended: Refresh");
  talk.types(eric, "go");
  const told = await talk.sees(eric, "2 questions are open");
  const send = told.split("Send: ").find((each) => each.includes(held)) ?? "";
  talk.types(eric, send);
  await talk.becomes(held, "answered");
});
