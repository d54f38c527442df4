import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestBody } from "../../channels/ntfy/encode.ts";
import { decode, encode, settings } from "../../channels/ntfy.ts";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { viewOf } from "../conformance/render-probe.ts";
import { until } from "../homes.ts";
import {
  aButton,
  aLine,
  aMessage,
  aNtfy,
  ask,
  botToken,
  buttonToken,
  never,
  reply,
  shownOn,
  someSettings,
} from "../ntfy/phone.ts";
import { aNastyQuestion } from "../renderers/arbitraries.ts";

const given = someSettings("https://ntfy.example.org");

async function failure(work: Promise<unknown>): Promise<ChannelError> {
  const reason = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(reason instanceof ChannelError)) throw new Error(`no ChannelError: ${String(reason)}`);
  return reason;
}

describe("settings", () => {
  const least = { ask_topic: "a1", reply_topic: "b1" };
  test("two topics are enough, on ntfy.sh", () => {
    expect(settings.parse(least)).toEqual({ ...least, base_url: "https://ntfy.sh" });
  });

  test.each([
    ["one topic for both", { ask_topic: "a1", reply_topic: "a1" }, "another topic than ask_topic"],
    ["a topic with a slash", { ...least, ask_topic: "a/b" }, "letters, digits"],
    ["a topic of 65 letters", { ...least, ask_topic: "a".repeat(65) }, "at most 64"],
    [
      "the same token for both",
      { ...least, token: "tk_abcdef", button_token: "tk_abcdef" },
      "another token than token",
    ],
    ["a password instead of a token", { ...least, token: "hunter2" }, "ntfy token add"],
    ["a token with a line end", { ...least, token: "tk_abcdef\n" }, "ntfy token add"],
    ["an address with a query", { ...least, base_url: "https://ntfy.sh/?x=1" }, "without a topic"],
    ["an address with a password", { ...least, base_url: "https://a:b@ntfy.sh" }, "without a topic"],
    ["another protocol", { ...least, base_url: "ftp://ntfy.sh" }, "without a topic"],
    ["a very long address", { ...least, base_url: `https://${"a".repeat(120)}.org` }, "at most 120"],
    ["a name that turns the line", { ...least, name: "eric\u202e" }, "at most 40"],
    ["an unknown key", { ...least, topic: "a" }, "topic"],
  ])("%s is refused", (_name, value, words) => {
    const read = settings.safeParse(value);
    expect(read.success).toBe(false);
    expect(JSON.stringify(read.error?.issues)).toContain(words);
  });
});

