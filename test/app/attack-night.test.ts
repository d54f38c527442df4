import { expect, test } from "vitest";
import { takeIn } from "../../src/app/inbox-turn.ts";
import type { Reply } from "../../src/domain/channel.ts";
import { hour, minute, someRules } from "../builders.ts";
import { eric } from "../telegram/phone.ts";
import { aConversation, type Conversation } from "./conversation.ts";

const night = { ...someRules("21:15-08:00"), isolated: true };

/** A conversation that began by day; now it is night. */
async function anHourInto() {
  const talk = await aConversation({}, { night });
  await talk.settles();
  talk.clock.advance(hour);
  return talk;
}

const againIds = async ({ service }: Conversation) =>
  (await service.owlpost.status()).open.map(({ question }) => question.again);

test("a run that is to stop is not asked about again while its loop does not know it yet", async () => {
  const talk = await anHourInto();
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
  const talk = await anHourInto();
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
  expect(await againIds(talk)).toContain(id);
});

test("“skip it, ask me tomorrow” that arrives when the night is just over is asked again all the same", async () => {
  const talk = await anHourInto();
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
  expect(await againIds(talk)).toEqual([id]);
});

test("among several questions of a night, what is told to be sent for a held one works", async () => {
  const talk = await anHourInto();
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

test("a late answer to the question of the night closes the one that asks again", async () => {
  const talk = await anHourInto();
  const id = await talk.asks({ default: { action: "skip_spec", at: "06:00" } });
  await talk.sees(eric, "Recommended: Refresh");
  await talk.service.settle();
  talk.clock.advance(11 * hour);
  await talk.settles();
  const [again] = (await talk.service.owlpost.status()).open;
  expect(again?.question.again).toBe(id);
  talk.types(eric, `${id} 2`);
  await talk.becomes(id, "answered");
  await talk.sees(eric, `🚫 Cancelled: answered as ${id}`);
  expect((await talk.service.owlpost.status()).open).toEqual([]);
});

test("both answered in one batch: the first counts, and nothing fails", async () => {
  const talk = await anHourInto();
  const id = await talk.asks({ default: { action: "skip_spec", at: "06:00" } });
  await talk.sees(eric, "Recommended: Refresh");
  talk.clock.advance(11 * hour);
  await talk.settles();
  const again = (await talk.service.owlpost.status()).open[0]?.question.id ?? "";
  const said = (key: string, text: string): Reply => ({
    key,
    sender: String(eric),
    at: talk.clock.now(),
    text,
    chat: String(eric),
    private: true,
  });
  const replies = [said("b1", `${again} 1`), said("b2", `${id} 2`)];
  const places = [
    { channel: "telegram", chats: "person", allow: [String(eric)], mark: "/", isPublic: false },
  ] as const;
  const { acks } = await takeIn(
    "telegram",
    { replies },
    { store: talk.service.store, now: talk.clock.now, project: "default", places, night },
  );
  expect(acks.map(({ accepted }) => accepted)).toEqual([true, true]);
  expect([await talk.state(again), await talk.state(id)]).toEqual(["answered", "answered"]);
});
