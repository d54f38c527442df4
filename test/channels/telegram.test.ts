import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Api } from "grammy";
import { describe, expect, test } from "vitest";
import { checks, decode, encode, encodeEdit, pairing, settings } from "../../channels/telegram.ts";
import type { Batch } from "../../src/domain/channel.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import { afterwards, until } from "../homes.ts";
import { tooMany } from "../telegram/bot-api.ts";
import {
  aBotApi,
  aButton,
  aLine,
  aMessage,
  eric,
  group,
  mara,
  never,
  otherToken,
  token,
} from "../telegram/phone.ts";

const me = { id: 7000000001, username: "owlpost_nightjar_bot" };
const payloads = (message = aMessage()): string[] =>
  (encode("1", message).reply_markup?.inline_keyboard.flat() ?? []).map((button) =>
    "callback_data" in button ? button.callback_data : "",
  );

async function failure(work: Promise<unknown>): Promise<ChannelError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ChannelError)) throw new Error(`not a ChannelError: ${String(error)}`);
  return error;
}

describe("what is sent", () => {
  test("HTML without link previews; a silent message rings nobody; a reply names what it answers", () => {
    const sent = encode(`${group}/44`, aMessage({ silent: true, replyTo: `${group}:7` }));
    expect(sent).toMatchObject({
      chat_id: group,
      message_thread_id: 44,
      text: "<b>Which way?</b>",
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
      disable_notification: true,
      reply_parameters: { message_id: 7, allow_sending_without_reply: true },
    });
    expect(encode("5", aMessage())).not.toHaveProperty("disable_notification");
    expect(encodeEdit(`${group}:48`, aMessage({ buttons: [] }))).toMatchObject({
      chat_id: group,
      message_id: 48,
      reply_markup: { inline_keyboard: [] },
    });
  });

  test("buttons share a row as far as their labels leave each other room", () => {
    const rows = (labels: string[]) =>
      encode(
        "1",
        aMessage({ buttons: labels.map((label, n) => aButton(String(n), label)) }),
      ).reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text));
    expect(rows(["1", "2", "3", "4", "5", "6", "7", "8", "9"])).toEqual([
      ["1", "2", "3", "4", "5", "6", "7", "8"],
      ["9"],
    ]);
    expect(rows(["1 Rotate the refresh tokens", "2 No", "Skip"])).toEqual([
      ["1 Rotate the refresh tokens"],
      ["2 No", "Skip"],
    ]);
    expect(rows(["1 Yes", "2 Keep it as it is", "Skip"])).toEqual([
      ["1 Yes"],
      ["2 Keep it as it is"],
      ["Skip"],
    ]);
    expect(rows([])).toBeUndefined();
  });

  test("field 15: the longest id with every key and verb fits 64 bytes", () => {
    const longest = mintQuestionId("abcdefgh" as RunId, "a".repeat(24), 9999);
    const actions = [{ key: "abcdefgh" }, { verb: "skip" }, { verb: "go" }, { verb: "more" }] as const;
    for (const action of actions) {
      const [data = ""] = payloads(
        aMessage({ buttons: [{ label: "x", question: longest, action, primary: false }] }),
      );
      expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
      const pressed = decode(
        {
          update_id: 1,
          callback_query: {
            id: "9",
            from: { id: eric, is_bot: false, first_name: "E" },
            chat_instance: "1",
            data,
            message: { message_id: 4, date: 0, chat: { id: eric, type: "private", first_name: "E" } },
          },
        },
        me,
      );
      const meant = "key" in action ? action.key : action.verb === "more" ? "/more" : action.verb;
      expect(pressed.reply?.press).toEqual({ question: longest, action: meant });
    }
    const tooLong = aButton("k".repeat(64), "x", longest);
    expect(() => encode("1", aMessage({ buttons: [tooLong] }))).toThrow("too long");
  });

  test("a group's message can be edited by its reference alone", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, { chat: `${group}/44` });
    expect(line.destinations).toEqual([`${group}/44`]);
    const ref = await line.post(`${group}/44`, aMessage(), "k1", never);
    await line.edit?.(`${group}/44`, ref, aMessage({ body: "<b>Done</b>", buttons: [] }), never);
    expect(api.messages(group)).toMatchObject([
      { thread: 44, text: "Done", versions: ["Which way?", "Done"], markup: undefined },
    ]);
  });

  test("questions go to everybody on the list, or to the one chat", async () => {
    const { api } = await aBotApi();
    expect((await aLine(api, { allow: [eric, String(mara)] })).destinations).toEqual([
      String(eric),
      String(mara),
    ]);
    expect((await aLine(api, { chat: group })).destinations).toEqual([String(group)]);
  });
});