describe("what is published", () => {
  test("a button carries the write-only token alone, and a body that proves question, choice and recipient", () => {
    const published = encode("default", aMessage(), aTools(), given);
    expect(published.actions).toEqual(
      ["1", "2"].map((key) => ({
        action: "http",
        label: `${key} Go`,
        url: `https://ntfy.example.org/${reply}`,
        method: "POST",
        headers: { Authorization: `Bearer ${buttonToken}` },
        body: `${aQuestionId} ${key} ${aTools().sign(aQuestionId, key, "ntfy", ask)}`,
        clear: true,
      })),
    );
    expect(JSON.stringify(published)).not.toContain(botToken);
  });

  test("without a token of its own a button publishes as anybody may", () => {
    const open = settings.parse({ ask_topic: ask, reply_topic: reply, token: botToken });
    expect(encode("default", aMessage(), aTools(), open).actions?.[0]).not.toHaveProperty("headers");
  });

  test("what may not ring has the lowest priority, a question a high one, the rest the usual one", () => {
    const priority = (changes: Parameters<typeof aMessage>[0]) =>
      encode("default", aMessage(changes), aTools(), given).priority;
    expect([priority({}), priority({ buttons: [] }), priority({ silent: true })]).toEqual([4, 3, 1]);
  });

  test("field 34: whatever is written goes out as JSON: no header holds more than ASCII, and a line end breaks nothing", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    const headline = "Ünïcode 🦉 — キュー\r\nX-Priority: 5";
    await channel.post("default", aMessage({ headline, body: "é 🦉\n日本" }), "k1", never);
    const [kept] = ntfy.server.kept(ask);
    expect(kept).toMatchObject({ title: headline, message: "é 🦉\n日本", priority: 4 });
    for (const { headers } of ntfy.front.calls) {
      expect(JSON.stringify(headers)).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  test("field 35: a body is counted in bytes: the longest stays a message with its buttons, and one byte more is never sent", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    const most = `${"語".repeat(1_365)}`;
    expect(Buffer.byteLength(most)).toBe(4_095);
    await channel.post("default", aMessage({ body: most }), "k1", never);
    expect(ntfy.server.kept(ask)[0]).toMatchObject({ message: most });
    expect(ntfy.server.kept(ask)[0]).not.toHaveProperty("attachment");
    const more = await failure(channel.post("default", aMessage({ body: `${most}a` }), "k2", never));
    expect(more).toMatchObject({ reason: "too-long", permanent: true, delivered: "no" });
    expect(ntfy.front.of("post")).toHaveLength(1);
  });

  test("field 36: nothing goes through the server's mail gate: there is no setting and no field for it", () => {
    expect(Object.keys(settings.shape)).toEqual([
      "base_url",
      "ask_topic",
      "reply_topic",
      "token",
      "button_token",
      "name",
      "click",
    ]);
    expect(encode("default", aMessage(), aTools(), given)).not.toHaveProperty("email");
  });

  test("whatever is asked fits: 4,095 bytes of message and 8,192 of JSON with the longest settings there may be", () => {
    const widest = someSettings(`https://${"a".repeat(108)}.org`, {
      ask_topic: "a".repeat(64),
      reply_topic: "r".repeat(64),
      button_token: `tk_${"b".repeat(61)}`,
      name: "語".repeat(40),
      click: `https://example.org/${"c".repeat(180)}`,
    });
    fc.assert(
      fc.property(aNastyQuestion, (question) => {
        const message = render(viewOf(question), matrix.ntfy);
        const published = encode("default", message, aTools(), widest);
        expect(Buffer.byteLength(published.message)).toBeLessThanOrEqual(4_095);
        const body = requestBody(published, { sequence_id: "a".repeat(26) });
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
        expect(published.actions?.length ?? 0).toBeLessThanOrEqual(3);
      }),
      { numRuns: 300 },
    );
    // The worst of everything at once: what the row leaves for the body, and labels, title and click that double as JSON.
    const room = 8_192 - matrix.ntfy.body.wire.restBytes;
    const id = `q-abcdefgh-${"t".repeat(24)}-9999` as QuestionId;
    const message = aMessage({
      headline: '"'.repeat(250),
      body: '"'.repeat(room / 2 - 1),
      buttons: ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map((key) => aButton(key, "語".repeat(40), id)),
    });
    const published = encode("default", message, aTools(), widest);
    expect(() => requestBody(published, { sequence_id: "a".repeat(26) })).not.toThrow();
  });
});

describe("posts and edits", () => {
  test("a post is published once under one sequence id, whatever happens to its answer", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    ntfy.front.fail("post", "swallow");
    expect(await failure(channel.post("default", aMessage(), "k1", never))).toMatchObject({
      delivered: "unknown",
    });
    const ref = await channel.post("default", aMessage(), "k1", never);
    expect(ntfy.front.of("post")).toHaveLength(1);
    expect(shownOn(ntfy.server.kept(ask))).toMatchObject([{ sequence_id: ref, versions: 1 }]);
  });

  test("another life looks, too, before it posts what may stand there already", async () => {
    const ntfy = await aNtfy();
    const before = await aLine(ntfy);
    const ref = await before.post("default", aMessage(), "k1", never);
    await before.close();
    const after = await aLine(ntfy);
    expect(await after.post("default", aMessage(), "k1", never)).toBe(ref);
    await after.post("default", aMessage({ body: "another" }), "k2", never);
    expect(ntfy.front.of("post")).toHaveLength(2);
    expect(ntfy.front.of("look")).toHaveLength(2);
  });

  test("where the ask topic may not be read, the same sequence id keeps it one message", async () => {
    const ntfy = await aNtfy({ tokens: { [botToken]: { [ask]: "wo", [reply]: "rw" } } });
    const channel = await aLine(ntfy);
    ntfy.front.fail("post", "swallow");
    await failure(channel.post("default", aMessage(), "k1", never));
    await channel.post("default", aMessage(), "k1", never);
    expect(shownOn(ntfy.server.kept(ask))).toMatchObject([{ versions: 2 }]);
  });

  test("what may have arrived is not posted blindly while it cannot be looked for", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    ntfy.front.fail("post", "swallow");
    await failure(channel.post("default", aMessage(), "k1", never));
    ntfy.front.fail("look", "broken");
    expect(await failure(channel.post("default", aMessage(), "k1", never))).toMatchObject({
      permanent: false,
    });
    expect(ntfy.front.of("post")).toHaveLength(1);
  });

  test("an edit comes in silence, without buttons that are gone", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    const ref = await channel.post("default", aMessage(), "k1", never);
    await channel.edit?.("default", ref, aMessage({ body: "done", buttons: [] }), never);
    const [shown] = shownOn(ntfy.server.kept(ask));
    expect(shown).toMatchObject({ message: "done", priority: 1, versions: 2 });
    expect(shown).not.toHaveProperty("actions");
  });

  test("another life edits what an earlier one has posted, and asks nobody whether it can", async () => {
    const ntfy = await aNtfy();
    const before = await aLine(ntfy);
    const ref = await before.post("default", aMessage(), "k1", never);
    await before.close();
    const after = await aLine(ntfy);
    await after.edit?.("default", ref, aMessage({ body: "done" }), never);
    expect(shownOn(ntfy.server.kept(ask))).toMatchObject([{ message: "done", versions: 2 }]);
    expect(ntfy.front.of("probe")).toEqual([]);
  });

  test("an older server is not even asked: the message stands, and nothing rings", async () => {
    const ntfy = await aNtfy({ version: "2.11" });
    const before = await aLine(ntfy);
    const ref = await before.post("default", aMessage(), "k1", never);
    for (const channel of [before, await aLine(ntfy)]) {
      const refusal = await failure(
        channel.edit?.("default", ref, aMessage({ body: "done" }), never) ?? Promise.resolve(),
      );
      expect(refusal).toMatchObject({
        reason: "not-editable",
        permanent: true,
        stands: true,
        delivered: "no",
      });
    }
    expect(ntfy.server.kept(ask)).toHaveLength(1);
  });

  test("another destination than its one is closed", async () => {
    const channel = await aLine(await aNtfy());
    expect(await failure(channel.post("42", aMessage(), "k1", never))).toMatchObject({
      closed: true,
      permanent: true,
    });
  });
});

