import { WebClient } from "@slack/web-api";
import { describe, expect, test } from "vitest";
import { until } from "../homes.ts";
import { appToken, aSlack, botToken, eric, mara, nils, ops, readManifest } from "./phone.ts";
import { botUser } from "./workspace.ts";

const { scopes } = readManifest();

type Reply = Record<string, unknown> & { readonly ok: boolean; readonly error?: string };

async function aServer(options: Parameters<typeof aSlack>[0] = {}) {
  const { slack, clock } = await aSlack(options);
  async function raw(method: string, params: Record<string, unknown> = {}, key = botToken, json = true) {
    const form = Object.entries(params).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return fetch(`${slack.url}${method}`, {
      method: "POST",
      headers: {
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        "content-type": json ? "application/json; charset=utf-8" : "application/x-www-form-urlencoded",
      },
      body: json ? JSON.stringify(params) : new URLSearchParams(form).toString(),
    });
  }
  const isRead = (method: string) => /info|history|replies/.test(method);
  async function call(method: string, params: Record<string, unknown> = {}, key = botToken): Promise<Reply> {
    return (await (await raw(method, params, key, !isRead(method))).json()) as Reply;
  }
  const why = async (method: string, params: Record<string, unknown> = {}, key?: string) =>
    (await call(method, params, key)).error;
  const post = async (params: Record<string, unknown> = {}) =>
    (await call("chat.postMessage", { channel: ops, text: "t", ...params })) as Reply & { ts: string };
  return { slack, clock, raw, call, why, post };
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

describe("tokens", () => {
  test("each method wants its own kind of token, and a scope", async () => {
    const { slack, why, call, raw } = await aServer();
    expect(await why("auth.test", {}, "")).toBe("not_authed");
    expect(await why("auth.test", {}, "xoxb-nobody")).toBe("invalid_auth");
    expect(await why("auth.test", {}, appToken)).toBe("not_allowed_token_type");
    expect(await why("apps.connections.open", {}, botToken)).toBe("not_allowed_token_type");
    expect(await why("apps.connections.open", { token: appToken }, "")).toBe("not_authed");
    expect(await why("reactions.add")).toBe("unknown_method");
    const told = await raw("auth.test");
    expect(told.headers.get("x-oauth-scopes")).toBe(scopes.join(","));
    slack.setScopes(botToken, ["chat:write", "groups:history"]);
    expect(await call("conversations.history", { channel: ops })).toEqual({
      ok: false,
      error: "missing_scope",
      needed: "channels:history",
      provided: "chat:write,groups:history",
    });
    expect(await why("users.info", { user: eric })).toBe("missing_scope");
    slack.revoke(botToken);
    expect(await why("auth.test")).toBe("token_revoked");
  });
});

describe("messages", () => {
  test("go to a room, or to the private one of a person, and are read back", async () => {
    const { slack, call, post } = await aServer();
    const sent = await post({ text: "a < b", blocks: [section("*Which* way?")] });
    expect(sent).toMatchObject({ ok: true, channel: ops, message: { text: "a < b", bot_id: "B0FAKEOWL1" } });
    const direct = await post({ channel: eric });
    expect(direct).toMatchObject({ ok: true, channel: "D0FAKEERIC" });
    expect(await call("conversations.open", { users: eric })).toMatchObject({
      channel: { id: "D0FAKEERIC" },
    });
    expect(slack.workspace.room(ops).messages[0]?.versions).toEqual(["Which way?"]);
    expect((await call("conversations.history", { channel: ops })).messages).toMatchObject([{ ts: sent.ts }]);
  });

  test("say why they cannot be posted", async () => {
    const { slack, why } = await aServer();
    const to = { channel: ops, text: "t" };
    expect(await why("chat.postMessage", { ...to, channel: "C0NOWHERE1" })).toBe("channel_not_found");
    expect(await why("chat.postMessage", { channel: ops })).toBe("no_text");
    expect(await why("chat.postMessage", { channel: ops, text: " \n" })).toBe("no_text");
    expect(await why("chat.postMessage", { ...to, blocks: [{ type: "poem" }] })).toBe("invalid_blocks");
    expect(await why("chat.postMessage", { ...to, blocks: "nonsense" })).toBe("invalid_blocks_format");
    expect(await why("chat.postMessage", { ...to, metadata: { event_type: "x" } })).toBe(
      "invalid_metadata_schema",
    );
    expect(await why("chat.postMessage", { ...to, thread_ts: "yesterday" })).toBe("invalid_thread_ts");
    slack.addChannel("C0FAKEELSE", "elsewhere", [eric]);
    slack.addChannel("G0FAKEHIDE", "hidden", [eric], "group");
    expect(await why("chat.postMessage", { ...to, channel: "C0FAKEELSE" })).toBe("not_in_channel");
    expect(await why("chat.postMessage", { ...to, channel: "G0FAKEHIDE" })).toBe("channel_not_found");
    slack.workspace.room(ops).archived = true;
    expect(await why("chat.postMessage", to)).toBe("is_archived");
    expect(await why("chat.update", { ...to, ts: "1764445508.000100" })).toBe("is_inactive");
  });

  test("a text alone is cut at 40,000 when it is posted, and refused above 4,000 bytes when it is edited", async () => {
    const { call, post, why } = await aServer();
    const sent = await post({ text: "x".repeat(40_001) });
    expect(sent).toMatchObject({ ok: true, warning: "message_truncated" });
    const change = (text: string) => ({ channel: ops, ts: sent.ts, text });
    expect(await why("chat.update", change("é".repeat(2_001)))).toBe("msg_too_long");
    expect((await call("chat.update", change("é".repeat(2_000)))).ok).toBe(true);
  });

  test("an edit without blocks takes them away; metadata stays until it is changed", async () => {
    const { slack, call, post } = await aServer();
    const metadata = { event_type: "q", event_payload: { id: "q-1" } };
    const { ts } = await post({ blocks: [section("before")], metadata });
    await call("chat.update", { channel: ops, ts, text: "after" });
    const message = slack.workspace.find(ops, ts);
    expect(message).toMatchObject({ text: "after", blocks: [], versions: ["before", "after"], metadata });
    const told = await call("conversations.history", { channel: ops, include_all_metadata: "true" });
    expect(told.messages).toMatchObject([{ metadata }]);
    expect(JSON.stringify(await call("conversations.history", { channel: ops }))).not.toContain(
      "event_payload",
    );
    await call("chat.update", { channel: ops, ts, text: "after", metadata: {} });
    expect(message?.metadata).toBeUndefined();
  });

  test("only what the app has posted can be edited, and only where it stands", async () => {
    const { slack, post, why } = await aServer();
    const { ts } = await post();
    const theirs = slack.people.says(eric, "hello", { in: ops });
    expect(await why("chat.update", { channel: ops, ts: theirs.ts, text: "x" })).toBe("cant_update_message");
    expect(await why("chat.update", { channel: "D0FAKEERIC", ts, text: "x" })).toBe("channel_not_found");
    expect(await why("chat.update", { channel: ops, ts: "1764445508.999999", text: "x" })).toBe(
      "message_not_found",
    );
    const own = slack.workspace.find(ops, ts);
    if (own) slack.workspace.remove(own);
    expect(await why("chat.update", { channel: ops, ts, text: "x" })).toBe("message_not_found");
  });

  test("replies hang from the first message; a reply to what is gone comes out of its thread without a word", async () => {
    const { slack, call, post } = await aServer();
    const root = await post({ text: "root" });
    const reply = await post({ text: "reply", thread_ts: root.ts });
    expect(reply.message).toMatchObject({ thread_ts: root.ts, parent_user_id: botUser });
    expect(await post({ thread_ts: reply.ts })).toMatchObject({ error: "cannot_reply_to_message" });
    const texts = async (method: string, params: Record<string, unknown>) =>
      ((await call(method, { channel: ops, ...params })).messages as { text: string }[]).map(
        ({ text }) => text,
      );
    expect(await texts("conversations.history", {})).toEqual(["root"]);
    expect(await texts("conversations.replies", { ts: root.ts })).toEqual(["root", "reply"]);
    expect(await texts("conversations.replies", { ts: root.ts, oldest: root.ts })).toEqual(["reply"]);
    const theirs = slack.people.says(eric, "mine", { in: ops });
    slack.people.deletes(eric, ops, theirs.ts);
    const orphan = await post({ text: "too late", thread_ts: theirs.ts });
    expect(orphan.ok).toBe(true);
    expect(orphan.message).not.toHaveProperty("thread_ts");
    expect((await call("conversations.replies", { channel: ops, ts: theirs.ts })).error).toBe(
      "thread_not_found",
    );
  });

  test("a history comes in pages, the newest first", async () => {
    const { call, post } = await aServer();
    for (const text of ["1", "2", "3"]) await post({ text });
    const first = await call("conversations.history", { channel: ops, limit: "2" });
    expect(first).toMatchObject({ has_more: true, messages: [{ text: "3" }, { text: "2" }] });
    const { next_cursor: cursor } = first.response_metadata as { next_cursor: string };
    const second = await call("conversations.history", { channel: ops, limit: "2", cursor });
    expect(second).toMatchObject({ has_more: false, messages: [{ text: "1" }] });
  });

  test("methods that read see nothing of a JSON body", async () => {
    const { raw } = await aServer();
    const told = await raw("conversations.history", { channel: ops }, botToken, true);
    expect(await told.json()).toMatchObject({ ok: false, error: "channel_not_found" });
  });

  test("field 32: whom a message rings is known", async () => {
    const { slack, post } = await aServer();
    const { ts } = await post({ text: "<!channel> a", blocks: [section("<@U0FAKEERIC> &lt;!here&gt;")] });
    expect(slack.workspace.find(ops, ts)?.pings).toEqual(["channel", eric]);
  });

  test("blocks without a text are taken, and noted", async () => {
    const { slack, call } = await aServer();
    expect((await call("chat.postMessage", { channel: ops, blocks: [section("x")] })).ok).toBe(true);
    expect(slack.misuses()).toHaveLength(1);
  });
});

describe("what one person alone is shown", () => {
  test("is shown where that person is, and in a thread only where somebody has replied", async () => {
    const { slack, call, why, post } = await aServer();
    const to = { channel: ops, user: eric, text: "psst" };
    expect((await call("chat.postEphemeral", to)).ok).toBe(true);
    expect(await why("chat.postEphemeral", { ...to, user: "U0NOBODY01" })).toBe("user_not_in_channel");
    const { ts } = await post();
    await call("chat.postEphemeral", { ...to, text: "in vain", thread_ts: ts });
    expect(slack.people.whispers(eric)).toEqual(["psst"]);
    slack.people.says(mara, "hm", { in: ops, thread: ts });
    await call("chat.postEphemeral", { ...to, text: "now", thread_ts: ts });
    expect(slack.people.whispers(eric)).toEqual(["psst", "now"]);
    expect(slack.people.whispers(mara)).toEqual([]);
  });
});

describe("people and rooms", () => {
  test("are described to whoever may know", async () => {
    const { slack, call, why } = await aServer();
    slack.setScopes(botToken, [...scopes, "channels:read"]);
    expect(await call("users.info", { user: nils })).toMatchObject({
      user: { id: nils, profile: { display_name: "", real_name: "Nils Fake" } },
    });
    expect(await why("users.info", { user: "U0NOBODY01" })).toBe("user_not_found");
    expect(await call("conversations.info", { channel: ops })).toMatchObject({
      channel: { id: ops, is_member: true, is_archived: false },
    });
    expect(await why("conversations.open", { users: botUser })).toBe("cannot_dm_bot");
    expect(await why("conversations.open")).toBe("users_list_not_supplied");
  });
});

describe("faults", () => {
  test("a pause is asked for with status 429 and in the header", async () => {
    const { slack, raw, post } = await aServer();
    slack.fail({ method: "chat.postMessage", how: { busy: 7 }, times: 1, channel: eric });
    expect((await post()).ok).toBe(true);
    const told = await raw("chat.postMessage", { channel: "D0FAKEERIC", text: "t" });
    expect([told.status, told.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await told.json()).toEqual({ ok: false, error: "ratelimited" });
  });

  test("a swallowed reply was done, a reset one was not, a page is no answer, and a hang is none at all", async () => {
    const { slack, raw, post } = await aServer();
    const there = () => slack.workspace.room(ops).messages.length;
    slack.fail({ method: "chat.postMessage", how: "swallow", times: 1 });
    await expect(post()).rejects.toThrow();
    expect(there()).toBe(1);
    slack.fail({ method: "*", how: "reset", times: 1 });
    await expect(post()).rejects.toThrow();
    slack.fail({ method: "*", how: { page: 503 }, times: 1 });
    expect((await raw("auth.test")).status).toBe(503);
    slack.fail({ method: "chat.postMessage", how: "hang", times: 1 });
    const held = fetch(`${slack.url}chat.postMessage`, { method: "POST", signal: AbortSignal.timeout(50) });
    await expect(held).rejects.toThrow();
    expect(there()).toBe(1);
  });

  test("it goes down and comes up again at the same place, with all that was said", async () => {
    const { slack, post } = await aServer();
    await post();
    const { url } = slack;
    await slack.down();
    await expect(post()).rejects.toThrow();
    await slack.up();
    expect(slack.url).toBe(url);
    expect((await post()).ok).toBe(true);
    expect(slack.workspace.room(ops).messages).toHaveLength(2);
  });
});

test("Slack's own client understands it", async () => {
  const { slack } = await aServer();
  const client = new WebClient(botToken, { slackApiUrl: slack.url, retryConfig: { retries: 0 } });
  const { ts = "" } = await client.chat.postMessage({ channel: ops, text: "t", blocks: [section("x")] });
  await client.chat.update({ channel: ops, ts, text: "u", blocks: [section("y")] });
  const { messages = [] } = await client.conversations.history({ channel: ops, limit: 5 });
  expect(messages).toMatchObject([{ ts, text: "u", edited: { user: botUser } }]);
  const { response_metadata: about } = await client.auth.test();
  expect(about?.scopes).toEqual(scopes);
  await expect(client.chat.postMessage({ channel: "C0NOWHERE1", text: "t" })).rejects.toMatchObject({
    data: { error: "channel_not_found" },
  });
  await until(
    () => slack.calls.length,
    (count) => count === 5,
  );
});
