import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { replyAddress } from "../../channels/email/address.ts";
import { delimiter } from "../../channels/email/delimiter.ts";
import { type MailFacts, type MailRead, readMail } from "../../channels/email/read.ts";
import { ChannelError, type Reply } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aQuestionId, aTools, evening, hour, minute } from "../builders.ts";
import {
  aLetter,
  eric,
  ericsAddress,
  type Letter,
  noAnswer,
  ours,
  quoted,
  signed,
  someFacts,
} from "../email/letters.ts";

const { sign } = aTools();
const pinned = { authservId: "mx.bot.example.org" };
const verdict = "Authentication-Results: mx.bot.example.org; dkim=pass header.d=example.org\r\n";

/** Proven by the server, so that its bytes can be anything. */
async function read(raw: string | Buffer, facts: Partial<MailFacts> = {}): Promise<MailRead> {
  const mail = Buffer.concat([Buffer.from(verdict), typeof raw === "string" ? Buffer.from(raw) : raw]);
  return readMail(mail, someFacts({ ...pinned, ...facts }));
}

async function reply(raw: string | Buffer, facts: Partial<MailFacts> = {}): Promise<Reply> {
  const found = await read(raw, facts);
  if (found.kind === "drop") throw new Error(`dropped: ${found.why}`);
  return found.reply;
}

const withFields = (fields: NonNullable<Letter["fields"]>, body?: string): string =>
  aLetter({ fields, ...(body === undefined ? {} : { body }) });

describe("who, where and when", () => {
  test("the author is who speaks, and the receipt goes to them: neither Reply-To nor Sender nor the name counts (field 48)", async () => {
    const found = await reply(
      withFields({
        "Reply-To": "mallory@evil.example",
        Sender: "mallory@evil.example",
        From: `"Mallory" <${eric}>`,
      }),
    );
    expect(found).toMatchObject({ sender: eric, chat: eric, name: "Mallory", private: true, at: evening });
  });

  test("the time is that of the mailbox, not the one that the author's clock says", async () => {
    const found = await reply(withFields({ Date: "Mon, 06 Jul 2020 10:00:00 +0200" }), {
      receivedAt: evening + 5,
    });
    expect(found.at).toBe(evening + 5);
  });

  test("the same mail read again is the same reply, byte for byte", async () => {
    const mail = await signed(aLetter({ body: quoted("2\r\nsoon") }));
    const once = await readMail(Buffer.from(mail), someFacts());
    expect(await readMail(Buffer.from(mail), someFacts({ now: evening + hour }))).toEqual(once);
  });
});

describe("a head that is not well made", () => {
  test.each(["X-Scanned By: a gateway", "X-Grüße: hello", ": nothing"])("%o", async (line) => {
    const found = await read(`${line}\r\n${aLetter()}`);
    const isOdd = line.startsWith(":");
    expect(found.kind === "reply" && found.reply.quarantined).toBe(isOdd ? "malformed" : undefined);
  });

  test.each(["From : x@y.example", "\ufeffSubject: no", "Content-\u00a0Type: text/html", "no colon at all"])(
    "%o could be read in another way",
    async (line) => {
      expect(await read(`${line}\r\n${aLetter()}`)).toMatchObject({ reply: { quarantined: "malformed" } });
    },
  );
});

