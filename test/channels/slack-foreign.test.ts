import { randomUUID } from "node:crypto";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createProbe } from "node:net";
import { createEmulator } from "emulate";
import { expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { open } from "../../channels/slack.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { afterwards, until } from "../homes.ts";
import { aMessage, never } from "../telegram/phone.ts";

type Fields = Record<string, unknown>;

/** It takes a port that is named only, so a free one is looked for first. */
async function freePort(): Promise<number> {
  const probe = createProbe();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** A Web API that somebody else wrote, behind a front of a few lines that gives it Socket Mode. */
async function aForeignSlack() {
  const emulator = await createEmulator({
    service: "slack",
    port: await freePort(),
    seed: {
      slack: {
        users: [{ name: "eric", email: "eric@example.org", real_name: "Eric Fake" }],
        channels: [{ name: "nightjar-ops" }],
        bots: [{ name: "owlpost" }],
        tokens: [
          {
            token: "xoxb-TEST-only",
            type: "bot",
            scopes: ["chat:write", "channels:read", "channels:history", "im:write", "users:read"],
          },
        ],
        strict_scopes: true,
      },
    },
  });
  const sockets = new Set<WebSocket>();
  const acks: string[] = [];
  const front = createServer((asked, answer) => {
    if (asked.url?.startsWith("/api/apps.connections.open")) {
      const { port } = front.address() as AddressInfo;
      answer.setHeader("content-type", "application/json");
      answer.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/link/?ticket=${randomUUID()}` }));
      return;
    }
    const url = emulator.url.replace("localhost", "127.0.0.1") + (asked.url ?? "");
    const { method = "POST", headers } = asked;
    const onward = request(url, { method, headers: { ...headers, host: "slack.test" } }, (told) => {
      answer.writeHead(told.statusCode ?? 502, told.headers);
      told.pipe(answer);
    });
    onward.on("error", () => answer.writeHead(502).end());
    asked.pipe(onward);
  });
  new WebSocketServer({ server: front, path: "/link/" }).on("connection", (socket) => {
    sockets.add(socket);
    socket.send(JSON.stringify({ type: "hello", num_connections: 1, connection_info: { app_id: "A1" } }));
    socket.on("message", (data) => acks.push(JSON.parse(String(data)).envelope_id));
  });
  await new Promise<void>((listening) => front.listen(0, "127.0.0.1", listening));
  const { port } = front.address() as AddressInfo;
  afterwards(async () => {
    front.closeAllConnections();
    front.close();
    await emulator.close();
  });
  const url = `http://127.0.0.1:${port}/api/`;
  async function call(method: string, params: Record<string, string> = {}) {
    const told = await fetch(`${url}${method}`, {
      method: "POST",
      headers: { authorization: "Bearer xoxb-TEST-only" },
      body: new URLSearchParams(params),
    });
    return (await told.json()) as Fields;
  }
  function deliver(type: string, payload: Fields): string {
    const id = randomUUID();
    for (const socket of sockets) socket.send(JSON.stringify({ envelope_id: id, type, payload }));
    return id;
  }
  return { url, call, deliver, acks, sockets };
}

test("a Web API that somebody else wrote understands the adapter", async () => {
  const slack = await aForeignSlack();
  const { channels } = (await slack.call("conversations.list")) as {
    channels: { id: string; name: string }[];
  };
  const ops = channels.find(({ name }) => name === "nightjar-ops")?.id ?? "";
  const { members } = (await slack.call("users.list")) as { members: { id: string; name: string }[] };
  const eric = members.find(({ name }) => name === "eric")?.id ?? "";
  const { team_id: team, user_id: me } = (await slack.call("auth.test")) as Record<string, string>;
  const settings = {
    bot_token: "xoxb-TEST-only",
    app_token: "xapp-TEST-only",
    channel: ops,
    allow: [`${team}/${eric}`],
    api_url: slack.url,
  };
  const channel = await open(settings, aTools({ now: Date.now }));
  afterwards(() => channel.close());

  const body = "*Which way?* a &lt; b";
  const ref = await channel.post(ops, aMessage({ body }), "k1", never);
  const history = async () =>
    ((await slack.call("conversations.history", { channel: ops })).messages ?? []) as Fields[];
  const [posted] = await history();
  expect(ref).toBe(`${ops}:${posted?.ts}`);
  expect(posted?.text).toContain("Which way?");
  const blocks = posted?.blocks as { type: string; elements?: Fields[] }[];
  expect(JSON.stringify(blocks)).toContain(body);
  const button = blocks
    .flatMap(({ elements = [] }) => elements)
    .find((each) => String(each.action_id).includes("2"));

  const polled = channel.poll?.(undefined, never);
  await until(
    () => slack.sockets.size,
    (count) => count === 1,
  );
  const id = slack.deliver("interactive", {
    type: "block_actions",
    user: { id: eric, team_id: team, name: "eric" },
    team: { id: team },
    channel: { id: ops },
    message: posted,
    container: { type: "message", message_ts: posted?.ts, channel_id: ops },
    actions: [{ ...button, block_id: "b", action_ts: "1764445410.100002" }],
  });
  let batch = await polled;
  while (batch?.replies.length === 0) batch = await channel.poll?.(batch.cursor, never);
  expect(batch?.replies).toMatchObject([
    { sender: `${team}/${eric}`, to: ref, chat: ops, press: { question: aQuestionId, action: "2" } },
  ]);
  expect(slack.acks).toEqual([]);
  const key = batch?.replies[0]?.key ?? "";
  // Its ephemeral messages are kept where nobody can ask for them: what was told is what the adapter says was told.
  expect(await batch?.settle?.([{ key, text: "Answered: 2", accepted: true }])).toEqual([key]);
  await until(
    () => slack.acks,
    (acks) => acks.includes(id),
  );

  await channel.edit?.(ops, ref, aMessage({ body: "*Done*", buttons: [] }), never);
  const [edited] = await history();
  expect([edited?.ts, JSON.stringify(edited?.blocks)]).toEqual([
    posted?.ts,
    expect.stringContaining("*Done*"),
  ]);
  expect(JSON.stringify(edited?.blocks)).not.toContain("button");

  const reply = await channel.post(ops, aMessage({ body: "Noted", buttons: [], replyTo: ref }), "k2", never);
  const replies = (await slack.call("conversations.replies", { channel: ops, ts: String(posted?.ts) }))
    .messages;
  expect((replies as Fields[]).map(({ ts }) => `${ops}:${ts}`)).toEqual([ref, reply]);

  const refused = async (work: Promise<unknown> | undefined) =>
    Promise.resolve(work).then(
      () => undefined,
      (error: { reason?: string; permanent?: boolean; closed?: boolean }) => error,
    );
  expect(await refused(channel.post("C0NOWHERE1", aMessage(), "k3", never))).toMatchObject({ closed: true });
  expect(await refused(channel.edit?.(ops, `${ops}:1764445410.100002`, aMessage(), never))).toMatchObject({
    permanent: true,
  });
  const direct = await channel.post(`${team}/${eric}`, aMessage(), "k4", never);
  expect(direct).toMatch(/^D/);
  expect(me).not.toBe(eric);
});