describe("what Telegram says no to", () => {
  test("field 6: a message that stands there already is a success, and nothing is posted instead", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const ref = await line.post(String(eric), aMessage(), "k1", never);
    await line.edit?.(String(eric), ref, aMessage(), never);
    expect(api.messages(eric)).toHaveLength(1);
    expect(api.calls.at(-1)).toMatchObject({ method: "editMessageText", ok: false });
  });

  test("field 10: markup that is not understood goes out once more as plain text", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const broken = aMessage({ body: "a < b & <i>c", plain: "a < b & c" });
    const ref = await line.post(String(eric), broken, "k1", never);
    expect(api.messages(eric)).toMatchObject([{ text: "a < b & c", entities: [] }]);
    await line.edit?.(String(eric), ref, { ...broken, plain: "a < b & d" }, never);
    expect(api.messages(eric)[0]?.text).toBe("a < b & d");
    api.calls.length = 0;
    const hopeless = await failure(line.post(String(eric), { ...broken, plain: " " }, "k2", never));
    expect(hopeless).toMatchObject({ reason: "refused", permanent: true });
    expect(api.calls).toHaveLength(2);
  });

  test.each([
    [tooMany(7), { reason: "rate-limited", permanent: false, delivered: "no", retryAfterMs: 7_000 }],
    [
      { error_code: 403, description: "Forbidden: bot was blocked by the user" },
      { reason: "blocked", permanent: true },
    ],
    [
      { error_code: 403, description: "Forbidden: user is deactivated" },
      { reason: "blocked", permanent: true },
    ],
    [
      { error_code: 400, description: "Bad Request: chat not found" },
      { reason: "chat-not-found", permanent: true },
    ],
    [
      { error_code: 401, description: "Unauthorized" },
      { reason: "token-refused", permanent: false, delivered: "no" },
    ],
    [
      { error_code: 400, description: "Bad Request: message is too long" },
      { reason: "too-long", permanent: true },
    ],
    [
      { error_code: 500, description: "Internal Server Error" },
      { reason: "unavailable", permanent: false, delivered: "unknown" },
    ],
  ])("%o is named", async (how, expected) => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    api.fail({ method: "sendMessage", how, times: 1 });
    expect(await failure(line.post(String(eric), aMessage(), "k1", never))).toMatchObject(expected);
    expect(await line.post(String(eric), aMessage(), "k1", never)).toBe(`${eric}:1`);
  });

  test.each(["message to edit not found", "message can't be edited"])(
    "an edit is refused for good: %s",
    async (why) => {
      const { api } = await aBotApi();
      const line = await aLine(api);
      const ref = await line.post(String(eric), aMessage(), "k1", never);
      api.fail({
        method: "editMessageText",
        how: { error_code: 400, description: `Bad Request: ${why}` },
        times: 1,
      });
      const change = line.edit?.(String(eric), ref, aMessage({ body: "b" }), never) ?? Promise.resolve();
      expect(await failure(change)).toMatchObject({
        reason: "not-editable",
        permanent: true,
        delivered: "no",
      });
    },
  );

  test("a proxy's own page is no answer of Telegram: whether the message arrived is not known", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    api.fail({ method: "sendMessage", how: "html", times: 1 });
    const error = await failure(line.post(String(eric), aMessage(), "k1", never));
    expect(error).toMatchObject({ reason: "unavailable", permanent: false, delivered: "unknown" });
  });

  test.each([200, 302, 400, 401, 403, 404, 407, 511])(
    "a page with status %i is somebody in between: the message is not given up",
    async (page) => {
      const { api } = await aBotApi();
      const line = await aLine(api);
      api.fail({ method: "sendMessage", how: { page }, times: 1 });
      const error = await failure(line.post(String(eric), aMessage(), "k1", never));
      expect(error).toMatchObject({ reason: "unavailable", permanent: false, delivered: "unknown" });
      expect(error.message).toContain(String(page));
    },
  );

  test.each(["null", "[]", "5", '"x"', "", '{"ok":"yes"}', '{"ok":true}', '{"result":1}'])(
    "JSON that is not Telegram's (%s) is somebody in between, too",
    async (body) => {
      const server = createServer((asked, answer) => asked.resume().once("end", () => answer.end(body)));
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      afterwards(() => {
        server.close();
        server.closeAllConnections();
      });
      const { port } = server.address() as AddressInfo;
      const line = await aLine({ url: `http://127.0.0.1:${port}` });
      for (const call of [line.post(String(eric), aMessage(), "k1", never), line.poll?.(undefined, never)]) {
        expect(await failure(call ?? Promise.resolve())).toMatchObject({
          reason: "unavailable",
          permanent: false,
          delivered: "unknown",
        });
      }
    },
  );

  test("a group that moved is followed; its old messages cannot be edited there, which is for good", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, { chat: group });
    const ref = await line.post(String(group), aMessage(), "k1", never);
    const fresh = -1002000000222;
    api.migrate(token, group, fresh, eric);
    expect(await line.post(String(group), aMessage(), "k2", never)).toBe(`${fresh}:1`);
    expect(await line.post(String(group), aMessage(), "k3", never)).toBe(`${fresh}:2`);
    expect(api.calls.filter((call) => call.method === "sendMessage" && !call.ok)).toHaveLength(1);
    const change = line.edit?.(String(group), ref, aMessage({ body: "b" }), never) ?? Promise.resolve();
    expect(await failure(change)).toMatchObject({ reason: "moved", permanent: true });
  });

  test("a group that moved while it only listened is followed at once", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, { chat: group });
    api.migrate(token, group, -1002000000222, eric);
    expect((await line.poll?.(undefined, never))?.replies).toEqual([]);
    await line.post(String(group), aMessage(), "k2", never);
    expect(api.calls.filter((call) => call.method === "sendMessage")).toMatchObject([{ ok: true }]);
  });

  test("a topic that is gone loses no question: it goes to the group itself", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, { chat: `${group}/45` });
    await line.post(`${group}/45`, aMessage(), "k1", never);
    expect(api.messages(group)).toHaveLength(1);
    expect(api.messages(group)[0]?.thread).toBeUndefined();
  });

  test("nothing that is thrown holds the token", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const errors: ChannelError[] = [];
    for (const how of [
      "reset",
      "hang",
      "html",
      { error_code: 400, description: "Bad Request: x" },
    ] as const) {
      api.fail({ method: "sendMessage", how, times: 1 });
      errors.push(await failure(line.post(String(eric), aMessage(), "k", AbortSignal.timeout(300))));
    }
    const gone = await aLine({ ...api, url: "http://127.0.0.1:9" });
    errors.push(await failure(gone.post(String(eric), aMessage(), "k", never)));
    expect(errors.map((error) => [error.reason, error.delivered])).toEqual([
      ["unreachable", "unknown"],
      ["stopped", "unknown"],
      ["unavailable", "unknown"],
      ["refused", "no"],
      ["unreachable", "no"],
    ]);
    for (const error of errors) {
      const all = [error.message, error.stack, JSON.stringify(error), String(error.cause)].join();
      expect(all).not.toContain(token.split(":")[1]);
    }
  });
});

