import { describe, expect, test } from "vitest";
import { decode, formMeta, type Me } from "../../channels/slack.ts";
import { aQuestionId } from "../builders.ts";

const me: Me = { team: "T01", user: "U0BOT" };
const said = { type: "message", user: "U02", text: "2", ts: "1764445500.000300", team: "T01" };

function event(changes: Record<string, unknown> = {}, channel = "D0ERIC") {
  return {
    type: "events_api",
    envelope_id: "e1",
    payload: { team_id: "T01", event_id: "Ev1", event: { ...said, channel, ...changes } },
  };
}
const replyOf = (envelope: Parameters<typeof decode>[0]) => decode(envelope, me).reply;
const textOf = (text: string, more: Record<string, unknown> = {}) => replyOf(event({ text, ...more }))?.text;
const inThread = { thread_ts: "1764445268.000200", parent_user_id: "U0BOT" };

describe("what people type", () => {
  test.each([
    ["use Map&lt;K, V&gt; &amp;&amp; flush", "use Map<K, V> && flush"],
    ["&amp;lt;", "&lt;"],
    ["see <http://example.org|example.org>", "see example.org"],
    ["see <https://example.org/a?b=1&amp;c=2>", "see https://example.org/a?b=1&c=2"],
    ["<https://example.org|the plan>", "the plan (https://example.org)"],
    ["<mailto:eric@example.org|eric@example.org>", "eric@example.org"],
    [
      "ask <@U09> or <@U09|mara> in <#C01|ops>, <!here>, <!subteam^S1|@team>",
      "ask @U09 or @mara in #ops, @here, @team",
    ],
    ["at <!date^1764445500^{time}|19:45>", "at 19:45"],
    [":two:", "2️⃣"],
    [":+1:", "👍"],
    [":+1::skin-tone-3:", "👍🏼"],
    [":thumbsup::skin-tone-6:", "👍🏿"],
    [":keycap_ten:", "🔟"],
    ["src:two and :unheard_of:", "src:two and :unheard_of:"],
  ])("%s", (typed, read) => {
    expect(textOf(typed)).toBe(read);
  });

  test("an emoji is the character that Slack says it is", () => {
    const elements = [
      { type: "emoji", name: "owl", unicode: "1f989" },
      { type: "emoji", name: "wave", unicode: "1f44b-1f3fd", skin_tone: 4 },
      { type: "emoji", name: "bad", unicode: "nothing" },
    ];
    const blocks = [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }];
    expect(textOf(":owl: :wave::skin-tone-4: :bad:", { blocks })).toBe("🦉 👋🏽 :bad:");
  });

  test("a mention of the bot is a call, whatever stands beside it; one that is only written is none", () => {
    expect(replyOf(event({ text: "<@U0BOT|owlpost> skip" }, "C01"))).toMatchObject({
      text: "<@U0BOT> skip",
      mentions: ["<@U0BOT>"],
      addressed: true,
    });
    expect(replyOf(event({ text: "&lt;@U0BOT&gt; skip" }, "C01"))).toBeNull();
  });
});

