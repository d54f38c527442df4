import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/sqlite.ts";
import { aBotApi, token } from "../telegram/phone.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const mara = ["pair", "--name", "mara", "--role", "member", "--channel", "telegram"];

function configure(telegram: Record<string, unknown>, more: Record<string, unknown> = {}): void {
  mkdirSync(desk.home, { recursive: true, mode: 0o700 });
  const channels = { inbox: { port: 0 }, telegram: { token, ...telegram } };
  writeFileSync(join(desk.home, "config.yaml"), JSON.stringify({ zone: "Europe/Berlin", channels, ...more }));
}

/** A home whose bot answers. */
async function online(): Promise<void> {
  const { api } = await aBotApi();
  configure({ api_root: api.url });
}

/** What the service does when the code is said. */
async function bind(code: number, name: string, role: "owner" | "member", address: string): Promise<void> {
  const store = await openStore(join(desk.home, "owlpost.db"));
  const effect = { type: "bind", person: { name, role }, channel: "telegram", address, code } as const;
  await store.append([effect], Date.now());
  await store.close();
}

describe("owlpost pair", () => {
  test("for programs: the code, what to say, the link, and until when", async () => {
    await online();
    const { exit, json, err } = await desk.run([...mara, "--json"]);
    expect(exit).toBe(0);
    expect(json).toEqual({
      code: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
      link: expect.stringMatching(/^https:\/\/t\.me\/owlpost_nightjar_bot\?start=[\w-]{22}$/),
      say: `/start ${json.code}`,
      bot: "owlpost_nightjar_bot",
      expires_at: expect.stringMatching(/Z$/),
      name: "mara",
      role: "member",
      channel: "telegram",
    });
    const left = Date.parse(String(json.expires_at)) - Date.now();
    expect(left).toBeGreaterThan(9 * 60_000);
    expect(left).toBeLessThanOrEqual(10 * 60_000);
    expect(err).toContain("No service runs");
  });

  test("for people: a QR code on a terminal or when it is asked for, else none", async () => {
    await online();
    const blocks = /[▀▄█]{3}/;
    const piped = await desk.run(mara);
    expect(piped.exit).toBe(0);
    expect(piped.out).toMatch(/^Pairing code for mara \(member\) on telegram: [A-HJ-NP-Z2-9]{8}$/m);
    expect(piped.out).toContain("Send this to @owlpost_nightjar_bot, in a private chat:\n  /start ");
    expect(piped.out).toContain("https://t.me/owlpost_nightjar_bot?start=");
    expect(piped.out).not.toMatch(blocks);
    expect(piped.err).toContain("once, for 10 minutes");
    const asked = await desk.run([...mara, "--qr"]);
    expect(asked.out).toMatch(blocks);
    expect(asked.out).not.toContain("\u001b");
    const terminal = await desk.run(mara, { tty: true });
    expect(terminal.out).toMatch(blocks);
    // Black on white, or a camera sees the negative.
    expect(terminal.out).toContain("\u001b[30;107m");
  });

  test("where the bot does not answer, the code alone, and why", async () => {
    configure({ api_root: "http://127.0.0.1:9" });
    const people = await desk.run(mara);
    expect(people.exit).toBe(0);
    expect(people.out).toMatch(/Send this to the bot, in a private chat:\n {2}\/start [A-HJ-NP-Z2-9]{8}/);
    expect(people.err).toContain(
      "There is no link: the bot's name could not be asked for (Telegram cannot be",
    );
    const { json } = await desk.run([...mara, "--json"]);
    expect(json).not.toHaveProperty("link");
  });

  test("what cannot be is exit 2, and a conflict is 3", async () => {
    const refusal = async (...line: string[]) => {
      const { exit, json } = await desk.run(["pair", ...line, "--json"]);
      return [exit, json.error, json.message];
    };
    const who = ["--name", "mara", "--role", "member", "--channel"];
    expect(await refusal(...who, "pigeon")).toEqual([
      2,
      "no-such-channel",
      expect.stringMatching(/there are .*\binbox\b.*\btelegram\b/),
    ]);
    expect(await refusal(...who, "telegram")).toEqual([
      2,
      "not-configured",
      expect.stringContaining("write channels.telegram"),
    ]);
    expect(await refusal(...who, "inbox")).toEqual([
      2,
      "no-pairing",
      expect.stringContaining("this account"),
    ]);
    configure({ api_root: "http://127.0.0.1:9" });
    expect(await refusal("--name", "", "--role", "member", "--channel", "telegram")).toEqual([
      2,
      "bad-usage",
      "a name is missing",
    ]);
    await desk.run([...mara, "--json"]);
    await bind(1, "mara", "member", "43");
    expect(await refusal("--name", "mara", "--role", "owner", "--channel", "telegram")).toEqual([
      3,
      "conflict",
      expect.stringContaining("a member already"),
    ]);
    configure({ api_root: "http://127.0.0.1:9" }, { deliver: ["inbox"] });
    expect(await refusal(...who, "telegram")).toEqual([
      2,
      "not-configured",
      expect.stringContaining("not in deliver"),
    ]);
  });

  test("an agent pairs nobody and sees nobody", async () => {
    configure({});
    for (const line of [mara, ["pairing", "list"], ["pairing", "revoke", "1"]]) {
      const { exit, json } = await desk.run([...line, "--json"], { env: { OWLPOST_AS: "agent" } });
      expect([exit, json.accepted, json.reason]).toEqual([3, false, "not-allowed"]);
    }
  });
});