describe("which question", () => {
  const other = "q-a3f2-013-search-1" as QuestionId;
  const bareTo = { To: `owlpost <${ours}>` };

  test("field 50: the address alone is enough, wherever it stands", async () => {
    const alone = { Subject: "hi", "In-Reply-To": undefined };
    for (const place of ["To", "Cc", "Delivered-To", "X-Original-To"]) {
      const found = await read(withFields({ ...alone, To: undefined, [place]: ericsAddress }));
      expect(found, place).toMatchObject({
        signs: ["address"],
        reply: { token: aQuestionId, about: aQuestionId },
      });
    }
  });

  test("field 51: a subject that was edited changes nothing", async () => {
    const found = await read(withFields({ Subject: "Re: sessions" }));
    expect(found).toMatchObject({ signs: ["address", "references"], reply: { token: aQuestionId } });
  });

  test("References and subject point at a question and prove nothing", async () => {
    const byThread = await read(withFields({ ...bareTo, Subject: "hi" }));
    expect(byThread).toMatchObject({ signs: ["references"], reply: { token: null, about: aQuestionId } });
    const bySubject = await read(withFields({ ...bareTo, "In-Reply-To": undefined }));
    expect(bySubject).toMatchObject({ signs: ["subject"], reply: { token: null, about: aQuestionId } });
    const byNothing = await read(withFields({ ...bareTo, "In-Reply-To": undefined, Subject: "hi" }));
    expect(byNothing).toMatchObject({ signs: [], reply: { token: null } });
    expect(byNothing.kind === "reply" && byNothing.reply.about).toBeUndefined();
  });

  test("a Message-ID of another house is none of ours", async () => {
    const thread = `<${aQuestionId}.1.h7k2mq9d@evil.example>`;
    const found = await read(withFields({ ...bareTo, Subject: "hi", "In-Reply-To": thread }));
    expect(found).toMatchObject({ signs: [], reply: { to: thread } });
  });

  test("where the thread is another question's than the address, both are told: the core refuses to guess", async () => {
    const thread = `<${other}.1.h7k2mq9d@bot.example.org>`;
    expect(await reply(withFields({ "In-Reply-To": thread }))).toMatchObject({
      token: aQuestionId,
      about: other,
    });
  });

  test("two addresses of two questions are none, and a wrong one beside the right one does no harm", async () => {
    const two = `${ericsAddress}, ${replyAddress(ours, other, eric, sign)}`;
    expect(await reply(withFields({ To: two }))).toMatchObject({ token: null });
    const mara = replyAddress(ours, aQuestionId, "mara@example.net", sign);
    expect(await reply(withFields({ To: `${ericsAddress}, ${mara}` }))).toMatchObject({ token: aQuestionId });
  });

  test("a question with a long id has an address all the same", async () => {
    const long = "q-abcdefgh-a-task-with-a-long-name-9999" as QuestionId;
    const address = replyAddress("a-long-name-for-owls@bot.example.org", long, eric, sign);
    expect(address).not.toContain(long);
    const facts = { ours: "a-long-name-for-owls@bot.example.org" };
    const fields = { To: address, Subject: `Re: [${long}] which one?`, "In-Reply-To": undefined };
    expect(await reply(withFields(fields), facts)).toMatchObject({ token: long });
    // Nothing names it any more: then it is a mail like any other.
    expect(await reply(withFields({ ...fields, Subject: "hi" }), facts)).toMatchObject({
      quarantined: "wrong-token",
    });
  });
});

describe("DNS that does not answer", () => {
  const mail = (): Promise<string> => signed(aLetter());

  test("is no proof and no forgery: the mail is to be read again, for an hour", async () => {
    const raw = Buffer.from(await mail());
    const late = readMail(raw, someFacts({ resolver: noAnswer, now: evening + 59 * minute }));
    await expect(late).rejects.toMatchObject({
      reason: "dns-failed",
      permanent: false,
      retryAfterMs: minute,
    });
    await expect(late).rejects.toBeInstanceOf(ChannelError);
    const last = await readMail(raw, someFacts({ resolver: noAnswer, now: evening + hour }));
    expect(last).toMatchObject({ reply: { quarantined: "not-proven" } });
  });

  test("is not asked where the pinned server has said it, nor for what no answer could prove", async () => {
    expect(await reply(await mail(), { resolver: noAnswer })).toMatchObject({ token: aQuestionId });
    const asked: string[] = [];
    const resolver = async (name: string): Promise<never> => {
      asked.push(name);
      throw Object.assign(new Error("no answer"), { code: "ETIMEOUT" });
    };
    for (const foreign of [aLetter(), await signed(aLetter(), { domain: "evil.example" })]) {
      const found = await readMail(Buffer.from(foreign), someFacts({ resolver }));
      expect(found).toMatchObject({ reply: { quarantined: "not-proven" } });
    }
    expect(asked).toEqual([]);
  });

  test("a mail with hundreds of signatures costs three look-ups", async () => {
    let asked = 0;
    const resolver = async (): Promise<never> => {
      asked += 1;
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    };
    const [signature = ""] = /^DKIM-Signature:(?:.*\r\n[ \t])*.*\r\n/.exec(await mail()) ?? [];
    const raw = Buffer.from(signature.repeat(300) + (await mail()));
    expect(await readMail(raw, someFacts({ resolver }))).toMatchObject({
      reply: { quarantined: "not-proven" },
    });
    expect(asked).toBe(3);
  });
});