describe("who and where", () => {
  test("a private chat is its person's, in a thread, too", () => {
    expect(replyOf(event())).toEqual({
      key: "Ev1",
      twin: "D0ERIC:1764445500.000300",
      sender: "T01/U02",
      at: 1_764_445_500_000,
      text: "2",
      chat: "T01/U02",
      private: true,
      message: "D0ERIC:1764445500.000300",
    });
    expect(replyOf(event(inThread))).toMatchObject({
      chat: "T01/U02",
      thread: "1764445268.000200",
      to: "D0ERIC:1764445268.000200",
    });
  });

  test("in a channel the bot hears mentions, threads of its own, and codes that everybody reads", () => {
    expect(replyOf(event({}, "C01"))).toBeNull();
    expect(replyOf(event({ thread_ts: "1764445268.000200", parent_user_id: "U09" }, "C01"))).toBeNull();
    expect(replyOf(event(inThread, "C01"))).toMatchObject({ addressed: false, private: false });
    expect(replyOf(event({ text: "!pair ABCD2345" }, "C01"))).toMatchObject({ text: "!pair ABCD2345" });
    const threads = new Set(["C01/1764445268.000200"]);
    const foreign = event({ thread_ts: "1764445268.000200", parent_user_id: "U09" }, "C01");
    expect(decode(foreign, me, threads).reply).toMatchObject({ to: "C01:1764445268.000200" });
  });

  test("a person of another team is that team's", () => {
    expect(replyOf(event({ user_team: "T09", team: "T09" }))?.sender).toBe("T09/U02");
  });

  test.each([
    ["a bot", { bot_id: "B01" }],
    ["an old integration", { subtype: "bot_message", bot_id: "B01", user: undefined }],
    ["ourselves", { user: "U0BOT" }],
    ["Slack", { user: "USLACKBOT" }],
    ["nobody", { user: undefined }],
    ["a service", { subtype: "channel_topic" }],
    ["one who deleted it", { subtype: "message_deleted", previous_message: said }],
    ["one who says nothing", { text: " \n " }],
    ["a file alone", { text: "", subtype: "file_share", files: [{}] }],
  ])("%s is no sender", (_who, changes) => {
    expect(replyOf(event(changes))).toBeNull();
  });

  test("what stands beside a file counts, and a reply that is shown to the channel, too", () => {
    expect(textOf("2", { subtype: "file_share", files: [{}] })).toBe("2");
    expect(replyOf(event({ subtype: "thread_broadcast", ...inThread }, "C01"))).toMatchObject({ text: "2" });
  });

  test("an edit names its message; an unfurled link changes nothing", () => {
    const edited = { ...said, text: "1", edited: { user: "U02", ts: "1764445560.000000" } };
    const change = (message: object, before: object = said) =>
      replyOf(event({ subtype: "message_changed", user: undefined, message, previous_message: before }));
    expect(change(edited)).toMatchObject({
      text: "1",
      edited: true,
      message: "D0ERIC:1764445500.000300",
      twin: "D0ERIC:1764445500.000300:1764445560.000000",
      at: 1_764_445_560_000,
    });
    expect(change({ ...said, attachments: [{}] })).toBeNull();
    expect(change(edited, edited)).toBeNull();
  });

  test.each([
    {},
    { type: "events_api" },
    { type: "interactive", payload: {} },
    { type: "slash_commands", payload: {} },
  ])("%o says nothing", (frame) => {
    expect(decode({ envelope_id: "e1", ...frame }, me)).toEqual({ reply: null });
  });
});

describe("/owlpost", () => {
  const slash = (text: string, channel = "C01", team = "T01") =>
    replyOf({
      type: "slash_commands",
      envelope_id: "e1",
      payload: {
        team_id: team,
        user_id: "U02",
        user_name: "eric",
        channel_id: channel,
        text,
        trigger_id: "1.2",
      },
    });

  test("is read like words after a mention, and only its person sees what comes of it", () => {
    expect(slash(" pending ")).toEqual({
      key: "1.2",
      sender: "T01/U02",
      name: "eric",
      text: "<@U0BOT> pending",
      mentions: ["<@U0BOT>"],
      toast: true,
      chat: "C01",
      private: false,
      addressed: true,
      colleague: true,
    });
    expect(slash("")?.text).toBe("/help");
    expect(slash("!skip q-a-b-1")?.text).toBe("!skip q-a-b-1");
    expect(slash("pending", "D0ERIC")).toMatchObject({ private: true, chat: "T01/U02" });
  });

  test("a code may be said anywhere, for nobody reads along: what comes of it stays with its person", () => {
    for (const text of ["pair ABCD2345", "!pair ABCD2345", "PAIR abcd", "unpair"]) {
      const reply = slash(text);
      expect(reply).toMatchObject({ private: true, chat: "T01/U02" });
      // Whether it was right is told to no stranger.
      expect(reply?.colleague).toBeUndefined();
    }
    expect(slash("pairs of socks")).toMatchObject({ private: false });
  });

  test("a stranger of another team is no colleague", () => {
    expect(slash("pending", "C01", "T09")?.colleague).toBeUndefined();
  });
});

