import { describe, expect, test } from "vitest";
import { open } from "../../channels/telegram.ts";
import { questionId } from "../../src/domain/ids.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { aHome, aService, until } from "../homes.ts";
import { aBotApi, eric, group, mara, token } from "../telegram/phone.ts";

/** A service on Telegram whose first post to Eric arrives, although its reply does not. */
async function aLostReply(changes: Record<string, unknown> = {}, telegramMore: { chat?: number } = {}) {
  const { api, clock } = await aBotApi();
  const home = aHome();
  const start = async () => {
    const telegram = { token, allow: [eric], api_root: api.url, ...telegramMore };
    const channel = await open(telegram, { waitMs: 2_000, graceMs: 5_000, callMs: 5_000, now: clock.now });
    return aService({
      home,
      now: clock.now,
      config: aConfig({ deliver: ["telegram"], channels: { inbox: { port: 0 }, telegram } }),
      channels: new Map([["telegram", channel]]),
    });
  };
  const chat = telegramMore.chat ?? eric;
  api.fail({ method: "sendMessage", how: "swallow", times: 1 });
  const service = await start();
  const asked = await service.owlpost.ask({ document: aDocument(changes) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  const id = questionId(asked.id) ?? ("" as never);
  await until(
    () => service.store.nextJobAt(),
    (at) => at !== undefined && at > clock.now(),
  );
  const message = (number: number) => api.messages(chat).find(({ message_id }) => message_id === number);
  return {
    api,
    clock,
    start,
    service,
    id,
    message,
    /** Until that message says so. */
    says: (number: number, words: string) =>
      until(
        () => message(number)?.text ?? "",
        (text) => text.includes(words),
      ),
    tap: (number: number, action: string, from = eric) =>
      api.press(token, { chat, from, message: number, data: `o1|${id}|${action}` }),
    /** The post is tried again, and stands twice. */
    async again() {
      clock.advance(minute);
      await until(
        async () => {
          await service.settle();
          return api.messages(chat).length;
        },
        (count) => count === 2,
      );
      await until(
        () => service.store.copies(id),
        (copies) => copies.length === 1,
      );
    },
    refs: async () => (await service.store.copies(id)).map(({ ref, revision }) => [ref, revision]),
    posts: () => api.calls.filter(({ method }) => method === "sendMessage").length,
  };
}

describe("a press on a message that nobody knows of", () => {
  test("adopts it before the post is tried again: it shows the answer and the run, and no second one comes", async () => {
    const { service, id, clock, says, tap, message, refs, posts } = await aLostReply();
    expect(await refs()).toEqual([]);
    tap(1, "2");
    await until(
      async () => (await service.owlpost.question(id))?.state,
      (state) => state === "answered",
    );
    clock.advance(minute);
    await service.settle();
    await says(1, "✅ Answered: 2");
    expect(message(1)?.markup).toBeUndefined();
    await service.owlpost.take({ run: "a3f2" });
    await says(1, "▶ Picked up by run a3f2");
    await service.settle();
    const stored = await service.owlpost.question(id);
    expect(await refs()).toEqual([[`${eric}:1`, stored?.revision]]);
    expect(posts()).toBe(1);
  });

  test("adopts it beside the copy that is known: both are edited from then on", async () => {
    const { service, again, says, tap, message, refs, posts } = await aLostReply();
    await again();
    expect(await refs()).toEqual([[`${eric}:2`, expect.any(Number)]]);
    tap(1, "1");
    await says(1, "✅ Answered: 1");
    await says(2, "✅ Answered: 1");
    await service.owlpost.take({ run: "a3f2" });
    await says(1, "▶ Picked up by run a3f2");
    await says(2, "▶ Picked up by run a3f2");
    expect([message(1)?.markup, message(2)?.markup]).toEqual([undefined, undefined]);
    await service.settle();
    expect((await refs()).map(([ref]) => ref)).toEqual([`${eric}:1`, `${eric}:2`]);
    expect(new Set((await refs()).map(([, revision]) => revision)).size).toBe(1);
    expect(posts()).toBe(2);
  });

  test("adopts it although it came too late to decide anything", async () => {
    const { api, again, says, tap, message } = await aLostReply();
    await again();
    tap(2, "1");
    await says(2, "✅ Answered: 1");
    expect(message(1)?.markup).toBeDefined();
    tap(1, "2");
    await says(1, "✅ Answered: 1");
    expect(message(1)?.markup).toBeUndefined();
    await until(
      () => api.answers,
      (all) => all.length === 2 && all[1]?.alert === true,
    );
  });

  test("of somebody who may not answer adopts nothing", async () => {
    const { api, service, tap, message, refs } = await aLostReply({}, { chat: group });
    tap(1, "1", mara);
    await until(
      () => api.answers.length,
      (count) => count === 1,
    );
    await service.settle();
    expect(await refs()).toEqual([]);
    expect(message(1)?.versions).toHaveLength(1);
  });
});

test("both copies of an open question are touched up after an outage", async () => {
  const { api, clock, service, id, again, tap, says, start, message } = await aLostReply({
    default: { action: "skip_spec", at: "20h" },
  });
  await again();
  // A key that is no option decides nothing, and tells all the same that the message is there.
  api.messages(eric)[0]?.payloads.add(`o1|${id}|9`);
  tap(1, "9");
  await until(
    () => service.store.copies(id),
    (copies) => copies.length === 2,
  );
  await service.settle();
  await service.close();
  clock.advance(8 * hour);
  await start();
  await says(1, "I was away from");
  await says(2, "I was away from");
  expect([message(1)?.markup, message(2)?.markup]).not.toContain(undefined);
  expect(message(1)?.text).toBe(message(2)?.text);
});

test("a copy that was deleted needs no follow-up while another one could be edited", async () => {
  const { api, service, again, says, tap, posts } = await aLostReply();
  await again();
  tap(1, "1");
  await says(1, "✅ Answered: 1");
  await says(2, "✅ Answered: 1");
  api.forget(eric, 1);
  await service.owlpost.take({ run: "a3f2" });
  await says(2, "▶ Picked up by run a3f2");
  await service.settle();
  expect(posts()).toBe(2);
  api.forget(eric, 2);
  await service.owlpost.resolve((await service.store.questions({ limit: 1 }))[0]?.question.id ?? "", "done");
  await until(posts, (count) => count === 3);
});

describe("words in reply to a message that nobody knows of", () => {
  test("are about its question although several are open, and adopt it", async () => {
    const { api, service, id, again, says, message, refs } = await aLostReply();
    await again();
    const other = await service.owlpost.ask({
      document: aDocument({ task: "013-search", title: "Which index?" }),
    });
    expect(other.ok).toBe(true);
    api.say(token, { chat: eric, from: eric, text: "2", replyTo: 1 });
    await until(
      async () => (await service.owlpost.question(id))?.state,
      (state) => state === "answered",
    );
    await says(1, "✅ Answered: 2");
    await says(2, "✅ Answered: 2");
    expect(message(1)?.markup).toBeUndefined();
    expect(new Set((await refs()).map(([ref]) => ref))).toEqual(new Set([`${eric}:1`, `${eric}:2`]));
    if (other.ok) expect((await service.owlpost.question(other.id))?.state).toBe("posted");
  });

  test("of somebody who is not known adopt nothing and say nothing", async () => {
    const { api, service, id, again, refs } = await aLostReply({}, { chat: group });
    await again();
    api.say(token, { chat: group, from: mara, text: "2", replyTo: 1 });
    await until(
      () => api.waiting(token).length,
      (left) => left === 0,
    );
    await service.settle();
    expect((await service.owlpost.question(id))?.state).toBe("posted");
    expect(await refs()).toHaveLength(1);
    expect(await service.owlpost.events(0, 1_000)).toContainEqual(
      expect.objectContaining({ kind: "reply.refused", data: expect.objectContaining({ via: "telegram" }) }),
    );
  });
});
