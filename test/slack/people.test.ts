import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { afterwards, until } from "../homes.ts";
import { appToken, aSlack, botToken, eric, mara, nils, ops } from "./phone.ts";
import type { SlackServer } from "./slack-server.ts";

/** An app of a few lines, which answers as `answer` says. */
async function anApp(
  slack: SlackServer,
  answer: (body: Record<string, unknown>) => Record<string, unknown> = () => ({}),
) {
  const heard: Record<string, unknown>[] = [];
  const told = await fetch(`${slack.url}apps.connections.open`, {
    method: "POST",
    headers: { authorization: `Bearer ${appToken}` },
  });
  const { url } = (await told.json()) as { url: string };
  const socket = new WebSocket(url);
  socket.on("message", (data) => {
    const { envelope_id, payload: body } = JSON.parse(String(data));
    if (!body) return;
    heard.push(body);
    socket.send(JSON.stringify({ envelope_id, payload: answer(body) }));
  });
  await until(
    () => slack.sockets.live(),
    (count) => count === 1,
  );
  afterwards(() => socket.terminate());
  const call = async (method: string, params: Record<string, unknown>) => {
    const told = await fetch(`${slack.url}${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${botToken}`, "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    return (await told.json()) as Record<string, unknown> & { ts: string };
  };
  const next = (count: number) =>
    until(
      () => heard,
      (all) => all.length >= count,
    );
  return { call, next };
}

const button = (action_id: string) => ({
  type: "button",
  action_id,
  text: { type: "plain_text", text: "Go" },
  value: "v",
});
const question = (action = "a1") => ({
  channel: ops,
  text: "t",
  blocks: [{ type: "actions", block_id: "b1", elements: [button(action)] }],
});
const form = {
  type: "modal",
  callback_id: "c",
  title: { type: "plain_text", text: "Answer" },
  submit: { type: "plain_text", text: "Send" },
  private_metadata: "m",
  notify_on_close: true,
  blocks: [
    {
      type: "input",
      block_id: "i",
      label: { type: "plain_text", text: "Answer" },
      element: { type: "plain_text_input", action_id: "t" },
    },
  ],
};

async function aTapped(answer?: (body: Record<string, unknown>) => Record<string, unknown>) {
  const { slack, clock } = await aSlack();
  const app = await anApp(slack, answer);
  const { ts } = await app.call("chat.postMessage", question());
  const message = slack.workspace.find(ops, ts);
  if (!message) throw new Error("not posted");
  const tap = () => slack.people.taps(eric, message, ({ action }) => action === "a1");
  const trigger = async (count: number) => String((await app.next(count)).at(-1)?.trigger_id);
  const say = (url: string | undefined, body: Record<string, unknown>) =>
    fetch(url ?? "", { method: "POST", body: JSON.stringify(body) });
  return { slack, clock, ...app, ts, message, tap, trigger, say };
}

describe("taps", () => {
  test("carry the button as it stood, also an old one; there must have been one", async () => {
    const { slack, call, next, ts, message, tap } = await aTapped();
    await call("chat.update", { ...question("a2"), ts });
    tap();
    const body = (await next(3)).at(-1);
    expect(body).toMatchObject({
      type: "block_actions",
      user: { id: eric },
      container: { message_ts: ts, channel_id: ops },
      actions: [{ action_id: "a1", block_id: "b1", value: "v" }],
    });
    expect(() => slack.people.taps(eric, message, ({ action }) => action === "a3")).toThrow("no such button");
    expect(slack.people.signs).toEqual([]);
  });

  test("open a form within 3 s, once", async () => {
    const { slack, clock, call, tap, trigger } = await aTapped();
    tap();
    const first = await trigger(2);
    expect((await call("views.open", { trigger_id: "none", view: form })).error).toBe("invalid_trigger_id");
    expect((await call("views.open", { trigger_id: first, view: { ...form, title: "?" } })).error).toBe(
      "invalid_arguments",
    );
    expect((await call("views.open", { trigger_id: first, view: form })).ok).toBe(true);
    expect((await call("views.open", { trigger_id: first, view: form })).error).toBe("exchanged_trigger_id");
    tap();
    const second = await trigger(3);
    clock.advance(3_000);
    expect((await call("views.open", { trigger_id: second, view: form })).error).toBe("expired_trigger_id");
    expect(slack.people.modal(eric)?.view).toMatchObject({ private_metadata: "m" });
  });

  test("are answered at an address five times within half an hour", async () => {
    const { slack, clock, tap, say } = await aTapped();
    const { url } = tap();
    for (let n = 1; n <= 5; n += 1) expect((await say(url, { text: `${n}` })).status).toBe(200);
    expect(await (await say(url, { text: "6" })).json()).toEqual({ ok: false, error: "used_url" });
    expect(slack.people.whispers(eric)).toEqual(["1", "2", "3", "4", "5"]);
    const other = tap().url;
    expect((await say(other, {})).status).toBe(400);
    clock.advance(30 * 60_000);
    expect(await (await say(other, { text: "late" })).json()).toEqual({ ok: false, error: "expired_url" });
  });
});

describe("forms", () => {
  const isBlank = (body: Record<string, unknown>) => JSON.stringify(body).includes('"value":" "');
  const judge = (body: Record<string, unknown>): Record<string, unknown> =>
    body.type === "view_submission" && isBlank(body)
      ? { response_action: "errors", errors: { i: "Write something" } }
      : {};

  test("say at the field what is wrong, and close when they are taken", async () => {
    const { slack, call, next, tap, trigger } = await aTapped(judge);
    tap();
    await call("views.open", { trigger_id: await trigger(2), view: form });
    expect(() => slack.people.submits(eric, "")).toThrow("empty");
    slack.people.submits(eric, " ");
    await until(
      () => slack.people.errors(eric),
      (errors) => errors[0] === "Write something",
    );
    expect(slack.people.modal(eric)).toBeDefined();
    slack.people.submits(eric, "in words");
    expect((await next(4)).at(-1)).toMatchObject({
      type: "view_submission",
      user: { id: eric },
      view: { private_metadata: "m", state: { values: { i: { t: { value: "in words" } } } } },
    });
    await until(
      () => slack.people.modal(eric),
      (modal) => modal === undefined,
    );
    expect(slack.misuses()).toEqual([]);
  });

  test("tell that they were closed where that was asked for", async () => {
    const { slack, call, next, tap, trigger } = await aTapped();
    tap();
    await call("views.open", { trigger_id: await trigger(2), view: form });
    slack.people.closes(eric);
    expect((await next(3)).at(-1)).toMatchObject({ type: "view_closed" });
    expect(() => slack.people.submits(eric, "late")).toThrow("no form");
  });
});

describe("words", () => {
  test("a command is answered in its ack, to whoever typed it", async () => {
    const { slack } = await aSlack();
    await anApp(slack, ({ text }) => ({ text: `you typed ${text}` }));
    slack.people.slash(nils, "pair ABCD", { in: ops });
    await until(
      () => slack.people.whispers(nils, ops),
      (all) => all[0] === "you typed pair ABCD",
    );
    expect(slack.people.whispers(mara)).toEqual([]);
  });

  test("a slash at the start is Slack's own; nobody speaks where they are not, or edits another's words", async () => {
    const { slack } = await aSlack();
    expect(() => slack.people.says(eric, "/skip", { in: ops })).toThrow("slash()");
    slack.addChannel("C0FAKEELSE", "elsewhere", [mara]);
    expect(() => slack.people.says(eric, "hi", { in: "C0FAKEELSE" })).toThrow("is not in");
    const { ts } = slack.people.says(mara, "hi", { in: ops });
    expect(() => slack.people.edits(eric, ops, ts, "ho")).toThrow("wrote no message");
  });

  test("replies, edits and deletions are told as Slack tells them", async () => {
    const { slack } = await aSlack();
    const { next } = await anApp(slack);
    const root = slack.people.says(eric, "root", { in: ops });
    const reply = slack.people.says(mara, "11", { in: ops, thread: root.ts });
    slack.people.edits(mara, ops, reply.ts, "1");
    slack.people.deletes(mara, ops, reply.ts);
    const events = (await next(4)).map(({ event }) => event as Record<string, unknown>);
    expect(events).toMatchObject([
      { user: eric, ts: root.ts, channel_type: "channel" },
      { user: mara, thread_ts: root.ts, parent_user_id: eric, text: "11" },
      {
        subtype: "message_changed",
        message: { ts: reply.ts, text: "1", user: mara, thread_ts: root.ts, edited: { user: mara } },
        previous_message: { text: "11" },
      },
      { subtype: "message_deleted", deleted_ts: reply.ts },
    ]);
  });
});
