import { describe, expect, test } from "vitest";
import { hour, minute } from "../builders.ts";
import { until } from "../homes.ts";
import { aCorrespondence } from "../mail/correspondence.ts";
import { eric, mara, owl, writeMail } from "../mail/phone.ts";

const headers = (raw: Buffer, name: string): string | undefined =>
  new RegExp(`^${name}:\\s*([^]*?)\\r\\n(?![ \\t])`, "im")
    .exec(raw.toString("latin1"))?.[1]
    ?.replace(/\s+/g, " ");

describe("a question by mail", () => {
  test("is answered by one tap, and what becomes of it follows in the same thread", async () => {
    const post = await aCorrespondence({ to: [eric, mara] });
    const id = await post.asks();
    const question = await post.finds(mara, id, "Token refresh strategy");
    post.taps(await post.finds(eric, id, "Token refresh strategy"), "2");
    await post.becomes(id, "answered");
    const receipt = await post.finds(eric, "Answered: 2 — Extend the TTL to 30 days; it applies");
    const followUp = await post.finds(mara, "✅ Answered: 2");
    expect(followUp.mail).toMatchObject({
      subject: `Re: ${question.mail.subject}`,
      inReplyTo: question.mail.messageId,
    });
    expect(followUp.mail.references?.split(" ")).toEqual([question.mail.references, question.mail.messageId]);
    expect(headers(receipt.raw, "Auto-Submitted")).toBe("auto-replied");
    expect(headers(question.raw, "Auto-Submitted")).toBe("auto-generated");
    const taken = await post.service.owlpost.take({ claim: "c1" });
    expect(taken.taken).toMatchObject([{ id, option: "2", by: "eric@example.org", via: "email" }]);
    const pickedUp = await post.finds(mara, "▶ Picked up");
    expect(pickedUp.mail.inReplyTo).toBe(question.mail.messageId);
    await post.finds(eric, "▶ Picked up");
  });

  test("is answered by a reply in words, whose receipt stands below it and can itself be replied to", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const question = await post.finds(eric, id);
    post.writes({ answers: question.mail, text: "7" });
    const receipt = await post.finds(eric, "7", "has no option");
    expect(receipt.mail.subject).toBe(`Re: ${question.mail.subject}`);
    expect(receipt.mail.inReplyTo).toBe(
      post.imap
        .mails()
        .at(-1)
        ?.raw.toString()
        .match(/^Message-ID: (.*)\r$/m)?.[1],
    );
    expect(receipt.mail.references?.split(" ")[0]).toBe(question.mail.references);
    expect(receipt.mail.replyTo).toEqual(question.mail.replyTo);
    post.writes({ answers: receipt.mail, text: "1" });
    await post.becomes(id, "answered");
  });

  test("field 50: where a server on the way writes its own Message-ID, the answer still finds its question", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    const rewritten = { ...mail, messageId: "<0102019afake-000000@eu-west-1.mailer.example>" };
    post.writes({ answers: rewritten, text: "9" });
    const receipt = await post.finds(eric, "9", "has no option");
    expect(receipt.mail.references?.split(" ")[0]).toBe(mail.references);
    post.writes({ answers: rewritten, text: "1" });
    await post.becomes(id, "answered");
  });

  test("field 51: an answer under another subject is one", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    post.writes({ answers: mail, subject: "lunch?", text: "1" });
    await post.becomes(id, "answered");
    expect((await post.finds(eric, "Answered: 1 —", "it applies")).mail.subject).toBe("Re: lunch?");
  });

  test("field 55: nothing in a mail can be fetched, so a scanner that follows every link changes nothing", async () => {
    const post = await aCorrespondence();
    await post.asks();
    const { raw, mail } = await post.finds(eric, "Token refresh");
    const links = [...(mail.html ?? "").matchAll(/\b(?:href|src|action|background|cite)\s*=\s*"([^"]*)"/gi)];
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(([, link = ""]) => !link.startsWith("mailto:"))).toEqual([]);
    expect(mail.html).not.toMatch(/url\s*\(|@import|<(?:script|img|link|iframe|form|object|meta http)/i);
    expect(raw.toString()).not.toMatch(/https?:\/\//);
  });

  test("goes to every owner, each with a reply address of their own", async () => {
    const post = await aCorrespondence({ to: [eric, mara] });
    const id = await post.asks();
    const [his, hers] = [await post.finds(eric, id), await post.finds(mara, id)];
    expect(his.mail.replyTo).not.toEqual(hers.mail.replyTo);
    expect(his.mail.messageId).not.toBe(hers.mail.messageId);
    // Whoever got hold of somebody else's reply address can do nothing with it, and is told nothing.
    const before = post.smtp.taken.length;
    post.writes({ from: mara, answers: his.mail, text: "1" });
    await post.staysSilent(before);
    expect(await post.state(id)).toBe("posted");
    post.writes({ from: mara, answers: hers.mail, text: "1" });
    await post.becomes(id, "answered");
    await post.finds(eric, "✅ Answered: 1", "by mara@example.net");
  });
});

describe("field 44: machines", () => {
  test("an absence note, a list and a mail of our own get no answer and answer nothing", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    const before = post.smtp.taken.length;
    post.writes({ answers: mail, text: "1", headers: ["Auto-Submitted: auto-replied"] });
    post.writes({ answers: mail, text: "1", headers: ["Precedence: bulk"] });
    post.writes({ answers: mail, text: "1", headers: ["List-Id: <dev.example.org>"] });
    post.writes({ answers: mail, text: "1", from: owl });
    await post.staysSilent(before);
    expect(await post.state(id)).toBe("posted");
  });

  test("X-Auto-Response-Suppress alone proves nothing", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    post.writes({ answers: mail, text: "1", headers: ["X-Auto-Response-Suppress: All"] });
    await post.becomes(id, "answered");
  });
});

