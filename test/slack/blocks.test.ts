import { describe, expect, test } from "vitest";
import {
  type Block,
  buttonsIn,
  faultOf,
  kept,
  mostBlockUnits,
  pingsInBlocks,
  readBlocks,
  viewFault,
} from "./blocks.ts";
import { pingsIn, richElements, shown, typed } from "./mrkdwn.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const marked = (text: string) => ({ type: "mrkdwn", text });
const section = (text: string): Block => ({ type: "section", text: marked(text) });
const button = (more: Record<string, unknown> = {}) => ({
  type: "button",
  action_id: "a",
  text: plain("Go"),
  value: "v",
  ...more,
});
const actions = (count: number): Block => ({
  type: "actions",
  elements: Array.from({ length: count }, (_, n) => button({ action_id: `a${n}` })),
});
const a = (length: number) => "a".repeat(length);

describe("the limits of Block Kit", () => {
  test.each<[string, Block]>([
    ["a section of 3,000", section(a(3_000))],
    ["a header of 150", { type: "header", text: plain(a(150)) }],
    ["25 buttons in a row", actions(25)],
    ["a label of 75", { type: "actions", elements: [button({ text: plain(a(75)) })] }],
    ["a value of 2,000", { type: "actions", elements: [button({ value: a(2_000) })] }],
    ["ids of 255", { type: "actions", block_id: a(255), elements: [button({ action_id: a(255) })] }],
    ["10 elements of context", { type: "context", elements: Array.from({ length: 10 }, () => marked("x")) }],
  ])("%s is taken", (_what, block) => {
    expect(faultOf([block])).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["a section of 3,001", section(a(3_001))],
    ["an empty section", section("")],
    ["a section without a text", { type: "section" }],
    ["a header of 151", { type: "header", text: plain(a(151)) }],
    ["a header with marks", { type: "header", text: marked("x") }],
    ["26 buttons in a row", actions(26)],
    ["a label of 76", { type: "actions", elements: [button({ text: plain(a(76)) })] }],
    ["a label with marks", { type: "actions", elements: [button({ text: marked("x") })] }],
    ["a value of 2,001", { type: "actions", elements: [button({ value: a(2_001) })] }],
    ["a block_id of 256", { type: "actions", block_id: a(256), elements: [button()] }],
    ["an action_id of 256", { type: "actions", elements: [button({ action_id: a(256) })] }],
    ["an action_id twice", { type: "actions", elements: [button(), button()] }],
    ["11 elements of context", { type: "context", elements: Array.from({ length: 11 }, () => marked("x")) }],
    ["a style that is none", { type: "actions", elements: [button({ style: "default" })] }],
    ["a field that is none", { ...section("x"), colour: "red" }],
    ["a type that is none", { type: "paragraph", text: plain("x") }],
    ["a button among sections", button()],
  ])("%s is refused", (_what, block) => {
    const fault = faultOf([block]);
    expect(fault?.error).toBe("invalid_blocks");
    expect(fault?.messages.join()).toContain("[ERROR]");
  });

  test("fifty blocks are a message, fifty-one are none; nor is anything that is no list", () => {
    expect(faultOf(Array.from({ length: 50 }, () => section("x")))).toBeUndefined();
    expect(faultOf(Array.from({ length: 51 }, () => section("x")))?.error).toBe("invalid_blocks");
    expect(faultOf("[]")?.error).toBe("invalid_blocks_format");
  });

  test("a block_id stands once in a message; an action_id once in its block", () => {
    const named = (block_id: string): Block => ({ ...section("x"), block_id });
    expect(faultOf([named("one"), named("one")])?.error).toBe("invalid_blocks");
    expect(faultOf([actions(2), actions(2)])).toBeUndefined();
  });

  test("field 23: all blocks together have a limit of their own", () => {
    const sections = Array.from({ length: 4 }, () => section(a(3_000)));
    const rest = mostBlockUnits - 12_000;
    expect(faultOf([...sections, section(a(rest))])).toBeUndefined();
    expect(faultOf([...sections, section(a(rest + 1))])?.error).toBe("msg_blocks_too_long");
    expect(faultOf([...sections, section(a(rest - 1)), actions(1)])?.error).toBe("msg_blocks_too_long");
  });

  test("a form has a title of 24, metadata of 3,000, and a button to send it where it asks something", () => {
    const input = { type: "input", label: plain("Answer"), element: { type: "plain_text_input" } };
    const form = {
      type: "modal",
      title: plain(a(24)),
      submit: plain("Send"),
      blocks: [input],
      private_metadata: a(3_000),
    };
    expect(viewFault(form)).toBeUndefined();
    expect(viewFault({ ...form, title: plain(a(25)) })?.error).toBe("invalid_arguments");
    expect(viewFault({ ...form, private_metadata: a(3_001) })?.error).toBe("invalid_arguments");
    expect(viewFault({ ...form, blocks: [section(a(3_001))] })?.error).toBe("invalid_arguments");
    const { submit: _, ...withoutSubmit } = form;
    expect(viewFault(withoutSubmit)?.messages).toEqual(["[ERROR] missing required field: submit"]);
  });
});