describe("what comes in", () => {
  test("field 19: every poll names its kinds, whatever an older run has left behind", async () => {
    const { api } = await aBotApi();
    const foreign = new Api(token, { apiRoot: api.url });
    await foreign.getUpdates({ allowed_updates: ["poll"], offset: 5 });
    const line = await aLine(api);
    await line.poll?.(undefined, never);
    api.say(token, { chat: eric, from: eric, text: "1" });
    expect((await line.poll?.(undefined, never))?.replies).toHaveLength(1);
    const polls = api.calls.filter((call) => call.method === "getUpdates").slice(1);
    expect(polls.length).toBeGreaterThan(1);
    for (const { params } of polls) {
      expect(params.allowed_updates).toEqual([
        "message",
        "edited_message",
        "callback_query",
        "my_chat_member",
      ]);
    }
  });

  test("field 2: Telegram is told only by the next poll, with the cursor that was stored", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    api.say(token, { chat: eric, from: eric, text: "1" });
    const batch = await line.poll?.(undefined, never);
    expect(batch?.cursor).toMatch(/^7000000001:810000002:\d+$/);
    expect(batch?.replies[0]?.key).toBe("7000000001:810000001");
    expect(api.waiting(token)).toEqual([810000001]);
    await line.poll?.(batch?.cursor, never);
    expect(api.waiting(token)).toEqual([]);
  });

  test("field 4: the cursor of another bot, or one that is a week old, is not used", async () => {
    const { api, clock } = await aBotApi();
    const offsets = () =>
      api.calls.filter(({ method }) => method === "getUpdates").map(({ params }) => params.offset);
    const seconds = Math.floor(clock.now() / 1_000);
    const cursor = `7000000001:810000900:${seconds}`;
    await (await aLine(api, { token: otherToken }, { now: clock.now })).poll?.(cursor, never);
    await (await aLine(api, {}, { now: clock.now })).poll?.(cursor, never);
    clock.advance(7 * 86_400_000);
    await (await aLine(api, {}, { now: clock.now })).poll?.(cursor, never);
    expect(offsets()).toEqual([undefined, 810000900, undefined]);
  });

  test("field 20: what is no words of a person resolves nothing, and is confirmed all the same", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const say = (extra: Record<string, unknown>, text = "") =>
      api.say(token, { chat: eric, from: eric, text, extra });
    say({ text: undefined, sticker: { emoji: "👍", file_id: "x" } });
    say({ text: undefined, pinned_message: { message_id: 1 } });
    say({}, "   ");
    say({ forward_origin: { type: "hidden_user", sender_user_name: "x", date: 1 } }, "1");
    say({ via_bot: { id: 3, is_bot: true, first_name: "x" } }, "1");
    const batch = await line.poll?.(undefined, never);
    expect(batch).toMatchObject({ replies: [], cursor: expect.stringContaining(":810000006:") });
  });

  test("field 14: whom a text names is read in UTF-16 units", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const text = "👨‍👩‍👧🦉 @owlpost_nightjar_bot 1";
    const at = text.indexOf("@");
    const entities = [{ type: "mention", offset: at, length: "@owlpost_nightjar_bot".length }];
    api.say(token, { chat: group, from: eric, text, extra: { entities } });
    api.say(token, {
      chat: group,
      from: eric,
      text,
      extra: { entities: [{ ...entities[0], offset: at - 4 }] },
    });
    const batch = await line.poll?.(undefined, never);
    expect(batch?.replies).toMatchObject([{ addressed: true, private: false, chat: String(group) }]);
  });

  test("a command in a group that names this bot is said to it, and one that names another is not heard", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    for (const bot of ["owlpost_nightjar_bot", "Owlpost_Nightjar_Bot", "owlpost_barn_bot"])
      api.say(token, { chat: group, from: eric, text: `/skip@${bot}` });
    const batch = await line.poll?.(undefined, never);
    expect(batch?.replies.map((reply) => [reply.addressed, reply.mentions])).toEqual([
      [true, ["@owlpost_nightjar_bot"]],
      [true, ["@Owlpost_Nightjar_Bot"]],
    ]);
  });

  test("a pairing code said in a group is heard, so that it can be revoked; other talk is not", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    for (const text of ["/pair K7M3XQ4R", "/skip", "1", "q-a3f2-012-1 1"])
      api.say(token, { chat: group, from: mara, text });
    const batch = await line.poll?.(undefined, never);
    expect(batch?.replies.map((reply) => [reply.text, reply.addressed])).toEqual([["/pair K7M3XQ4R", false]]);
  });

  test("more than one batch that waited is asked for at once, before deadlines run out", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 30_000 });
    for (let n = 0; n < 130; n += 1) api.say(token, { chat: eric, from: eric, text: `${n}` });
    const first = await line.poll?.(undefined, never);
    const second = await line.poll?.(first?.cursor, never);
    expect([first, second].map((batch) => [batch?.replies.length, batch?.more])).toEqual([
      [100, true],
      [30, undefined],
    ]);
    expect(
      api.calls.filter(({ method }) => method === "getUpdates").map(({ params }) => params.timeout),
    ).toEqual([0, 0]);
  });

  test("an update of no known shape is passed over and does not come again", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    const odd = { message: { message_id: 1, from: { id: 1 }, date: 1, text: "1", entities: 5 } };
    api.push(token, odd as unknown as Parameters<typeof api.push>[1]);
    expect(await line.poll?.(undefined, never)).toMatchObject({
      replies: [],
      cursor: expect.stringMatching(/:810000002:/),
    });
  });
});