describe("the line", () => {
  test("field 54: a line that dies without a word is noticed, and what came meanwhile is fetched", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    await until(
      () => post.imap.isIdling(),
      (is) => is,
    );
    post.imap.kick();
    post.writes({ answers: mail, text: "1" });
    await post.becomes(id, "answered");
  });

  test("answers that came while nothing ran count as of when they came", async () => {
    const post = await aCorrespondence();
    const id = await post.asks({ default: { action: "skip_spec", at: "2h" } });
    const { mail } = await post.finds(eric, id);
    await post.sleeps(() => {
      post.clock.advance(hour);
      post.writes({ answers: mail, text: "2" });
      post.clock.advance(8 * hour);
    });
    await post.becomes(id, "answered");
    const stored = await post.service.store.question(id as never);
    expect(stored?.answer).toMatchObject({ outcome: "answered", option: "2" });
  });

  test("both servers are away for eight hours: nothing is lost, and nothing stands twice", async () => {
    const post = await aCorrespondence();
    const first = await post.asks({ default: { action: "skip_spec", at: "20h" } });
    const { mail } = await post.finds(eric, first);
    await post.settles();
    post.imap.shut();
    post.smtp.shut();
    const second = await post.asks({
      task: "013-cache",
      title: "Which cache?",
      context: "`src/cache.ts` has none.",
      default: { action: "skip_spec", at: "20h" },
    });
    await until(
      async () => (await post.service.store.health()).find(({ channel }) => channel === "email")?.up,
      (up) => up === false,
    );
    for (let hours = 0; hours < 8; hours += 1) post.clock.advance(hour);
    expect(await post.state(second)).toBe("pending");
    post.imap.open();
    post.smtp.open();
    post.writes({ answers: mail, text: "1" });
    await post.becomes(first, "answered");
    await post.becomes(second, "posted");
    await post.settles();
    const ids = post.inbox(eric).map(({ mail: each }) => each.messageId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(post.reading(eric).filter((text) => text.includes(`[${second}]`))).toHaveLength(1);
  });

  test("the same mail again, and the whole mailbox counted anew, change nothing and tell nobody anything", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    const raw = post.writes({ answers: mail, text: "1" });
    await post.becomes(id, "answered");
    await post.finds(eric, "Answered: 1");
    await post.settles();
    const before = post.smtp.taken.length;
    post.imap.deliver(raw);
    await post.staysSilent(before);
    post.imap.renumber();
    await post.staysSilent(before);
  });

  test("a mail over which the line is lost each time holds up no other", async () => {
    const post = await aCorrespondence();
    const id = await post.asks();
    const { mail } = await post.finds(eric, id);
    await post.settles();
    const poison = post.imap.deliver(writeMail({ text: "2", answers: mail, at: post.clock.now() }).raw);
    post.imap.fail({ on: `UID FETCH ${poison} (UID ENVELOPE`, how: "reset" }, 2);
    post.writes({ answers: mail, text: "1" });
    await post.becomes(id, "answered");
    // It waits, and is read when it can be.
    post.clock.advance(2 * minute);
    post.writes({ from: "someone@example.com", text: "hello" });
    await post.finds(eric, "already answered: option 1");
  });

  test("a bounce of a mail of ours shuts its destination, and a forged one does not", async () => {
    const post = await aCorrespondence({ to: [eric, mara] });
    const id = await post.asks();
    const { mail } = await post.finds(mara, id);
    const refused = async () =>
      (await post.service.store.health()).find(({ channel }) => channel === "email")?.refused ?? [];
    post.imap.deliver(
      bounce(mara, "<q-a3f2-012-fix-auth-1.aaaaaaaaaaaa.aaaaaaaaaaaaaaaaaaaaaaaaaa@owl.example>"),
    );
    post.imap.deliver(bounce(eric, mail.messageId ?? ""));
    await post.settles();
    expect(await refused()).toEqual([]);
    post.imap.deliver(bounce(mara, mail.messageId ?? ""));
    await until(refused, (list) => list.length > 0);
    expect(await refused()).toMatchObject([{ destination: mara }]);
    expect(await post.state(id)).toBe("posted");
  });
});

function bounce(failed: string, id: string): string {
  return [
    "Return-Path: <>",
    "From: MAILER-DAEMON@mx.owl.example",
    `To: ${owl}`,
    "Subject: Undelivered Mail Returned to Sender",
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; boundary="b1"; report-type=delivery-status',
    `Message-ID: <bounce.${Math.random()}@mx.owl.example>`,
    "",
    "--b1",
    "Content-Type: text/plain",
    "",
    "It could not be delivered.",
    "--b1",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.owl.example",
    "",
    `Final-Recipient: rfc822; ${failed}`,
    "Action: failed",
    "Status: 5.1.1",
    "",
    "--b1",
    "Content-Type: message/rfc822",
    "",
    `From: ${owl}`,
    `To: ${failed}`,
    "Message-ID:",
    ` ${id}`,
    "Subject: what was sent",
    "",
    "text",
    "--b1--",
    "",
  ].join("\r\n");
}
