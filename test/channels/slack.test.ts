import { describe, expect, test } from "vitest";
import { encode, encodeEdit } from "../../channels/slack.ts";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { signing } from "../../src/app/tokens.ts";
import { type Button, ChannelError, type ChannelMessage } from "../../src/domain/channel.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { cases, caseView } from "../renderers/cases.ts";
import { nightViews } from "../renderers/night-cases.ts";
import { type Block, buttonsIn, faultOf, pingsInBlocks } from "../slack/blocks.ts";
import { pingsIn } from "../slack/mrkdwn.ts";
import { appToken, botToken, eric, inTeam, mara, ops } from "../slack/phone.ts";
import { aMessage, aStage, never } from "./slack-line.ts";

const options = (...keys: readonly string[]): Button[] =>
  keys.map((key) => ({ label: `${key} · Go`, question: aQuestionId, action: { key }, primary: false }));
const asked = (changes: Partial<ChannelMessage> = {}) =>
  aMessage({ question: aQuestionId, buttons: options("1", "2"), ...changes });
const blocksOf = (message: ChannelMessage): Block[] => encode(ops, message).blocks as unknown as Block[];

describe("what goes out", () => {
  const views = [
    ...Object.keys(cases).map((name) => [name, caseView(name)] as const),
    ...Object.entries(nightViews),
  ];

  test.each(views)(
    "field 32: %s keeps within Block Kit, has a text beside it, and rings nobody",
    (_name, view) => {
      const rendered = render(view, matrix.slack);
      const sent = encode(ops, "id" in view ? { ...rendered, question: view.id } : rendered);
      const blocks = sent.blocks as unknown as Block[];
      expect(faultOf(blocks)).toBeUndefined();
      expect(Buffer.byteLength(sent.text)).toBeLessThan(3_800);
      expect(sent.text.trim()).not.toBe("");
      expect([...pingsInBlocks(blocks), ...pingsIn(sent.text)]).toEqual([]);
      expect(sent).toMatchObject({ unfurl_links: false, unfurl_media: false });
    },
  );

  test("an edit has the blocks of the post, so that what was taken once is taken again", () => {
    const message = asked();
    expect(encodeEdit(`${ops}:1.000001`, message)).toEqual({
      channel: ops,
      ts: "1.000001",
      text: encode(ops, message).text,
      blocks: encode(ops, message).blocks,
    });
  });

  test("a button carries its question and its option", () => {
    const values = buttonsIn(blocksOf(asked())).map(({ value }) => value);
    expect(values.slice(0, 2)).toEqual([`o1|${aQuestionId}|1`, `o1|${aQuestionId}|2`]);
  });

  test("an answer in words is offered beside options, while there is room, and never at night", () => {
    const offers = (message: ChannelMessage) =>
      buttonsIn(blocksOf(message)).some(({ label }) => label === "✏️ Write an answer");
    const night: Button = { label: "👍 Go", question: aQuestionId, action: { verb: "go" }, primary: true };
    expect(offers(asked())).toBe(true);
    expect(offers(asked({ buttons: [night] }))).toBe(false);
    expect(offers(asked({ buttons: [] }))).toBe(false);
    const many = [...Array(25).keys()].map(String);
    expect(buttonsIn(blocksOf(asked({ buttons: options(...many) })))).toHaveLength(25);
    expect(offers(asked({ buttons: options(...many.slice(1)) }))).toBe(true);
  });

  test("a title is a header without its bold, and a notice shows the title that stands on the lock screen", () => {
    const title = { name: "title", text: "*Vec&lt;T&gt; &amp; more?*" } as const;
    expect(blocksOf(asked({ parts: [title] }))[0]).toMatchObject({
      type: "header",
      text: { type: "plain_text", text: "Vec<T> & more?" },
    });
    const long = { name: "title", text: `*${"a".repeat(151)}*` } as const;
    expect(blocksOf(asked({ parts: [long] }))[0]).toMatchObject({ type: "section" });
    const [first] = blocksOf(aMessage({ headline: "🦉 The morning report", body: "All is well." }));
    expect(first).toMatchObject({ type: "header", text: { text: "🦉 The morning report" } });
  });

  test("field 23: a part that is longer than a section is cut between lines, and its code stays code", () => {
    const line = `${"x".repeat(98)}\n`;
    const fence = "```";
    const code = `${fence}${line.repeat(70)}${fence}`;
    const parts = [{ name: "facts", text: code }] as const;
    const blocks = blocksOf(aMessage({ parts, body: code })).filter(({ type }) => type === "section");
    const texts = blocks.map(({ text }) => String((text as { text: string }).text));
    expect(texts.length).toBe(3);
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(3_000);
      expect([text.slice(0, 3), text.slice(-3)]).toEqual([fence, fence]);
    }
    const whole = texts.map((text) => text.slice(3, -3)).join("\n");
    expect(whole.match(/x/g)).toHaveLength(98 * 70);
  });

  test("no entity and no character is cut in half", () => {
    const body = `${"a".repeat(2_997)}&amp;${"🦉".repeat(2_000)}`;
    const texts = blocksOf(aMessage({ parts: [], body })).map(({ text }) =>
      String((text as { text: string }).text),
    );
    expect(texts.join("")).toBe(body);
    expect(texts[0]).toBe("a".repeat(2_997));
    for (const text of texts) expect(text).not.toMatch(/\p{Cs}/u);
  });
});

