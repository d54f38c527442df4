import { describe, expect, test } from "vitest";
import { replyAddress } from "../../channels/email/address.ts";
import type { MailFacts, MailRead } from "../../channels/email/read.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aQuestionId, aTools, evening, hour } from "../builders.ts";
import {
  aLetter,
  aResolver,
  eric,
  ericsAddress,
  type Letter,
  ours,
  quoted,
  type Signature,
  signed,
} from "../email/letters.ts";
import { aPostOffice } from "../email/post-office.ts";

const { sign } = aTools();
const mara = "mara@example.net";
const alice = "alice@alice.github.io";
const server = "mx.bot.example.org";
const pinned: Partial<MailFacts> = { authservId: server };
const pass = (
  by: string,
  what = "dkim=pass header.d=example.org; dmarc=pass header.from=example.org",
): string => `Authentication-Results: ${by}; ${what}\r\n`;

/** Everything that an attacker can look up: their own domains have keys, too. */
const resolver = aResolver({
  "s1._domainkey.evil.example": "other",
  "s1._domainkey.example.org.evil.example": "other",
  "s1._domainkey.org": "other",
  "s1._domainkey.example.org/.evil.example": "other",
  "s1._domainkey.example.org?.evil.example": "other",
  "s1._domainkey.example.org#.evil.example": "other",
  "s1._domainkey.example.org\\.evil.example": "other",
  "s1._domainkey.mallory.github.io": "other",
  "s1._domainkey.github.io": "other",
  "s1._domainkey.alice.github.io": "ed25519",
  "s1._domainkey.example.net": "ed25519",
  "s1._domainkey.examp1e.org": "other",
  "s1._domainkey.xn--xample-9uf.org": "other",
  "weak._domainkey.example.org": "weak",
  "rsa._domainkey.example.org": "rsa",
});

const from = (value: string | undefined, more: NonNullable<Letter["fields"]> = {}): Letter => ({
  fields: { From: value, ...more },
});
const byEvil = (letter: Letter, signature: Signature = {}): Promise<string> =>
  signed(aLetter(letter), { domain: "evil.example", key: "other", ...signature });
const bySelf = (letter: Letter = {}, signature: Signature = {}): Promise<string> =>
  signed(aLetter(letter), signature);
const changed = async (mail: Promise<string>, what: string | RegExp, by: string): Promise<string> => {
  const before = await mail;
  const after = before.replace(what, by);
  if (after === before) throw new Error(`nothing to change: ${String(what)}`);
  return after;
};
const above = async (line: string, mail: string | Promise<string>): Promise<string> => `${line}${await mail}`;
const question2 = "q-a3f2-012-fix-auth-2" as QuestionId;
const to = (address: string): NonNullable<Letter["fields"]> => ({ To: address });

type Forgery = readonly [
  name: string,
  mail: () => string | Promise<string>,
  outcome: string,
  facts?: Partial<MailFacts>,
];

