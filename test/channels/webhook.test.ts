import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signature } from "../../channels/webhook/signature.ts";
import { checks, encode, type Format, open, type Settings, settings } from "../../channels/webhook.ts";
import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { noticeView, questionView } from "../../src/core/view.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { View } from "../../src/domain/view.ts";
import { aStored, aTools, evening, hour, minute } from "../builders.ts";
import { aClock, afterwards } from "../homes.ts";
import { aNastyQuestion } from "../renderers/arbitraries.ts";
import { cases, caseView } from "../renderers/cases.ts";
import { hostile } from "../renderers/hostile.ts";
import { nightViews } from "../renderers/night-cases.ts";
import { aMessage, never } from "../telegram/phone.ts";
import { bodySchema, type ReceiverFault, startReceiver } from "../webhook/receiver.ts";

const secret = "TEST-only-not-the-secret-of-a-receiver";

async function aHook(given: { format?: Format; signed?: boolean; callMs?: number } = {}) {
  const { format = "owlpost", signed = true, callMs = 15_000 } = given;
  const clock = aClock();
  const receiver = await startReceiver({
    kind: format,
    now: clock.now,
    ...(signed && format === "owlpost" ? { secret } : {}),
  });
  afterwards(() => receiver.close());
  const own: Settings = settings.parse({ url: receiver.url, format, ...(signed ? { secret } : {}) });
  const channel = await open(own, aTools({ now: clock.now }), { callMs });
  afterwards(() => channel.close());
  const failure = async (): Promise<ChannelError> => {
    const error: unknown = await channel
      .post("default", aMessage(), "k", never)
      .catch((reason: unknown) => reason);
    if (!(error instanceof ChannelError)) throw new Error(`no ChannelError: ${String(error)}`);
    return error;
  };
  return { receiver, clock, own, channel, failure };
}

const views: readonly (readonly [string, View])[] = [
  ...Object.keys(cases).map((name) => [name, caseView(name)] as const),
  ...Object.entries(nightViews),
  ["notice", noticeView("run-complete", "5 of 5 specs done.")],
];

/** As the sender hands it on. */
function aRendered(view: View, format: Format) {
  const message = render(view, rowOf("webhook", { format }));
  return "id" in view ? { ...message, question: view.id } : message;
}

describe("settings", () => {
  test("take an address, a secret that is long enough, and one of three formats", () => {
    const url = "https://example.org/owl";
    expect(settings.parse({ url })).toEqual({ url, format: "owlpost" });
    const issues = settings.safeParse({ url: "ftp://example.org", secret: "short", format: "teams" }).error
      ?.issues;
    expect(issues?.map(({ message }) => message)).toEqual([
      "must be a URL such as https://example.org/owlpost",
      "must be a secret of at least 16 characters, such as openssl rand -hex 32 gives",
      "must be owlpost, slack or discord",
    ]);
  });
});

