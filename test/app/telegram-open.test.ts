import { describe, expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig, hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { tooMany } from "../telegram/bot-api.ts";
import { eric, group, mara, token } from "../telegram/phone.ts";
import { aConversation, type Conversation } from "./conversation.ts";

const later = { default: { action: "skip_spec", at: "20h" } };

/** The bot has heard from Telegram, and what waited to go out has gone. */
async function aQuietTalk(...given: Parameters<typeof aConversation>): Promise<Conversation> {
  const talk = await aConversation(...given);
  await until(
    () => talk.service.store.health(),
    (all) => all.some((each) => each.lastReceiveAt !== undefined),
  );
  return talk;
}

const telegramOf = async ({ service }: Conversation) =>
  (await service.owlpost.status()).channels.find(({ channel }) => channel === "telegram");
const buttons = ({ api }: Conversation, chat: number, at = -1) =>
  api.messages(chat).at(at)?.markup?.inline_keyboard.flat() ?? [];
const asked = ({ api }: Conversation, chat: number, id: string) =>
  api.messages(chat).filter(({ text }) => text.includes(`[${id}]`));

async function pairsMara({ service, types, sees }: Conversation, role: "owner" | "member" = "member") {
  const paired = await service.owlpost.pair({ name: "mara", role, channel: "telegram" });
  if (!paired.ok || paired.by !== "code") expect.fail(JSON.stringify(paired));
  types(mara, `/start ${paired.code}`);
  await sees(mara, "Welcome, mara");
}

describe("owlpost was away", () => {
  test("a deadline that came meanwhile: the message does not deny a tap that may have been lost", async () => {
    const talk = await aQuietTalk();
    const id = await talk.asks({ default: { action: "skip_spec", at: "2h" } });
    await talk.becomes(id, "posted");
    await talk.sleeps(() => {
      talk.api.press(token, { chat: eric, message: 1, from: eric, data: `o1|${id}|1` });
      talk.clock.advance(8 * hour);
    });
    await talk.becomes(id, "expired");
    await talk.sees(eric, "I was away from", "tap again", "No answer by", "You can still answer");
    await talk.passes(4, 1_000);
    expect(talk.texts(eric)[0]).toContain("I was away from");
    expect(buttons(talk, eric)).toHaveLength(3);

    talk.taps(eric, "1", id);
    await talk.becomes(id, "answered");
    await talk.sees(eric, "✅ Answered after the deadline: 1");
    expect(talk.texts(eric)[0]).not.toContain("I was away from");
  });

  test("a deadline that a command swept meanwhile is no different", async () => {
    const talk = await aQuietTalk();
    const id = await talk.asks({ default: { action: "stay_parked", at: "2h" } });
    await talk.becomes(id, "posted");
    await talk.sleeps(async () => {
      talk.clock.advance(3 * hour);
      const command = await openOwlpost({ home: talk.home, config: aConfig(), now: talk.clock.now });
      expect((await command.question(id))?.state).toBe("expired");
      await command.close();
    });
    await talk.sees(eric, "I was away from", "the task stays parked", "You can still answer");
  });

  test("a message that is gone is posted anew once, with its buttons", async () => {
    const talk = await aQuietTalk();
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    await talk.sleeps(() => {
      talk.api.forget(eric, 1);
      talk.clock.advance(8 * hour);
    });
    await talk.sees(eric, id, "I was away from");
    await talk.passes(3, minute);
    expect(talk.texts(eric)).toHaveLength(1);
    expect(buttons(talk, eric)).toHaveLength(3);
    expect(talk.api.messages(eric)[0]?.silent).toBe(true);

    // It is a copy like any other: a reply to it counts, and it shows what came of it.
    talk.types(eric, "2", { to: id });
    await talk.sees(eric, "✅ Answered: 2", id);
    await talk.settles();
    expect(asked(talk, eric, id)).toHaveLength(1);
    expect(buttons(talk, eric, 0)).toEqual([]);
  });

  test("a group that moved gets its open questions in the new chat", async () => {
    const talk = await aQuietTalk({ chat: group });
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    const fresh = -1002000000222;
    await talk.sleeps(() => {
      talk.api.migrate(token, group, fresh, eric);
      talk.clock.advance(hour);
    });
    await talk.sees(fresh, id);
    expect(buttons(talk, fresh)).toHaveLength(3);
    talk.taps(eric, "1", id, fresh);
    await talk.becomes(id, "answered");
    await talk.sees(fresh, "✅ Answered: 1");
  });
});

describe("nothing arrives", () => {
  test("field 13: the owner has blocked the bot: the channel does not count as up until they let it in again", async () => {
    const talk = await aQuietTalk();
    talk.api.close403(eric, "bot was blocked by the user");
    const id = await talk.asks(later);
    await talk.passes(3, minute);
    expect(await telegramOf(talk)).toMatchObject({
      up: false,
      detail: expect.stringContaining("blocked"),
      refused: [{ destination: String(eric) }],
    });
    expect(await talk.state(id)).toBe("pending");
    // It is known after a start, too.
    await talk.sleeps(() => undefined);
    await talk.passes(1, minute);
    expect((await telegramOf(talk))?.up).toBe(false);

    talk.types(eric, "/status");
    await talk.sees(eric, "Token refresh strategy", id);
    await talk.becomes(id, "posted");
    await talk.settles();
    expect(buttons(talk, eric)).not.toEqual([]);
    expect(await telegramOf(talk)).toMatchObject({ up: true, detail: "" });
    expect((await telegramOf(talk))?.refused).toBeUndefined();
    expect(asked(talk, eric, id)).toHaveLength(1);
    expect(await talk.count("channel.refused")).toBe(1);
    expect(await talk.count("channel.reopened")).toBe(1);
  });

  test("a block is known before anything is sent, and its end posts what came meanwhile and shows what was decided", async () => {
    const talk = await aQuietTalk();
    const before = await talk.asks({ ...later, task: "011-before", title: "Before the block?" });
    await talk.becomes(before, "posted");
    talk.api.block(token, eric);
    await until(
      () => telegramOf(talk),
      (channel) => channel?.up === false,
    );
    const id = await talk.asks(later);
    await talk.service.owlpost.decide({ verb: "choose", question: before, key: "2" }, "cli");
    await talk.passes(2, minute);
    expect(talk.texts(eric)).toHaveLength(1);

    talk.api.unblock(token, eric);
    await talk.becomes(id, "posted");
    await talk.sees(eric, "Before the block?", "✅ Answered: 2");
    await talk.settles();
    expect(asked(talk, eric, id)).toHaveLength(1);
    expect((await telegramOf(talk))?.up).toBe(true);
    // A second time changes nothing.
    talk.api.unblock(token, eric);
    await talk.settles();
    await talk.passes(2, minute);
    expect(talk.texts(eric)).toHaveLength(2);
  });

  test("while one of two owners gets messages the channel is up, and says who does not", async () => {
    const talk = await aQuietTalk({ allow: [eric, mara] });
    talk.api.block(token, mara);
    await until(
      () => telegramOf(talk),
      (channel) => channel?.refused !== undefined,
    );
    expect(await telegramOf(talk)).toMatchObject({
      up: true,
      detail: expect.stringContaining(`nothing arrives at ${mara}`),
    });
    talk.api.block(token, eric);
    await until(
      () => telegramOf(talk),
      (channel) => channel?.up === false,
    );
    expect((await telegramOf(talk))?.refused).toHaveLength(2);
  });

  test("a group that threw the bot out and took it back gets what is open; another group is nothing to us", async () => {
    const talk = await aQuietTalk({ chat: group });
    talk.api.addGroup(-100777, "elsewhere");
    talk.api.block(token, -100777, eric);
    talk.api.block(token, group, eric);
    await until(
      () => telegramOf(talk),
      (channel) => channel?.up === false,
    );
    expect((await telegramOf(talk))?.refused?.map(({ destination }) => destination)).toEqual([String(group)]);
    const id = await talk.asks(later);
    await talk.passes(2, minute);
    talk.api.unblock(token, group, eric);
    await talk.becomes(id, "posted");
    expect(asked(talk, group, id)).toHaveLength(1);
  });

  test("a long text that is refused is no closed door", async () => {
    const talk = await aQuietTalk();
    talk.api.fail({
      method: "sendMessage",
      how: { error_code: 400, description: "Bad Request: message is too long" },
      times: 1,
    });
    await talk.asks(later);
    await talk.passes(2, minute);
    expect(await talk.count("question.post-failed")).toBe(1);
    expect((await telegramOf(talk))?.up).toBe(true);
  });
});

describe("who is paired while questions are open", () => {
  test("is asked those that ring them, and those alone", async () => {
    const talk = await aQuietTalk();
    const ours = await talk.asks({ ...later, task: "010-all", title: "For every owner in `src`?" });
    const hers = await talk.asks({ ...later, task: "011-mara", answerable_by: ["mara", "owner"] });
    await talk.becomes(hers, "posted");
    await pairsMara(talk);
    await talk.sees(mara, hers);
    await talk.settles();
    expect(asked(talk, mara, hers)).toHaveLength(1);
    expect(asked(talk, mara, ours)).toHaveLength(0);
    expect(talk.texts(mara)[0]).toMatch(/^Welcome, mara/);
    expect(asked(talk, eric, hers)).toHaveLength(1);

    talk.taps(mara, "1", hers);
    await talk.becomes(hers, "answered");
    await talk.sees(eric, hers, "✅ Answered: 1", "(by mara,");
  });

  test("an owner is asked all that is open; what was decided is not shown to them", async () => {
    const talk = await aQuietTalk();
    const done = await talk.asks({ ...later, task: "010-done", title: "Done in `src`?" });
    const open = await talk.asks({ ...later, task: "011-open", title: "Open in `src`?" });
    await talk.becomes(open, "posted");
    await talk.service.owlpost.decide({ verb: "skip", question: done }, "cli");
    await pairsMara(talk, "owner");
    await talk.sees(mara, open);
    await talk.settles();
    expect(talk.texts(mara)).toHaveLength(2);
  });
});

describe("a clock that is set back", () => {
  test("delays a retry by no hours", async () => {
    const talk = await aQuietTalk();
    talk.clock.advance(8 * hour);
    talk.api.fail({ method: "sendMessage", how: tooMany(3), times: 1 });
    const id = await talk.asks(later);
    await until(
      () => talk.api.faults().length,
      (left) => left === 0,
    );
    await talk.service.settle();
    talk.clock.advance(-8 * hour);
    await talk.passes(2, minute);
    expect(await talk.state(id)).toBe("posted");
  });

  test("keeps no claim beyond two leases, and no gathered receipt", async () => {
    const talk = await aQuietTalk();
    talk.clock.advance(8 * hour);
    const id = await talk.asks(later);
    await talk.becomes(id, "posted");
    await talk.service.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    await talk.service.owlpost.take({ claim: "before" });
    for (let n = 0; n < 8; n += 1) talk.types(eric, `/nosuch${n}`);
    await talk.settles();
    expect(await talk.state(id)).toBe("applied");
    talk.clock.advance(-8 * hour);
    await talk.passes(1, 1_000);
    expect(await talk.state(id)).toBe("answered");
    expect((await talk.service.owlpost.take({ claim: "after" })).taken).toHaveLength(1);
    await talk.sees(eric, "2 replies were refused:");
  });
});

test("nobody in allow and no chat: the question is refused with no-route", async () => {
  const talk = await aQuietTalk({ allow: [] });
  await expect(talk.asks()).rejects.toThrow("no-route");
});