describe("owlpost pairing", () => {
  test("R10: lists nobody where nobody is", async () => {
    const { exit, json } = await desk.run(["pairing", "list", "--json"]);
    expect([exit, json]).toEqual([0, { people: [], codes: [], allowed: [] }]);
    expect((await desk.run(["pairing", "list"])).out).toContain("nobody may answer from a channel");
  });

  test("lists people with their bindings, and codes without their text", async () => {
    configure({ api_root: "http://127.0.0.1:9", allow: [41] });
    const made = await desk.run([...mara, "--json"]);
    await bind(1, "mara", "member", "43");
    await desk.run(["pair", "--name", "ola", "--role", "viewer", "--channel", "telegram", "--address", "44"]);
    const { json } = await desk.run(["pairing", "list", "--json"]);
    expect(json).toEqual({
      people: [
        {
          name: "mara",
          role: "member",
          bindings: [{ id: 1, channel: "telegram", address: "43", since: expect.stringMatching(/Z$/) }],
        },
      ],
      codes: [
        {
          id: 2,
          name: "ola",
          role: "viewer",
          channel: "telegram",
          address: "44",
          expires_at: expect.stringMatching(/Z$/),
        },
      ],
      allowed: [{ channel: "telegram", address: "41" }],
    });
    const { out } = await desk.run(["pairing", "list"]);
    expect(out).toMatch(/^mara, member\n {2}1 {2}telegram 43, since \d{4}-\d\d-\d\d \d\d:\d\d$/m);
    expect(out).toContain("Allowed by the configuration:\n  telegram 41, owner");
    expect(out).toMatch(/^ {2}2 {2}ola, viewer, on telegram for 44 alone, until /m);
    expect(out).not.toContain(String(made.json.code));
  });

  test("revokes bindings and codes, says when it was the last owner, and is exit 3 where there is none", async () => {
    configure({ api_root: "http://127.0.0.1:9" });
    await desk.run(["pair", "--name", "eric", "--role", "owner", "--channel", "telegram"]);
    await bind(1, "eric", "owner", "42");
    const last = await desk.run(["pairing", "revoke", "1"]);
    expect([last.exit, last.out]).toEqual([0, ""]);
    expect(last.err).toContain("eric is not known on telegram any more");
    expect(last.err).toContain("That was the last owner");
    const gone = await desk.run(["pairing", "revoke", "1", "--json"]);
    expect([gone.exit, gone.json.error]).toEqual([3, "no-such-binding"]);
    await desk.run(mara);
    const code = await desk.run(["pairing", "revoke", "2", "--json"]);
    expect([code.exit, code.json]).toEqual([
      0,
      {
        revoked: 2,
        was: "code",
        name: "mara",
        role: "member",
        channel: "telegram",
        last_owner: false,
        still_allowed: false,
      },
    ]);
    const { json } = await desk.run(["pairing", "list", "--json"]);
    expect(json).toMatchObject({ people: [], codes: [] });
  });

  test.each([
    [["pairing", "revoke"], "needs the number"],
    [["pairing", "revoke", "eric"], "needs the number"],
    [["pairing", "show"], "either list, or revoke"],
    [["pairing", "list", "3"], "either list, or revoke"],
    [["pairing"], "missing required argument 'list|revoke'"],
    [["pair", "--name", "x", "--role", "king", "--channel", "telegram"], "owner, member, viewer"],
    [["pair", "--role", "owner", "--channel", "telegram"], "--name <name>"],
  ])("%j is bad usage", async (line, part) => {
    const { exit, json } = await desk.run([...line, "--json"]);
    expect([exit, json.error]).toEqual([2, "bad-usage"]);
    expect(json.message).toContain(part);
  });
});
