import fc from "fast-check";
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import { isReplyAddress, readReplyAddress } from "../../channels/email/address.ts";
import { addressesIn } from "../../channels/email/head.ts";
import { mailtoLink } from "../../channels/email/letter.ts";
import { isOwnMail, readTheirRef, refAmong, theirRef } from "../../channels/email/message-id.ts";
import { writtenIn } from "../../channels/email/said.ts";
import { encode, settings } from "../../channels/email.ts";
import { matrix } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { signing } from "../../src/app/tokens.ts";
import type { ChannelMessage } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";
import type { View } from "../../src/domain/view.ts";
import { aQuestionId, aTools } from "../builders.ts";
import { eric, mara, owl, parseMail, pass, readMailto } from "../mail/phone.ts";
import { cases, caseView } from "../renderers/cases.ts";
import { nightViews } from "../renderers/night-cases.ts";

const tools = aTools();
const frame = { from: owl, name: "owlpost", key: "q/post/1" };

function messageOf(view: View, changes: Partial<ChannelMessage> = {}): ChannelMessage {
  const about = "id" in view ? { question: view.id } : {};
  return { ...render(view, matrix.email), ...about, ...changes };
}

/** As it travels, and as a mail program reads it. */
async function travelled(message: ChannelMessage, to = eric) {
  const { references, headers, ...letter } = encode(to, message, tools, frame);
  const transport = createTransport({ streamTransport: true, buffer: true });
  const mail = { ...letter, references: [...references], headers: { ...headers } };
  const { message: raw } = await transport.sendMail(mail);
  return { raw: (raw as Buffer).toString("latin1"), mail: await parseMail(raw as Buffer) };
}

describe("which mail it is", () => {
  const message = messageOf(caseView("seed-example"));

  test("the same message, recipient and key give the same mail", () => {
    expect(encode(eric, message, tools, frame)).toEqual(encode("Eric@Example.ORG", message, tools, frame));
  });

  test("another key, recipient or home gives another", () => {
    const home = { ...tools, ...signing(Buffer.from("another home")) };
    const ids = [
      encode(eric, message, tools, frame),
      encode(mara, message, tools, frame),
      encode(eric, message, tools, { ...frame, key: "q/post/2" }),
      encode(eric, message, home, frame),
    ].map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(4);
  });

  test("its Message-ID tells the home that made it whose it was, and nobody else can make one", () => {
    const { messageId } = encode(eric, message, tools, frame);
    expect(isOwnMail(messageId, eric, owl, tools)).toBe(true);
    expect(isOwnMail(messageId.toUpperCase(), eric, owl, tools)).toBe(true);
    expect(isOwnMail(messageId, mara, owl, tools)).toBe(false);
    expect(isOwnMail(messageId, eric, "owl@elsewhere.example", tools)).toBe(false);
    expect(isOwnMail(messageId.replace(/\.[a-z2-7]{26}@/, `.${"a".repeat(26)}@`), eric, owl, tools)).toBe(
      false,
    );
    expect(isOwnMail("<q-a3f2-012-1.1.h7k2mq9d@owl.example>", eric, owl, tools)).toBe(false);
  });

  test("an answer names it by the root of the thread, by itself, or by what followed", () => {
    const { messageId, references } = encode(eric, message, tools, frame);
    const ref = messageId.slice(1, -1);
    const more = { follows: ref, thread: "What it was" };
    const next = encode(eric, { ...message, ...more }, tools, { ...frame, key: "q/edit/2" });
    expect(next).toMatchObject({ subject: "Re: What it was", inReplyTo: messageId });
    for (const ids of [
      references,
      [messageId],
      [...next.references, next.messageId],
      [" <a@b>", ...references],
    ]) {
      expect(refAmong(ids, owl)).toBe(ref);
    }
    expect(refAmong(["<a@b>"], owl)).toBeUndefined();
  });

  test("of an endless subject only the beginning is kept", () => {
    const ref = theirRef({ id: "<a@b>", subject: "🦉".repeat(5_000) });
    expect(readTheirRef(ref).subject).toBe("🦉".repeat(200));
  });

  test("what we call a mail of theirs keeps what its receipt needs, whatever stands in it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.boolean(), (id, subject, isKnown) => {
        const question = isKnown ? aQuestionId : undefined;
        const kept = readTheirRef(theirRef({ id: `<${id}>`, to: undefined, question, subject }));
        expect(kept).toEqual({ id: `<${id.replace(/\s/g, "")}>`, question, subject });
      }),
    );
  });
});

