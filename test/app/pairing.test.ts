import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { type Claimed, makeCode, proveCodes } from "../../src/app/pairing.ts";
import { placesOf } from "../../src/app/route.ts";
import { decideAttempt, decideCode, type Proof } from "../../src/core/pairing.ts";
import type { Ack } from "../../src/domain/command.ts";
import type { Role } from "../../src/domain/person.ts";
import type { Store } from "../../src/domain/store.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { aClock, afterwards, aHome } from "../homes.ts";
import { aBotApi, eric, token } from "../telegram/phone.ts";

const config = aConfig({
  deliver: ["telegram", "inbox"],
  channels: { inbox: { port: 0 }, telegram: { token, allow: [] } },
});

/** A store whose codes say how often they were compared: reading the salt begins a hash. */
function counting(store: Store) {
  let hashes = 0;
  const people: Parameters<typeof proveCodes>[0] = {
    bindings: () => store.bindings(),
    counters: (channel, sender) => store.counters(channel, sender),
    async codes(now) {
      const codes = await store.codes(now);
      return codes.map((code) => ({
        ...code,
        get salt() {
          hashes += 1;
          return code.salt;
        },
      }));
    },
  };
  return { people, hashes: () => hashes };
}

async function aDesk() {
  const home = aHome();
  const clock = aClock();
  const open = () => openOwlpost({ home, config, now: clock.now, host: "owl" });
  let owlpost = await open();
  afterwards(() => owlpost.close());

  /** Makes a code as the owner does, without asking a platform for the bot's name. */
  async function code(name: string, role: Role = "member", address?: string) {
    const made = await makeCode();
    const value = await owlpost.store.pair(
      (snapshot) =>
        decideCode(
          snapshot,
          {
            person: { name, role },
            channel: "telegram",
            ...(address === undefined ? {} : { address }),
            ...made.stored,
          },
          clock.now(),
        ),
      clock.now(),
    );
    if (!value.ok) throw new Error(value.message);
    return made;
  }
  let keys = 0;
  let hashes = 0;
  /** One batch of codes that were said, from the proof to the commit. */
  async function say(
    ...said: { sender: string; text: string; private?: boolean }[]
  ): Promise<{ proofs: (Proof | undefined)[]; acks: readonly Ack[] }> {
    const attempts: Claimed[] = said.map(({ sender, text, private: alone = true }) => {
      keys += 1;
      return { key: `k${keys}`, channel: "telegram", sender, private: alone, text };
    });
    const count = counting(owlpost.store);
    const proofs = await proveCodes(count.people, attempts, clock.now());
    hashes += count.hashes();
    const inputs = attempts.map((attempt) => ({ key: attempt.key, payload: null, attempt }));
    const acks = await owlpost.store.turn(
      { channel: "telegram", inputs },
      ({ attempt }) => ({ questions: [], sender: attempt.sender, people: true }),
      ({ people = { bindings: [], codes: [] }, counters = [] }, { attempt: { key, ...attempt } }) =>
        decideAttempt(
          people,
          counters,
          { ...attempt, proof: proofs.get(key) ?? "unchecked" },
          clock.now(),
          placesOf(config),
        ),
      clock.now(),
    );
    return { proofs: attempts.map(({ key }) => proofs.get(key)), acks };
  }
  /** As when the service is killed and started again: nothing is remembered but what is on disk. */
  async function restart(): Promise<void> {
    await owlpost.close();
    owlpost = await open();
  }
  return {
    home,
    clock,
    code,
    say,
    restart,
    /** How often a code that was said was compared. */
    hashes: () => hashes,
    get owlpost() {
      return owlpost;
    },
    get store() {
      return owlpost.store;
    },
  };
}

const silence: Ack = { accepted: false, reason: "unknown-sender", text: "" };

