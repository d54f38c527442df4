import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../channels/email.ts";
import { open } from "../../channels/email.ts";
import { ChannelError, type ChannelMessage } from "../../src/domain/channel.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { afterwards } from "../homes.ts";
import { eric, mara, owl, pass } from "../mail/phone.ts";
import type { SmtpFault } from "../mail/post-office.ts";
import { aMailTown } from "../mail/town.ts";

const never = new AbortController().signal;

const message: ChannelMessage = {
  headline: "Which way?",
  parts: [],
  body: "Which way?",
  plain: "Which way?",
  buttons: [],
  degraded: [],
  silent: false,
  question: aQuestionId,
};

async function failure(work: Promise<unknown>, secrets: readonly string[] = [pass]): Promise<ChannelError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ChannelError)) throw new Error(`no ChannelError: ${String(error)}`);
  const all = JSON.stringify([error.message, error.stack, error.cause, Object.entries(error)]);
  for (const secret of secrets) {
    expect(all).not.toContain(secret);
    expect(all).not.toContain(Buffer.from(secret).toString("base64"));
  }
  return error;
}

async function aPost(changes: (settings: Settings) => Settings = (settings) => settings) {
  const town = await aMailTown();
  const channel = await open(changes(town.settings), aTools());
  afterwards(() => channel.close());
  const post = (to = eric, key = "k1") => channel.post(to, message, key, never);
  return { ...town, channel, post };
}

describe("what the outgoing server refuses", () => {
  const cases: readonly (readonly [string, SmtpFault, Partial<ChannelError>, string])[] = [
    [
      "a wrong password",
      { on: "auth", how: { code: 535, text: "5.7.8 no" } },
      { reason: "login-refused", permanent: false, delivered: "no" },
      "app password",
    ],
    [
      "too many logins",
      { on: "auth", how: { code: 454, text: "4.7.0 too many" } },
      { reason: "login-later", permanent: false, delivered: "no" },
      "454",
    ],
    [
      "greylisting",
      { on: "to", how: { code: 451, text: "4.7.1 Greylisted for 5 minutes" } },
      { reason: "later", permanent: false, closed: false, delivered: "no", retryAfterMs: 300_000 },
      "Greylisted",
    ],
    [
      "a server that shuts down",
      { on: "to", how: { code: 421, text: "4.3.2 shutting down" } },
      { reason: "later", permanent: false, closed: false, delivered: "no" },
      "421",
    ],
    [
      "an unknown address",
      { on: "to", how: { code: 550, text: "5.1.1 no such user" } },
      { reason: "refused", permanent: true, closed: true, delivered: "no" },
      "no such user",
    ],
    [
      "a full mailbox",
      { on: "to", how: { code: 552, text: "5.2.2 Mailbox full" } },
      { reason: "refused", permanent: true, closed: true, delivered: "no" },
      "Mailbox full",
    ],
    [
      "an address that is not ours",
      { on: "from", how: { code: 553, text: "5.7.1 not owned by user" } },
      { reason: "sender-refused", permanent: false, delivered: "no" },
      "channels.email.from",
    ],
    [
      "no relaying",
      { on: "to", how: { code: 554, text: "5.7.1 Relay access denied" } },
      { reason: "no-relay", permanent: false, closed: false, delivered: "no" },
      "login",
    ],
    [
      "a login that is missing",
      { on: "from", how: { code: 530, text: "5.7.0 Authentication required" } },
      { reason: "login-refused", permanent: false, delivered: "no" },
      "smtp.user",
    ],
    [
      "a mail that is too large",
      { on: "data", how: { code: 552, text: "5.3.4 too big" } },
      { reason: "too-long", permanent: true, closed: false, delivered: "no" },
      "larger",
    ],
    [
      "a mail that looks like junk",
      { on: "data", how: { code: 554, text: "5.7.1 spam" } },
      { reason: "refused", permanent: true, closed: false, delivered: "no" },
      "spam",
    ],
    [
      "a line that breaks",
      { on: "data", how: "swallow" },
      { permanent: false, delivered: "unknown" },
      "reached",
    ],
    [
      "something else that answers",
      { on: "connect", how: "garbage" },
      { reason: "unavailable", permanent: false, delivered: "unknown" },
      "no mail server",
    ],
  ];

  test.each(cases)("%s", async (_what, fault, wanted, words) => {
    const { smtp, post } = await aPost();
    smtp.fail(fault);
    const error = await failure(post());
    expect(error).toMatchObject(wanted);
    expect(error.message).toContain(words);
    await post(eric, "k2");
    expect(smtp.taken.at(-1)?.to).toEqual([eric]);
  });

  test("what a server repeats of the password is not told on", async () => {
    const { smtp, post } = await aPost();
    smtp.fail({ on: "to", how: { code: 550, text: `5.7.1 ${pass} is no password` } });
    expect((await failure(post())).message).toBe("Mail: no mail is taken for this address (550 5.7.1)");
  });

  test("nobody is there", async () => {
    const { smtp, post } = await aPost();
    await smtp.close();
    expect(await failure(post())).toMatchObject({ reason: "unreachable", permanent: false, delivered: "no" });
  });

  test("a server without TLS gets no password", async () => {
    const { smtp, post } = await aPost((settings) => ({
      ...settings,
      smtp: { ...settings.smtp, insecure: false },
    }));
    expect(await failure(post())).toMatchObject({ reason: "no-encryption", permanent: false });
    expect(smtp.taken).toEqual([]);
  });

  test("a certificate or key file that is not there is named by its setting", async () => {
    const { post } = await aPost((settings) => ({
      ...settings,
      smtp: { ...settings.smtp, ca: "/nowhere/ca.pem" },
    }));
    expect((await failure(post())).message).toContain("channels.email.smtp.ca: /nowhere/ca.pem (ENOENT)");
  });

  test("a server that holds the line for ever is left when the sender stops waiting", async () => {
    const { smtp, channel } = await aPost();
    smtp.fail({ on: "data", how: "stall" });
    const stop = new AbortController();
    const sending = failure(channel.post(eric, message, "k1", stop.signal));
    setTimeout(() => stop.abort(), 300);
    expect(await sending).toMatchObject({ reason: "stopped", delivered: "unknown" });
  });

  test("one recipient who is refused holds up nobody else", async () => {
    const { smtp, post, inbox } = await aPost();
    smtp.fail({ on: "to", how: { code: 550, text: "5.1.1 no" }, to: mara });
    expect(await failure(post(mara))).toMatchObject({ closed: true });
    await post(eric);
    expect(inbox(eric)).toHaveLength(1);
  });
});

