import { describe, expect, test } from "vitest";
import type { Resolver } from "../../channels/email/read.ts";
import type { Settings } from "../../channels/email.ts";
import { checks } from "../../channels/email.ts";
import type { ImapServer } from "../mail/imap-server.ts";
import { authserv, pass, writeMail } from "../mail/phone.ts";
import { aMailTown, type TownWays } from "../mail/town.ts";

const records: Readonly<Record<string, string>> = {
  "owl.example": "v=spf1 mx -all",
  "_dmarc.owl.example": "v=DMARC1; p=reject",
};
const resolver: Resolver = async (name) => {
  const record = records[name];
  if (record === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
  return [[record]];
};

/** As a server does that signs what goes out, and writes down what it found. */
const arrives = (raw: Buffer, imap: ImapServer, ways: { at?: number; mailbox?: string; by?: string } = {}) =>
  imap.deliver(
    Buffer.concat([
      Buffer.from(
        `Authentication-Results: ${ways.by ?? authserv}; dkim=pass header.d=owl.example\r\nDKIM-Signature: v=1; a=rsa-sha256;\r\n\td=owl.example; s=s1; b=x\r\n`,
      ),
      raw,
    ]),
    ways,
  );

async function examined(
  ways: TownWays,
  changes: Partial<Settings> = {},
  dns: Resolver = resolver,
  before: (imap: ImapServer) => void = () => undefined,
) {
  const town = await aMailTown({}, ways);
  before(town.imap);
  const found = await checks({ ...town.settings, ...changes }, { resolver: dns, trialMs: 1_200 });
  for (const { text } of found) expect(text).not.toContain(pass);
  const of = (name: string) => found.find((each) => each.name === name);
  return { ...town, found, of };
}

describe("owlpost doctor asks the mail servers", () => {
  test("all is well: one mail went to itself, came back, and is gone", async () => {
    const { found, smtp, imap, of } = await examined({ delivers: (raw, to) => arrives(raw, to) });
    // Without TLS, as on this machine, either line wants a look.
    expect(found.filter(({ ok, warn }) => !ok || warn).map(({ name }) => name)).toEqual(["smtp", "imap"]);
    for (const line of ["smtp", "imap"]) expect(of(line)?.text).toContain("unencrypted");
    expect(found.map(({ name }) => name)).toEqual([
      "smtp",
      "imap",
      "owners",
      "push",
      "folder",
      "round trip",
      "authserv_id",
      "sender",
    ]);
    expect(smtp.taken.map(({ to }) => to)).toEqual([
      [expect.stringMatching(/^owl\+doctor\.[0-9a-f]+@owl\.example$/)],
    ]);
    expect(imap.mails()).toEqual([]);
    expect(of("round trip")?.aheadMs).toBe(0);
    expect(of("authserv_id")?.text).toContain(authserv);
    expect(of("sender")?.text).toContain("its mail is signed");
  });

  test("a wrong password of either server is said for that one, and nothing is sent", async () => {
    const town = await aMailTown();
    const wrong = (server: "smtp" | "imap") =>
      checks(
        { ...town.settings, [server]: { ...town.settings[server], pass: "another" } },
        { resolver, trialMs: 300 },
      );
    const out = await wrong("smtp");
    expect(out.find(({ name }) => name === "smtp")).toMatchObject({ ok: false });
    expect(out.find(({ name }) => name === "imap")).toMatchObject({ ok: true });
    expect(out.find(({ name }) => name === "round trip")).toBeUndefined();
    const back = await wrong("imap");
    expect(back.find(({ name }) => name === "imap")).toMatchObject({ ok: false });
    expect(back.map(({ text }) => text).join("\n")).not.toContain("another");
    expect(town.smtp.taken).toEqual([]);
  });

  test("addresses with a + that go nowhere fail", async () => {
    const { of } = await examined({});
    expect(of("round trip")).toMatchObject({ ok: false, text: expect.stringContaining("with a +") });
  });

  test("mail that is taken for junk is found there", async () => {
    const { of, imap } = await examined({ delivers: (raw, to) => arrives(raw, to, { mailbox: "Junk" }) });
    expect(of("round trip")).toMatchObject({ ok: true, warn: true, text: expect.stringContaining("Junk") });
    expect(imap.mails("Junk")).toEqual([]);
  });

  test("the server's clock is compared", async () => {
    const ahead = await examined({ delivers: (raw, to) => arrives(raw, to, { at: Date.now() + 90_000 }) });
    expect(ahead.of("round trip")?.aheadMs).toBeGreaterThan(80_000);
    const behind = await examined({ delivers: (raw, to) => arrives(raw, to, { at: Date.now() - 90_000 }) });
    expect(behind.of("round trip")?.aheadMs).toBeLessThan(-80_000);
  });

  test("a wrong authserv_id is seen, and the right one is named", async () => {
    const { of } = await examined(
      { delivers: (raw, to) => arrives(raw, to, { by: "mx.real.example" }) },
      { authserv_id: "mx.wrong.example" },
    );
    expect(of("authserv_id")).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining("mx.real.example"),
    });
  });

  test("without one, what nearly all mail here bears is proposed; what a stranger wrote is not", async () => {
    const usual = await examined(
      { delivers: (raw, to) => to.deliver(raw) },
      { authserv_id: undefined } as never,
      resolver,
      (imap) => {
        for (let count = 0; count < 5; count += 1) imap.deliver(writeMail({ text: "hello" }).raw);
      },
    );
    expect(usual.of("authserv_id")?.text).toContain(`write authserv_id: ${authserv}`);
    const rare = await examined(
      { delivers: (raw, to) => to.deliver(raw) },
      { authserv_id: undefined } as never,
      resolver,
      (imap) => {
        imap.deliver(writeMail({ text: "hello" }).raw);
      },
    );
    expect(rare.of("authserv_id")?.text).toBe("not set: DKIM is checked here alone");
  });

  test("what the sending domain lacks is named, and a DNS that does not answer is no failure", async () => {
    const lacking = await examined({ delivers: (raw, to) => to.deliver(raw) }, {}, async () => {
      throw Object.assign(new Error("no"), { code: "ENODATA" });
    });
    expect(lacking.of("sender")).toMatchObject({
      ok: true,
      warn: true,
      text: expect.stringContaining("SPF, DMARC, a DKIM signature"),
    });
    const down = await examined({ delivers: (raw, to) => to.deliver(raw) }, {}, async () => {
      throw Object.assign(new Error("no"), { code: "ETIMEOUT" });
    });
    expect(down.of("sender")).toMatchObject({ ok: true, warn: true });
  });

  test("nobody who may answer, and a server without IDLE", async () => {
    const { of } = await examined({ idle: false, delivers: (raw, to) => arrives(raw, to) }, { to: [] });
    expect(of("owners")).toMatchObject({ ok: false, text: expect.stringContaining("channels.email.to") });
    expect(of("push")).toMatchObject({ ok: true, warn: true });
  });
});
