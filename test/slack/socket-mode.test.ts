import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { afterwards, until } from "../homes.ts";
import { appToken, aSlack, botToken, eric, mara, ops } from "./phone.ts";
import { ordinaryAckMs as ackMs } from "./socket-mode.ts";
import { botUser } from "./workspace.ts";

type Frame = {
  readonly type: string;
  readonly reason?: string;
  readonly envelope_id: string;
  readonly payload: Record<string, unknown> & { readonly event?: Record<string, unknown> };
  readonly retry_attempt?: number;
  readonly retry_reason?: string;
  readonly num_connections?: number;
};

async function aServer(options: Parameters<typeof aSlack>[0] = {}) {
  const { slack, clock } = await aSlack(options);
  async function address(): Promise<string> {
    const told = await fetch(`${slack.url}apps.connections.open`, {
      method: "POST",
      headers: { authorization: `Bearer ${appToken}` },
    });
    const { url, error } = (await told.json()) as { url?: string; error?: string };
    return url ?? String(error);
  }
  /** An app that hears everything and says nothing by itself. */
  async function socket(url?: string) {
    const ws = new WebSocket(url ?? (await address()));
    afterwards(() => ws.terminate());
    const frames: Frame[] = [];
    const ended = new Promise<string>((done) => {
      ws.on("close", (code) => done(`closed ${code}`));
      ws.on("error", (error) => done(error.message));
    });
    ws.on("message", (data, isBinary) => {
      if (!isBinary) frames.push(JSON.parse(String(data)));
    });
    await new Promise<void>((open) => {
      ws.once("open", open);
      void ended.then(() => open());
    });
    const hears = async (count: number): Promise<Frame[]> =>
      until(
        () => frames,
        (all) => all.length >= count,
      );
    const ack = (frame: Frame | undefined, payload?: unknown): void =>
      ws.send(
        JSON.stringify({ envelope_id: frame?.envelope_id, ...(payload === undefined ? {} : { payload }) }),
      );
    return { ws, frames, ended, hears, ack };
  }
  const calm = async (count: number): Promise<void> => {
    await until(
      () => slack.pending(),
      (left) => left === count,
    );
  };
  return { slack, clock, address, socket, calm };
}

const lastOf = (frames: readonly Frame[]): Frame | undefined => frames.at(-1);