describe("the line", () => {
  test("field 1: a token that is used elsewhere is named, waited for, and nothing is taken from anybody", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 20_000 });
    await line.poll?.(undefined, never);
    const waits: (number | undefined)[] = [];
    for (let n = 0; n < 2; n += 1) {
      const mine = failure(line.poll?.(undefined, never) ?? Promise.resolve());
      await until(
        () => api.isPolled(token),
        (polled) => polled,
      );
      const other = new Api(token, { apiRoot: api.url }).getUpdates({ timeout: 0, offset: 3 + n });
      const error = await mine;
      expect(error).toMatchObject({ reason: "token-in-use", permanent: false });
      expect(error.message).toContain("in use elsewhere");
      waits.push(error.retryAfterMs);
      await other;
    }
    expect(waits).toEqual([5_000, 10_000]);
    expect(api.calls.map(({ method }) => method)).not.toContain("deleteWebhook");
  });

  test("a webhook has its own name, and is left alone", async () => {
    const { api } = await aBotApi();
    api.setWebhook(token, "https://example.org/hook");
    const line = await aLine(api);
    const error = await failure(line.poll?.(undefined, never) ?? Promise.resolve());
    expect(error).toMatchObject({ reason: "webhook-active", permanent: false });
    expect(api.calls.map(({ method }) => method)).not.toContain("deleteWebhook");
  });

  test("field 17: a poll that hangs ends by itself, is named, and the next one works", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 1_000, graceMs: 200 });
    await line.poll?.(undefined, never);
    api.fail({ method: "getUpdates", how: "hang", times: 1 });
    const error = await failure(line.poll?.(undefined, never) ?? Promise.resolve());
    expect(error).toMatchObject({ reason: "no-answer", permanent: false });
    api.say(token, { chat: eric, from: eric, text: "1" });
    expect((await line.poll?.(undefined, never))?.replies).toHaveLength(1);
  });

  test("field 17: the watchdog outlives the garbage collector", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 1_000, graceMs: 200, callMs: 800 });
    await line.poll?.(undefined, never);
    api.fail({ method: "getUpdates", how: "hang", times: 1 });
    api.fail({ method: "sendMessage", how: "hang", times: 1 });
    const signal = AbortSignal.any([never, AbortSignal.timeout(60_000)]);
    const hanging = [line.poll?.(undefined, signal), line.post(String(eric), aMessage(), "k1", signal)];
    const ended = Promise.all(hanging.map((each) => failure(each ?? Promise.resolve())));
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const collecting = setInterval(collect, 50);
    afterwards(() => clearInterval(collecting));
    expect((await ended).map(({ reason }) => reason)).toEqual(["no-answer", "no-answer"]);
  });

  test("field 17: of calls that hang each ends in its own time, and all of them when their signal fires", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 1_000, graceMs: 200, callMs: 400 });
    await line.poll?.(undefined, never);
    const endsAfter = async (call: Promise<unknown> | undefined) => {
      const began = performance.now();
      const { reason } = await failure(call ?? Promise.resolve());
      return { reason, ms: performance.now() - began };
    };
    const hanging = (signal: AbortSignal) => {
      api.fail({ method: "getUpdates", how: "hang", times: 1 });
      api.fail({ method: "sendMessage", how: "hang", times: 2 });
      const posts = ["k1", "k2"].map((key) => line.post(String(eric), aMessage(), key, signal));
      return Promise.all([line.poll?.(undefined, signal), ...posts].map(endsAfter));
    };
    const [poll, ...posts] = await hanging(never);
    expect([poll, ...posts].map((each) => each?.reason)).toEqual(["no-answer", "no-answer", "no-answer"]);
    for (const { ms } of posts) expect(ms).toBeGreaterThanOrEqual(399);
    // The poll was begun first and may take longer.
    expect(poll?.ms).toBeGreaterThanOrEqual(1_199);
    const stop = new AbortController();
    const stopped = hanging(stop.signal);
    setTimeout(() => stop.abort(), 100);
    const ends = await stopped;
    expect(ends.map(({ reason }) => reason)).toEqual(["stopped", "stopped", "stopped"]);
    expect(await failure(line.post(String(eric), aMessage(), "k3", stop.signal))).toMatchObject({
      reason: "stopped",
    });
  });

  test("field 17: a server that does not hold the line is not asked all the time", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 700 });
    await line.poll?.(undefined, never);
    api.fail({ method: "getUpdates", how: "empty", times: 2 });
    const began = performance.now();
    await line.poll?.(undefined, never);
    expect(performance.now() - began).toBeGreaterThan(650);
    const stop = AbortSignal.timeout(50);
    await line.poll?.(undefined, stop);
    expect(performance.now() - began).toBeLessThan(1_200);
  });

  test("a poll ends at once when it is stopped, and when the channel is closed nothing is left open", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api, {}, { waitMs: 30_000 });
    await line.poll?.(undefined, never);
    const stop = new AbortController();
    const held = failure(line.poll?.(undefined, stop.signal) ?? Promise.resolve());
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    stop.abort();
    expect((await held).reason).toBe("stopped");
    await until(
      () => api.isPolled(token),
      (polled) => !polled,
    );
    await line.close();
  });

  test("a revoked token is named, and holds against the channel, not against a message", async () => {
    const { api } = await aBotApi();
    api.revoke(token);
    const line = await aLine(api);
    expect(await failure(line.poll?.(undefined, never) ?? Promise.resolve())).toMatchObject({
      reason: "token-refused",
      permanent: false,
    });
  });
});

