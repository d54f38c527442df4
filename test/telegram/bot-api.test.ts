import { describe, expect, test } from "vitest";
import { aClock, afterwards, until } from "../homes.ts";
import { startBotApi, tooMany } from "./bot-api.ts";
import { MarkupError, parseHtml } from "./html.ts";

const token = "7000000001:TEST-only-not-a-token";
const eric = 5550100001;
const group = -1001999000111;

async function aServer() {
  const clock = aClock(Date.parse("2026-11-29T19:45:08Z"));
  const api = await startBotApi({ now: clock.now });
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(group, "nightjar ops", [44]);
  async function call(method: string, params: Record<string, unknown> = {}, as = token) {
    const response = await fetch(`${api.url}/bot${as}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as {
      ok: boolean;
      result?: unknown;
      error_code?: number;
      description?: string;
      parameters?: Record<string, unknown>;
    };
    return { ...body, status: response.status, retryAfter: response.headers.get("retry-after") };
  }
  const why = async (method: string, params: Record<string, unknown>): Promise<string | undefined> =>
    (await call(method, params)).description;
  const ids = async (params: Record<string, unknown> = {}): Promise<number[]> =>
    ((await call("getUpdates", params)).result as { update_id: number }[]).map((update) => update.update_id);
  return { api, clock, call, why, ids };
}

const keyboard = (data: string) => ({ inline_keyboard: [[{ text: "1", callback_data: data }]] });

describe("polls", () => {
  test("an update comes again until a larger offset confirms it; a negative offset keeps the last ones", async () => {
    const { api, ids } = await aServer();
    for (const text of ["1", "2", "3"]) api.say(token, { chat: eric, from: eric, text });
    expect(await ids()).toEqual([810000001, 810000002, 810000003]);
    expect(await ids({ offset: 810000002 })).toEqual([810000002, 810000003]);
    expect(await ids({ offset: 810000001 })).toEqual([810000002, 810000003]);
    expect(await ids({ offset: -1 })).toEqual([810000003]);
    expect(api.waiting(token)).toEqual([810000003]);
  });

  test("the same offset again within half a second gets one update, and waits at least 3 s when there is none", async () => {
    const { api, ids } = await aServer();
    api.say(token, { chat: eric, from: eric, text: "1" });
    api.say(token, { chat: eric, from: eric, text: "2" });
    expect(await ids({ offset: 5 })).toHaveLength(2);
    expect(await ids({ offset: 5 })).toEqual([810000001]);
    await ids({ offset: 810000003 });
    const again = ids({ offset: 810000003 });
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    api.say(token, { chat: eric, from: eric, text: "3" });
    expect(await again).toEqual([810000003]);
  });

  test("a poll is held until something comes", async () => {
    const { api, ids } = await aServer();
    const held = ids({ timeout: 20 });
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    api.say(token, { chat: eric, from: eric, text: "1" });
    expect(await held).toEqual([810000001]);
  });

  test("a second poll ends the first one with 409, and a webhook ends both", async () => {
    const { api, call } = await aServer();
    const first = call("getUpdates", { timeout: 20 });
    await until(
      () => api.isPolled(token),
      (polled) => polled,
    );
    const second = call("getUpdates", { timeout: 20, offset: 7 });
    expect(await first).toMatchObject({
      status: 409,
      error_code: 409,
      description:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    await call("setWebhook", { url: "https://example.org/hook" });
    expect((await second).description).toBe("Conflict: terminated by setWebhook request");
    expect((await call("getUpdates")).description).toContain(
      "can't use getUpdates method while webhook is active",
    );
    await call("deleteWebhook");
    expect((await call("getUpdates")).ok).toBe(true);
  });

  test("texts are kept for a day, presses for 150 s", async () => {
    const { api, clock, call, ids } = await aServer();
    await call("sendMessage", { chat_id: eric, text: "?", reply_markup: keyboard("a") });
    api.press(token, { chat: eric, message: 1, from: eric, data: "a" });
    api.say(token, { chat: eric, from: eric, text: "1" });
    clock.advance(149_000);
    expect(await ids()).toHaveLength(2);
    clock.advance(2_000);
    expect(await ids({ offset: 1 })).toEqual([810000002]);
    clock.advance(86_400_000);
    expect(await ids({ offset: 2 })).toEqual([]);
  });

  test("the list of kinds sticks, and is applied when an update is made", async () => {
    const { api, ids } = await aServer();
    await ids({ allowed_updates: ["callback_query"] });
    expect(api.say(token, { chat: eric, from: eric, text: "1" })).toBeUndefined();
    expect(await ids({ offset: 3, allowed_updates: ["message"] })).toEqual([]);
    api.say(token, { chat: eric, from: eric, text: "2" });
    expect(await ids({ offset: 4 })).toHaveLength(1);
  });

  test("an empty list means everything but reactions and members, whatever was named before", async () => {
    const { api, ids } = await aServer();
    await ids({ allowed_updates: ["poll"] });
    await ids({ offset: 3, allowed_updates: [] });
    expect(api.say(token, { chat: eric, from: eric, text: "1" })).toBeDefined();
    expect(api.push(token, { message_reaction: {} } as never)).toBeUndefined();
    expect(api.push(token, { message_reaction_count: {} } as never)).toBeUndefined();
    expect(api.push(token, { chat_member: {} } as never)).toBeUndefined();
  });
});

describe("messages", () => {
  test("a text is read, limited to 4096 UTF-16 units after that, and edited", async () => {
    const { api, call, why } = await aServer();
    const sent = await call("sendMessage", {
      chat_id: eric,
      text: `<b>${"&amp;".repeat(4_096)}</b>`,
      parse_mode: "HTML",
    });
    expect(sent).toMatchObject({
      ok: true,
      result: { text: "&".repeat(4_096), entities: [{ type: "bold", length: 4_096 }] },
    });
    expect(await why("sendMessage", { chat_id: eric, text: "🦉".repeat(2_049) })).toBe(
      "Bad Request: message is too long",
    );
    expect(await why("sendMessage", { chat_id: eric, text: " \n" })).toBe(
      "Bad Request: message text is empty",
    );
    const edited = await call("editMessageText", { chat_id: eric, message_id: 1, text: "b" });
    expect(edited).toMatchObject({ ok: true, result: { text: "b", edit_date: expect.any(Number) } });
    expect(await why("editMessageText", { chat_id: eric, message_id: 1, text: "b" })).toContain(
      "message is not modified",
    );
    expect(await why("editMessageText", { chat_id: eric, message_id: 2, text: "b" })).toBe(
      "Bad Request: message to edit not found",
    );
    expect(api.messages(eric)[0]?.versions).toHaveLength(2);
  });

  test("refuses what Telegram refuses", async () => {
    const { api, call, why } = await aServer();
    const to = { chat_id: eric, text: "t" };
    expect(await why("sendMessage", { ...to, reply_markup: keyboard("é".repeat(33)) })).toBe(
      "Bad Request: BUTTON_DATA_INVALID",
    );
    expect((await call("sendMessage", { ...to, reply_markup: keyboard("é".repeat(32)) })).ok).toBe(true);
    expect(await why("sendMessage", { chat_id: 1, text: "t" })).toBe("Bad Request: chat not found");
    expect(await why("sendMessage", { ...to, chat_id: group, message_thread_id: 45 })).toBe(
      "Bad Request: message thread not found",
    );
    expect(await why("sendMessage", { ...to, reply_parameters: { message_id: 900 } })).toBe(
      "Bad Request: message to be replied not found",
    );
    expect(await why("sendMessage", { ...to, text: "a\ud83d" })).toBe(
      "Bad Request: strings must be encoded in UTF-8",
    );
    expect(await why("sendMessage", { ...to, text: "<x>", parse_mode: "HTML" })).toBe(
      'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0',
    );
    api.close403(eric, "bot was blocked by the user");
    expect(await call("sendMessage", to)).toMatchObject({
      status: 403,
      description: "Forbidden: bot was blocked by the user",
    });
    expect(await call("sendDice", to)).toMatchObject({
      status: 404,
      description: "Not Found: method not found",
    });
    expect(await call("getMe", {}, "7000000002:TEST-other")).toMatchObject({
      status: 401,
      description: "Unauthorized",
    });
    api.migrate(token, group, -1002000000222, eric);
    expect(await call("sendMessage", { ...to, chat_id: group })).toMatchObject({
      status: 400,
      parameters: { migrate_to_chat_id: -1002000000222 },
    });
  });

  test("a pause is asked for in the body and in the header", async () => {
    const { api, call } = await aServer();
    api.fail({ method: "sendMessage", how: tooMany(7), times: 1 });
    expect(await call("sendMessage", { chat_id: eric, text: "t" })).toMatchObject({
      status: 429,
      description: "Too Many Requests: retry after 7",
      parameters: { retry_after: 7 },
      retryAfter: "7",
    });
  });

  test("a press is answered once and soon", async () => {
    const { api, clock, call, why } = await aServer();
    await call("sendMessage", { chat_id: eric, text: "?", reply_markup: keyboard("a") });
    const press = () =>
      api.press(token, { chat: eric, message: 1, from: eric, data: "a" })?.callback_query?.id;
    const first = press();
    expect((await call("answerCallbackQuery", { callback_query_id: first, text: "ok" })).result).toBe(true);
    expect(await why("answerCallbackQuery", { callback_query_id: first })).toContain("query is too old");
    const late = press();
    clock.advance(16_000);
    expect(await why("answerCallbackQuery", { callback_query_id: late })).toContain("query is too old");
    expect(await why("answerCallbackQuery", { callback_query_id: press(), text: "a".repeat(201) })).toContain(
      "TOO_LONG",
    );
    expect(() => api.press(token, { chat: eric, message: 1, from: eric, data: "b" })).toThrow(
      "never had such a button",
    );
  });
});

describe("markup", () => {
  test("entities are counted in UTF-16 units, from the text without white space at its ends", () => {
    expect(parseHtml(" \n👨‍👩‍👧 <b>a<i>b</i></b> <code>x &lt; y</code> &#169; ")).toEqual({
      text: "👨‍👩‍👧 ab x < y ©",
      entities: [
        { type: "bold", offset: 9, length: 2 },
        { type: "italic", offset: 10, length: 1 },
        { type: "code", offset: 12, length: 5 },
      ],
    });
  });

  test("only four entities have names; others are shown as they are", () => {
    expect(parseHtml("&quot;&apos;&nbsp;&amp;").text).toBe('"&apos;&nbsp;&');
  });

  test("more than a hundred entities are not honoured", () => {
    expect(parseHtml("<b>a</b> ".repeat(150)).entities).toHaveLength(100);
  });

  test.each([
    ["a < b", "Unclosed start tag"],
    ["<p>a</p>", "Unsupported start tag"],
    ["<b>a", "Can't find end tag"],
    ["<b><i>a</b></i>", "Unmatched end tag"],
    ["a</b>", "Unexpected end tag"],
    ["<blockquote>a<blockquote expandable>b</blockquote></blockquote>", "Can't nest"],
    ["<code><b>a</b></code>", "Can't nest"],
  ])("%s is refused", (html, why) => {
    expect(() => parseHtml(html)).toThrow(MarkupError);
    expect(() => parseHtml(html)).toThrow(why);
  });
});