test.each([
  [
    { url: "https://discord.com/api/webhooks/1/abc" },
    "format: must be discord: discord.com takes no other form",
  ],
  [
    { url: "https://hooks.slack.com/services/T/B/x", format: "discord" },
    "format: must be slack: hooks.slack.com takes no other form",
  ],
  [
    { url: "https://owl:TEST@example.org/owl" },
    "url: must hold no name and password, which are not sent: let the receiver check the signature",
  ],
])("%o could never arrive, and is refused", (given, words) => {
  const { error } = settings.safeParse(given);
  expect(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([words]);
});

describe("owlpost's own form", () => {
  test("is taken by a receiver that checks all of it, whatever stands in it", async () => {
    const { channel, receiver } = await aHook();
    for (const [name, view] of views) await channel.post("default", aRendered(view, "owlpost"), name, never);
    expect(receiver.received.map(({ id }) => id)).toEqual(views.map(([name]) => name));
    const [first] = receiver.received;
    expect(first?.read).toMatchObject({ type: "question", question: "q-a3f2-012-1", silent: false });
    expect(receiver.received.at(-1)?.read).toMatchObject({
      type: "notice",
      headline: "🦉 The run is complete",
    });
  });

  test("names what a follow-up follows by the id that this had", async () => {
    const { channel, receiver } = await aHook();
    const question = "q-a3f2-012-1" as QuestionId;
    const follows = await channel.post("default", aMessage({ question }), `${question}/post/4097`, never);
    const text = "✅ Answered: 1";
    await channel.post("default", aMessage({ question, follows, silent: true, body: text }), "k2", never);
    expect(receiver.received[1]?.read).toMatchObject({
      type: "follow-up",
      question,
      follows: receiver.received[0]?.id,
      silent: true,
      text,
    });
  });

  test("comes once by its id when the reply to it was lost", async () => {
    const { channel, failure, receiver } = await aHook();
    receiver.fail("swallow");
    expect(await failure()).toMatchObject({ delivered: "unknown", permanent: false });
    await channel.post("default", aMessage(), "k", never);
    expect(receiver.received.map(({ id, times }) => [id, times])).toEqual([["k", 2]]);
  });
});

describe("the signature", () => {
  test("is HMAC-SHA256 over time and body, as another implementation computes it", async () => {
    const { channel, receiver, clock } = await aHook();
    await channel.post("default", aMessage({ body: "Größe: 界 👩‍🚀 \u2028" }), "k", never);
    const [received] = receiver.received;
    const t = Math.floor(clock.now() / 1_000);
    const text = new TextEncoder();
    const how = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", text.encode(secret), how, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", key, text.encode(`${t}.${received?.body}`));
    const expected = `t=${t},v1=${Buffer.from(mac).toString("hex")}`;
    expect(received?.headers["owlpost-signature"]).toBe(expected);
    expect(signature(secret, received?.body ?? "", clock.now())).toBe(expected);
  });

  test("is made anew for every attempt, and an old one is not taken", async () => {
    const { channel, failure, receiver, clock } = await aHook();
    receiver.fail({ status: 503 });
    await failure();
    clock.advance(10 * minute);
    await channel.post("default", aMessage(), "k", never);
    expect(receiver.received).toHaveLength(1);
    const headers = {
      "content-type": "application/json",
      "idempotency-key": "k",
      "owlpost-signature": String(receiver.received[0]?.headers["owlpost-signature"]),
    };
    const again = (body: string) => fetch(receiver.url, { method: "POST", headers, body });
    const body = receiver.received[0]?.body ?? "";
    expect((await again(body)).status).toBe(200);
    expect((await again(body.replace("Which", "What"))).status).toBe(401);
    clock.advance(10 * minute);
    expect((await again(body)).status).toBe(401);
  });

  test("is left out where no secret is shared", async () => {
    const { channel, receiver } = await aHook({ signed: false });
    await channel.post("default", aMessage(), "k", never);
    expect(receiver.received[0]?.headers["owlpost-signature"]).toBeUndefined();
  });
});