describe("a code", () => {
  test("field 62: is eight unambiguous characters and 128 bits, each other every time, and hashed at rest", async () => {
    const made = await Promise.all(Array.from({ length: 12 }, makeCode));
    for (const { code, token: link, stored } of made) {
      expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
      expect(Buffer.from(link, "base64url")).toHaveLength(16);
      expect(link).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(JSON.stringify(stored)).not.toContain(code);
      expect(Buffer.from(stored.codeHash, "base64")).toHaveLength(32);
    }
    expect(new Set(made.map(({ code }) => code)).size).toBe(12);
    expect(new Set(made.map(({ stored }) => stored.salt)).size).toBe(12);
    expect(new Set(made.flatMap(({ code }) => [...code])).size).toBeGreaterThan(20);
  });

  test("is nowhere in the home: not in the store, not in an event", async () => {
    const { home, code, store, owlpost } = await aDesk();
    const made = await code("mara");
    const events = JSON.stringify(await owlpost.events(0, 100));
    const people = JSON.stringify(await owlpost.people());
    await store.append([], 0);
    const files = ["owlpost.db", "owlpost.db-wal"].map((name) => readFileSync(join(home, name), "latin1"));
    for (const text of [events, people, ...files]) {
      expect(text).not.toContain(made.code);
      expect(text).not.toContain(made.token);
    }
    expect(events).toContain("pairing.code-made");
    expect(people).not.toContain("Hash");
  });

  test.each([
    ["as it was shown", (code: string) => code],
    ["in small letters", (code: string) => code.toLowerCase()],
    ["with a dash and blanks", (code: string) => ` ${code.slice(0, 4)} – ${code.slice(4)} `],
  ])("binds when it is typed %s", async (_how, typed) => {
    const { code, say, store } = await aDesk();
    const made = await code("mara");
    const { acks } = await say({ sender: "43", text: typed(made.code) });
    expect(acks).toMatchObject([{ accepted: true, state: "paired" }]);
    expect(await store.bindings()).toMatchObject([
      { person: { name: "mara", role: "member" }, channel: "telegram", address: "43" },
    ]);
  });

  test("field 62: works once, by its link too, and of two at once one comes in", async () => {
    const { code, say, store } = await aDesk();
    const made = await code("mara");
    const { acks } = await say({ sender: "43", text: made.token }, { sender: "44", text: made.code });
    expect(acks).toMatchObject([{ accepted: true }, silence]);
    expect((await say({ sender: "45", text: made.token })).acks).toEqual([silence]);
    expect(await store.bindings()).toHaveLength(1);
    expect(await store.codes(0)).toEqual([]);
  });

  test("takes its number along, so that the line that was announced revokes the right one", async () => {
    const { code, say, owlpost } = await aDesk();
    await code("ola", "viewer");
    const made = await code("mara");
    await say({ sender: "43", text: made.code });
    const events = await owlpost.events(0, 100);
    const said = events.find(({ kind }) => kind === "notice.queued")?.data.text;
    const id = Number(/owlpost pairing revoke (\d+)$/.exec(String(said))?.[1]);
    expect((await owlpost.people()).bindings).toMatchObject([{ id, person: { name: "mara" } }]);
    expect(await owlpost.revoke(id, "cli")).toMatchObject({ ok: true, person: { name: "mara" } });
    expect((await owlpost.people()).bindings).toEqual([]);
    expect(await owlpost.revoke(id, "cli")).toEqual({ ok: false });
  });

  test("runs out after ten minutes, is for one address where one was named, and not of another channel", async () => {
    const { code, say, clock } = await aDesk();
    const old = await code("mara");
    clock.advance(10 * minute);
    expect((await say({ sender: "43", text: old.code })).acks).toEqual([silence]);
    const bound = await code("ola", "viewer", "44");
    expect((await say({ sender: "43", text: bound.code })).acks).toEqual([silence]);
    expect((await say({ sender: "44", text: bound.code })).acks).toMatchObject([{ accepted: true }]);
  });

  test("said in a group it is worth nothing any more", async () => {
    const { code, say, store } = await aDesk();
    const made = await code("mara");
    expect((await say({ sender: "99", text: made.code, private: false })).acks).toEqual([silence]);
    expect((await say({ sender: "43", text: made.code })).acks).toEqual([silence]);
    expect(await store.bindings()).toEqual([]);
  });

  test("said in a group by somebody who is locked out it is worth nothing any more, either", async () => {
    const { code, say, store } = await aDesk();
    const made = await code("mara");
    const wrong = Array.from({ length: 5 }, () => ({ sender: "99", text: "AAAABBBB" }));
    await say(...wrong);
    await say({ sender: "99", text: made.code, private: false });
    expect((await say({ sender: "43", text: made.code })).acks).toEqual([silence]);
    expect(await store.bindings()).toEqual([]);
  });
});

