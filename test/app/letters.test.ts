import { describe, expect, test } from "vitest";
import { replyAddress } from "../../channels/email/address.ts";
import { makeCode } from "../../src/app/pairing.ts";
import { questionLines } from "../../src/commands/status-lines.ts";
import type { Effect, Job } from "../../src/domain/store.ts";
import { aDocument, aPlace, aTools, hour, minute, someRules } from "../builders.ts";
import { aLetter, aResolver, eric, type Letter, ours, quoted, signed } from "../email/letters.ts";
import { aPostOffice, type PostOffice } from "../email/post-office.ts";

const { sign } = aTools();
const mara = "mara@example.net";
const resolver = aResolver({ "s1._domainkey.example.net": "ed25519" });

/** Eric's reply by mail, as a simple program writes it. */
const says = async (office: PostOffice, text: string, fields: NonNullable<Letter["fields"]> = {}) =>
  office.deliver(await signed(aLetter({ fields, body: quoted(text.replaceAll("\n", "\r\n")) })), {
    resolver,
  });

const texts = (jobs: readonly Job[]): (string | undefined)[] => jobs.map(({ notice }) => notice?.text);

describe("an answer by letter", () => {
  test("its comment goes with the option: into the store, the take, and the steering file", async () => {
    const office = await aPostOffice();
    const { ack } = await says(office, "2\n\nbut keep it short,\nfor the night");
    expect(ack).toMatchObject({ accepted: true, state: "answered" });
    expect(ack?.text).toMatch(/The comment goes with it\.$/);
    const comment = "but keep it short,\nfor the night";
    const stored = await office.store.question(office.question);
    expect(stored?.answer).toMatchObject({
      option: "2",
      text: comment,
      by: "Eric Vogel (eric@example.org)",
      via: "email",
    });
    const { taken } = await office.owlpost.take({});
    expect(taken[0]).toMatchObject({ option: "2", label: "Extend the TTL to 30 days", text: comment });
  });

  test.each([
    ["/skip\n\nnot this week", { outcome: "skipped", text: "not this week" }],
    ["/retry\n\nthe disk was full", { outcome: "retried", text: "the disk was full" }],
    ["/answer neither\n\nuse the old one", { outcome: "answered", text: "neither\nuse the old one" }],
  ])("%o", async (text, answer) => {
    const office = await aPostOffice();
    expect((await says(office, text)).ack).toMatchObject({ accepted: true, state: "answered" });
    expect((await office.store.question(office.question))?.answer).toMatchObject(answer);
  });

  test("what is said beside the same choice a second time is noted, and nothing is lost", async () => {
    const office = await aPostOffice();
    await says(office, "2");
    const { ack } = await says(office, "2\n\none more thing: mind the tests");
    expect(ack).toMatchObject({ accepted: true, repeated: true });
    expect(ack?.text).toContain("Noted for the next iteration");
    expect(await office.store.notes(0, 10)).toMatchObject([{ text: "one more thing: mind the tests" }]);
  });

  test("its one receipt is the only mail to whoever answered; the others are told", async () => {
    const office = await aPostOffice({ owners: [eric, mara] });
    const copy = (destination: string): Effect => ({
      type: "adopt-copy",
      question: office.question,
      channel: "email",
      destination,
      ref: `<copy-for-${destination}>`,
      revision: 1,
    });
    await office.store.append([copy(eric), copy(mara)], office.clock.now());
    await says(office, "2");
    const kinds = async (address: string) => (await office.jobs("email", address)).map(({ kind }) => kind);
    expect((await kinds(eric)).filter((kind) => kind !== "post")).toEqual(["receipt"]);
    expect((await kinds(mara)).filter((kind) => kind !== "post")).toEqual(["edit"]);
    const [receipt] = await office.receipts(eric);
    expect(receipt).toMatchObject({
      question: office.question,
      replyTo: expect.stringContaining("@example.org>"),
    });
  });

  test("a mail of ours that nobody recorded is not mailed after: there is nothing to edit", async () => {
    const office = await aPostOffice();
    await says(office, "2", { "In-Reply-To": "<a-mail-that-a-relay-renamed@relay.example>" });
    expect((await office.store.copies(office.question)).length).toBe(0);
    expect((await office.jobs("email", eric)).filter(({ kind }) => kind === "edit")).toEqual([]);
  });

  test("a question that is decided already is found by its address alone, and says how it stands", async () => {
    const office = await aPostOffice();
    await office.owlpost.decide({ verb: "choose", question: office.question, key: "1" }, "cli");
    const { ack } = await says(office, "2", { "In-Reply-To": undefined, Subject: "hi" });
    expect(ack).toMatchObject({ accepted: false, reason: "not-open" });
    expect(ack?.text).toContain("is already answered: option 1");
  });
});