describe("posting", () => {
  const seen = async (stage: Awaited<ReturnType<typeof aStage>>, room = ops) =>
    stage.slack.workspace.room(room).messages.map(({ versions }) => versions.at(-1));

  test.each(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])(
    "field 23: where Slack refuses the form (%s), the receipt arrives in a simpler one, posted or edited",
    async (error) => {
      const stage = await aStage();
      const body = "✅ Answered: 2\nThank you.";
      stage.slack.fail({ method: "chat.postMessage", how: { error }, times: 1 });
      const ref = await stage.channel.post(ops, aMessage({ body }), "k1", never);
      stage.slack.fail({ method: "chat.postMessage", how: { error }, times: 2 });
      await stage.channel.post(ops, aMessage({ body }), "k2", never);
      expect(await seen(stage)).toEqual([expect.stringContaining(body), expect.stringContaining(body)]);
      expect(stage.slack.workspace.room(ops).messages[1]?.blocks).toEqual([]);
      stage.slack.fail({ method: "chat.update", how: { error }, times: 2 });
      await stage.channel.edit?.(ops, ref, aMessage({ body: "Changed." }), never);
      expect((await seen(stage))[0]).toContain("Changed.");
      expect(stage.slack.misuses()).toEqual([]);
    },
  );

  test("a private chat is opened once, and is its person's destination", async () => {
    const stage = await aStage({ channel: undefined, allow: [inTeam(eric), inTeam(mara)] });
    expect(stage.channel.destinations).toEqual([inTeam(eric), inTeam(mara)]);
    await stage.channel.post(inTeam(eric), aMessage(), "k1", never);
    await stage.channel.post(inTeam(eric), aMessage(), "k2", never);
    expect(stage.slack.calls.filter(({ method }) => method === "conversations.open")).toHaveLength(1);
    expect(await seen(stage, stage.slack.workspace.direct(eric).id)).toHaveLength(2);
  });

  test("what follows a message stands in its thread, in a thread everything does, and never in another room's", async () => {
    const { slack, channel } = await aStage();
    const ref = await channel.post(ops, aMessage({ body: "question" }), "k1", never);
    const [, ts = ""] = ref.split(":");
    await channel.post(ops, aMessage({ body: "follow-up", follows: ref }), "k2", never);
    await channel.post(
      `${ops}/${ts}`,
      aMessage({ body: "receipt", replyTo: `${ops}:9.000001` }),
      "k3",
      never,
    );
    await channel.post(inTeam(eric), aMessage({ body: "elsewhere", follows: ref }), "k4", never);
    expect(slack.workspace.repliesTo(slack.workspace.room(ops), ts).map(({ text }) => text)).toHaveLength(2);
    expect(slack.workspace.direct(eric).messages[0]?.thread).toBeUndefined();
    // A reply has no thread of its own, and its receipt is not lost for that.
    const reply = slack.people.says(eric, "2", { in: ops, thread: ts });
    await channel.post(ops, aMessage({ body: "alone", replyTo: `${ops}:${reply.ts}` }), "k5", never);
    expect(slack.workspace.room(ops).messages.at(-1)?.thread).toBeUndefined();
  });

  test.each([ops, inTeam(eric)])(
    "at %s, what an earlier process posted without a record is found again, and nothing is posted twice",
    async (destination) => {
      const { slack, channel, again } = await aStage();
      const first = await channel.post(destination, aMessage(), "q/post/7", never);
      await channel.close();
      const later = await again();
      expect(await later.post(destination, aMessage(), "q/post/7", never)).toBe(first);
      const other = await later.post(destination, aMessage(), "q/post/8", never);
      expect(other).not.toBe(first);
      expect(slack.calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(2);
      expect(slack.calls.filter(({ method }) => method === "conversations.history")).toHaveLength(2);
    },
  );

  test("another home's message is none of ours, however it was numbered", async () => {
    const { channel, again, clock } = await aStage();
    const first = await channel.post(ops, aMessage(), "notice/receipt/1", never);
    const key = signing(Buffer.from("the key of another home"));
    const fresh = await again({}, { ...aTools({ now: clock.now }), ...key });
    expect(await fresh.post(ops, aMessage(), "notice/receipt/1", never)).not.toBe(first);
  });

  test("in a thread, too", async () => {
    const { channel, again } = await aStage();
    const [, ts] = (await channel.post(ops, aMessage(), "k1", never)).split(":");
    const first = await channel.post(`${ops}/${ts}`, aMessage(), "k2", never);
    expect(await (await again()).post(`${ops}/${ts}`, aMessage(), "k2", never)).toBe(first);
  });

  test("a receipt that hangs beneath what it answers stands once, its reply lost or its sender killed", async () => {
    const { slack, channel, again } = await aStage();
    const replyTo = await channel.post(ops, aMessage(), "k1", never);
    const receipt = aMessage({ body: "Noted.", replyTo });
    slack.fail({ method: "chat.postMessage", how: "swallow", times: 1 });
    await expect(channel.post(ops, receipt, "k2", never)).rejects.toMatchObject({ delivered: "unknown" });
    const first = await channel.post(ops, receipt, "k2", never);
    expect(await (await again()).post(ops, receipt, "k2", never)).toBe(first);
    expect(slack.workspace.room(ops).messages).toHaveLength(2);
  });

  test("where nothing may be read again, a message is posted all the same", async () => {
    const { slack, channel } = await aStage();
    slack.setScopes(botToken, ["chat:write"]);
    await channel.post(ops, aMessage(), "k1", never);
    slack.fail({ method: "chat.postMessage", how: "swallow", times: 1 });
    await expect(channel.post(ops, aMessage(), "k2", never)).rejects.toMatchObject({ delivered: "unknown" });
    await channel.post(ops, aMessage(), "k2", never);
    expect(slack.workspace.room(ops).messages).toHaveLength(3);
  });

  test("a look that fails posts nothing, and says so", async () => {
    const { slack, channel } = await aStage();
    slack.fail({ method: "conversations.history", how: "reset", times: 1 });
    await expect(channel.post(ops, aMessage(), "k1", never)).rejects.toMatchObject({ delivered: "no" });
    expect(slack.workspace.room(ops).messages).toHaveLength(0);
  });

  const refusals: readonly (readonly [word: string, expected: Partial<ChannelError>])[] = [
    ["cant_update_message", { reason: "not-editable", permanent: true, closed: false }],
    ["message_not_found", { reason: "not-editable", permanent: true, closed: false }],
    ["edit_window_closed", { reason: "not-editable", permanent: true, closed: false }],
    ["channel_not_found", { reason: "channel-not-found", permanent: true, closed: true }],
    ["not_in_channel", { reason: "not-in-channel", permanent: true, closed: true }],
    ["is_archived", { reason: "archived", permanent: true, closed: true }],
    ["user_disabled", { reason: "no-such-person", permanent: true, closed: true }],
    ["restricted_action", { reason: "not-allowed-there", permanent: true, closed: true }],
    ["invalid_auth", { reason: "token-refused", permanent: false, delivered: "no" }],
    ["token_revoked", { reason: "token-refused", permanent: false, delivered: "no" }],
    ["account_inactive", { reason: "token-refused", permanent: false, delivered: "no" }],
    ["missing_scope", { reason: "missing-scope", permanent: false, delivered: "no" }],
    ["ratelimited", { reason: "rate-limited", permanent: false, retryAfterMs: 30_000 }],
    ["fatal_error", { reason: "unavailable", permanent: false, delivered: "unknown" }],
    ["internal_error", { reason: "unavailable", permanent: false, delivered: "unknown" }],
    ["something_new", { reason: "refused", permanent: true, delivered: "no" }],
  ];

  test("each refusal is named, says what to do, and holds no token", async () => {
    const { slack, channel } = await aStage();
    const ref = await channel.post(ops, aMessage(), "k1", never);
    for (const [error, expected] of refusals) {
      slack.fail({ method: "chat.update", how: { error }, times: 1 });
      const failed = await channel.edit?.(ops, ref, aMessage(), never).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(failed, error).toBeInstanceOf(ChannelError);
      expect(failed, error).toMatchObject(expected);
      expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toMatch(
        new RegExp(`${botToken}|${appToken}`),
      );
    }
  });

  test.each([
    [{ page: 200 }, { reason: "unavailable", delivered: "unknown" }],
    [{ page: 503 }, { reason: "unavailable", delivered: "unknown" }],
    [{ page: 404 }, { reason: "unavailable", delivered: "unknown" }],
    [{ page: 429 }, { reason: "rate-limited", delivered: "no", retryAfterMs: 30_000 }],
    [{ busy: 7 }, { reason: "rate-limited", delivered: "no", retryAfterMs: 7_000 }],
  ] as const)("what stands in between and answers %o has refused nothing for good", async (how, expected) => {
    const { slack, channel } = await aStage();
    slack.fail({ method: "chat.postMessage", how, times: 1 });
    await expect(channel.post(ops, aMessage(), "k1", never)).rejects.toMatchObject({
      permanent: false,
      ...expected,
    });
  });

  test("a call that hangs ends, and nobody knows what became of it", async () => {
    const { slack, channel } = await aStage({}, { callMs: 150 });
    slack.fail({ method: "chat.postMessage", how: "hang", times: 1 });
    await expect(channel.post(ops, aMessage(), "k1", never)).rejects.toMatchObject({
      reason: "no-answer",
      delivered: "unknown",
    });
  });

  test("a Slack that is not there has taken nothing", async () => {
    const { slack, channel } = await aStage();
    await slack.down();
    await expect(channel.post(ops, aMessage(), "k1", never)).rejects.toMatchObject({
      reason: "unreachable",
      delivered: "no",
    });
  });

  test("a text that is longer than a row may hold is refused before anybody is asked", async () => {
    const { slack, channel } = await aStage();
    const body = "a".repeat(10_001);
    await expect(channel.post(ops, aMessage({ body }), "k1", never)).rejects.toMatchObject({
      permanent: true,
    });
    expect(slack.calls).toEqual([]);
  });
});