describe("what a mail program reads", () => {
  test.each([...Object.keys(cases)])("%s: headline, text and every part", async (name) => {
    const message = messageOf(caseView(name));
    const { raw, mail } = await travelled(message);
    expect(mail.subject).toBe(message.headline.replace(/\s+/g, " ").trim());
    expect(mail.text?.split("\n")[0]).toBe("##- Reply above this line -##");
    expect(mail.text?.replaceAll("\r", "").trimEnd()).toBe(message.plain.trimEnd());
    for (const { text } of message.parts) {
      const kept = text.replaceAll("<br>\n<pre>", "<pre>").replaceAll("</pre><br>\n", "</pre>");
      const html = (mail.html ?? "").replaceAll(/<pre style="[^"]*">/g, "<pre>");
      expect(html).toContain(kept);
    }
    expect(raw.split("\r\n\r\n", 1)[0]).toMatch(/^[\x20-\x7e\r\n\t]*$/);
    expect(mail.headers.filter(({ key }) => key === "auto-submitted")).toHaveLength(1);
  });

  test.each(Object.entries(nightViews))("at night, %s", async (_name, view) => {
    const message = messageOf(view);
    const { mail } = await travelled(message);
    expect(mail.text?.trimEnd()).toContain(message.plain.trimEnd());
    expect(mail.html?.match(/href="mailto:/g)?.length ?? 0).toBe(message.buttons.length);
  });

  test("nothing in a headline makes a header of its own", async () => {
    const headline = "Which way?\r\nBcc: someone@example.com\r\n\r\n\u202ethe end";
    const { raw, mail } = await travelled({ ...messageOf(caseView("seed-example")), headline });
    expect(raw.split("\r\n\r\n", 1)[0]).not.toMatch(/^Bcc:/im);
    expect(mail.bcc).toBeUndefined();
  });

  test("all of it stays below the size at which Gmail hides the rest", async () => {
    const longest = "x".repeat(matrix.email.body.max);
    const nine = messageOf(caseView("nine-options"));
    const whole = encode(eric, { ...nine, parts: [], body: longest, plain: longest }, tools, frame);
    expect(Buffer.byteLength(whole.html)).toBeLessThan(102 * 1_024);
  });

  test("a notice asks nothing, and belongs to no thread", () => {
    const notice = messageOf({ type: "notice", kind: "run-complete", text: "5 of 5 done" });
    expect(encode(eric, notice, tools, frame)).toMatchObject({
      subject: "🦉 The run is complete",
      references: [],
      headers: { "Auto-Submitted": "auto-generated" },
    });
    expect(encode(eric, notice, tools, frame)).not.toHaveProperty("replyTo");
  });
});

describe("a button", () => {
  const verbs = [{ verb: "skip" }, { verb: "go" }, { verb: "more" }] as const;
  const aKey = fc.stringMatching(/^[a-z0-9]{1,8}$/).map((key) => ({ key }));
  const anId = fc
    .tuple(
      fc.stringMatching(/^[a-z0-9]{1,8}$/),
      fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/),
      fc.integer({ min: 1, max: 9_999 }),
    )
    .map(([run, task, seq]) => questionId(`q-${run}-${task}-${seq}`))
    .filter((id): id is QuestionId => id !== undefined);
  const aLocal = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,40}$/);

  test("opens a reply that only has to be sent, to that question and from that recipient alone", () => {
    fc.assert(
      fc.property(anId, fc.oneof(aKey, fc.constantFrom(...verbs)), aLocal, (question, action, local) => {
        const from = `${local}@owl.example`;
        const button = { label: "x", question, action, primary: false };
        const message = { ...messageOf(caseView("seed-example")), buttons: [button], question };
        const { html, replyTo } = encode(eric, message, tools, { ...frame, from });
        const [, link = ""] = /href="(mailto:[^"]*)"/.exec(html) ?? [];
        const href = link.replaceAll("&amp;", "&");
        expect(href.length).toBeLessThan(1_800);
        const { to, subject, text } = readMailto(href);
        expect(to).toBe(replyTo);
        expect(isReplyAddress(to, from, question, eric, tools.sign)).toBe(true);
        expect(isReplyAddress(to, from, question, mara, tools.sign)).toBe(false);
        expect(readReplyAddress(to, from)?.token).toBeDefined();
        expect(subject).toBe(`Re: [${question}]`);
        const said = "key" in action ? action.key : { skip: "/skip", go: "go", more: "/help" }[action.verb];
        expect(writtenIn(text, from)).toMatchObject({ line: said, comment: "" });
        expect(text.startsWith(`${said}\r\n\r\n`)).toBe(true);
      }),
    );
  });

  test("a + is written as %2B, line ends as CRLF, and the address stays one for a mail program", () => {
    const button = { label: "x", question: aQuestionId, action: { key: "1" }, primary: false };
    const link = mailtoLink(button, "owl+q-a.b@owl.example");
    expect(link).toMatch(
      /^mailto:owl%2Bq-a\.b@owl\.example\?subject=Re%3A%20%5Bq-[^&]*%5D&body=1%0D%0A%0D%0A/,
    );
    expect(link).not.toContain("+");
    expect(addressesIn([readMailto(link).to])).toEqual(["owl+q-a.b@owl.example"]);
  });
});