describe("toasts", () => {
  async function pressed(data?: string) {
    const { api, clock } = await aBotApi();
    const line = await aLine(api);
    await line.post(String(eric), aMessage(), "k1", never);
    const [first = ""] = payloads();
    api.press(token, { chat: eric, message: 1, from: eric, data: data ?? first });
    const batch = (await line.poll?.(undefined, never)) as Batch;
    return { api, clock, batch, key: batch.replies[0]?.key ?? "" };
  }

  test("field 8: a press is answered once, after its outcome is known; a refusal stands until it is read", async () => {
    for (const accepted of [true, false]) {
      const { api, batch, key } = await pressed();
      expect(api.answers).toEqual([]);
      expect(await batch.settle?.([{ key, text: "Answered: 1", accepted }])).toEqual([key]);
      expect(api.answers).toMatchObject([{ text: "Answered: 1", alert: !accepted }]);
    }
  });

  test("field 7: a toast that comes too late is no failure", async () => {
    const { api, clock, batch, key } = await pressed();
    clock.advance(60_000);
    expect(await batch.settle?.([{ key, text: "Answered: 1", accepted: true }])).toEqual([]);
    expect(api.calls.at(-1)).toMatchObject({ method: "answerCallbackQuery", ok: false });
  });

  test("a long toast is cut between characters", async () => {
    const { api, batch, key } = await pressed();
    await batch.settle?.([{ key, text: "👨‍👩‍👧".repeat(60), accepted: true }]);
    const text = api.answers[0]?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).toBe(`${"👨‍👩‍👧".repeat(24)}…`);
  });

  test("a label of the agent's turns no toast around and loses none", async () => {
    const { api, batch, key } = await pressed();
    const text = "Answered: 1 — \u202eevil\u0007\ud800; it applies";
    expect(await batch.settle?.([{ key, text, accepted: true }])).toEqual([key]);
    expect(api.answers[0]?.text).toBe("Answered: 1 — ⟨U+202E⟩evil⟨U+0007⟩\ufffd; it applies");
  });

  test("field R4: a button that is not ours is not passed on, and its spinner ends", async () => {
    const { api } = await aBotApi();
    const line = await aLine(api);
    await new Api(token, { apiRoot: api.url }).sendMessage(eric, "Pick", {
      reply_markup: { inline_keyboard: [[{ text: "red", callback_data: "colour:red" }]] },
    });
    api.press(token, { chat: eric, message: 1, from: eric, data: "colour:red" });
    const batch = await line.poll?.(undefined, never);
    expect(batch?.replies).toEqual([]);
    expect(await batch?.settle?.([])).toEqual([]);
    expect(api.answers).toMatchObject([{ text: "", alert: false }]);
  });

  test("a stranger's spinner ends without a word", async () => {
    const { api, batch } = await pressed();
    expect(await batch.settle?.([])).toEqual([]);
    expect(api.answers).toMatchObject([{ text: "", alert: false }]);
  });
});