describe("OAuth2", () => {
  async function aTokenServer(answer: (grant: URLSearchParams) => { status: number; body: object }) {
    const asked: URLSearchParams[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        const grant = new URLSearchParams(text);
        asked.push(grant);
        const { status, body } = answer(grant);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    afterwards(() => new Promise<void>((closed) => server.close(() => closed())));
    return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token` };
  }

  const withOauth = (settings: Settings, oauth: NonNullable<Settings["oauth"]>): Settings => ({
    ...settings,
    oauth,
    smtp: { host: "127.0.0.1", insecure: true, port: settings.smtp.port },
    imap: { host: "127.0.0.1", insecure: true, port: settings.imap.port, mailbox: "INBOX" },
  });

  test("one access token opens both servers", async () => {
    const town = await aMailTown();
    town.tokens.add("TEST-access-1");
    const channel = await open(withOauth(town.settings, { access_token: "TEST-access-1" }), aTools());
    afterwards(() => channel.close());
    await channel.post(eric, message, "k1", never);
    expect((await channel.poll?.(undefined, never))?.replies).toEqual([]);
    expect(town.inbox(eric)).toHaveLength(1);
  });

  test("a token is renewed before it runs out, and where it is refused", async () => {
    let issued = 0;
    const town = await aMailTown();
    const { asked, url } = await aTokenServer(() => {
      issued += 1;
      town.tokens.add(`TEST-access-${issued}`);
      return { status: 200, body: { access_token: `TEST-access-${issued}`, expires_in: 3_600 } };
    });
    let now = 0;
    const oauth = {
      client_id: "id",
      client_secret: "TEST-secret",
      refresh_token: "TEST-refresh",
      token_url: url,
    };
    const channel = await open(withOauth(town.settings, oauth), aTools({ now: () => now }));
    afterwards(() => channel.close());
    await channel.post(eric, message, "k1", never);
    await channel.poll?.(undefined, never);
    expect(asked).toHaveLength(1);
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      grant_type: "refresh_token",
      client_id: "id",
      client_secret: "TEST-secret",
      refresh_token: "TEST-refresh",
    });
    now += 3_599_000;
    await channel.post(eric, message, "k2", never);
    expect(asked).toHaveLength(2);
    town.tokens.clear();
    const error = await failure(channel.post(eric, message, "k3", never), ["TEST-access-2", "TEST-refresh"]);
    expect(error).toMatchObject({ reason: "login-refused", permanent: false });
    await channel.post(eric, message, "k3", never);
    expect(town.inbox(eric)).toHaveLength(3);
  });

  test("a consent that was withdrawn is named, and no token", async () => {
    const town = await aMailTown();
    const { url } = await aTokenServer(() => ({
      status: 400,
      body: { error: "invalid_grant", error_description: "TEST-refresh is dead" },
    }));
    const oauth = { client_id: "id", refresh_token: "TEST-refresh", token_url: url };
    const channel = await open(withOauth(town.settings, oauth), aTools());
    afterwards(() => channel.close());
    const secrets = ["TEST-refresh"];
    const error = await failure(channel.post(eric, message, "k1", never), secrets);
    expect(error).toMatchObject({ reason: "login-refused", permanent: false });
    expect(error.message).toContain("status 400");
    expect(await failure(channel.poll?.(undefined, never) ?? Promise.resolve(), secrets)).toMatchObject({
      reason: "login-refused",
    });
  });
});

test("the envelope is our own address, and the name stands beside it", async () => {
  const { post, inbox } = await aPost((settings) => ({ ...settings, name: "Eule, die „Post“" }));
  await post();
  const [taken] = inbox(eric);
  expect(taken?.from).toBe(owl);
  expect(taken?.mail.from).toMatchObject({ address: owl, name: "Eule, die „Post“" });
});