describe("a letter that is no answer", () => {
  test.each([
    ["", "the first line of that mail is no answer"],
    ["1 or 2, you choose", "the first line of that mail is no answer"],
    ["11", "has no option “11”"],
    ["1\n\n2", "says something else than the first one"],
    ["/skipp", "there is no “/skipp”"],
  ])("%o is asked about, with what would be one", async (text, words) => {
    const office = await aPostOffice();
    expect((await says(office, text)).ack).toMatchObject({ accepted: false });
    const [receipt] = await office.receipts();
    expect(receipt?.notice?.text).toContain(words);
    expect(receipt).toMatchObject({ destination: eric, question: office.question });
    expect((await office.store.question(office.question))?.answer).toBeUndefined();
  });

  test("a hint, to no question's own address, is answered with the list of what is open", async () => {
    const office = await aPostOffice();
    const plain = { To: ours, Subject: "hi", "In-Reply-To": undefined };
    await says(office, "1", plain);
    const [receipt] = await office.receipts();
    expect(receipt?.notice?.text).toBe(
      [
        "Nothing was changed: that mail did not come to the address that a question gives to each of its readers. Reply to the mail of the open question, with the answer alone on the first line:",
        `• [${office.question}] Token refresh strategy for the auth middleware?`,
      ].join("\n"),
    );
    await says(office, "1", { To: ours });
    expect((await office.receipts())[1]).toMatchObject({ question: office.question });
  });

  test.each([
    ["/help", /alone on the first line:\n1 — option 1;/],
    ["/pending", /^1 question is open\. Reply to the mail of each.*\n• \[q-.*\n.*Takes: 1 \/ 2 or \/skip/],
  ])("what %s tells to write is taken from where it is read", async (text, words) => {
    const office = await aPostOffice();
    expect((await says(office, text)).ack).toMatchObject({ accepted: true });
    const [told = ""] = texts(await office.receipts());
    expect(told).toMatch(words);
    // Another question's id, and a run, count for nothing in a reply to this one.
    expect(told).not.toMatch(/abort|Send: q-|Name it/);
  });

  test("twice a day at most, and what is decided is told all the same", async () => {
    const office = await aPostOffice();
    for (let n = 0; n < 5; n += 1) await says(office, `what about ${n}?`);
    expect(await office.receipts()).toHaveLength(2);
    await says(office, "1");
    await says(office, "1");
    expect(await office.receipts()).toHaveLength(3);
    office.clock.advance(24 * hour);
    await says(office, "1");
    expect(texts(await office.receipts()).at(-1)).toContain("Already recorded");
  });

  test("thanks for a receipt are told how the question stands, and not what it takes", async () => {
    const office = await aPostOffice();
    await says(office, "1");
    await says(office, "Thanks!");
    const [, receipt] = texts(await office.receipts());
    expect(receipt).toMatch(/Nothing waits for one either: q-a3f2-012-fix-auth-1 is answered: option 1/);
  });

  test("field 44: nobody gets more than a dozen mails in an hour, whatever they send", async () => {
    const office = await aPostOffice();
    for (let n = 0; n < 20; n += 1) await says(office, "/status");
    expect(await office.receipts()).toHaveLength(12);
    office.clock.advance(hour);
    await says(office, "/pending");
    expect(await office.receipts()).toHaveLength(13);
  });

  test("who may only look is told so", async () => {
    const office = await aPostOffice({ places: [aPlace({ channel: "email" }), aPlace({ allow: ["42"] })] });
    await office.store.pair(
      () => ({
        effects: [{ type: "bind", person: { name: "ivo", role: "viewer" }, channel: "email", address: eric }],
        value: undefined,
      }),
      office.clock.now(),
    );
    expect((await says(office, "2")).ack).toMatchObject({ accepted: false, reason: "not-allowed" });
    expect(texts(await office.receipts())[0]).toContain("here you may look");
  });
});

describe("at night", () => {
  const night = someRules();

  test.each([
    ["go\n\nsleep well", { outcome: "answered", option: "1", text: "sleep well" }],
    ["skip\n\nlater", { outcome: "skipped", text: "later" }],
  ])("%o: the two actions are words, for a button that opens a mail says no more", async (text, answer) => {
    const office = await aPostOffice({ night });
    expect((await says(office, text)).ack).toMatchObject({ accepted: true });
    expect((await office.store.question(office.question))?.answer).toMatchObject(answer);
  });

  test("another choice waits for the morning", async () => {
    const office = await aPostOffice({ night });
    expect((await says(office, "2")).ack).toMatchObject({ reason: "needs-confirmation" });
    await says(office, "hm");
    expect(texts(await office.receipts())[1]).toContain("go or /skip.");
    expect((await says(await aPostOffice(), "go")).ack).toMatchObject({ accepted: false });
  });
});

describe("pairing by letter", () => {
  const pairs = async (office: PostOffice, code: string, author = mara, domain = "example.net") =>
    office.deliver(
      await signed(
        aLetter({
          fields: { From: `Mara <${author}>`, To: ours, Subject: "Re: owlpost", "In-Reply-To": undefined },
          body: `/pair ${code}\r\n`,
        }),
        { domain },
      ),
      { resolver },
    );

  async function withCode(): Promise<{ readonly office: PostOffice; readonly code: string }> {
    const office = await aPostOffice();
    const { code, stored } = await makeCode();
    const now = office.clock.now();
    const row = {
      ...stored,
      person: { name: "mara", role: "member" },
      channel: "email",
      address: mara,
    } as const;
    await office.store.pair(
      () => ({
        effects: [{ type: "insert-code", code: { ...row, createdAt: now, expiresAt: now + 10 * minute } }],
        value: undefined,
      }),
      now,
    );
    return { office, code };
  }

  test("the code in a proven letter makes its author known; from anybody else, or unproven, it gets silence", async () => {
    const { office, code } = await withCode();
    expect((await pairs(office, code, "mallory@example.net")).ack?.text).toBe("");
    expect((await pairs(office, code, mara, "evil.example")).ack?.text).toBe("");
    expect(await office.store.bindings()).toEqual([]);
    expect((await pairs(office, code)).ack).toMatchObject({ accepted: true, state: "paired" });
    expect(await office.store.bindings()).toMatchObject([{ channel: "email", address: mara }]);
    const [welcome] = await office.receipts(mara);
    expect(welcome?.notice?.text).toContain("Welcome, mara");
    const theirs = replyAddress(ours, office.question, mara, sign);
    const answer = aLetter({ fields: { From: mara, To: theirs } });
    expect(
      (await office.deliver(await signed(answer, { domain: "example.net" }), { resolver })).ack,
    ).toMatchObject({
      state: "answered",
    });
  });

  test("an unproven letter does not even cost the code an attempt", async () => {
    const { office } = await withCode();
    for (let n = 0; n < 30; n += 1) await pairs(office, "AAAA2222", mara, "evil.example");
    expect((await office.store.codes(office.clock.now()))[0]?.failures).toBe(0);
  });
});

test("a question that asks something else is not answered by a token of this one", async () => {
  const office = await aPostOffice();
  const next = await office.owlpost.ask({ document: aDocument({ task: "013-search" }) });
  if (!next.ok) expect.fail(JSON.stringify(next));
  const { ack } = await says(office, `${next.id} 1`);
  expect(ack).toMatchObject({ accepted: false, reason: "not-allowed" });
  expect((await office.store.question(next.id))?.answer).toBeUndefined();
});

test("the command line shows an answer with what was said beside it", async () => {
  const office = await aPostOffice();
  await says(office, "2\n\nbut keep it short,\nfor the night");
  const stored = await office.store.question(office.question);
  if (!stored) expect.fail("no question");
  const lines = questionLines(stored, []);
  const at = lines.findIndex((line) => line.startsWith("Answer: "));
  expect(lines[at]).toContain("2 — Extend the TTL to 30 days — from Eric Vogel (eric@example.org)");
  expect(lines.slice(at + 1, at + 3)).toEqual(["  but keep it short,", "  for the night"]);
});
