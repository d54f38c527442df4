import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { eric, group, mara, token } from "../telegram/phone.ts";
import { aConversation, type Conversation } from "./conversation.ts";

const later = { default: { action: "skip_spec", at: "20h" } };
const stranger = 5550100077;

/** What the bot wrote in reply to that message. */
const receiptsOf = ({ api }: Conversation, chat: number, message: number) =>
  api.messages(chat).filter(({ replyTo }) => replyTo === message);

/** Every message of ours that answers one of theirs, in the order in which they stand. */
const receipts = ({ api }: Conversation, chat: number) =>
  api.messages(chat).filter(({ replyTo }) => replyTo !== undefined);

describe("one receipt for each reply", () => {
  test("a batch of 100 mixed replies: one message each up to six refusals, then one for the rest, also after a restart", async () => {
    const talk = await aConversation();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const typed: number[] = [];
    await talk.sleeps(() => {
      for (let n = 0; n < 30; n += 1) typed.push(talk.types(eric, `/nosuch${n}`));
      for (let n = 0; n < 30; n += 1) typed.push(talk.types(eric, `/steer note ${n}`));
      for (let n = 0; n < 20; n += 1) typed.push(talk.types(eric, `${id} ${n + 5}`));
      for (let n = 0; n < 19; n += 1) typed.push(talk.types(eric, `just talk ${n}`));
      typed.push(talk.types(eric, "/answer take the blue one"));
    });
    await talk.becomes(id, "answered");
    await talk.settles();
    const counts = typed.map((message) => receiptsOf(talk, eric, message).length);
    const told = (from: number, to: number) => counts.slice(from, to).reduce((sum, each) => sum + each, 0);
    expect(counts.every((count) => count <= 1)).toBe(true);
    expect([told(0, 6), told(6, 30), told(30, 60), told(60, 80), told(80, 99), told(99, 100)]).toEqual([
      6, 0, 30, 0, 1, 1,
    ]);

    await talk.sleeps(() => talk.clock.advance(minute));
    const gathered = await talk.sees(eric, "44 replies were refused:");
    for (let n = 6; n < 30; n += 1) expect(gathered).toContain(`“/nosuch${n}”`);
    for (let n = 0; n < 20; n += 1) expect(gathered).toContain(`${n + 5}”`);
    await talk.passes(2, minute);
    expect(talk.texts(eric).filter((text) => text.includes("replies were refused"))).toHaveLength(1);
    expect(receipts(talk, eric)).toHaveLength(6 + 30 + 1 + 1 + 1);
  });

  test("the seventh refusal in a minute waits for the end of the minute, and the minute after counts anew", async () => {
    const talk = await aConversation();
    await talk.asks(later);
    for (let n = 1; n <= 8; n += 1) {
      talk.types(eric, `/nosuch${n}`);
      await talk.settles();
      talk.clock.advance(5_000);
    }
    expect(receipts(talk, eric)).toHaveLength(6);
    talk.clock.advance(19_000);
    await talk.settles();
    expect(receipts(talk, eric)).toHaveLength(6);
    talk.clock.advance(2_000);
    await talk.settles();
    expect(await talk.sees(eric, "2 replies were refused:")).toMatch(/• “\/nosuch7”: .+\n• “\/nosuch8”: /);
    const typed = talk.types(eric, "/nosuch9");
    await talk.settles();
    expect(receiptsOf(talk, eric, typed)).toHaveLength(1);
  });

  test("an update that comes again gets no second receipt, and no second line of a gathered one", async () => {
    const talk = await aConversation();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const update = talk.api.say(token, { chat: eric, from: eric, text: `${id} 2` });
    await talk.becomes(id, "answered");
    await talk.settles();
    const before = talk.texts(eric).length;
    if (!update) expect.fail("no update");
    talk.api.again(token, update);
    await talk.settles();
    expect(talk.texts(eric)).toHaveLength(before);
  });

  test("an edit of what was refused is a new reply; an edit of what counted is told how to override", async () => {
    const talk = await aConversation();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const typed = talk.types(eric, "7");
    await talk.sees(eric, "has no option");
    talk.types(eric, "2", { edit: typed });
    await talk.becomes(id, "answered");
    talk.types(eric, "1", { edit: typed });
    await talk.sees(eric, "What was sent first stands", `/override ${id} and the option`);
    await talk.settles();
    expect(receiptsOf(talk, eric, typed)).toHaveLength(3);
    expect((await talk.service.owlpost.question(id))?.answer?.option).toBe("2");
  });

  test("an edit of a note that was taken is told to send it anew, and of no answer to override", async () => {
    const talk = await aConversation();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const typed = talk.types(eric, "/steer keep the API");
    await talk.sees(eric, "Noted for the next iteration");
    talk.types(eric, "/steer keep the old API", { edit: typed });
    const told = await talk.sees(eric, "What was sent first stands", "Send it again as a new message.");
    expect(told).not.toContain("override");
    expect(await talk.state(id)).toBe("posted");
  });

  test("an answer to a message of theirs that is deleted meanwhile still arrives", async () => {
    const talk = await aConversation();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    talk.types(eric, "/help");
    const typed = talk.types(eric, `${id} 1`);
    talk.api.forget(eric, typed);
    await talk.sees(eric, /^Answered: 1/);
  });

  test("a reply to a receipt or a notice of ours means no question of its own", async () => {
    const talk = await aConversation({ chat: group });
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    await talk.service.owlpost.notify("stalled", "Nothing moves here.");
    await talk.sees(group, "Nothing moves here.");
    const before = talk.texts(group).length;
    talk.types(eric, "1", { in: group, to: "Nothing moves here." });
    await talk.settles();
    expect(await talk.state(id)).toBe("posted");
    expect(talk.texts(group)).toHaveLength(before);
    // In its own thread it counts.
    talk.types(eric, "1", { in: group, to: id });
    await talk.becomes(id, "answered");
  });

  test("in private it is as if it were said alone: with two open nobody guesses", async () => {
    const talk = await aConversation();
    const one = await talk.asks({ ...later, task: "001-one" });
    const two = await talk.asks({ ...later, task: "002-two" });
    await talk.becomes(two, "posted");
    talk.types(eric, "/help");
    await talk.sees(eric, "Tap a button");
    talk.types(eric, "1", { to: "Tap a button" });
    await talk.sees(eric, "2 questions are open", `Send: ${one} 1`, `Send: ${two} 1`);
    expect([await talk.state(one), await talk.state(two)]).toEqual(["posted", "posted"]);
  });
});