describe.each(["slack", "discord"] as const)("the %s form", (format) => {
  test("is taken by a receiver as strict as the platform, whatever stands in it", async () => {
    const { channel, receiver } = await aHook({ format });
    for (const [name, view] of views) await channel.post("default", aRendered(view, format), name, never);
    expect(receiver.received.map(({ id }) => id)).toEqual(views.map(([name]) => name));
    expect(receiver.calls.every(({ status }) => status === (format === "discord" ? 204 : 200))).toBe(true);
  });

  test("field 32: quoted text pings nobody, and no question is too long for it", async () => {
    const { channel, receiver } = await aHook({ format });
    for (const { id, text } of hostile) {
      const view = caseView("seed-example");
      const message = aRendered(
        { ...view, context: text, tried: `<!channel> @everyone <@U1> ${text}` },
        format,
      );
      await channel.post("default", message, id, never);
    }
    expect(receiver.received).toHaveLength(hostile.length);
    fc.assert(
      fc.property(aNastyQuestion, (question) => {
        const message = aRendered(questionView(aStored({ question }), evening), format);
        const sent = encode("default", message, undefined, format) as {
          text?: string;
          content?: string;
          embeds?: readonly { description: string }[];
        };
        if (format === "slack") {
          expect(sent.text?.length).toBeLessThanOrEqual(4_000);
          expect(sent.text).not.toMatch(/<[!@#]/);
          expect(sent.text).not.toMatch(/(?<![A-Za-z0-9_])@[A-Za-z0-9]/);
          return;
        }
        expect(sent).toMatchObject({ allowed_mentions: { parse: [] } });
        expect(sent.content?.length).toBeLessThanOrEqual(2_000);
        expect(sent.embeds?.[0]?.description.length).toBeLessThanOrEqual(4_096);
      }),
      { numRuns: 100 },
    );
  });
});

test("a message that may not ring comes to Discord without a notification", () => {
  const silent = encode("default", aMessage({ silent: true }), undefined, "discord");
  expect(silent).toMatchObject({ flags: 4_096 });
  expect(encode("default", aMessage(), undefined, "discord")).not.toHaveProperty("flags");
});

describe("what the receiver says", () => {
  test.each([
    [401, "not-allowed"],
    [403, "not-allowed"],
    [404, "no-such-hook"],
    [410, "gone"],
    [301, "redirected"],
  ])("%i closes the destination: %s", async (status, reason) => {
    const { failure, receiver, own } = await aHook();
    receiver.fail({ status });
    const error = await failure();
    expect(error).toMatchObject({ reason, closed: true, permanent: true, delivered: "no" });
    expect(error.message).not.toContain(own.url);
  });

  test.each([
    [400, "refused"],
    [405, "refused"],
    [413, "too-long"],
    [422, "refused"],
  ])("%i refuses this message: %s", async (status, reason) => {
    const { failure, receiver } = await aHook();
    receiver.fail({ status });
    expect(await failure()).toMatchObject({ reason, closed: false, permanent: true, delivered: "no" });
  });

  test.each([
    [408, "no-answer", "unknown"],
    [425, "too-early", "no"],
    [429, "rate-limited", "no"],
    [500, "unavailable", "unknown"],
    [503, "unavailable", "unknown"],
  ])("%i passes: %s", async (status, reason, delivered) => {
    const { failure, receiver, channel } = await aHook();
    receiver.fail({ status });
    const error = await failure();
    expect(error).toMatchObject({ reason, permanent: false, delivered });
    expect(error.retryAfterMs).toBeUndefined();
    await channel.post("default", aMessage(), "k", never);
    expect(receiver.received).toHaveLength(1);
  });

  test("a pause is asked for in seconds, in parts of one, or by a date on the receiver's own clock", async () => {
    const { failure, receiver, clock } = await aHook();
    const pauseOf = async (value: string) => {
      receiver.fail({ status: 429, headers: { "retry-after": value } });
      return (await failure()).retryAfterMs;
    };
    expect(await pauseOf("7")).toBe(7_000);
    expect(await pauseOf("0.65")).toBe(650);
    expect(await pauseOf(new Date(clock.now() + 90_000).toUTCString())).toBe(90_000);
    expect(await pauseOf(new Date(clock.now() - hour).toUTCString())).toBeUndefined();
    expect(await pauseOf("soon")).toBeUndefined();
  });

  test("a redirect is not followed: what is signed for one receiver goes to no other", async () => {
    const { failure, receiver } = await aHook();
    const other = await startReceiver();
    afterwards(() => other.close());
    for (const status of [301, 302, 307, 308]) {
      receiver.fail({ status, headers: { location: other.url } });
      expect((await failure()).message).toContain("put the last address into channels.webhook.url");
    }
    expect(other.calls).toEqual([]);
  });

  test.each<[string, ReceiverFault, object]>([
    ["a line that breaks", "reset", { reason: "unreachable", delivered: "unknown" }],
    ["a reply that never comes", "stall", { reason: "no-answer", delivered: "unknown" }],
  ])("%s is no refusal, and the next attempt works", async (_what, how, expected) => {
    const { failure, receiver, channel } = await aHook({ callMs: 300 });
    receiver.fail(how);
    expect(await failure()).toMatchObject({ permanent: false, ...expected });
    await channel.post("default", aMessage(), "k", never);
    expect(receiver.received).toHaveLength(1);
  });

  test("a receiver that takes the message and then says no more has taken it", async () => {
    let taken = 0;
    const server = createServer((incoming, outgoing) => {
      taken += 1;
      incoming.resume();
      outgoing.writeHead(200, { "content-length": "1000" });
      outgoing.write("half of wh");
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    afterwards(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const channel = await open(settings.parse({ url }), aTools(), { callMs: 300 });
    afterwards(() => channel.close());
    expect(await channel.post("default", aMessage(), "k", never)).toBe("k");
    expect(taken).toBe(1);
  });

  test("nobody there is named without the address", async () => {
    const { failure, receiver, own } = await aHook();
    await receiver.close();
    const error = await failure();
    expect(error).toMatchObject({ reason: "unreachable", delivered: "no", permanent: false });
    expect(error.message).toBe("Webhook: the receiver cannot be reached (ECONNREFUSED)");
    expect(error.message).not.toContain(own.url);
  });
});

describe("checks", () => {
  test("ask the host alone, send nothing to anybody, and say what is missing", async () => {
    const { receiver, own } = await aHook();
    const found = await checks(own);
    expect(found).toMatchObject([
      { name: "host", ok: true, text: `${receiver.origin} answers; messages go out as owlpost` },
      { name: "secret", ok: true },
    ]);
    expect(found[0]?.aheadMs).toBeTypeOf("number");
    expect(receiver.calls).toEqual([{ method: "HEAD", path: "/", status: 404 }]);
    const { secret: _secret, ...unsigned } = own;
    expect((await checks(unsigned))[1]).toMatchObject({ name: "secret", warn: true });
    expect(await checks({ ...unsigned, format: "discord" })).toHaveLength(1);
    await receiver.close();
    expect((await checks(own))[0]).toMatchObject({ name: "host", ok: false });
  });
});

test("the golden bodies and the schema of the documentation are one", () => {
  const body = encode("default", aRendered(caseView("answered"), "owlpost"));
  expect(bodySchema.safeParse({ id: "k", ...body }).success).toBe(true);
  expect(bodySchema.safeParse(body).success).toBe(false);
});
