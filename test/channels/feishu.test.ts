import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crowdedMs, pacing } from "../../channels/feishu/pacing.ts";
import { checks, encode, open, type Settings, settings, type Timing } from "../../channels/feishu.ts";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { questionView } from "../../src/core/view.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import { aStored, aTools, evening, minute } from "../builders.ts";
import { type HookSettings, hookId, startHookServer } from "../feishu/hook-server.ts";
import { aClock, afterwards } from "../homes.ts";
import { aNastyQuestion } from "../renderers/arbitraries.ts";
import { aMessage, never } from "../telegram/phone.ts";

const secret = "TEST-only-not-the-secret-of-a-bot";
/** When nobody waits for a crowd to pass. */
const quiet = Date.parse("2026-11-29T19:45:08Z");

async function aBot(
  bot: HookSettings = { secret },
  own: Pick<Settings, "secret"> = { secret },
  timing: Partial<Timing> = {},
) {
  const clock = aClock(quiet);
  /** Feishu's, where it is not as this machine's. */
  let aheadMs = 0;
  const server = await startHookServer({ ...bot, now: () => clock.now() + aheadMs });
  afterwards(() => server.close());
  const given = settings.parse({ webhook: server.url, ...own });
  const channel = await open(given, aTools({ now: clock.now }), timing);
  afterwards(() => channel.close());
  const failure = async (): Promise<ChannelError> => {
    const error: unknown = await channel
      .post("default", aMessage(), "k", never)
      .catch((reason: unknown) => reason);
    if (!(error instanceof ChannelError)) throw new Error(`no ChannelError: ${String(error)}`);
    return error;
  };
  return {
    server,
    clock,
    given,
    channel,
    failure,
    ahead(ms: number): void {
      aheadMs = ms;
    },
    post: () => channel.post("default", aMessage(), "k", never),
  };
}

describe("settings", () => {
  test.each([
    "https://open.feishu.cn/open-apis/bot/v2/hook/0f5a3c9e-1111-4d11-8f7a-2b2b2b2b2b2b",
    "https://open.larksuite.com/open-apis/bot/v2/hook/0f5a3c9e-1111-4d11-8f7a-2b2b2b2b2b2b",
    "http://127.0.0.1:8080/open-apis/bot/v2/hook/0f5a3c9e-1111",
  ])("%s is a custom bot's webhook, Feishu's or Lark's", (webhook) => {
    expect(settings.parse({ webhook })).toEqual({ webhook });
  });

  test.each([
    "http://open.feishu.cn/open-apis/bot/v2/hook/0f5a3c9e-1111-4d11-8f7a-2b2b2b2b2b2b",
    "https://open.feishu.cn/open-apis/bot/hook/0f5a3c9e11114d118f7a2b2b2b2b2b2b",
    "https://open.feishu.cn/open-apis/bot/v2/hook/",
    "https://open.feishu.cn/open-apis/bot/v2/hook/0f5a3c9e-1111?token=1",
    "https://me:0f5a3c9e@open.feishu.cn/open-apis/bot/v2/hook/0f5a3c9e-1111",
    "0f5a3c9e-1111-4d11-8f7a-2b2b2b2b2b2b",
  ])("%s is none, and the words that say so do not repeat it", (webhook) => {
    const { error } = settings.safeParse({ webhook });
    const [issue] = error?.issues ?? [];
    expect(issue?.message).toContain("must be a custom bot's webhook: https://open.feishu.cn/");
    expect(JSON.stringify(error?.issues)).not.toContain("0f5a3c9e");
  });
});

test("field 32: whatever an agent writes, the card is plain text alone and within 20 KB", () => {
  fc.assert(
    fc.property(aNastyQuestion, (question) => {
      const message = render(questionView(aStored({ question }), evening), matrix.feishu);
      const card = JSON.stringify({
        timestamp: "1800000000",
        sign: "x".repeat(44),
        ...encode("default", message),
      });
      expect(Buffer.byteLength(card)).toBeLessThanOrEqual(20_480);
      const tags = new Set(Array.from(card.matchAll(/"tag":"([a-z_]+)"/g), ([, tag]) => tag));
      expect([...tags].sort()).toEqual(["div", "note", "plain_text"]);
    }),
    { numRuns: 150 },
  );
});