describe("settings, pairing and checks", () => {
  test("a token, and where wanted a chat, the owners and another server", () => {
    const good = { token, chat: "-1001999000111/44", allow: [42, "43"], api_root: "http://127.0.0.1:8081" };
    expect(settings.parse(good)).toEqual(good);
    expect(settings.parse({ token })).toEqual({ token, allow: [] });
    // It would ring as the one it means, and be taken for somebody else when it answers.
    expect(settings.safeParse({ token, allow: ["042"] }).success).toBe(false);
    const told = settings.safeParse({ token: "nonsense-secret", allow: ["@eric"], chat: "here", room: 1 });
    expect(told.error?.issues.map((issue) => issue.path.join("."))).toEqual(["token", "chat", "allow.0", ""]);
    expect(JSON.stringify(told.error?.issues.map(({ message }) => message))).not.toContain("nonsense-secret");
  });

  test("the deep link carries the code", () => {
    expect(pairing.say("FAKE2345")).toBe("/start FAKE2345");
    expect(pairing.link("owlpost_nightjar_bot", "FAKE2345")).toBe(
      "https://t.me/owlpost_nightjar_bot?start=FAKE2345",
    );
  });

  test("what is wrong is said with the way out, and nothing is changed", async () => {
    const { api } = await aBotApi();
    const given = { token, allow: [eric, 12345], api_root: api.url };
    api.setWebhook(token, "https://example.org/hook");
    expect(await checks(given)).toEqual([
      {
        bot: "owlpost_nightjar_bot",
        name: "token",
        ok: true,
        text: "valid: the bot is @owlpost_nightjar_bot",
        aheadMs: expect.any(Number),
      },
      { name: "webhook", ok: false, text: expect.stringContaining("owlpost never deletes it by itself") },
      { name: "owners", ok: true, text: "2 may answer" },
      { name: `chat ${eric}`, ok: true, text: "can be reached (private)" },
      { name: "chat 12345", ok: false, text: expect.stringContaining("press Start") },
    ]);
    api.revoke(token);
    expect(await checks(given)).toEqual([
      { name: "token", ok: false, text: expect.stringContaining("BotFather") },
    ]);
    expect(new Set(api.calls.map(({ method }) => method))).toEqual(
      new Set(["getMe", "getWebhookInfo", "getChat"]),
    );
  });
});

test("many toasts of one batch at once are no leak, and nobody is warned of one", async () => {
  const { api } = await aBotApi();
  const channel = await aLine(api);
  const ref = await channel.post(String(eric), aMessage(), "k1", never);
  const data = [...(api.messages(eric)[0]?.payloads ?? [])][0] ?? "";
  const message = Number(ref.split(":")[1]);
  for (let n = 0; n < 30; n += 1) api.press(token, { chat: eric, from: eric, message, data });
  const warned: string[] = [];
  const warn = ({ name }: Error): void => void warned.push(name);
  process.on("warning", warn);
  const batch = await channel.poll?.(undefined, never);
  const receipts = batch?.replies.map(({ key }) => ({ key, text: "done", accepted: true })) ?? [];
  expect(await batch?.settle?.(receipts)).toHaveLength(30);
  await new Promise((next) => setImmediate(next));
  process.off("warning", warn);
  expect(warned).toEqual([]);
});
