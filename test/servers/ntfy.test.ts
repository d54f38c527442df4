import { publish } from "ntfy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checks, open as openNtfy } from "../../channels/ntfy.ts";
import { matrix } from "../../renderers/matrix.ts";
import { silentLog } from "../../src/app/log.ts";
import { startService } from "../../src/app/service.ts";
import type { AnswerChannel, Batch, Reply } from "../../src/domain/channel.ts";
import { aConfig, aDocument, aTools } from "../builders.ts";
import { answerChannelContract } from "../contract/answer-channel.ts";
import { afterwards, aHome, until } from "../homes.ts";
import { startFront } from "../ntfy/front.ts";
import { aMessage, buttonOf, never, press, shownOn, someSettings } from "../ntfy/phone.ts";
import { type Message, startNtfy } from "../ntfy/server.ts";
import { phone, type RealNtfy, startRealNtfy } from "./real-ntfy.ts";

let ntfy: RealNtfy;
let made = 0;

beforeAll(async () => {
  // A test asks more in a second than a visitor may.
  ntfy = await startRealNtfy({
    "visitor-request-limit-burst": 100_000,
    "visitor-request-limit-replenish": "1ms",
    "keepalive-interval": "5s",
  });
});
afterAll(() => ntfy.close());

/** Two topics of their own, and a front before the server that can fail. */
async function someTopics(server: RealNtfy = ntfy) {
  made += 1;
  const topics = { ask: `ask-${made}`, reply: `reply-${made}` };
  const front = await startFront(server.url, topics);
  afterwards(() => front.close());
  const settings = someSettings(front.url, {
    ask_topic: topics.ask,
    reply_topic: topics.reply,
    token: server.token,
    button_token: server.buttonToken,
  });
  const line = async (waitMs = 1_000): Promise<AnswerChannel> => {
    const channel = await openNtfy(settings, aTools({ now: Date.now }), {
      waitMs,
      callMs: 5_000,
      shortMs: 0,
    });
    afterwards(() => channel.close());
    return channel;
  };
  return {
    ...topics,
    front,
    settings,
    line,
    kept: async (topic: string): Promise<readonly Message[]> => {
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(`${server.url}/${topic}/json?poll=1&since=all`, { headers });
      const text = await answer.text();
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Message);
    },
  };
}

async function polled(channel: AnswerChannel, cursor?: string): Promise<Batch> {
  if (!channel.poll) throw new Error("nothing comes in");
  return channel.poll(cursor, never);
}

/** What came, until so many have: a busy server hands them out one by one, and a poll ends with the first. */
async function received(channel: AnswerChannel, count: number, cursor?: string): Promise<Batch> {
  const replies: Reply[] = [];
  let place = cursor;
  for (let tries = 0; tries < 20 && replies.length < count; tries += 1) {
    const batch = await polled(channel, place);
    replies.push(...batch.replies.filter(({ key }) => replies.every((known) => known.key !== key)));
    place = batch.cursor ?? place;
  }
  return { replies, ...(place === undefined ? {} : { cursor: place }) };
}

answerChannelContract("the real ntfy server", async () => {
  const { ask, front, line, kept } = await someTopics();
  const how = {
    busy: "busy",
    forbidden: "refused",
    swallow: "swallow",
    reset: "reset",
    broken: "broken",
  } as const;
  return {
    row: matrix.ntfy,
    destination: "default",
    sender: "",
    recipient: "ntfy",
    secrets: [ntfy.token, ntfy.buttonToken],
    // Not by its key: it is looked for.
    idempotent: true,
    edits: false,
    pauseMs: 10_000,
    open: () => line(20_000),
    messages: async () =>
      shownOn(await kept(ask)).map(({ message = "", versions, actions = [] }) => ({
        text: message,
        versions,
        buttons: actions.length,
      })),
    tap: async (key) => void (await press(buttonOf(await kept(ask), key))),
    toasts: () => [],
    isPolled: front.isPolled,
    fail: (on, what) => front.fail(on === "settle" ? "other" : on, how[what]),
  };
});

