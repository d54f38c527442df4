import { describe, expect, test } from "vitest";
import { checks } from "../../channels/ntfy.ts";
import type { Check } from "../../src/domain/channel.ts";
import { aNtfy, ask, botToken, buttonToken, type Ntfy, reply, someSettings } from "../ntfy/phone.ts";
import type { NtfyOptions } from "../ntfy/server.ts";

const ours = { [botToken]: { [ask]: "rw", [reply]: "rw" }, [buttonToken]: { [reply]: "wo" } } as const;

async function found(
  options: NtfyOptions = {},
  changes: Parameters<typeof someSettings>[1] = {},
  meanwhile: (ntfy: Ntfy) => void = () => undefined,
): Promise<{ readonly ntfy: Ntfy; readonly all: readonly Check[]; of(name: string): Check }> {
  const ntfy = await aNtfy(options);
  meanwhile(ntfy);
  const all = await checks(someSettings(ntfy.front.url, changes));
  return {
    ntfy,
    all,
    of(name) {
      const check = all.find((each) => each.name === name);
      if (!check) throw new Error(`no check ${name}: ${all.map((each) => each.name).join(", ")}`);
      return check;
    },
  };
}

describe("what doctor learns of ntfy", () => {
  test("a server with the right rights: all is well, and nothing was sent to a topic that anybody reads", async () => {
    const { ntfy, all } = await found();
    expect(all.map(({ name, ok, warn }) => [name, ok, warn])).toEqual([
      ["server", true, undefined],
      ["ask topic", true, undefined],
      ["reply topic", true, undefined],
      ["buttons", true, undefined],
      ["secrecy", true, undefined],
      ["updates", true, undefined],
      ["messages", true, undefined],
      ["iOS", true, undefined],
    ]);
    expect(ntfy.server.kept(ask)).toEqual([]);
    expect(ntfy.server.kept(reply)).toEqual([]);
    expect(ntfy.server.sent()).toBe(1);
    expect(all.find(({ name }) => name === "messages")?.text).toBe(
      "17279 of 17280 are left today; taps are kept for 12 h",
    );
    for (const secret of ["tk_", ask, reply]) expect(JSON.stringify(all)).not.toContain(secret);
  });

  test("a server that is not there, or something else in its place", async () => {
    const gone = await aNtfy();
    await gone.front.close();
    expect(await checks(someSettings(gone.front.url))).toMatchObject([
      { name: "server", ok: false, text: "ntfy cannot be reached (ECONNREFUSED)" },
    ]);
    const { all } = await found({}, {}, ({ front }) => front.fail("other", "empty"));
    expect(all).toMatchObject([
      { name: "server", ok: false, text: expect.stringContaining("is base_url right?") },
    ]);
  });

  test("how far its clock is ahead", async () => {
    const { of } = await found();
    // The server's clock stands in 2026.
    expect(Math.abs(of("server").aheadMs ?? 0)).toBeGreaterThan(1_000);
  });

  test("a token that the server does not know", async () => {
    const { of } = await found({ tokens: {} });
    expect(of("ask topic")).toMatchObject({ ok: false, text: expect.stringContaining("ntfy token add") });
  });

  test.each([
    ["ask topic", { [ask]: "ro", [reply]: "rw" }, false, "ntfy access USER ASK_TOPIC rw"],
    ["ask topic", { [ask]: "wo", [reply]: "rw" }, true, "may come twice"],
    ["reply topic", { [ask]: "rw", [reply]: "wo" }, false, "so no tap arrives"],
  ] as const)("rights on the %s that are missing: how to give them", async (name, rights, ok, words) => {
    const { of } = await found({ tokens: { ...ours, [botToken]: rights } });
    expect(of(name)).toMatchObject({ ok, text: expect.stringContaining(words) });
  });

  test.each([
    [{ [reply]: "rw" }, "the reply topic"],
    [{ [reply]: "wo", [ask]: "ro" }, "the ask topic"],
    [{ [reply]: "wo", [ask]: "wo" }, "write to the ask topic"],
  ] as const)("a button's token that may do more than press (%j) is warned of", async (rights, words) => {
    const { of } = await found({ tokens: { ...ours, [buttonToken]: rights } });
    expect(of("buttons")).toMatchObject({ ok: true, warn: true, text: expect.stringContaining(words) });
    expect(of("buttons").text).toContain("write-only");
  });

  test("buttons that may not press at all are a failure", async () => {
    const { of } = await found({ tokens: { ...ours, [buttonToken]: {} } });
    expect(of("buttons")).toMatchObject({
      ok: false,
      text: expect.stringContaining("ntfy access USER REPLY_TOPIC write-only"),
    });
    const { all } = await found({ everybody: { "*": "deny" } }, { button_token: undefined });
    expect(all.find(({ name }) => name === "buttons")?.text).toContain(
      "ntfy access everyone REPLY_TOPIC write-only",
    );
  });

  test("topics that anybody reads are warned of, and more so where their names can be guessed", async () => {
    const open = { everybody: { "*": "rw" }, tokens: {} } as const;
    const without = { token: undefined, button_token: undefined };
    const guessed = await found(open, { ...without, ask_topic: "owlpost", reply_topic: "owlpost-replies" });
    expect(guessed.of("secrecy")).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining(
        "ask_topic and reply_topic can be guessed: make names of openssl rand -hex 16",
      ),
    });
    const hard = { ask_topic: "a-4f1c9e02b7d84466aa01", reply_topic: "r-c3a47700e1d24f0e9b55" };
    const random = await found(open, { ...without, ...hard });
    expect(random.of("secrecy").text).toMatch(/^the topics' names are their only secret\. Whoever/);
    expect(random.of("buttons").text).toContain("anybody may write to the reply topic");
  });

  test("an older server: it works, by follow-ups and without a last word", async () => {
    const { of } = await found({ version: "2.11" });
    expect(of("updates")).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining("older than 2.16"),
    });
    expect(of("updates").text).toContain("nobody is told when owlpost dies");
  });

  test("field 40: few messages that are left today are warned of", async () => {
    const { of } = await found({ messagesPerDay: 10 });
    expect(of("messages")).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining("9 of today's 10"),
    });
  });

  test("a page about it: iOS shows a change as a second message", async () => {
    const { of } = await found();
    expect(of("iOS").text).toContain("upstream-base-url");
  });
});
