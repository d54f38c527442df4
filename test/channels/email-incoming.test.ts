import { describe, expect, test } from "vitest";
import type { Resolver } from "../../channels/email/read.ts";
import { open, type Ways } from "../../channels/email.ts";
import { type AnswerChannel, type Batch, ChannelError } from "../../src/domain/channel.ts";
import { aTools, hour, minute } from "../builders.ts";
import { aResolver, noAnswer, signed } from "../email/letters.ts";
import { aClock, afterwards, until } from "../homes.ts";
import { eric, pass, writeMail } from "../mail/phone.ts";
import { aMailTown } from "../mail/town.ts";

const never = new AbortController().signal;

async function aLine(
  ways: Partial<Ways> = {},
  changes: Record<string, unknown> = {},
  server: { readonly idle?: boolean } = {},
) {
  const clock = aClock();
  const town = await aMailTown(changes, { now: clock.now, ...server });
  const lines = async () => {
    const channel = await open(town.settings, aTools({ now: clock.now }), { waitMs: 2_000, ...ways });
    afterwards(() => channel.close());
    return channel;
  };
  return { ...town, clock, channel: await lines(), another: lines };
}

async function polled(channel: AnswerChannel, cursor?: string): Promise<Batch> {
  if (!channel.poll) throw new Error("it does not listen");
  return channel.poll(cursor, never);
}

async function failure(work: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ChannelError)) throw new Error(`no ChannelError: ${String(error)}`);
  expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(pass);
  return error;
}

const texts = ({ replies }: Batch) => replies.map(({ text }) => text);
const mail = (text: string, at: number, more: object = {}) => writeMail({ text, at, ...more }).raw;

describe("where reading begins", () => {
  test("the first time with what came lately, and never with what lay there before", async () => {
    const { imap, clock, channel } = await aLine();
    imap.deliver(mail("old", clock.now()), { at: clock.now() - 30 * hour });
    imap.deliver(mail("older than an hour", clock.now()), { at: clock.now() - 2 * hour });
    imap.deliver(mail("new", clock.now()), { at: clock.now() - 10 * minute });
    const batch = await polled(channel);
    expect(texts(batch)).toEqual(["new"]);
    // What is too old is not even fetched.
    expect(imap.commands.filter((each) => each.includes("ENVELOPE"))).toHaveLength(1);
    imap.deliver(mail("moved here", clock.now()), { at: clock.now() - 30 * hour });
    imap.deliver(mail("next", clock.now()));
    expect(texts(await polled(channel, batch.cursor))).toEqual(["next"]);
  });

  test("in batches, each with its own cursor, and more is told of", async () => {
    const { imap, clock, channel, another } = await aLine();
    for (let number = 1; number <= 45; number += 1) imap.deliver(mail(`m${number}`, clock.now()));
    const first = await polled(channel);
    expect([first.replies.length, first.more]).toEqual([40, true]);
    const second = await polled(channel, first.cursor);
    expect([texts(second), second.more]).toEqual([["m41", "m42", "m43", "m44", "m45"], undefined]);
    // Another process goes on where the cursor is, and nowhere else.
    expect((await polled(await another(), second.cursor)).replies).toEqual([]);
    expect((await polled(await another(), first.cursor)).replies).toHaveLength(5);
  });

  test("where the server counts anew, with what came since a day before the newest mail, under the same keys", async () => {
    const { imap, clock, another } = await aLine();
    imap.deliver(mail("an old one", clock.now()), { at: clock.now() - 40 * hour });
    imap.deliver(mail("one", clock.now()));
    const before = await polled(await another());
    clock.advance(minute);
    imap.renumber();
    imap.deliver(mail("two", clock.now()));
    const after = await polled(await another(), before.cursor);
    expect(texts(after)).toEqual(["one", "two"]);
    expect(after.replies[0]?.key).toBe(before.replies[0]?.key);
    expect((await polled(await another(), after.cursor)).replies).toEqual([]);
  });

  test("a cursor of another account counts for nothing", async () => {
    const { imap, clock, another } = await aLine();
    imap.deliver(mail("one", clock.now()));
    const { cursor = "" } = await polled(await another());
    const foreign = cursor.replace(/^\S+/, "00000000");
    expect(texts(await polled(await another(), foreign))).toEqual(["one"]);
  });

  test("nobody's flags are touched: the folder is opened for reading alone", async () => {
    const { imap, clock, channel } = await aLine();
    imap.deliver(mail("one", clock.now()));
    await polled(channel);
    expect(imap.mails().map(({ flags }) => flags)).toEqual([[]]);
    expect(imap.commands.filter((each) => /^(?:SELECT|UID STORE)/.test(each))).toEqual([]);
  });
});