describe("the settings", () => {
  const server = { host: "mail.example.org", pass };
  const right = {
    from: "Owl@Example.org",
    to: ["Eric@Example.org", "eric@example.org"],
    smtp: server,
    imap: server,
  };
  const messages = (given: unknown): readonly string[] => {
    const read = settings.safeParse(given);
    return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  };

  test("addresses are compared in lower case, and each stands there once", () => {
    expect(settings.parse(right)).toMatchObject({
      from: "owl@example.org",
      to: ["eric@example.org"],
      name: "owlpost",
      imap: { mailbox: "INBOX" },
    });
  });

  test.each([
    [{ from: "owl" }, "from: must be a mail address"],
    [{ from: "Owl <owl@example.org>" }, "from: must be a mail address"],
    [{ from: "eule@bücher.example" }, "from: must be a mail address"],
    [{ from: `${"o".repeat(41)}@example.org` }, "from: must have at most 40 characters"],
    [{ to: ["eric"] }, "to.0: must be a mail address"],
    [{ to: ["owl@example.org"] }, "to: holds the address of from"],
    [{ imap: { host: "mail.example.org" } }, "imap.pass: is missing, and so is oauth"],
    [{ smtp: { host: "mail.example.org", user: "owl" } }, "smtp.pass: is missing"],
    [{ oauth: { client_id: "id" } }, "oauth: needs either access_token, or client_id"],
    [{ authserv_id: "mx example" }, "authserv_id: must be a server's name"],
  ])("%j is refused", (changes, wanted) => {
    expect(messages({ ...right, ...changes })).toEqual([expect.stringContaining(wanted)]);
  });

  test("an outgoing server may do without a login, and OAuth2 without a password", () => {
    expect(messages({ ...right, smtp: { host: "127.0.0.1", insecure: true } })).toEqual([]);
    const bare = { host: "mail.example.org" };
    expect(messages({ ...right, smtp: bare, imap: bare, oauth: { access_token: "TEST-token" } })).toEqual([]);
  });
});