describe("the form", () => {
  const submitted = (
    value: string | null,
    meta = formMeta(aQuestionId, { chat: "C01", message: "1.1" }),
  ) => ({
    type: "interactive",
    envelope_id: "e1",
    payload: {
      type: "view_submission",
      team: { id: "T01" },
      user: { id: "U02", team_id: "T01", name: "eric" },
      trigger_id: "1.3",
      view: {
        id: "V1",
        callback_id: "o1|answer",
        private_metadata: meta,
        state: { values: { "o1|answer": { "o1|text": { value } } } },
      },
    },
  });

  test("is an answer in words to its own question, and a verb where one stands there", () => {
    expect(replyOf(submitted("use <b> &amp; go"))).toMatchObject({
      text: `!answer ${aQuestionId} use <b> &amp; go`,
      about: aQuestionId,
      chat: "T01/U02",
      private: true,
      toast: true,
    });
    expect(replyOf(submitted("!steer look at #12"))?.text).toBe("!steer look at #12");
    expect(decode(submitted("go"), me).way).toEqual({
      kind: "form",
      user: "U02",
      origin: { chat: "C01", message: "1.1" },
    });
  });

  test.each(["", "  \n ", null])("with nothing in it (%j) is sent back at once", (value) => {
    expect(decode(submitted(value), me)).toEqual({
      reply: null,
      answer: {
        response_action: "errors",
        errors: { "o1|answer": expect.stringContaining("nothing in it") },
      },
    });
  });

  test("of somebody else's making is none of ours", () => {
    expect(decode(submitted("go", "o2|x"), me)).toEqual({ reply: null });
  });
});

describe("a tap", () => {
  const tap = (value: string, changes: Record<string, unknown> = {}) => ({
    type: "interactive",
    envelope_id: "e1",
    payload: {
      type: "block_actions",
      team: { id: "T01" },
      user: { id: "U02", team_id: "T01", name: "eric" },
      channel: { id: "C01" },
      container: { channel_id: "C01", message_ts: "1.1" },
      response_url: "https://hooks.example.org/1",
      trigger_id: "1.4",
      actions: [{ type: "button", action_id: "o1|2", value, action_ts: "1.5" }],
      ...changes,
    },
  });

  test("has its question, its option, its message and its person", () => {
    expect(replyOf(tap(`o1|${aQuestionId}|2`))).toEqual({
      key: "T01/U02:1.5:o1|2",
      sender: "T01/U02",
      name: "eric",
      chat: "C01",
      private: false,
      to: "C01:1.1",
      press: { question: aQuestionId, action: "2" },
      colleague: true,
    });
    for (const [value, action] of [
      ["/skip", "skip"],
      ["/go", "go"],
      ["/more", "/more"],
    ]) {
      expect(replyOf(tap(`o1|${aQuestionId}|${value}`))?.press?.action).toBe(action);
    }
  });

  test("in a thread has that thread, and on the message that began one has none", () => {
    const inside = { container: { channel_id: "C01", message_ts: "1.1", thread_ts: "0.9" } };
    expect(replyOf(tap(`o1|${aQuestionId}|2`, inside))?.thread).toBe("0.9");
    const first = { container: { channel_id: "C01", message_ts: "1.1", thread_ts: "1.1" } };
    expect(replyOf(tap(`o1|${aQuestionId}|2`, first))?.thread).toBeUndefined();
  });

  test("on *Write an answer* asks for the form, and says nothing yet", () => {
    expect(decode(tap(`o1|${aQuestionId}|/write`), me)).toMatchObject({
      reply: null,
      form: { trigger: "1.4", question: aQuestionId, origin: { chat: "C01", message: "1.1" } },
    });
  });

  test.each(["snooze", "o1|nonsense|2", `o1|${aQuestionId}|TOO-LONG-AND-LOUD`, `o2|${aQuestionId}|2`])(
    "on somebody else's button (%s) says nothing",
    (value) => {
      expect(decode(tap(value), me)).toEqual({ reply: null });
    },
  );
});