test("what may not ring is grey, and what asks is blue", async () => {
  const { channel, server } = await aBot();
  await channel.post("default", aMessage({ silent: true, headline: "✅ done" }), "k1", never);
  await channel.post("default", aMessage(), "k2", never);
  expect(server.messages.map(({ template, title }) => [template, title])).toEqual([
    ["grey", "✅ done"],
    ["blue", "Which way?"],
  ]);
});

describe("field 74: the signature", () => {
  test("is made anew for every attempt", async () => {
    const { post, server, clock } = await aBot();
    server.fail({ page: 502 });
    await expect(post()).rejects.toBeInstanceOf(ChannelError);
    // A signature of the first attempt would be too old by now.
    clock.advance(70 * minute);
    await post();
    expect(server.messages).toHaveLength(1);
    expect(server.messages[0]?.request.timestamp).toBe(String(Math.floor(clock.now() / 1_000)));
  });

  test("that a wrong clock spoils says by how much, in the same words while that is about the same", async () => {
    const { post, failure, ahead, clock } = await aBot();
    ahead(73 * minute);
    const first = await failure();
    expect(first).toMatchObject({ reason: "signature-refused", permanent: false, delivered: "no" });
    expect(first.message).toBe(
      "Feishu: the signature was refused, since this machine's clock is 73 min behind Feishu's, and a signature is good for an hour: let the system keep the time (timedatectl set-ntp true)",
    );
    clock.advance(5 * minute);
    ahead(74.6 * minute);
    expect((await failure()).message).toBe(first.message);
    ahead(-90 * minute);
    expect((await failure()).message).toContain("90 min ahead of Feishu's");
    ahead(20 * minute);
    await post();
  });

  test("that the wrong secret spoils says so, and is right as soon as the secret is", async () => {
    const { post, failure, server } = await aBot({ secret: "another one" });
    const { message, permanent, retryAfterMs } = await failure();
    expect(message).toBe(
      "Feishu: the signature was refused, and the clock is not the reason: put the secret of this very bot into channels.feishu.secret",
    );
    expect([permanent, retryAfterMs]).toEqual([false, 60_000]);
    server.set({ secret });
    await post();
  });

  test("is left out where no secret is known, and its lack is named", async () => {
    const { post, failure, server } = await aBot({}, {});
    await post();
    expect(Object.keys(server.messages[0]?.request ?? {})).toEqual(["msg_type", "card"]);
    server.set({ secret });
    expect((await failure()).message).toContain("this bot takes only signed messages");
  });
});

describe("what Feishu says", () => {
  test.each([
    [{ addresses: ["10.0.0.1"] }, "address-not-allowed", "IP whitelist", true],
    [{ keywords: ["pelican"] }, "keyword-missing", "choose signature verification instead", true],
  ] as const)("%j is the destination's fault: %s", async (bot, reason, words, closed) => {
    const { failure } = await aBot(bot);
    const error = await failure();
    expect(error).toMatchObject({ reason, closed, permanent: true, delivered: "no" });
    expect(error.message).toContain(words);
  });

  test("a bot that is gone closes the destination, and the words for it hold no webhook", async () => {
    const { server } = await aBot({});
    const webhook = server.url.replace(hookId, "0f5a3c9e-gone");
    const channel = await open({ webhook }, aTools({ now: () => quiet }));
    afterwards(() => channel.close());
    const error: unknown = await channel
      .post("default", aMessage(), "k", never)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: "no-such-hook", closed: true, delivered: "no" });
    expect(String(error)).toMatch(/^ChannelError: Feishu: there is no bot behind this webhook \(any more\)/);
    expect(String(error)).not.toContain("0f5a3c9e");
  });

  test("a message that it cannot read, or that is too long, is refused alone", async () => {
    const { failure, server, channel } = await aBot();
    server.fail({ code: 9_499 });
    expect(await failure()).toMatchObject({ reason: "malformed", permanent: true, closed: false });
    server.fail({ code: 12_345 });
    expect((await failure()).message).toBe("Feishu: the message was refused (code 12345)");
    const long = aMessage({ body: "a".repeat(20_480) });
    await expect(channel.post("default", long, "k", never)).rejects.toMatchObject({
      reason: "too-long",
      permanent: true,
    });
    expect(server.calls).toHaveLength(2);
  });

  test.each([
    // Ten seconds and as much again, spread; where that ends in a crowd, behind it.
    [quiet, 0, 10_000],
    [quiet, 0.5, 15_000],
    [Date.parse("2026-11-29T19:59:51Z"), 0, 15_000],
    [Date.parse("2026-11-29T19:59:51Z"), 0.999, 19_990],
  ])("11232 is a pause that ends in no crowd", async (start, random, pauseMs) => {
    const { failure, server, clock } = await aBot({ secret }, { secret }, { random: () => random });
    clock.advance(start - quiet);
    server.fail({ code: 11_232 });
    const error = await failure();
    expect(error).toMatchObject({ reason: "rate-limited", permanent: false, delivered: "no" });
    expect(error.retryAfterMs).toBeCloseTo(pauseMs, -1);
  });

  test("a page of somebody in between refuses nothing", async () => {
    const { failure, server, post } = await aBot();
    for (const page of [200, 302, 404, 503]) {
      server.fail({ page });
      expect(await failure()).toMatchObject({
        reason: "unavailable",
        permanent: false,
        delivered: "unknown",
      });
    }
    await post();
  });

  test("a call that hangs ends in time, and a storm of refusals ends with the storm", async () => {
    const { failure, server, post } = await aBot({ secret }, { secret }, { callMs: 300 });
    server.fail("stall");
    expect(await failure()).toMatchObject({ reason: "no-answer", permanent: false, delivered: "unknown" });
    server.fail("busy", 3);
    for (let n = 0; n < 3; n += 1) expect((await failure()).retryAfterMs).toBe(3_000);
    await post();
    expect(server.messages).toHaveLength(1);
  });
});