describe("the real ntfy server", () => {
  test("a phone that is not ours publishes a button's body: the question is answered, and told so", async () => {
    const { ask, reply, settings, kept, line } = await someTopics();
    const service = await startService({
      home: aHome(),
      config: aConfig({ deliver: ["ntfy"], channels: { ntfy: settings } }),
      log: silentLog,
      channels: new Map([["ntfy", await line()]]),
    });
    afterwards(() => service.close());
    const asked = await service.owlpost.ask({
      document: aDocument({ default: { action: "skip_spec", at: "2h" } }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    const [posted] = await until(
      () => kept(ask),
      (all) => all.length > 0,
    );
    expect(posted?.title).toContain(asked.id);
    const { body = "" } = buttonOf(posted ? [posted] : [], "2");
    await publish({ server: ntfy.url, topic: reply, message: body, authorization: phone });
    await until(
      async () => (await service.owlpost.question(asked.id))?.state,
      (state) => state === "answered",
    );
    expect((await service.owlpost.question(asked.id))?.answer).toMatchObject({ option: "2", via: "ntfy" });
    // It is followed up, in silence, and once.
    const all = await until(
      () => kept(ask),
      (each) => each.length > 1,
    );
    expect(all.at(-1)).toMatchObject({ priority: 1 });
    expect(all.at(-1)?.message).toContain("✅ Answered: 2 — Extend the TTL to 30 days (by ntfy,");
    await publish({ server: ntfy.url, topic: reply, message: `${asked.id} 1`, authorization: phone });
    await until(
      async () => (await kept(ask)).at(-1)?.message ?? "",
      (text) => text.includes("cannot tell who wrote that"),
    );
  });

  test("field 34: what is not Latin arrives as it was written", async () => {
    const { ask, kept, line } = await someTopics();
    const channel = await line();
    await channel.post(
      "default",
      aMessage({ headline: "Ünïcode 🦉 — キュー", body: "é 🦉\n日本" }),
      "k1",
      never,
    );
    expect(await kept(ask)).toMatchObject([{ title: "Ünïcode 🦉 — キュー", message: "é 🦉\n日本" }]);
  });

  test("field 35: 4,095 bytes are a message with its buttons; a byte more becomes a file, and such a reply is none", async () => {
    const { ask, reply, kept, line } = await someTopics();
    const channel = await line();
    await channel.post("default", aMessage({ body: "語".repeat(1_365) }), "k1", never);
    const [whole] = await kept(ask);
    expect(whole).not.toHaveProperty("attachment");
    expect(whole?.actions).toHaveLength(2);
    await publish({ server: ntfy.url, topic: reply, message: "x".repeat(4_096), authorization: phone });
    expect((await kept(reply))[0]).toHaveProperty("attachment");
    expect((await polled(channel)).replies).toEqual([]);
  });

  test("field 38: it refuses a fourth button, so three are sent", async () => {
    const { ask, kept, line } = await someTopics();
    const channel = await line();
    const [button] = aMessage().buttons;
    if (!button) throw new Error("no button");
    await channel.post(
      "default",
      aMessage({ buttons: Array.from({ length: 5 }, () => button) }),
      "k1",
      never,
    );
    expect((await kept(ask))[0]?.actions).toHaveLength(3);
  });

  test("killed and started again it has what came before, and an unknown place brings all of it", async () => {
    const { ask, reply, kept, line } = await someTopics();
    const channel = await line(300);
    await channel.post("default", aMessage(), "k1", never);
    await press(buttonOf(await kept(ask), "1"));
    const first = await received(channel, 1);
    expect(first.replies).toHaveLength(1);
    const held = polled(channel, first.cursor).catch((error: unknown) => error);
    await ntfy.kill();
    await held;
    await expect(polled(channel, first.cursor)).rejects.toMatchObject({ permanent: false });
    await ntfy.start();
    await press(buttonOf(await kept(ask), "2"));
    const next = await received(channel, 1, first.cursor);
    expect(next.replies.map(({ press }) => press?.action)).toContain("2");
    const other = await line();
    const all = await received(other, 2, "AAAAAAAAAAAA:BBBBBBBBBBBB:1764446060");
    const stored = (await kept(reply)).map(({ id }) => id);
    expect(stored).toHaveLength(2);
    expect(all.replies.map(({ key }) => key)).toEqual(stored);
  });

  test("field 40: at its limit it says no without a word about when, and a pause is made", async () => {
    const strict = await startRealNtfy();
    afterwards(() => strict.close());
    const { settings, line, front } = await someTopics(strict);
    const channel = await line();
    let refused: unknown;
    for (let n = 0; n < 100 && refused === undefined; n += 1) {
      refused = await channel.post("default", aMessage({ body: `message ${n}` }), `k${n}`, never).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(refused).toMatchObject({
      reason: "rate-limited",
      permanent: false,
      delivered: "no",
      retryAfterMs: 10_000,
    });
    expect(front.calls.length).toBeLessThan(100);
    expect(settings.token).toBe(strict.token);
  });

  test("without an account, as on a public server: two names are enough, and doctor says what that means", async () => {
    const open = await startRealNtfy({ "auth-default-access": "read-write" });
    afterwards(() => open.close());
    const { settings: all, line: _line, ...topics } = await someTopics(open);
    const { token: _token, button_token: _button, ...settings } = all;
    const secrecy = (await checks(settings)).find(({ name }) => name === "secrecy");
    expect(secrecy).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining("ask_topic and reply_topic can be guessed"),
    });
    const channel = await openNtfy(settings, aTools({ now: Date.now }), { waitMs: 1_000 });
    afterwards(() => channel.close());
    await channel.post("default", aMessage(), "k1", never);
    const button = buttonOf(await topics.kept(topics.ask), "2");
    expect(button).not.toHaveProperty("headers");
    await press(button);
    expect((await received(channel, 1)).replies).toMatchObject([
      { press: { action: "2" }, token: "q-a3f2-012-fix-auth-1" },
    ]);
  });

  test("doctor finds the rights in order, and that it is older than 2.16", async () => {
    const { settings } = await someTopics();
    const found = await checks(settings);
    expect(found.map(({ name, ok, warn }) => [name, ok, warn === true])).toEqual([
      ["server", true, false],
      ["ask topic", true, false],
      ["reply topic", true, false],
      ["buttons", true, false],
      ["secrecy", true, false],
      ["updates", true, true],
      ["messages", true, false],
      ["iOS", true, false],
    ]);
    const wide = await checks({ ...settings, button_token: ntfy.token, token: ntfy.token });
    expect(wide.find(({ name }) => name === "buttons")).toMatchObject({ ok: true, warn: true });
    const bare = await checks({ ...settings, button_token: undefined });
    expect(bare.find(({ name }) => name === "buttons")).toMatchObject({ ok: false });
  });
});

/** Each is asked of the real server and of the one that the other tests use. */
const requests: Readonly<
  Record<
    string,
    readonly [
      method: string,
      path: string,
      how?: { readonly body?: string; readonly headers?: Record<string, string> },
    ]
  >
> = {
  health: ["GET", "/v1/health"],
  "a message": [
    "POST",
    "/ASK",
    { body: "hello", headers: { title: "T", priority: "4", tags: "warning,skull" } },
  ],
  JSON: [
    "POST",
    "/",
    { body: JSON.stringify({ topic: "ASK", title: "é", message: " x ", priority: 1, tags: ["owl"] }) },
  ],
  "an empty message": ["POST", "/ASK", { body: "" }],
  "4 actions": [
    "POST",
    "/",
    {
      body: JSON.stringify({
        topic: "ASK",
        message: "x",
        actions: [1, 2, 3, 4].map((n) => ({ action: "view", label: `L${n}`, url: "https://e.test" })),
      }),
    },
  ],
  "an action that is none": [
    "POST",
    "/",
    { body: JSON.stringify({ topic: "ASK", message: "x", actions: [{ action: "nope", label: "L" }] }) },
  ],
  "a button without an address": [
    "POST",
    "/",
    { body: JSON.stringify({ topic: "ASK", message: "x", actions: [{ action: "http", label: "L" }] }) },
  ],
  "priority 9": ["POST", "/ASK", { body: "x", headers: { priority: "9" } }],
  "priority 9 without a right": ["POST", "/elsewhere", { body: "x", headers: { priority: "9" } }],
  "no JSON": ["POST", "/", { body: "{" }],
  "JSON without a topic": ["POST", "/", { body: '{"message":"x"}' }],
  "a topic of 65": ["POST", `/${"u".repeat(65)}`, { body: "x" }],
  "a delay": ["POST", "/ASK", { body: "later", headers: { delay: "30s" } }],
  "a delay in JSON": [
    "POST",
    "/",
    { body: JSON.stringify({ topic: "ASK", message: "later", delay: "900s" }) },
  ],
  "a delay that is too near": ["POST", "/ASK", { body: "later", headers: { delay: "1s" } }],
  "a delay that is too far": ["POST", "/ASK", { body: "later", headers: { delay: "4d" } }],
  "4,095 bytes": ["POST", "/ASK", { body: "x".repeat(4_095) }],
  "4,096 bytes": ["POST", "/ASK", { body: "x".repeat(4_096) }],
  "too much JSON": ["POST", "/", { body: JSON.stringify({ topic: "ASK", message: "x".repeat(9_000) }) }],
  "a token that nobody knows": [
    "POST",
    "/ASK",
    { body: "x", headers: { authorization: "Bearer tk_nobodyknowsthisonehere" } },
  ],
  "no token": ["POST", "/ASK", { body: "x", headers: { authorization: "" } }],
  "a topic without a right": ["POST", "/elsewhere", { body: "x" }],
  "reading a topic without a right": ["GET", "/elsewhere/json?poll=1"],
  "reading what nobody wrote": ["GET", "/ASKnothing/json?poll=1"],
  "a right that is there": ["GET", "/ASK/auth"],
  "a right that is not": ["GET", "/elsewhere/auth"],
  "a since that is none": ["GET", "/ASK/json?poll=1&since=%21%21"],
  "a page that is none": ["GET", "/v1/nope"],
  "a deletion, which came later": ["DELETE", "/ASK/some-sequence"],
  "an update, which came later": ["POST", "/ASK/some-sequence", { body: "x" }],
  "a sequence id, of which nothing is said": [
    "POST",
    "/",
    { body: JSON.stringify({ topic: "ASK", message: "x", sequence_id: "s1" }) },
  ],
};

test("the server of the other tests says what the real one says", async () => {
  const token = "tk_botFAKEbotFAKEbotFAKE";
  const ask = "asktwice";
  const ours = await startNtfy({
    version: "2.11",
    everybody: { "*": "deny" },
    tokens: { [token]: { [ask]: "rw", [`${ask}nothing`]: "rw" } },
  });
  afterwards(() => ours.close());
  const told = async (base: string, theirs: string, name: string) => {
    const [method, path, { body, headers = {} } = {}] = requests[name] ?? ["GET", "/"];
    const all: Record<string, string> = { authorization: `Bearer ${theirs}`, ...headers };
    if (all.authorization === "") delete all.authorization;
    const answer = await fetch(base + path.replace("ASK", ask), {
      method,
      headers: all,
      ...(body === undefined ? {} : { body: body.replaceAll("ASK", ask) }),
    });
    const text = await answer.text();
    const lines = text.split("\n").filter((line) => line !== "");
    const [first = "{}"] = lines;
    const {
      id: _id,
      time: _time,
      expires: _expires,
      link: _link,
      attachment,
      actions: _actions,
      ...rest
    } = JSON.parse(first) as Record<string, unknown>;
    // Words differ by version; the code is what counts.
    const { error: _error, ...fields } = rest;
    return { status: answer.status, lines: lines.length, file: attachment !== undefined, ...fields };
  };
  for (const name of Object.keys(requests)) {
    expect
      .soft([name, await told(ours.url, token, name)])
      .toEqual([name, await told(ntfy.url, ntfy.token, name)]);
  }
});