describe("silence", () => {
  test("strangers hear nothing, whatever they try, and nothing changes", async () => {
    const talk = await aConversation();
    talk.api.addPerson(stranger, "eric");
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    for (const text of [`${id} 1`, "1", "/status", "/help", "/start", "/pair ABCDEFGH", "hello", "/unpair"])
      talk.types(stranger, text);
    await talk.settles();
    expect(talk.texts(stranger)).toEqual([]);
    expect(await talk.state(id)).toBe("posted");
  });

  test("help is one line a minute, and people who talk to each other in a group get none", async () => {
    const talk = await aConversation({ chat: `${group}/44` });
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    talk.api.readsAll(token);
    talk.types(eric, "what do you think?");
    await talk.sees(eric, "Nothing was recorded");
    talk.types(eric, "and this?");
    talk.types(eric, "shall we take the second one?", { in: group });
    talk.types(mara, "ok", { in: group });
    await talk.settles();
    expect(talk.texts(eric)).toHaveLength(1);
    expect(talk.texts(group)).toHaveLength(1);
    talk.clock.advance(61_000);
    talk.types(eric, "and now?");
    await until(
      () => talk.texts(eric).length,
      (count) => count === 2,
    );
  });

  test("in a topic the receipt stands in that topic", async () => {
    const talk = await aConversation({ chat: `${group}/44` });
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const topic = { is_topic_message: true, message_thread_id: 44 };
    const asked = talk.message(group, id)?.message_id ?? 0;
    const update = talk.api.say(token, {
      chat: group,
      from: eric,
      text: "2",
      replyTo: asked,
      extra: topic,
    });
    await talk.becomes(id, "answered");
    await talk.settles();
    const [receipt, ...more] = receiptsOf(talk, group, update?.message?.message_id ?? 0);
    expect(more).toEqual([]);
    expect(receipt).toMatchObject({ thread: 44, text: expect.stringContaining("Answered: 2") });
  });
});

test("while nothing can be sent for hours receipts wait in their order, none is lost and none doubled", async () => {
  const talk = await aConversation();
  const id = await talk.asks(later);
  await talk.becomes(id, "posted");
  talk.api.fail({ method: "sendMessage", how: { page: 502 }, times: 40 });
  const typed: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    typed.push(talk.types(eric, `/steer note ${n}`));
    await until(
      () => talk.api.waiting(token).length,
      (left) => left === 0,
    );
    await talk.passes(2, 6 * minute);
  }
  expect(talk.texts(eric)).toHaveLength(1);
  await talk.sleeps(() => talk.clock.advance(hour));
  await talk.passes(30, 6 * minute);
  expect(talk.api.faults()).toEqual([]);
  expect(receipts(talk, eric).map(({ replyTo }) => replyTo)).toEqual(typed);
});

describe("long receipts", () => {
  const owls = "🦉".repeat(80);
  const options = Array.from({ length: 9 }, (_, n) => ({
    key: String(n + 1),
    label: `${"🦉".repeat(78)}-${n + 1}`,
    consequence: `Something else, ${n + 1}`,
    ...(n === 0 ? { recommended: true } : {}),
  }));

  test("40 open questions with titles of emoji: as many as fit, each with its whole text to send", async () => {
    const talk = await aConversation();
    const ids: string[] = [];
    for (let n = 1; n <= 40; n += 1)
      ids.push(
        await talk.asks({ ...later, task: `${100 + n}-a-task-of-some-length`, title: owls, run: "a3f2" }),
      );
    for (const said of ["2", "/pending"]) {
      const typed = talk.types(eric, said);
      const [receipt] = await until(
        () => receiptsOf(talk, eric, typed),
        (all) => all.length > 0,
      );
      const text = (receipt?.text ?? "").replaceAll("\u2060", "");
      expect(text).toContain("40 questions are open");
      expect(text.length).toBeLessThanOrEqual(4_096);
      const sends = text.split("\n").flatMap((line) => /Send: (.*)$/.exec(line)?.[1] ?? []);
      expect(sends.length).toBeGreaterThanOrEqual(10);
      for (const send of sends) {
        expect(ids.map((id) => (said === "2" ? `${id} 2` : `${id} 1 (or 2)`))).toContain(send);
      }
      expect(text).toContain(`… and ${40 - sends.length} more: owlpost pending on the machine`);
    }
  }, 60_000);

  test("nine options of 80 emoji: the refusal names every one of them", async () => {
    const talk = await aConversation();
    const id = await talk.asks({ ...later, options });
    await talk.becomes(id, "posted");
    const typed = talk.types(eric, `${id} 77`);
    const [receipt] = await until(
      () => receiptsOf(talk, eric, typed),
      (all) => all.length > 0,
    );
    for (const { key, label } of options) expect(receipt?.text).toContain(`${key} — ${label}`);
  });
});