describe("proofs", () => {
  const guesses = (count: number, sender = (index: number) => `s${index}`): Claimed[] =>
    Array.from({ length: count }, (_, index) => ({
      key: `g${index}`,
      channel: "telegram",
      sender: sender(index),
      private: true,
      text: "AAAABBBB",
    }));

  test("field 62: while no code is live, and for what cannot be one, nothing is hashed", async () => {
    const { store, code, clock } = await aDesk();
    const count = counting(store);
    expect(new Set((await proveCodes(count.people, guesses(50), clock.now())).values())).toEqual(
      new Set(["unchecked"]),
    );
    await code("mara");
    const odd = ["", "hello", "OOOO1111", "A".repeat(9), "x".repeat(23), "ＡＡＡＡＢＢＢＢ"];
    const claimed = odd.map((text, index) => ({ ...guesses(1)[0], key: `o${index}`, text }) as Claimed);
    const proofs = await proveCodes(
      count.people,
      claimed.map((each, index) => ({ ...each, sender: `o${index}` })),
      clock.now(),
    );
    expect([...proofs.values()]).toEqual(odd.map(() => "wrong"));
    expect(count.hashes()).toBe(0);
  });

  test("field 62: of one batch at most twenty are hashed, and at most five of one sender", async () => {
    const { store, code, clock } = await aDesk();
    await code("mara");
    const many = counting(store);
    const proofs = await proveCodes(many.people, guesses(100), clock.now());
    expect(many.hashes()).toBe(20);
    expect([...proofs.values()].filter((proof) => proof === "unchecked")).toHaveLength(80);
    const one = counting(store);
    await proveCodes(
      one.people,
      guesses(100, () => "99"),
      clock.now(),
    );
    expect(one.hashes()).toBe(5);
  });

  test("field 62: 10,000 guesses with restarts in between cost twenty hashes; none comes in, then nothing is live and the owners know", async () => {
    const desk = await aDesk();
    const { code, say, clock } = desk;
    const made = await code("mara");
    for (let batch = 0; batch < 100; batch += 1) {
      if (batch % 20 === 7) await desk.restart();
      const said = Array.from({ length: 100 }, (_, index) => ({
        sender: `s${batch * 20 + (index % 20)}`,
        text: "AAAABBBB",
      }));
      const { acks } = await say(...said);
      expect(acks.every((ack) => ack.text === "" && !ack.accepted)).toBe(true);
    }
    expect(desk.hashes()).toBe(20);
    expect(await desk.store.bindings()).toEqual([]);
    expect(await desk.store.codes(clock.now())).toEqual([]);
    expect(await desk.store.counters("telegram", "s19")).toMatchObject([{ name: "pairing", value: 5 }]);
    expect((await say({ sender: "mara", text: made.code })).acks).toEqual([silence]);
    const kinds = (await desk.owlpost.events(0, 10_000)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "pairing.codes-revoked")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "notice.queued")).toHaveLength(1);
    const fresh = await code("mara");
    expect((await say({ sender: "s19", text: fresh.code })).acks).toEqual([silence]);
    expect((await say({ sender: "43", text: fresh.code })).acks).toMatchObject([{ accepted: true }]);
    clock.advance(24 * hour);
    const later = await code("ola", "viewer");
    expect((await say({ sender: "s19", text: later.code })).acks).toMatchObject([{ accepted: true }]);
  }, 60_000);

  test("none of who is paired already", async () => {
    const { store, code, say, clock } = await aDesk();
    await say({ sender: "43", text: (await code("mara")).code });
    const other = await code("ola", "viewer");
    const count = counting(store);
    const attempt = { key: "k", channel: "telegram", sender: "43", private: true, text: other.code };
    expect((await proveCodes(count.people, [attempt], clock.now())).get("k")).toBe("unchecked");
    expect(count.hashes()).toBe(0);
    expect(await store.codes(clock.now())).toHaveLength(1);
  });
});