describe("what the server says no with", () => {
  const tokens = (right: "rw" | "ro" | "deny") => ({
    tokens: { [botToken]: { [ask]: right, [reply]: right } },
  });

  test.each([
    ["a token that it does not know", { tokens: {} }, "token-refused", "ntfy token add"],
    ["a topic that may only be read", tokens("ro"), "not-allowed", "write to the ask topic"],
  ])("%s: it may be mended, so the message waits", async (_name, options, reason, words) => {
    const channel = await aLine(await aNtfy(options));
    const refusal = await failure(channel.post("default", aMessage(), "k1", never));
    expect(refusal).toMatchObject({ reason, permanent: false, delivered: "no", retryAfterMs: 60_000 });
    expect(refusal.message).toContain(words);
  });

  test("a topic that may not be read is told for the poll", async () => {
    const channel = await aLine(await aNtfy(tokens("deny")));
    const refusal = await failure(channel.poll?.(undefined, never) ?? Promise.resolve());
    expect(refusal).toMatchObject({ reason: "not-allowed", retryAfterMs: 60_000 });
    expect(refusal.message).toContain("read the reply topic");
  });

  test("field 40: without a word from the server a pause is made, and a long one when the day's messages are used up", async () => {
    const ntfy = await aNtfy({ messagesPerDay: 1 });
    const channel = await aLine(ntfy);
    await channel.post("default", aMessage(), "k1", never);
    expect(await failure(channel.post("default", aMessage(), "k2", never))).toMatchObject({
      reason: "quota-used-up",
      permanent: false,
      delivered: "no",
      retryAfterMs: 15 * 60_000,
    });
    ntfy.server.limit(0);
    expect(await failure(channel.post("default", aMessage(), "k2", never))).toMatchObject({
      reason: "rate-limited",
      retryAfterMs: 10_000,
    });
  });

  test("field 40: before they are used up it is told once, with how many are left", async () => {
    const ntfy = await aNtfy({ messagesPerDay: 24 });
    const channel = await aLine(ntfy, {}, { waitMs: 20 });
    const told: string[] = [];
    const poll = async () => {
      const batch = await channel.poll?.(undefined, never);
      if (batch?.warning !== undefined) told.push(batch.warning);
    };
    for (let n = 0; n < 3; n += 1) await poll();
    expect(told).toEqual([]);
    for (let n = 0; n < 5; n += 1) await channel.post("default", aMessage(), `k${n}`, never);
    await until(
      async () => {
        await poll();
        return told.length;
      },
      (count) => count > 0,
    );
    for (let n = 0; n < 3; n += 1) await poll();
    expect(told).toEqual([expect.stringMatching(/^ntfy: \d+ of today's 24 messages are left\. /)]);
  });

  test("a message that the server made a file of is told, too", async () => {
    const ntfy = await aNtfy({ messageBytes: 20 });
    const channel = await aLine(ntfy, {}, { waitMs: 20 });
    await channel.post("default", aMessage({ body: "longer than twenty bytes" }), "k1", never);
    const batch = await channel.poll?.(undefined, never);
    expect(batch?.warning).toContain("message-size-limit");
  });

  test("where somebody else answers in its place, nobody claims that it was refused", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    ntfy.front.fail("post", "empty");
    expect(await failure(channel.post("default", aMessage(), "k1", never))).toMatchObject({
      reason: "unavailable",
      permanent: false,
      delivered: "unknown",
    });
  });

  test("a server that does not answer is given up in time", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy, {}, { callMs: 50 });
    ntfy.front.fail("post", "hang");
    expect(await failure(channel.post("default", aMessage(), "k1", never))).toMatchObject({
      delivered: "unknown",
    });
  });

  test("one that is not there was told nothing", async () => {
    const ntfy = await aNtfy();
    const channel = await aLine(ntfy);
    await ntfy.front.close();
    expect(await failure(channel.post("default", aMessage(), "k1", never))).toMatchObject({
      reason: "unreachable",
      delivered: "no",
    });
  });
});

test("decode never throws, whatever comes", () => {
  const ears = { replyTopic: reply, recipient: { name: "ntfy", topic: ask } };
  fc.assert(
    fc.property(fc.anything(), (event) => {
      expect(decode(event, ears, aTools()).reply).toBeNull();
    }),
  );
});