describe("field 54: the line", () => {
  test("new mail is told of at once", async () => {
    const { imap, clock, channel } = await aLine({ waitMs: 15_000 });
    const { cursor } = await polled(channel);
    const held = polled(channel, cursor);
    await until(
      () => imap.isIdling(),
      (is) => is,
    );
    const began = performance.now();
    imap.deliver(mail("now", clock.now()));
    expect(texts(await held)).toEqual(["now"]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("a server without IDLE is asked again and again", async () => {
    const { imap, clock, channel } = await aLine({ waitMs: 100 }, {}, { idle: false });
    const { cursor } = await polled(channel);
    imap.deliver(mail("at last", clock.now()));
    expect(texts(await polled(channel, cursor))).toEqual(["at last"]);
  });

  test("a server that forgets to tell is asked after a while", async () => {
    const { imap, clock, channel } = await aLine({ waitMs: 50, checkMs: 120 });
    const { cursor } = await polled(channel);
    await polled(channel, cursor);
    imap.silence();
    imap.deliver(mail("untold", clock.now()));
    const found = await until(
      () => polled(channel, cursor),
      ({ replies }) => replies.length > 0,
    );
    expect(texts(found)).toEqual(["untold"]);
  });

  test("a server that answers nothing any more is left, and the next line is a new one", async () => {
    const { imap, clock, channel } = await aLine({ commandMs: 300 });
    imap.deliver(mail("one", clock.now()));
    imap.fail({ on: "UID SEARCH", how: "stall" });
    expect(await failure(polled(channel))).toMatchObject({ reason: "no-answer", permanent: false });
    expect(texts(await polled(channel))).toEqual(["one"]);
  });

  test("a line that the server ends is made anew at once, but not again and again", async () => {
    const { imap, channel } = await aLine();
    const { cursor } = await polled(channel);
    const held = polled(channel, cursor);
    await until(
      () => imap.isIdling(),
      (is) => is,
    );
    imap.kick("bye");
    expect(await failure(held)).toMatchObject({ reason: "closed" });
    expect((await polled(channel, cursor)).replies).toEqual([]);
  });

  test("a wrong password is named, without the password", async () => {
    const town = await aMailTown();
    const settings = { ...town.settings, imap: { ...town.settings.imap, pass: "another" } };
    const channel = await open(settings, aTools());
    afterwards(() => channel.close());
    const error = await failure(polled(channel));
    expect(error).toMatchObject({ reason: "login-refused", permanent: false });
    expect(error.message).toContain("app password");
    expect(error.message).not.toContain("another");
  });

  test("a folder that is not there is named", async () => {
    const town = await aMailTown();
    const settings = { ...town.settings, imap: { ...town.settings.imap, mailbox: "Answers" } };
    const channel = await open(settings, aTools());
    afterwards(() => channel.close());
    expect(await failure(polled(channel))).toMatchObject({ reason: "no-such-mailbox" });
  });

  test("a server that does not speak TLS gets no password", async () => {
    const town = await aMailTown();
    const settings = { ...town.settings, imap: { ...town.settings.imap, insecure: false, secure: false } };
    const channel = await open(settings, aTools(), { commandMs: 2_000 });
    afterwards(() => channel.close());
    await failure(polled(channel));
    expect(town.imap.commands.filter((each) => /^(?:LOGIN|AUTHENTICATE)/.test(each))).toEqual([]);
  });
});

describe("what one mail does to the others", () => {
  async function aSigned(text: string, at: number): Promise<string> {
    const { raw } = writeMail({ text, at, verdict: "none" });
    return signed(raw.slice(raw.indexOf("From: ")), {
      headers: "From:To:Subject:Date:Message-ID:MIME-Version",
      signedAt: at,
    });
  }

  test("while the DNS is down, a mail that only it can prove waits, and those that need none are read", async () => {
    let down = true;
    const dns = aResolver();
    const resolver: Resolver = (name, type) => (down ? noAnswer : dns)(name, type);
    const { imap, clock, another } = await aLine({ resolver });
    const channel = await another();
    imap.deliver(await aSigned("proven later", clock.now()));
    imap.deliver(mail("proven by the server", clock.now()));
    const first = await polled(channel);
    expect(texts(first)).toEqual(["proven by the server"]);
    clock.advance(30_000);
    expect((await polled(channel, first.cursor)).replies).toEqual([]);
    clock.advance(minute);
    down = false;
    // Whoever goes on from the cursor knows what waits.
    const second = await polled(await another(), first.cursor);
    expect(texts(second)).toEqual(["proven later"]);
    expect(second.replies[0]?.at).toBe(first.replies[0]?.at);
    expect((await polled(await another(), second.cursor)).replies).toEqual([]);
  });

  test("a mail that came while we were away waits for the DNS as long as any other", async () => {
    let down = true;
    const dns = aResolver();
    const resolver: Resolver = (name, type) => (down ? noAnswer : dns)(name, type);
    const { imap, clock, another } = await aLine({ resolver });
    const before = await polled(await another());
    imap.deliver(await aSigned("said in the night", clock.now()));
    clock.advance(8 * hour);
    const first = await polled(await another(), before.cursor);
    expect(first.replies).toEqual([]);
    clock.advance(2 * minute);
    down = false;
    expect(texts(await polled(await another(), first.cursor))).toEqual(["said in the night"]);
  });

  test("a DNS that stays down is waited for, but not for ever: then the mail is set aside", async () => {
    const { imap, clock, another } = await aLine({ resolver: noAnswer });
    imap.deliver(await aSigned("never proven", clock.now()));
    let { cursor, replies } = await polled(await another());
    expect(replies).toEqual([]);
    let rounds = 0;
    while (replies.length === 0 && rounds < 20) {
      rounds += 1;
      clock.advance(15 * minute);
      const next = await polled(await another(), cursor);
      cursor = next.cursor ?? cursor;
      replies = next.replies;
    }
    expect(replies).toMatchObject([{ sender: eric, quarantined: "not-proven" }]);
    expect(rounds).toBeLessThan(10);
  });

  test("a mail that the server cannot give is tried again for two hours, and then left", async () => {
    const { imap, clock, another } = await aLine();
    const uid = imap.deliver(mail("lost", clock.now()));
    imap.fail({ on: `UID FETCH ${uid} (UID ENVELOPE`, how: "no" }, 100);
    imap.deliver(mail("read", clock.now()));
    let batch = await polled(await another());
    expect(texts(batch)).toEqual(["read"]);
    let cursor = batch.cursor;
    for (let times = 0; times < 12; times += 1) {
      clock.advance(15 * minute);
      batch = await polled(await another(), cursor);
      cursor = batch.cursor ?? cursor;
      expect(batch.replies).toEqual([]);
    }
    clock.advance(15 * minute);
    // Nothing is known of it, not even who wrote it.
    expect((await polled(await another(), cursor)).replies).toEqual([]);
    expect(cursor).not.toContain(`${uid}/`);
  });

  test("of a very large mail only the beginning is fetched", async () => {
    const { imap, clock, channel } = await aLine();
    const large = `${mail("1", clock.now())}${"x".repeat(9 * 1024 * 1024)}\r\n`;
    const uid = imap.deliver(large);
    expect(texts(await polled(channel))).toEqual(["1"]);
    expect(imap.commands.at(-1)).toBe(`UID FETCH ${uid} (UID ENVELOPE INTERNALDATE BODY.PEEK[]<0.262144>)`);
  });
});