describe("whom a question rings", () => {
  test("R10: nobody is allowed and nobody paired: without the inbox it is refused, and asked again it is found", async () => {
    const { home, code, say, store, clock } = await aDesk();
    const alone = await openOwlpost({
      home,
      config: { ...config, deliver: ["telegram"] },
      now: clock.now,
      store,
    });
    const document = aDocument({ default: { action: "skip_spec", at: "8h" } });
    expect(await alone.ask({ document, key: "k" })).toMatchObject({
      ok: false,
      broken: [
        { rule: "no-route", found: "nobody on telegram", mend: expect.stringContaining("owlpost pair") },
      ],
    });
    await say({ sender: "42", text: (await code("eric", "owner")).code });
    expect(await alone.ask({ document, key: "k" })).toMatchObject({ ok: true, channels: ["telegram"] });
    const [binding] = await store.bindings();
    await alone.revoke(binding?.id ?? 0, "cli");
    expect(await alone.ask({ document, key: "k" })).toMatchObject({ ok: true, repeated: true, channels: [] });
  });

  test("who is paired now, and of members those that answerable_by names", async () => {
    const { code, say, store, owlpost } = await aDesk();
    await say({ sender: "42", text: (await code("eric", "owner")).code });
    await say({ sender: "43", text: (await code("mara")).code });
    const jobs = async (changes: Record<string, unknown>) => {
      const asked = await owlpost.ask({
        document: aDocument({ default: { action: "skip_spec", at: "8h" }, ...changes }),
      });
      if (!asked.ok) throw new Error(JSON.stringify(asked));
      const queued = await store.nextJobs(Number.MAX_SAFE_INTEGER, 100);
      for (const job of queued) await store.drop(job, [], 0);
      return queued.map(({ channel, destination }) => `${channel} ${destination}`).sort();
    };
    for (const job of await store.nextJobs(Number.MAX_SAFE_INTEGER, 100)) await store.drop(job, [], 0);
    expect(await jobs({})).toEqual(["inbox local", "telegram 42"]);
    expect(await jobs({ answerable_by: ["mara"] })).toEqual(["inbox local", "telegram 43"]);
    expect(await jobs({ answerable_by: ["owner", "member"] })).toEqual([
      "inbox local",
      "telegram 42",
      "telegram 43",
    ]);
    expect(await owlpost.notify("stalled", "No corn.")).toEqual({ channels: ["telegram", "inbox"] });
  });
});

describe("making one for a platform", () => {
  test("the link names the bot that the token belongs to", async () => {
    const { api } = await aBotApi();
    const channels = { inbox: { port: 0 }, telegram: { token, allow: [eric], api_root: api.url } };
    const owlpost = await openOwlpost({ home: aHome(), config: { ...config, channels } });
    afterwards(() => owlpost.close());
    const made = await owlpost.pair({ name: "mara", role: "member", channel: "telegram" });
    expect(made).toMatchObject({ ok: true, bot: "owlpost_nightjar_bot", heard: false });
    if (!made.ok || made.by !== "code") expect.fail(JSON.stringify(made));
    expect(made.link).toMatch(/^https:\/\/t\.me\/owlpost_nightjar_bot\?start=[A-Za-z0-9_-]{22}$/);
    expect(made.say).toBe(`/start ${made.code}`);
  });
});
