import { Resolver as NodeResolver } from "node:dns/promises";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import type { Email } from "postal-mime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Resolver } from "../../channels/email/read.ts";
import { checks, open, type Settings, settings } from "../../channels/email.ts";
import { channelTools } from "../../src/app/tokens.ts";
import { ChannelError } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig, aDocument, aTools, minute } from "../builders.ts";
import { afterwards, aHome, aService, until } from "../homes.ts";
import { parseMail } from "../mail/phone.ts";
import { addressOf, domain, type MailSystem, passwordOf, startMailSystem } from "./mail-system.ts";

let mail: MailSystem;
beforeAll(async () => {
  mail = await startMailSystem();
  for (const account of ["owl", "eric", "mara"]) mail.add(account);
}, 60_000);
afterAll(async () => {
  await mail?.stop();
});

const owl = addressOf("owl");
const eric = addressOf("eric");
const never = new AbortController().signal;

/** Node's own, which asks the DNS of the mail system. */
function dns(): Resolver {
  const resolver = new NodeResolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${mail.ports.dns}`]);
  return async (name, type) => (type === "TXT" ? resolver.resolveTxt(name) : resolver.resolve4(name));
}

function set(changes: Record<string, unknown> = {}, account = "owl"): Settings {
  const login = { host: "localhost", pass: passwordOf(account), ca: mail.ca };
  return settings.parse({
    from: addressOf(account),
    to: [eric],
    smtp: { ...login, port: mail.ports.submission },
    imap: { ...login, port: mail.ports.imaps, secure: true },
    authserv_id: `mx.${domain}`,
    ...changes,
  });
}

type Person = {
  readonly inbox: () => Promise<readonly Email[]>;
  readonly finds: (...words: readonly string[]) => Promise<Email>;
  /** Through submission, so that the mail is signed. */
  readonly answers: (to: Email, text: string) => Promise<void>;
};

async function mailClient(account: string): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: "localhost",
    port: mail.ports.imaps,
    secure: true,
    tls: { ca: await caText() },
    auth: { user: addressOf(account), pass: passwordOf(account) },
    logger: false,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function person(account: string): Promise<Person> {
  const client = await mailClient(account);
  afterwards(() => client.logout().catch(() => undefined));
  await client.mailboxOpen("INBOX");
  const inbox = async (): Promise<readonly Email[]> => {
    await client.noop();
    const rows = await client.fetchAll("1:*", { source: true });
    return Promise.all(rows.flatMap(({ source }) => (source ? [parseMail(source as Buffer)] : [])));
  };
  const holds = (each: Email, words: readonly string[]): boolean =>
    words.every((word) => `${each.subject}\n${each.text}`.includes(word));
  return {
    inbox,
    async finds(...words) {
      let all: readonly Email[] = [];
      await until(
        async () => {
          all = await inbox();
          return all.map(({ subject }) => subject);
        },
        () => all.some((each) => holds(each, words)),
      );
      const found = all.findLast((each) => holds(each, words));
      if (!found) throw new Error(`no mail holds ${words.join(" + ")}`);
      return found;
    },
    answers: (to, text) => submit(account, replyTo(to, text)),
  };
}

async function caText(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(mail.ca, "utf8");
}

function replyTo(to: Email, text: string) {
  const quoted = (to.text ?? "").split("\n").map((line) => `> ${line}`);
  return {
    to: to.replyTo?.[0]?.address ?? owl,
    subject: `Re: ${to.subject}`,
    inReplyTo: to.messageId ?? "",
    references: [to.references, to.messageId].filter((each) => each !== undefined).join(" "),
    text: [text, "", "Eric wrote:", ...quoted].join("\n"),
  };
}

type Written = ReturnType<typeof replyTo> & { readonly headers?: Record<string, string> };

async function submit(account: string, written: Written): Promise<void> {
  const transport = createTransport({
    host: "localhost",
    port: mail.ports.submission,
    requireTLS: true,
    tls: { ca: await caText() },
    auth: { user: addressOf(account), pass: passwordOf(account) },
  });
  await transport.sendMail({ from: addressOf(account), ...written });
  transport.close();
}

/** On the plain port, as anybody on the internet can. */
async function forge(written: Written | { readonly raw: Buffer; readonly to: string }): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: mail.ports.smtp, ignoreTLS: true });
  const envelope = { from: eric, to: [written.to] };
  await transport.sendMail(
    "raw" in written ? { envelope, raw: written.raw } : { from: eric, ...written, envelope },
  );
  transport.close();
}

let houses = 0;

/** A service with a mailbox of its own. */
async function aHouse(changes: Record<string, unknown> = {}) {
  houses += 1;
  const account = `owl${houses}`;
  mail.add(account);
  const home = aHome();
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const store = await openStore(join(home, "owlpost.db"));
  const tools = await channelTools(store, now);
  await store.close();
  const given = set(changes, account);
  const start = async () => {
    const channel = await open(given, tools, { waitMs: 3_000, checkMs: 60_000, resolver: dns() });
    return aService({
      home,
      now,
      config: aConfig({ deliver: ["email", "inbox"], channels: { inbox: { port: 0 }, email: given } }),
      channels: new Map([["email", channel]]),
    });
  };
  let service = await start();
  let count = 0;
  return {
    account,
    /** Time goes by, by the clock of this house alone. */
    advance(ms: number): void {
      aheadMs += ms;
    },
    get service() {
      return service;
    },
    async restart(meanwhile: () => void | Promise<void>) {
      await service.close();
      await meanwhile();
      service = await start();
    },
    async asks(title: string): Promise<QuestionId> {
      count += 1;
      const document = aDocument({
        task: `${String(count).padStart(3, "0")}-${home
          .slice(-4)
          .toLowerCase()
          .replace(/[^a-z0-9]/g, "x")}`,
        title,
        default: { action: "skip_spec", at: "8h" },
      });
      const asked = await service.owlpost.ask({ document });
      if (!asked.ok) throw new Error(JSON.stringify(asked));
      return asked.id;
    },
    becomes: (id: QuestionId, state: string) =>
      until(
        async () => (await service.store.question(id))?.state,
        (is) => is === state,
      ),
    events: async (kind: string) =>
      (await service.owlpost.events(0, 10_000)).filter((event) => event.kind === kind),
    refused: async () =>
      (await service.store.health()).find(({ channel }) => channel === "email")?.refused ?? [],
  };
}

/** What lies in a mailbox, raw. */
async function rawMails(account: string): Promise<readonly { readonly uid: number; readonly raw: Buffer }[]> {
  const client = await mailClient(account);
  await client.mailboxOpen("INBOX", { readOnly: true });
  const rows = await client.fetchAll("1:*", { uid: true, source: true });
  await client.logout();
  return rows.flatMap(({ uid, source }) => (source ? [{ uid, raw: source as Buffer }] : []));
}

describe("the whole road", () => {
  test("a question goes out, a signed reply comes back, and what became of it follows in the thread", async () => {
    const house = await aHouse({ to: [eric, addressOf("mara")] });
    const [him, her] = [await person("eric"), await person("mara")];
    const id = await house.asks("Which road shall the whole test take?");
    const question = await him.finds(`[${id}]`, "whole test");
    expect(question.replyTo?.[0]?.address).toContain(`+${id}.`);
    // OpenDKIM has signed what was submitted.
    expect(question.headers.some(({ key }) => key === "dkim-signature")).toBe(true);
    await him.answers(question, "2\n\nbecause it is shorter");
    await house.becomes(id, "answered");
    const receipt = await him.finds("Answered: 2");
    expect(receipt.references?.split(" ")[0]).toBe(question.references);
    const hers = await her.finds(`[${id}]`, "owlpost needs a decision");
    const followUp = await her.finds(id, "✅ Answered: 2");
    expect(followUp).toMatchObject({ inReplyTo: hers.messageId, subject: `Re: ${hers.subject}` });
    // Nobody's flags were touched.
    const { stored } = { stored: await house.service.store.question(id) };
    expect(stored?.answer).toMatchObject({ option: "2", by: eric, via: "email" });
  });

  test("a restart in between: what came meanwhile is an answer", async () => {
    const house = await aHouse();
    const him = await person("eric");
    const id = await house.asks("What if nobody listens for a while?");
    const question = await him.finds(`[${id}]`);
    await house.restart(() => him.answers(question, "1"));
    await house.becomes(id, "answered");
  });
});

describe("who is believed", () => {
  test("a forgery on the plain port is set aside, whatever it claims about itself", async () => {
    const house = await aHouse();
    const him = await person("eric");
    const id = await house.asks("Is a forged answer an answer?");
    const question = await him.finds(`[${id}]`);
    const claim = {
      "Authentication-Results": `mx.${domain}; dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}`,
    };
    await forge({ ...replyTo(question, "1"), headers: claim });
    await until(
      () => house.events("reply.quarantined"),
      (events) => events.length === 1,
    );
    expect((await house.service.store.question(id))?.state).toBe("posted");
  });

  test("a signed mail whose body was changed is set aside, and the genuine one is taken", async () => {
    const house = await aHouse();
    const him = await person("eric");
    const id = await house.asks("Is a tampered answer an answer?");
    const question = await him.finds(`[${id}]`);
    await house.restart(async () => {
      await him.answers(question, "/help");
      const signed = await until(
        () => rawMails(house.account),
        (all) => all.some(({ raw }) => raw.includes(`[${id}]`)),
      );
      const raw = signed.findLast((each) => each.raw.includes(`[${id}]`))?.raw.toString("latin1") ?? "";
      const from = raw.indexOf("DKIM-Signature:");
      const tampered = raw.slice(from).replace("\r\n/help\r\n", "\r\n1\r\n");
      expect(tampered).not.toBe(raw.slice(from));
      await forge({ raw: Buffer.from(tampered, "latin1"), to: question.replyTo?.[0]?.address ?? "" });
    });
    await until(
      () => house.events("reply.quarantined"),
      (events) => events.length === 1,
    );
    expect((await house.service.store.question(id))?.state).toBe("posted");
    await him.finds(`[${id}]`, "Tap a button");
  });

  test("while the DNS is down, a signed answer waits for it", async () => {
    const house = await aHouse({ authserv_id: undefined });
    const him = await person("eric");
    const id = await house.asks("Who proves it when the DNS is down?");
    const question = await him.finds(`[${id}]`);
    await mail.stopDns();
    try {
      await submitWithoutMilter(replyTo(question, "1"));
      const asked = await until(
        async () => house.service.store.cursor("email"),
        (cursor) => /\d+\/1\/\d+$/.test(cursor ?? ""),
      );
      expect(asked).toBeDefined();
      expect((await house.service.store.question(id))?.state).toBe("posted");
      expect(await house.events("reply.quarantined")).toEqual([]);
    } finally {
      await mail.startDns();
    }
    house.advance(2 * minute);
    await house.becomes(id, "answered");
  });

  /** A copy of a mail that was signed while the DNS was there, straight into the mailbox. */
  async function submitWithoutMilter(written: Written): Promise<void> {
    const transport = createTransport({
      host: "127.0.0.1",
      port: mail.ports.lmtp,
      lmtp: true,
      ignoreTLS: true,
    });
    await transport.sendMail({
      from: eric,
      ...written,
      envelope: { from: eric, to: [written.to] },
      dkim: { domainName: domain, keySelector: "s1", privateKey: mail.signingKey },
    });
    transport.close();
  }
});

describe("refusals", () => {
  const post = async (to: string, given = set()) => {
    const channel = await open(given, aTools());
    afterwards(() => channel.close());
    const text = "Which way?";
    const message = {
      headline: text,
      parts: [],
      body: text,
      plain: text,
      buttons: [],
      degraded: [],
      silent: false,
    };
    const error: unknown = await channel
      .post(to, message, `k-${to}`, never)
      .catch((reason: unknown) => reason);
    if (!(error instanceof ChannelError)) throw new Error(`no ChannelError: ${String(error)}`);
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(passwordOf("owl"));
    return error;
  };

  test("later, full and down", async () => {
    expect(await post(`later@${domain}`)).toMatchObject({
      reason: "later",
      permanent: false,
      delivered: "no",
      retryAfterMs: 30_000,
    });
    expect(await post(`full@${domain}`)).toMatchObject({ reason: "refused", closed: true, delivered: "no" });
    expect(await post(`down@${domain}`)).toMatchObject({ permanent: false, closed: false });
  });

  test("without a login nothing is relayed", async () => {
    const given = set({ smtp: { host: "127.0.0.1", port: mail.ports.smtp, insecure: true } });
    expect(await post("somebody@elsewhere.test", given)).toMatchObject({
      reason: "no-relay",
      permanent: false,
    });
  });

  test("wrong passwords", async () => {
    const wrong = { host: "localhost", user: owl, pass: "wrong-TEST", ca: mail.ca };
    expect(await post(eric, set({ smtp: { ...wrong, port: mail.ports.submission } }))).toMatchObject({
      reason: "login-refused",
      permanent: false,
      delivered: "no",
    });
    const channel = await open(set({ imap: { ...wrong, port: mail.ports.imap } }), aTools());
    afterwards(() => channel.close());
    await expect(channel.poll?.(undefined, never)).rejects.toMatchObject({ reason: "login-refused" });
  });

  test("a certificate that nobody has vouched for", async () => {
    const bare = { host: "localhost", user: owl, pass: passwordOf("owl") };
    expect(await post(eric, set({ smtp: { ...bare, port: mail.ports.submission } }))).toMatchObject({
      reason: "no-encryption",
    });
    const channel = await open(set({ imap: { ...bare, port: mail.ports.imaps, secure: true } }), aTools());
    afterwards(() => channel.close());
    await expect(channel.poll?.(undefined, never)).rejects.toMatchObject({ reason: "no-encryption" });
  });

  test("a mail that comes back shuts its destination", async () => {
    const house = await aHouse({ to: [eric, `nobody@${domain}`] });
    const id = await house.asks("Who is nobody?");
    await until(house.refused, (list) => list.length > 0);
    expect(await house.refused()).toMatchObject([{ destination: `nobody@${domain}` }]);
    expect((await house.service.store.question(id))?.state).toBe("posted");
  });
});

describe("the incoming line", () => {
  test("whoever is thrown out comes back, and misses nothing", async () => {
    const house = await aHouse();
    const him = await person("eric");
    const id = await house.asks("What if the line is cut?");
    const question = await him.finds(`[${id}]`);
    mail.kick(house.account);
    await him.answers(question, "1");
    await house.becomes(id, "answered");
  });

  test("a mailbox that is counted anew is read again, without a second effect", async () => {
    const house = await aHouse();
    const him = await person("eric");
    const [first, second] = [await house.asks("Counted before?"), await house.asks("Counted after?")];
    await him.answers(await him.finds(`[${first}]`), "1");
    await house.becomes(first, "answered");
    const before = (await house.service.store.cursor("email"))?.split(" ")[1];
    await him.finds(`[${first}]`, "Answered: 1");
    const answered = async () =>
      (await him.inbox()).filter(
        (each) => each.subject?.includes(`[${first}]`) && each.text?.includes("Answered: 1"),
      );
    expect(await answered()).toHaveLength(1);
    // Dovecot names a count by the second in which it began, so within that second it would name two alike.
    await until(
      () => Math.floor(Date.now() / 1_000),
      (second) => second > Number(before),
    );
    await house.restart(() => {
      for (const name of readdirSync(mail.maildir(house.account))) {
        if (/^dovecot[-.]/.test(name)) rmSync(join(mail.maildir(house.account), name));
      }
    });
    await him.answers(await him.finds(`[${second}]`), "2");
    await house.becomes(second, "answered");
    expect((await house.service.store.cursor("email"))?.split(" ")[1]).not.toBe(before);
    await house.service.settle();
    expect(await answered()).toHaveLength(1);
  });
});

describe("owlpost doctor", () => {
  beforeEach(() => expect(mail).toBeDefined());

  test("finds all well: addresses with a + arrive, the trial mail is gone afterwards", async () => {
    const before = (await rawMails("owl")).length;
    const found = await checks(set(), { resolver: dns() });
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
    expect(found.find(({ name }) => name === "round trip")).toMatchObject({
      ok: true,
      aheadMs: expect.closeTo(0, -4),
    });
    expect(found.find(({ name }) => name === "sender")?.text).toContain("its mail is signed");
    expect(found.find(({ name }) => name === "push")).not.toHaveProperty("warn");
    expect(await rawMails("owl")).toHaveLength(before);
  });
});