/** Each claims to be, or to come from, somebody who may answer. */
const forgeries: readonly Forgery[] = [
  // ---- no proof at all
  ["no signature", () => aLetter(), "not-proven"],
  [
    "a verdict that it brought itself, and no server is pinned",
    () => above(pass(server), aLetter()),
    "not-proven",
  ],
  ["a verdict of another server", () => above(pass("mx.evil.example"), aLetter()), "not-proven", pinned],
  [
    "a pass of another server above our fail",
    () => above(pass("mx.evil.example"), above(pass(server, "dkim=fail header.d=example.org"), aLetter())),
    "not-proven",
    pinned,
  ],
  [
    "our fail above a pass in our name",
    () =>
      above(
        pass(server, "dkim=fail header.d=example.org; dmarc=fail header.from=example.org"),
        above(pass(server), aLetter()),
      ),
    "not-proven",
    pinned,
  ],
  [
    "our empty verdict above a pass in our name",
    () => above(pass(server, "none"), above(pass(server), aLetter())),
    "not-proven",
    pinned,
  ],
  [
    "our server's name with more behind it",
    () => above(pass(`${server}.evil.example`), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "our server's name in a comment",
    () => above(pass(`(${server};) mx.evil.example`), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "our server's name as a second word",
    () => above(pass(`mx.evil.example ${server}`), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a pass in a comment",
    () => above(pass(server, "dkim=fail (dkim=pass header.d=example.org) header.d=example.org"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a pass in a quoted address",
    () =>
      above(
        pass(server, 'spf=pass smtp.mailfrom="x; dkim=pass header.d=example.org"@evil.example'),
        aLetter(),
      ),
    "not-proven",
    pinned,
  ],
  [
    "a pass for another domain",
    () =>
      above(pass(server, "dkim=pass header.d=evil.example; dmarc=pass header.from=evil.example"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a pass for nobody's domain",
    () => above(pass(server, "dkim=pass; dmarc=pass"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a pass for two domains",
    () => above(pass(server, "dkim=pass header.d=evil.example header.d=example.org"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a pass for the public suffix",
    () => above(pass(server, "dkim=pass header.d=org"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "an SPF pass alone",
    () => above(pass(server, `spf=pass smtp.mailfrom=${eric}`), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a DMARC pass by SPF alone",
    () =>
      above(
        pass(server, `dkim=none; spf=pass smtp.mailfrom=${eric}; dmarc=pass header.from=example.org`),
        aLetter(),
      ),
    "not-proven",
    pinned,
  ],
  ["a verdict under another name", () => above(`X-${pass(server)}`, aLetter()), "not-proven", pinned],
  [
    "a sealed verdict of a relay",
    () => above(`ARC-${pass(`i=1; ${server}`)}`, aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "a verdict without a server",
    () => above("Authentication-Results: dkim=pass header.d=example.org\r\n", aLetter()),
    "not-proven",
    pinned,
  ],
  // ---- signatures that prove nothing
  ["signed by the attacker", () => byEvil({}), "not-proven"],
  [
    "signed by a domain that ends like ours",
    () => byEvil({}, { domain: "example.org.evil.example" }),
    "not-proven",
  ],
  ["signed by the public suffix", () => byEvil({}, { domain: "org" }), "not-proven"],
  [
    "signed by a neighbour at a host of pages",
    () =>
      byEvil(from(`Alice <${alice}>`, to(replyAddress(ours, aQuestionId, alice, sign))), {
        domain: "mallory.github.io",
      }),
    "not-proven",
  ],
  [
    "signed by the host of pages itself",
    () =>
      byEvil(from(`Alice <${alice}>`, to(replyAddress(ours, aQuestionId, alice, sign))), {
        domain: "github.io",
      }),
    "not-proven",
  ],
  // The DNS takes these signs, so whoever owns what stands behind them owns the name.
  ["a slash behind our domain", () => byEvil({}, { domain: "example.org/.evil.example" }), "not-proven"],
  [
    "a question mark behind our domain",
    () => byEvil({}, { domain: "example.org?.evil.example" }),
    "not-proven",
  ],
  ["a hash sign behind our domain", () => byEvil({}, { domain: "example.org#.evil.example" }), "not-proven"],
  ["a backslash behind our domain", () => byEvil({}, { domain: "example.org\\.evil.example" }), "not-proven"],
  [
    "our server's verdict on a slash behind our domain",
    () => above(pass(server, "dkim=pass header.d=example.org/.evil.example"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "our server's verdict on an identity with a slash behind our domain",
    () => above(pass(server, "dkim=pass header.i=@example.org/.evil.example"), aLetter()),
    "not-proven",
    pinned,
  ],
  [
    "our server's verdict on a signature that leaves the end open",
    () =>
      above(
        pass(server, "dkim=pass header.d=example.org"),
        changed(bySelf({}, { wholeBody: false }), /$/, "/skip\r\n"),
      ),
    "not-proven",
    pinned,
  ],
  [
    "our server's verdict on a signature that does not cover the subject",
    () =>
      above(
        pass(server, "dkim=pass header.d=example.org"),
        bySelf({}, { headers: "From:To:Date:Message-ID" }),
      ),
    "not-proven",
    pinned,
  ],
  ["a Kelvin sign for a letter", () => bySelf(from("Kim <\u212aim@example.org>")), "drop"],
  ["signed with a key that is not in the DNS", () => bySelf({}, { selector: "none" }), "not-proven"],
  ["signed with another key than the one in the DNS", () => bySelf({}, { key: "other" }), "not-proven"],
  ["signed with a key of 512 bits", () => bySelf({}, { key: "weak", selector: "weak" }), "not-proven"],
  [
    "a signature that says SHA-1",
    () => changed(bySelf({}, { key: "rsa", selector: "rsa" }), "a=rsa-sha256", "a=rsa-sha1"),
    "not-proven",
  ],
  [
    "a signature that names two domains",
    () => changed(bySelf(), "d=example.org;", "d=example.org; d=evil.example;"),
    "not-proven",
  ],
  ["another body", () => changed(bySelf(), /1\r\n$/, "2\r\n"), "not-proven"],
  ["more body", () => changed(bySelf(), /$/, "2\r\n"), "not-proven"],
  [
    "more body, and the signature leaves the end open",
    () => changed(bySelf({}, { wholeBody: false }), /$/, "/skip\r\n"),
    "not-proven",
  ],
  ["a signature that leaves the end open", () => bySelf({}, { wholeBody: false }), "not-proven"],
  ["another subject", () => changed(bySelf(), "Subject: Re:", "Subject: Yes, do:"), "not-proven"],
  [
    "another name before the address",
    () => changed(bySelf(), "From: Eric Vogel", "From: The Boss"),
    "not-proven",
  ],
  ["another date", () => changed(bySelf(), "23:00:00", "23:30:00"), "not-proven"],
  [
    "a signature that has expired",
    () => bySelf({}, { signedAt: evening - 48 * hour, expiresAt: evening - 24 * hour }),
    "not-proven",
  ],
  ["a signature of tomorrow", () => bySelf({}, { signedAt: evening + 24 * hour }), "not-proven"],
  [
    "a signature that does not cover the author",
    () => bySelf({}, { headers: "To:Subject:Date:Message-ID" }),
    "not-proven",
  ],
  [
    "a signature that does not cover the subject",
    () => bySelf({}, { headers: "From:To:Date:Message-ID" }),
    "not-proven",
  ],
  [
    "a signature that does not cover the date",
    () => bySelf({}, { headers: "From:To:Subject:Message-ID" }),
    "not-proven",
  ],
  [
    "a signature that covers neither To nor Message-ID",
    () => bySelf({}, { headers: "From:Subject:Date:MIME-Version" }),
    "not-proven",
  ],
  ["a signature of the recipient's domain", () => byEvil({}, { domain: "bot.example.org" }), "not-proven"],
  // ---- authors
  [
    "two From fields, the attacker's above",
    () => above("From: Mallory <mallory@evil.example>\r\n", bySelf()),
    "not-one-author",
  ],
  [
    "two From fields, Eric's above",
    () => above(`From: ${eric}\r\n`, byEvil(from("Mallory <mallory@evil.example>"))),
    "not-one-author",
  ],
  [
    "two addresses in one From",
    () => bySelf(from(`Eric <${eric}>, Mallory <mallory@evil.example>`)),
    "not-one-author",
  ],
  ["a group as the author", () => bySelf(from(`Team: ${eric}, mallory@evil.example;`)), "not-one-author"],
  ["no From", () => bySelf(from(undefined)), "not-one-author"],
  ["an empty From", () => bySelf(from("<>")), "not-one-author"],
  [
    "an address before the address, without quotes",
    () => byEvil(from(`${eric} <mallory@evil.example>`)),
    "not-one-author",
  ],
  [
    "a route through Eric",
    () => byEvil(from(`<@example.org,${eric}:mallory@evil.example>`)),
    "not-one-author",
  ],
  ["Eric's address as the name", () => byEvil(from(`"${eric}" <mallory@evil.example>`)), "drop"],
  [
    "Eric's address as an encoded name",
    () => byEvil(from(`=?utf-8?q?eric=40example=2Eorg?= <mallory@evil.example>`)),
    "drop",
  ],
  ["Eric's address in a comment", () => byEvil(from(`mallory@evil.example (${eric})`)), "drop"],
  [
    "Eric's address in Reply-To and Sender",
    () =>
      byEvil(from("mallory@evil.example", { "Reply-To": eric, Sender: eric, "Return-Path": `<${eric}>` })),
    "drop",
  ],
  [
    "a digit for a letter",
    () => byEvil(from("Eric Vogel <eric@examp1e.org>"), { domain: "examp1e.org" }),
    "drop",
  ],
  [
    "a Cyrillic letter for a Latin one",
    () => byEvil(from("Eric Vogel <eric@еxample.org>"), { domain: "xn--xample-9uf.org" }),
    "drop",
  ],
  [
    "our domain as a part of another",
    () => byEvil(from("Eric <eric@example.org.evil.example>"), { domain: "example.org.evil.example" }),
    "drop",
  ],
  ["another person of the same domain", () => bySelf(from("Mallory <mallory@example.org>")), "drop"],
  ["Eric with more behind a plus", () => bySelf(from("Eric <eric+x@example.org>")), "drop"],
  [
    "a space before the colon",
    () => changed(Promise.resolve(aLetter()), "From:", "From :"),
    "not-one-author",
  ],
  [
    "a bare CR that begins a second From",
    () => bySelf({ fields: { "X-Note": `a\rFrom: ${eric}` } }),
    "malformed",
  ],
  [
    "a no-break space before a second From",
    () => above("\u00a0From: mallory@evil.example\r\n", bySelf()),
    "malformed",
  ],
  ["two subjects", () => above("Subject: Yes, do\r\n", bySelf()), "malformed"],
  [
    "two kinds of content",
    () => above('Content-Type: multipart/mixed; boundary="x"\r\n', bySelf()),
    "malformed",
  ],
  // ---- tokens
  [
    "a token that nobody made",
    () => bySelf({ fields: to(`owlpost+${aQuestionId}.${"a".repeat(26)}@bot.example.org`) }),
    "wrong-token",
  ],
  [
    "the token of somebody else",
    () => bySelf({ fields: to(replyAddress(ours, aQuestionId, mara, sign)) }),
    "wrong-token",
  ],
  [
    "Eric's token in another hand",
    () => bySelf(from(`Mara <${mara}>`), { domain: "example.net" }),
    "wrong-token",
  ],
  [
    "Eric's token on another question",
    () => bySelf({ fields: to(ericsAddress.replace(aQuestionId, question2)) }),
    "wrong-token",
  ],
  ["a token that was cut", () => bySelf({ fields: to(ericsAddress.replace(/.{5}@/, "@")) }), "wrong-token"],
  [
    "a signed mail to a friend, sent on to a wrong address",
    () =>
      above(
        `Delivered-To: owlpost+${aQuestionId}.${"b".repeat(26)}@bot.example.org\r\n`,
        bySelf({ fields: to("friend@example.com") }),
      ),
    "wrong-token",
  ],
  // ---- machines, whatever proves them
  ["an answering machine", () => bySelf({ fields: { "Auto-Submitted": "auto-replied" } }), "drop"],
  ["a mailing list", () => bySelf({ fields: { "List-Id": "<dev.example.org>" } }), "drop"],
  ["a bounce", () => above("Return-Path: <>\r\n", bySelf()), "drop"],
  ["our own address", () => byEvil(from(`owlpost <${ericsAddress}>`), { domain: "bot.example.org" }), "drop"],
  ["a daemon", () => bySelf(from("MAILER-DAEMON@example.org")), "drop"],
];

const cases = forgeries.map(([name, mail, outcome, facts = {}]) => ({ name, mail, outcome, facts }));

const known = [eric, alice, mara, "kim@example.org"];

function outcomeOf(read: MailRead): string {
  if (read.kind === "drop") return "drop";
  const { quarantined, sender } = read.reply;
  // An author whom nobody knows is dropped by the core, proven or not.
  if (quarantined !== "not-one-author" && !known.includes(sender)) return "drop";
  return quarantined ?? "accepted";
}

describe("field 46, field 48: forged and look-alike mails", () => {
  test("there are at least sixty", () => {
    expect(forgeries.length).toBeGreaterThanOrEqual(60);
  });

  test.each(cases)("$name", async ({ mail, outcome, facts }) => {
    const office = await aPostOffice({ owners: [eric, alice, mara] });
    const before = (await office.store.question(office.question))?.revision;
    const { read } = await office.deliver(await mail(), { resolver, ...facts });
    expect(outcomeOf(read)).toBe(outcome);
    expect(await office.receipts()).toEqual([]);
    expect((await office.store.question(office.question))?.revision).toBe(before);
    expect(await office.events("question.answered")).toEqual([]);
    const aside = await office.events("reply.quarantined");
    expect(aside.map(({ data }) => data.reason)).toEqual(outcome === "drop" ? [] : [outcome]);
    const told = (await office.jobs("telegram", "42")).filter(({ kind }) => kind === "notice");
    expect(told).toHaveLength(aside.length);
  });
});

describe("field 46: replays", () => {
  const letter = (answer: string, more: Letter["fields"] = {}): Letter => ({
    fields: more,
    body: quoted(answer),
  });

  test.each([
    ["as it was", undefined, (mail: string) => mail],
    [
      "with another Message-ID, which is signed",
      undefined,
      (mail: string) => mail.replace(/<letter-/, "<new-letter-"),
    ],
    [
      "with another Message-ID, which is not signed",
      "From:To:Subject:Date",
      (mail: string) => mail.replace(/<letter-/, "<new-letter-"),
    ],
    [
      "without any Message-ID, which is not signed",
      "From:To:Subject:Date",
      (mail: string) => mail.replace(/Message-ID: .*\r\n/, ""),
    ],
    [
      "with a signature of the attacker before it",
      undefined,
      (mail: string) => `DKIM-Signature: v=1\r\n${mail}`,
    ],
    [
      "with another Message-ID, which is not signed, above which the pinned server says pass",
      "From:To:Subject:Date",
      (mail: string) => mail.replace(/<letter-/, "<new-letter-"),
      pinned,
    ],
  ])(
    "%s: nothing happens a second time, and nobody is answered again",
    async (_how, headers, again, facts: Partial<MailFacts> = {}) => {
      const office = await aPostOffice();
      const sent = await signed(aLetter(letter("2")), headers === undefined ? {} : { headers });
      const mail = facts.authservId === undefined ? sent : `${pass(facts.authservId)}${sent}`;
      expect((await office.deliver(mail, facts)).ack?.accepted).toBe(true);
      const change = await signed(aLetter(letter(`/override ${office.question} 1`)));
      expect((await office.deliver(change)).ack?.accepted).toBe(true);
      const before = await office.store.question(office.question);
      expect(before?.answer).toMatchObject({ option: "1", outcome: "overridden" });
      const receipts = await office.receipts();
      expect(receipts).toHaveLength(2);
      await office.deliver(again(mail), facts);
      expect(await office.store.question(office.question)).toEqual(before);
      expect(await office.receipts()).toEqual(receipts);
    },
  );

  test("a forged mail with the Message-ID of one that is still to come does not take its place", async () => {
    const office = await aPostOffice();
    const mail = aLetter(letter("2"));
    expect((await office.deliver(mail)).read).toMatchObject({ reply: { quarantined: "not-proven" } });
    expect((await office.deliver(await signed(mail))).ack).toMatchObject({
      accepted: true,
      state: "answered",
    });
  });
});

type Genuine = [name: string, mail: () => string | Promise<string>, facts: Partial<MailFacts>];

const genuine: readonly Genuine[] = [
  ["signed by the author's domain", () => bySelf(), {}],
  ["signed with RSA", () => bySelf({}, { key: "rsa", selector: "rsa" }), {}],
  ["signed by a subdomain of the same organisation", () => bySelf({}, { domain: "mail.example.org" }), {}],
  [
    "signed as Exchange does, without To",
    () => bySelf({}, { headers: "From:Date:Subject:Message-ID:Content-Type:MIME-Version" }),
    {},
  ],
  [
    "signed as Yahoo does, without Message-ID",
    () => bySelf({}, { headers: "Date:From:To:Subject:References" }),
    {},
  ],
  ["signed with simple canonicalization", () => bySelf({}, { canonicalization: "simple/simple" }), {}],
  [
    "with another signature beside it",
    async () =>
      `DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=x; h=from; bh=x; b=x\r\n${await bySelf()}`,
    {},
  ],
  ["with the verdict of the pinned server", () => above(pass(server), aLetter()), pinned],
  [
    "with a verdict in other letters and with a version",
    () => above(pass("MX.bot.example.org 1", "DKIM = pass (good) header.d = Example.ORG"), aLetter()),
    pinned,
  ],
  ["with the author in capitals", () => bySelf(from("ERIC <Eric@Example.ORG>")), {}],
];

describe("what is genuine", () => {
  test.each(genuine)("%s", async (_name, mail, facts) => {
    const office = await aPostOffice();
    const dns = aResolver({
      "s1._domainkey.mail.example.org": "ed25519",
      "rsa._domainkey.example.org": "rsa",
    });
    const { read, ack } = await office.deliver(await mail(), { resolver: dns, ...facts });
    expect(read).toMatchObject({ kind: "reply", reply: { sender: eric, token: office.question, text: "1" } });
    expect(ack).toMatchObject({ accepted: true, state: "answered" });
    const [receipt, ...others] = await office.receipts();
    expect([receipt?.destination, others]).toEqual([eric, []]);
  });
});