describe("machines (field 44)", () => {
  test.each([
    ["auto-submitted", { "Auto-Submitted": "auto-generated" }],
    ["auto-submitted", { "auto-submitted": "auto-replied; owner-email=eric@example.org" }],
    ["auto-submitted", { "Auto-Submitted": "(no) auto-notified" }],
    ["bulk", { Precedence: "bulk" }],
    ["bulk", { Precedence: "Auto_Reply" }],
    ["no-return-path", { "Return-Path": "<>" }],
    ["list", { "List-Id": "Dev <dev.example.org>" }],
    ["auto-reply", { "X-Autoreply": "yes" }],
    ["auto-reply", { "X-Autorespond": "Re: question" }],
    ["auto-reply", { "X-Autoreply": "no", "X-Failed-Recipients": "eric@example.org" }],
    ["auto-submitted", { "auto-submitted": "no", "Auto-Submitted": "auto-replied" }],
    ["report", { "Content-Type": 'multipart/report; report-type=delivery-status; boundary="x"' }],
    ["daemon", { From: "MAILER-DAEMON@mx.example.org" }],
    ["ourselves", { From: `owlpost <${ours}>` }],
    ["ourselves", { From: ericsAddress }],
    ...[
      "Automatic reply",
      "Out of Office",
      "Abwesenheitsnotiz",
      "Réponse automatique",
      "自动回复",
      "Автоответ",
    ].map((word) => ["absence", { Subject: `${word}: [${aQuestionId}] which one?` }] as const),
    ["absence", { Subject: "=?utf-8?q?Automatische_Antwort=3A_Re=3A_question?=" }],
  ] as const)("%s: %o", async (why, fields) => {
    expect(await read(withFields(fields))).toEqual({ kind: "drop", why });
  });

  test.each([
    { "Auto-Submitted": "no" },
    { "Auto-Submitted": "No (typed by hand)" },
    { "X-Auto-Response-Suppress": "All" },
    { Precedence: "first-class" },
    { Subject: "Re: Out of office policy: which one?" },
    { "Return-Path": `<${eric}>` },
    { "X-Autoreply": "no" },
  ])("a person's mail may hold %o", async (fields) => {
    expect((await read(withFields(fields))).kind).toBe("reply");
  });
});

describe("what is no answer", () => {
  const part = (type: string, body: string): string => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
  const mixed = (...parts: string[]): string =>
    withFields({ "Content-Type": 'multipart/alternative; boundary="b"' }, `${parts.join("")}--b--\r\n`);

  test.each([
    ["a forward by its subject", withFields({ Subject: `Fwd: [${aQuestionId}] which one?` })],
    ["a forward by its subject, in German", withFields({ Subject: `WG: [${aQuestionId}] which one?` })],
    [
      "a forward by its rule",
      withFields({}, "1\r\n\r\n---------- Forwarded message ---------\r\nFrom: x\r\n"),
    ],
    [
      "an accepted invitation",
      mixed(part("text/plain", "1"), part("text/calendar; method=REPLY", "BEGIN:VCALENDAR")),
    ],
    [
      "a reaction",
      mixed(part("text/plain", "👍"), part("text/vnd.google.email-reaction+json", '{"emoji":"👍"}')),
    ],
  ])("%s", async (_what, mail) => {
    expect(await read(mail)).toEqual({ kind: "drop", why: "not-an-answer" });
  });

  test("a reply to a forward is one, and a calendar file that somebody attaches says nothing", async () => {
    expect(await reply(withFields({ Subject: `Re: Fwd: [${aQuestionId}] which one?` }))).toMatchObject({
      text: "1",
    });
    const file = part(
      'text/calendar; method=REQUEST\r\nContent-Disposition: attachment; filename="x.ics"',
      "BEGIN",
    );
    expect(await reply(mixed(part("text/plain", "1"), file))).toMatchObject({ text: "1" });
  });

  test("without a token it is a hint, whatever else it is", async () => {
    const forward = withFields({ To: ours, Subject: "Fwd: which one?", "In-Reply-To": undefined });
    expect(await reply(forward)).toMatchObject({ token: null });
  });
});

describe("bounces", () => {
  const report = (action: string): string =>
    withFields(
      {
        From: "MAILER-DAEMON@mx.bot.example.org",
        "Content-Type": 'multipart/report; report-type=delivery-status; boundary="b"',
      },
      [
        "--b\r\nContent-Type: text/plain\r\n\r\nsorry\r\n",
        `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; Mara@example.net\r\nAction: ${action}\r\n`,
        "--b\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: x\r\nMessage-ID: <our-mail@bot.example.org>\r\n",
        "--b--\r\n",
      ].join(""),
    );

  test("say which mail of ours came back and for whom, and only where it failed for good", async () => {
    expect(await read(report("failed"))).toMatchObject({
      kind: "drop",
      bounceOf: "<our-mail@bot.example.org>",
      failed: "mara@example.net",
    });
    for (const action of ["delayed", "relayed", "delivered"]) {
      const found = await read(report(action));
      expect(found).not.toHaveProperty("bounceOf");
    }
  });
});