describe("its pace", () => {
  test("eight at once are not too fast for Feishu", async () => {
    const { channel, server } = await aBot();
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => channel.post("default", aMessage(), `k${n}`, never)),
    );
    expect(server.calls.map(({ code }) => code)).toEqual(Array(8).fill(0));
  });

  test("is at most 5 a second and 100 a minute, however many come", () => {
    let at = 0;
    const pace = pacing(() => at);
    const sent: number[] = [];
    for (let n = 0; n < 400; n += 1) {
      at += pace.next();
      sent.push(at);
      // Now and then nothing comes for a while.
      if (n % 150 === 149) at += 90_000;
    }
    const most = (ms: number) =>
      Math.max(...sent.map((from) => sent.filter((each) => each >= from && each < from + ms).length));
    expect(most(1_000)).toBe(5);
    expect(most(60_000)).toBeLessThanOrEqual(100);
    expect(most(60_000)).toBeGreaterThan(90);
    // A question never waits long for its turn.
    expect(Math.max(...sent.map((each, n) => each - (sent[n - 1] ?? 0)))).toBeLessThan(92_000);
  });

  test("however late a message went out, the next one keeps its distance", () => {
    let at = 0;
    const pace = pacing(() => at);
    expect(pace.next()).toBe(0);
    at += 190;
    pace.answered();
    expect(pace.next()).toBe(200);
  });

  test("keeps away from the full and the half hour", () => {
    const at = (clock: string) => crowdedMs(Date.parse(`2026-11-29T${clock}Z`), 0.5);
    expect(at("20:00:00")).toBe(9_000);
    expect(at("20:30:05")).toBe(4_000);
    expect(["19:59:59", "20:00:06", "20:15:00", "20:29:59"].map(at)).toEqual([0, 0, 0, 0]);
  });
});

describe("checks", () => {
  test("say that the host answers, how its clock goes and whether messages are signed, and post nothing", async () => {
    const { server, given } = await aBot();
    const found = await checks(given);
    expect(found.map(({ name, ok, warn }) => [name, ok, warn ?? false])).toEqual([
      ["host", true, false],
      ["secret", true, false],
    ]);
    expect(found[0]?.text).toBe(`${server.origin} answers`);
    expect(Math.abs((found[0]?.aheadMs ?? 0) - (quiet - Date.now()))).toBeLessThan(5_000);
    expect(server.calls).toEqual([]);
    expect(JSON.stringify(found)).not.toContain(hookId);
  });

  test("name a host that does not answer, and a bot that anybody may write as", async () => {
    const { server, given } = await aBot();
    await server.close();
    const { secret: _secret, ...unsigned } = given;
    const found = await checks(unsigned);
    expect(found).toMatchObject([
      { name: "host", ok: false, text: expect.stringMatching(/^Feishu cannot be reached/) },
      { name: "secret", ok: true, warn: true },
    ]);
  });
});