describe("sockets", () => {
  test("an address is good for one socket, which is greeted", async () => {
    const { address, socket } = await aServer();
    const url = await address();
    const { hears } = await socket(url);
    expect((await hears(1))[0]).toMatchObject({ type: "hello", num_connections: 1 });
    expect(await (await socket(url)).ended).toContain("403");
    const second = await socket();
    expect((await second.hears(1))[0]).toMatchObject({ num_connections: 2 });
  });

  test("the eleventh is sent away before it is greeted", async () => {
    const { socket, slack } = await aServer();
    for (let n = 0; n < 10; n += 1) await (await socket()).hears(1);
    const { hears, ended } = await socket();
    expect(await hears(1)).toMatchObject([{ type: "disconnect", reason: "too_many_websockets" }]);
    expect(await ended).toBe("closed 1000");
    expect(slack.sockets.live()).toBe(10);
  });

  test("a warning closes nothing; a refresh closes it a little later, and until then it is as good as any", async () => {
    const { slack, socket, calm } = await aServer({ drainMs: 200 });
    const { hears, ended, ack } = await socket();
    slack.sockets.disconnect("warning");
    slack.sockets.disconnect("refresh_requested");
    slack.people.says(eric, "hello", { in: ops });
    const frames = await hears(4);
    expect(frames.map(({ type, reason }) => reason ?? type)).toEqual([
      "hello",
      "warning",
      "refresh_requested",
      "events_api",
    ]);
    ack(lastOf(frames));
    await calm(0);
    expect(await ended).toBe("closed 1000");
  });

  test("where Socket Mode is switched off every socket ends and no address is given", async () => {
    const { slack, socket, address } = await aServer();
    const url = await address();
    const { ended } = await socket();
    slack.sockets.disconnect("link_disabled");
    expect(await ended).toBe("closed 1000");
    expect(await address()).toBe("access_denied");
    expect(lastOf(await (await socket(url)).hears(1))).toMatchObject({ reason: "link_disabled" });
    slack.sockets.enable();
    expect(await address()).toMatch(/^ws:/);
  });

  test("the next socket can be greeted badly, or not at all", async () => {
    const { slack, socket } = await aServer();
    slack.sockets.greetings.push("nothing", "reset", { disconnect: "warning" }, "binary");
    const silent = await socket();
    expect(await (await socket()).ended).toMatch(/closed 1006|ECONNRESET|hang up/);
    expect(await (await socket()).hears(1)).toMatchObject([{ reason: "warning" }]);
    expect(await (await socket()).hears(1)).toMatchObject([{ type: "hello" }]);
    expect(silent.frames).toEqual([]);
    slack.refuseUpgrades(408);
    expect(await (await socket()).ended).toContain("408");
  });

  test("pings go both ways, until the line is frozen", async () => {
    const { slack, socket } = await aServer({ pingMs: 10 });
    const { ws } = await socket();
    let pinged = 0;
    let answered = 0;
    ws.on("ping", () => {
      pinged += 1;
    });
    ws.on("pong", () => {
      answered += 1;
    });
    ws.ping();
    await until(
      () => [pinged, answered],
      ([pings = 0, pongs = 0]) => pings > 1 && pongs === 1,
    );
    slack.sockets.freeze();
    ws.ping();
    expect(slack.sockets.live()).toBe(1);
    await until(
      () => slack.sockets.live(),
      (count) => count === 0,
    );
    expect(answered).toBe(1);
  });

  test("a revoked token takes the sockets with it", async () => {
    const { slack, socket, address } = await aServer();
    const { ended } = await socket();
    slack.revoke(appToken);
    expect(await ended).toMatch(/closed 1006|ECONNRESET/);
    expect(await address()).toBe("invalid_auth");
  });
});