describe("field 52: HTML", () => {
  const html = (body: string): string => withFields({ "Content-Type": "text/html; charset=utf-8" }, body);
  const ourHtml = `<p>${delimiter}</p><p>1) Rotate</p>`;

  test.each([
    [
      "Gmail",
      `<div dir="ltr">2</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, owlpost &lt;${ours}&gt; wrote:<br></div><blockquote class="gmail_quote">${ourHtml}</blockquote></div>`,
    ],
    [
      "Gmail, and our line was cut out",
      `<div dir="ltr">2</div><br><div class="gmail_quote"><div class="gmail_attr">On Mon, owlpost &lt;${ours}&gt; wrote:<br></div><blockquote class="gmail_quote"><p>1) Rotate</p></blockquote></div>`,
    ],
    [
      "Outlook",
      `<style>p {margin: 1}</style><p class="MsoNormal">2</p><div><div style="border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> owlpost &lt;${ours}&gt;<br><b>Sent:</b> Monday<br><b>To:</b> Eric<br><b>Subject:</b> [q-x] y</p></div></div>${ourHtml}`,
    ],
    [
      "Outlook in the browser",
      `<div>2</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> owlpost &lt;${ours}&gt;<br><b>Sent:</b> Monday<br><b>To:</b> Eric<br><b>Subject:</b> [q-x] y</div>${ourHtml}`,
    ],
    [
      "Apple Mail",
      `<body>2<div><br><blockquote type="cite"><div>On 6 Jul 2026, at 23:00, owlpost &lt;${ours}&gt; wrote:</div><div>${ourHtml}</div></blockquote></div></body>`,
    ],
    ["Yahoo", `<div>2</div><div class="yahoo_quoted">On Monday, owlpost wrote:<div>${ourHtml}</div></div>`],
    ["hidden text", `<div style="display:none">1</div><p>2</p><blockquote>${ourHtml}</blockquote>`],
    ["entities and blanks", `<p>&nbsp;&#50;&nbsp;</p><blockquote>${ourHtml}</blockquote>`],
    ["table", `<table><tr><td>2</td></tr></table><blockquote>${ourHtml}</blockquote>`],
  ])("%s: the answer without what is quoted", async (_program, body) => {
    const found = await reply(html(body));
    expect(found.text).toBe("2");
    expect(found.comment?.replace(/^(> ?.*\n?)+$/, "")).toBe("");
  });

  test("what stands below a quote, or between two, is no answer", async () => {
    for (const body of [`<blockquote>${ourHtml}</blockquote><p>2</p>`, `${ourHtml}<p>2</p>`]) {
      expect(await reply(html(body))).toMatchObject({ text: "" });
    }
  });

  test("a charset that only the HTML names", async () => {
    const page = iconv.encode(
      '<html><head><meta charset="gbk"></head><p>2</p><p>周一再补文档</p></html>',
      "gbk",
    );
    const raw = Buffer.concat([Buffer.from(withFields({ "Content-Type": "text/html" }, "")), page]);
    expect(await reply(raw)).toMatchObject({ text: "2", comment: "周一再补文档" });
  });

  test("a blank text part gives way to the HTML, and an empty mail is a letter without a word", async () => {
    const both = withFields(
      { "Content-Type": 'multipart/alternative; boundary="b"' },
      "--b\r\nContent-Type: text/plain\r\n\r\n \r\n\u00a0\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>2</p>\r\n--b--\r\n",
    );
    expect(await reply(both)).toMatchObject({ text: "2" });
    expect(await reply(withFields({}, ""))).toMatchObject({ text: "", comment: "" });
    expect(await reply(withFields({ "Content-Type": "image/png" }, "2"))).toMatchObject({ text: "" });
  });
});