describe("what a person sees of them", () => {
  test("texts in order, buttons apart, ids made up where none were given", () => {
    const blocks = kept(
      [section("*Which* way?"), { type: "context", elements: [marked("by <@U1>")] }, actions(2)],
      () => "made",
    );
    expect(readBlocks(blocks, (user) => `name of ${user}`)).toEqual(["Which way?", "by @name of U1", ""]);
    expect(blocks.map(({ block_id }) => block_id)).toEqual(["made", "made", "made"]);
    expect(buttonsIn(blocks)).toEqual([
      { label: "Go", action: "a0", block: "made", value: "v" },
      { label: "Go", action: "a1", block: "made", value: "v" },
    ]);
  });

  test.each([
    ["<!channel> look", ["channel"]],
    ["<!here|here> <!everyone>", ["here", "everyone"]],
    ["<@U0FAKEERIC> and <@W12|who>", ["U0FAKEERIC", "W12"]],
    ["<!subteam^S12|@ops>", ["S12"]],
    ["&lt;!channel&gt; @channel `<!nobody>`", []],
  ])("field 32: whom “%s” rings", (text, rung) => {
    expect(pingsIn(text)).toEqual(rung);
  });

  test("field 32: blocks ring by mrkdwn alone", () => {
    expect(pingsInBlocks([section("<!channel>")])).toEqual(["channel"]);
    expect(pingsInBlocks([{ type: "header", text: plain("<!channel>") }])).toEqual([]);
  });

  test.each([
    ["*bold* _it_ ~no~ `code`", "bold it no code"],
    ["2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"],
    ["&lt;b&gt; &amp;amp; <https://example.org|there>", "<b> &amp; there"],
    [":white_check_mark: <!date^1764445508^{time}|20:45> :nobody:", "✅ 20:45 :nobody:"],
    ["```\n$ make\n```", "$ make\n"],
  ])("%s reads %s", (text, read) => {
    expect(shown(text)).toBe(read);
  });

  test("a client sends entities, ids and names of emoji", () => {
    const idOf = (name: string) => (name === "owlpost" ? "U0BOT" : undefined);
    expect(typed("@owlpost 2️⃣ <b> & @nobody 👍 https://example.org/x", idOf)).toBe(
      "<@U0BOT> :two: &lt;b&gt; &amp; @nobody :+1: <https://example.org/x>",
    );
  });

  test("and the parts of it besides", () => {
    expect(richElements("<@U0BOT> :+1: a &lt; b <https://example.org>")).toEqual([
      { type: "user", user_id: "U0BOT" },
      { type: "text", text: " " },
      { type: "emoji", name: "+1", unicode: "1f44d" },
      { type: "text", text: " a < b " },
      { type: "link", url: "https://example.org" },
    ]);
  });
});
