import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MailFacts, type MailRead, readMail } from "../../channels/email/read.ts";
import { aLetter, eric, quoted, signed, someFacts } from "../email/letters.ts";

const pinned = { authservId: "mx.bot.example.org" };
const verdict = "Authentication-Results: mx.bot.example.org; dkim=pass header.d=example.org\r\n";

/** Is it obeyed? Everything else is dropped, or put aside. */
const counts = (read: MailRead): boolean => read.kind === "reply" && read.reply.quarantined === undefined;

const isUnsigned = (raw: Uint8Array): boolean => !/dkim-signature/i.test(Buffer.from(raw).toString("latin1"));

describe("whatever comes in", () => {
  test("nothing throws, and nothing without a signature counts", async () => {
    const names = [
      "From",
      "To",
      "Subject",
      "Date",
      "Message-ID",
      "Content-Type",
      "Authentication-Results",
      "X",
      "from ",
    ];
    const values = [
      eric,
      `Eric <${eric}>`,
      `"${eric}"`,
      "<>",
      "=?utf-8?b?////?=",
      'multipart/mixed; boundary="b"',
      "text/html",
      "text/plain; charset=utf-16; format=flowed; delsp=yes",
      verdict.slice(24).trim(),
      "\u0000",
      "(((",
      '"',
    ];
    const line = fc
      .tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom(...values), fc.string({ unit: "binary" })))
      .map(([name, value]) => `${name}: ${value}`);
    const body = fc.constantFrom(
      "1",
      "--b",
      "--b--",
      "Content-Type: text/html",
      "<p>1",
      "> 1",
      "",
      "=",
      "\u2028",
      "\ud800",
    );
    const end = fc.constantFrom("\r\n", "\n", "\r", "\r\n ");
    const mail = fc
      .tuple(fc.array(line, { maxLength: 8 }), fc.array(body, { maxLength: 12 }), end)
      .map(([head, lines, eol]) => Buffer.from(`${head.join(eol)}${eol}${eol}${lines.join(eol)}`));
    const raw = fc.oneof(
      { arbitrary: mail, weight: 4 },
      { arbitrary: fc.uint8Array({ maxLength: 400 }), weight: 1 },
    );
    await fc.assert(
      fc.asyncProperty(raw, async (bytes) => {
        const read = await readMail(bytes, someFacts());
        expect(counts(read)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a genuine mail that is changed anywhere says what it said, or does not count", async () => {
    const genuine = await signed(aLetter({ body: quoted("2\r\n\r\nbut keep it short") }));
    const bytes = Buffer.from(genuine);
    const first = await readMail(bytes, someFacts());
    expect(first).toMatchObject({ reply: { text: "2", comment: "but keep it short", sender: eric } });
    const at = fc.nat({ max: bytes.length - 1 });
    const piece = fc.oneof(
      fc.constantFrom(
        "1",
        "\r\n",
        "\n",
        " ",
        "\r\n1\r\n",
        "\r\n\r\n",
        ">",
        "--",
        ";",
        '"',
        "From: x@y.z\r\n",
        "\u0000",
      ),
      fc.string({ maxLength: 3 }),
    );
    const change = fc.oneof(
      fc
        .tuple(at, piece)
        .map(([where, text]) =>
          Buffer.concat([bytes.subarray(0, where), Buffer.from(text), bytes.subarray(where)]),
        ),
      fc
        .tuple(at, fc.integer({ min: 1, max: 40 }))
        .map(([where, size]) => Buffer.concat([bytes.subarray(0, where), bytes.subarray(where + size)])),
      fc.tuple(at, fc.nat({ max: 255 })).map(([where, byte]) => {
        const copy = Buffer.from(bytes);
        copy[where] = byte;
        return copy;
      }),
    );
    const changes = fc.array(change, { minLength: 1, maxLength: 1 });
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(changes, async ([raw = bytes]) => {
        const read = await readMail(raw, someFacts());
        if (read.kind === "drop" || !counts(read)) return;
        counted += 1;
        expect(read.reply).toMatchObject({ text: "2", comment: "but keep it short", sender: eric });
      }),
      { numRuns: 400 },
    );
    // Blanks at the ends of lines are nobody's words, so that some changes leave a mail as it was.
    expect(counted).toBeLessThan(120);
    expect(isUnsigned(bytes)).toBe(false);
  });
});

describe("whatever its size", () => {
  const lines = (line: string, count: number): string => `${line}\r\n`.repeat(count);
  const letter = (type: string, body: string): string =>
    verdict + aLetter({ fields: { "Content-Type": type }, body });
  const plain = (body: string): string => letter("text/plain", body);
  const nested = Array.from(
    { length: 10_000 },
    (_, depth) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary="b${depth + 1}"\r\n\r\n`,
  ).join("");

  const mails: readonly (readonly [name: string, mail: () => string | Promise<string>, text: string])[] = [
    [
      "25 MB with an attachment, signed",
      () =>
        signed(
          aLetter({
            fields: { "Content-Type": 'multipart/mixed; boundary="b"' },
            body: `--b\r\nContent-Type: text/plain\r\n\r\n2\r\n--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines("A".repeat(76), 330_000)}--b--\r\n`,
          }),
        ),
      "2",
    ],
    ["25 MB of text", () => plain(`2\r\n${lines("x".repeat(75), 330_000)}`), "2"],
    ["25 MB of HTML", () => letter("text/html", `<p>2</p>${"<div>x".repeat(4_000_000)}`), "2"],
    ["100,000 lines", () => plain(`2\r\n${lines("> x", 100_000)}`), "2"],
    [
      "a million blank lines with bare line feeds, signed",
      async () =>
        (await signed(aLetter({ body: `2\r\n${lines("", 1_000_000)}x\r\n` }))).replaceAll("\r\n", "\n"),
      "2",
    ],
    ["10,000 parts", () => letter('multipart/mixed; boundary="b"', lines("--b\r\n\r\n2", 10_000)), ""],
    ["10,000 parts in one another", () => letter('multipart/mixed; boundary="b0"', `${nested}\r\n2`), ""],
    ["40,000 elements in one another", () => letter("text/html", `<p>2</p>${"<div>".repeat(40_000)}1`), "2"],
    [
      "20,000 quotes in one another",
      () => letter("text/html", `<p>2</p>${"<blockquote>".repeat(20_000)}1`),
      "2",
    ],
    ["unclosed brackets", () => letter("text/html", `<p>2</p><p>${"<".repeat(200_000)}`), "2"],
    ["one line of blanks", () => plain(`2\r\n${" ".repeat(250_000)}x`), "2"],
    ["lines that begin like an attribution", () => plain(`2\r\n${lines("On 12:30 x", 5_000)}:`), "2"],
    ["lines that look like header blocks", () => plain(`2\r\n${lines("From: x", 5_000)}`), "2"],
    [
      "60,000 flowed lines",
      () => letter("text/plain; format=flowed", `2\r\n\r\n${lines("x ", 60_000)}`),
      "2",
    ],
  ];

  test.each(mails.map(([name, mail, text]) => ({ name, mail, text })))(
    "$name",
    async ({ mail, text }) => {
      const raw = Buffer.from(await mail());
      const before = process.cpuUsage();
      const read = await readMail(raw, someFacts(pinned));
      const { user, system } = process.cpuUsage(before);
      expect(read).toMatchObject({ kind: "reply", reply: { text } });
      // Each takes well under a second; minutes if any step were quadratic.
      expect((user + system) / 1_000).toBeLessThan(15_000);
    },
    60_000,
  );

  test.each([
    ["a head of 5 MB", `X-A: ${"y".repeat(70)}${`\r\n ${"y".repeat(70)}`.repeat(70_000)}\r\n`],
    ["100,000 fields", lines("X-A: y", 100_000)],
    [
      "20,000 recipients",
      `Cc: ${Array.from({ length: 20_000 }, (_, n) => `a${n}@b.example`).join(",\r\n ")}\r\n`,
    ],
  ])("%s is nobody's letter", async (_name, head) => {
    const facts: Partial<MailFacts> = pinned;
    const read = await readMail(Buffer.from(`${verdict}${head}${aLetter()}`), someFacts(facts));
    expect(counts(read)).toBe(false);
  });

  test("what is larger than any mail is not looked at", async () => {
    expect(await readMail(Buffer.alloc(50 * 1024 * 1024), someFacts())).toEqual({
      kind: "drop",
      why: "too-large",
    });
  });
});