describe("field 53: charsets", () => {
  const said = "Ça va";
  const texts: readonly (readonly [charset: string, text: string, encoded?: Buffer])[] = [
    ["utf-8", "é – “so” 夜間"],
    ["windows-1252", "It’s – “so” … €"],
    ["iso-8859-1", "It’s – “so” …", iconv.encode("It’s – “so” …", "windows-1252")],
    ["ISO-8859-15", "Œuvre à 5 €"],
    ["windows-1250", "Příliš žluťoučký"],
    ["iso-8859-2", "Zażółć gęślą"],
    ["windows-1251", "Только не забудьте"],
    ["koi8-r", "Только не забудьте"],
    ["windows-1253", "Καλημέρα"],
    ["windows-1254", "İyi geceler, ğüşç"],
    ["windows-1255", "שלום"],
    ["windows-1256", "مرحبا"],
    ["windows-1257", "Ačiū, labas rytas"],
    ["windows-1258", "Đồng ý".normalize("NFC"), iconv.encode("Ðông", "windows-1258")],
    ["windows-874", "สวัสดี"],
    ["tis-620", "สวัสดี"],
    ["gbk", "先用方案二，周一我再补文档。"],
    ["gb2312", "先用方案二，周一我再补文档。"],
    ["gb18030", "先用方案二，周一我再补文档。𠀀"],
    ["big5", "請先用方案二"],
    ["shift_jis", "夜間はこれで進めてください。①"],
    ["euc-jp", "夜間はこれで進めてください。"],
    ["euc-kr", "한글로 답합니다"],
    ["ks_c_5601-1987", "한글로 답합니다"],
  ];

  test.each(texts.map(([charset, text, encoded]) => ({ charset, text, encoded })))(
    "$charset",
    async ({ charset, text, encoded }) => {
      const body = encoded ?? iconv.encode(text, charset);
      const wanted = encoded ? iconv.decode(body, charset === "iso-8859-1" ? "windows-1252" : charset) : text;
      const mail = (transfer: string, coded: Buffer | string): Buffer =>
        Buffer.concat([
          Buffer.from(
            withFields(
              { "Content-Type": `text/plain; charset="${charset}"`, "Content-Transfer-Encoding": transfer },
              "",
            ),
          ),
          typeof coded === "string" ? Buffer.from(coded) : coded,
        ]);
      const line = Buffer.concat([Buffer.from("2\r\n"), body, Buffer.from("\r\n")]);
      const printable = [...line]
        .map((byte) =>
          byte === 13 || byte === 10
            ? String.fromCharCode(byte)
            : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`,
        )
        .join("");
      for (const raw of [
        mail("8bit", line),
        mail("base64", line.toString("base64")),
        mail("quoted-printable", printable),
      ]) {
        expect(await reply(raw)).toMatchObject({ text: "2", comment: wanted });
      }
    },
  );

  test("ISO-2022-JP, which switches between its sets by escape sequences", async () => {
    const body = Buffer.from("2\r\n\x1b$B$3$l$G\x1b(B ok\r\n", "latin1");
    const raw = Buffer.concat([
      Buffer.from(withFields({ "Content-Type": "text/plain; charset=iso-2022-jp" }, "")),
      body,
    ]);
    expect(await reply(raw)).toMatchObject({ text: "2", comment: "これで ok" });
  });

  test.each([
    undefined,
    "text/plain",
    "text/plain; charset=us-ascii",
    "text/plain; charset=x-nobody-knows",
    "text/plain; charset=base64",
  ])("%s: UTF-8 where it is that, else windows-1252", async (type) => {
    const head = Buffer.from(withFields({ "Content-Type": type }, ""));
    for (const body of [Buffer.from(`2\r\n${said}\r\n`), iconv.encode(`2\r\n${said}\r\n`, "windows-1252")]) {
      expect(await reply(Buffer.concat([head, body]))).toMatchObject({ text: "2", comment: said });
    }
  });

  test("format=flowed, with the joining space and without it, and a signature stays one", async () => {
    const flowed = (params: string, body: string): Promise<Reply> =>
      reply(withFields({ "Content-Type": `text/plain; charset=utf-8; format=flowed${params}` }, body));
    expect(await flowed("", "2\r\n\r\none \r\nlong \r\nline\r\n-- \r\nEric\r\n")).toMatchObject({
      comment: "one long line",
    });
    expect(await flowed("; delsp=yes", "2\r\n\r\n長い \r\n行\r\n")).toMatchObject({ comment: "長い行" });
    expect(await flowed("", `2\r\n\r\n> ${delimiter}\r\n> 1 \r\n> 3\r\n`)).toMatchObject({
      text: "2",
      comment: "",
    });
  });
});

test("field 55: a mail is read, and nothing in it is fetched: no look-up but for the key of its signature", async () => {
  const asked: string[] = [];
  const body =
    '<p>2</p><img src="https://bot.example.org/approve?1"><a href="https://bot.example.org/answer/1">1</a>';
  const mail = await signed(aLetter({ fields: { "Content-Type": "text/html" }, body }));
  const facts = someFacts();
  const found = await readMail(Buffer.from(mail), {
    ...facts,
    resolver: (name, type) => {
      asked.push(`${type} ${name}`);
      return facts.resolver?.(name, type) ?? Promise.reject(new Error("no resolver"));
    },
  });
  expect(found).toMatchObject({ reply: { text: "2" } });
  expect(asked).toEqual(["TXT s1._domainkey.example.org"]);
});