describe("events", () => {
  test("what is not acked within 3 s comes again under another id: at once, after a minute, after five, never", async () => {
    const { slack, clock, socket, calm } = await aServer();
    const { hears } = await socket();
    slack.people.says(eric, "hello", { in: ops });
    await hears(2);
    clock.advance(ackMs - 1);
    slack.sockets.tick();
    expect(slack.sockets.envelopes[0]?.attempt).toBe(0);
    clock.advance(1);
    await hears(3);
    clock.advance(ackMs);
    slack.sockets.tick();
    clock.advance(60_000);
    await hears(4);
    clock.advance(ackMs);
    slack.sockets.tick();
    clock.advance(300_000);
    const frames = (await hears(5)).slice(1);
    clock.advance(ackMs);
    await calm(0);
    expect(frames.map(({ retry_attempt: attempt, retry_reason: reason }) => [attempt, reason])).toEqual([
      [0, ""],
      [1, "timeout"],
      [2, "timeout"],
      [3, "timeout"],
    ]);
    expect(new Set(frames.map((frame) => frame.envelope_id)).size).toBe(4);
    expect(new Set(frames.map(({ payload }) => payload.event_id)).size).toBe(1);
    expect(slack.sockets.envelopes[0]?.state).toBe("failed");
  });

  test("where no socket is, they fail at once, and come by the next socket when their time has come", async () => {
    const { slack, clock, socket, calm } = await aServer();
    slack.people.says(eric, "hello", { in: ops });
    slack.sockets.tick();
    const { hears, ack } = await socket();
    expect(await hears(1)).toHaveLength(1);
    clock.advance(60_000);
    const frame = lastOf(await hears(2));
    expect(frame).toMatchObject({
      retry_attempt: 2,
      retry_reason: "no_connection",
      payload: { event: { text: "hello" } },
    });
    ack(frame);
    await calm(0);
  });

  test("each goes to one socket, whichever; one that is half open swallows it, and the retry finds another", async () => {
    let choice = 0;
    const { slack, clock, socket, calm } = await aServer({ random: () => choice });
    const first = await socket();
    await first.hears(1);
    slack.sockets.freeze();
    const second = await socket();
    await second.hears(1);
    slack.people.says(eric, "hello", { in: ops });
    choice = 0.99;
    clock.advance(ackMs);
    second.ack(lastOf(await second.hears(2)));
    await calm(0);
    expect(first.frames).toHaveLength(1);
  });

  test("a late ack, one over another socket and one of nothing count for nothing", async () => {
    const { slack, clock, socket, calm } = await aServer();
    const first = await socket();
    const second = await socket();
    slack.people.says(eric, "hello", { in: ops });
    const frame = lastOf(await first.hears(2));
    second.ack(frame);
    second.ack({ ...frame, envelope_id: "nonsense" } as Frame);
    await until(
      () => slack.misuses(),
      (all) => all.length === 2,
    );
    expect(slack.pending()).toBe(1);
    clock.advance(ackMs);
    const again = lastOf(await first.hears(3));
    first.ack(frame);
    first.ack(again, { text: "no event is answered" });
    await calm(0);
    expect(slack.misuses()).toHaveLength(3);
    expect(slack.misuses()[2]).toContain("with a payload");
  });

  test("our own posts and edits come back as events, and are no human's", async () => {
    const { slack, socket } = await aServer();
    const { hears } = await socket();
    const call = (method: string, params: Record<string, unknown>) =>
      fetch(`${slack.url}${method}`, {
        method: "POST",
        headers: { authorization: `Bearer ${botToken}`, "content-type": "application/json" },
        body: JSON.stringify({ channel: ops, ...params }),
      }).then((told) => told.json() as Promise<{ ts: string }>);
    const { ts } = await call("chat.postMessage", { text: "before" });
    await call("chat.update", { ts, text: "after" });
    const events = (await hears(3)).slice(1).map(({ payload }) => payload.event);
    expect(events).toMatchObject([
      { type: "message", bot_id: "B0FAKEOWL1", text: "before", channel_type: "channel" },
      { subtype: "message_changed", hidden: true, message: { text: "after", edited: { user: botUser } } },
    ]);
    expect([slack.unacked(), slack.pending()]).toEqual([0, 2]);
  });

  test("a mention is told twice; what the app may not read is not told at all", async () => {
    const { slack, socket } = await aServer();
    const { hears } = await socket();
    slack.people.says(eric, "@owlpost skip", { in: ops });
    const events = (await hears(3)).slice(1).map(({ payload }) => payload.event);
    expect(events.map((event) => [event?.type, event?.ts])).toEqual([
      ["message", events[0]?.ts],
      ["app_mention", events[0]?.ts],
    ]);
    expect(events[0]?.text).toBe(`<@${botUser}> skip`);
    slack.setScopes(botToken, ["app_mentions:read"]);
    slack.people.says(eric, "@owlpost skip", { in: ops });
    slack.people.says(eric, "for the bot alone");
    expect(lastOf(await hears(4))?.payload.event?.type).toBe("app_mention");
    slack.addChannel("C0FAKEELSE", "elsewhere", [eric]);
    slack.people.says(eric, "@owlpost hello", { in: "C0FAKEELSE" });
    expect(slack.pending()).toBe(3);
  });
});

describe("what a person waits for", () => {
  test("comes once: without a socket, or without an ack within 3 s, Slack shows a sign", async () => {
    const { slack, clock, socket } = await aServer();
    slack.people.slash(eric, "pending");
    expect(slack.people.signs).toEqual([{ user: eric, what: "/owlpost pending", reason: "no_connection" }]);
    const { hears, frames } = await socket();
    slack.people.slash(mara, "status", { in: ops });
    expect(lastOf(await hears(2))).toMatchObject({
      type: "slash_commands",
      payload: { command: "/owlpost", text: "status", user_id: mara, channel_id: ops },
    });
    clock.advance(ackMs);
    await until(
      () => slack.people.signs,
      (signs) => signs.length === 2,
    );
    clock.advance(3_600_000);
    slack.sockets.tick();
    expect(frames).toHaveLength(2);
    expect(slack.people.signs[1]).toMatchObject({ user: mara, reason: "timeout" });
  });
});
