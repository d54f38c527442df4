import { describe, expect, test } from "vitest";
import {
  type Attempt,
  codeMs,
  decideAttempt,
  decideCode,
  decideRevoke,
  decideUnpair,
  isLockedOut,
} from "../../src/core/pairing.ts";
import { speakerOf } from "../../src/core/people.ts";
import type { Ack } from "../../src/domain/command.ts";
import type { Decision, Effect, PeopleSnapshot, SenderCounter } from "../../src/domain/store.ts";
import { aBinding, aPairingCode, aPlace, evening, hour, minute } from "../builders.ts";

const now = evening + minute;
const places = [aPlace({ channel: "inbox", chats: "page" }), aPlace()];
const eric = aBinding();
const hashes = { salt: "c2FsdA==", codeHash: "Y29kZQ==", linkHash: "bGluaw==" };
const silence = { accepted: false, reason: "unknown-sender", text: "" };

function code(
  snapshot: Partial<PeopleSnapshot>,
  name: string,
  role: "owner" | "member" | "viewer" = "member",
  more: { channel?: string; address?: string } = {},
) {
  const request = { person: { name, role }, channel: "telegram", ...hashes, ...more };
  return decideCode({ bindings: [], codes: [], ...snapshot }, request, now);
}

function attempt(
  snapshot: Partial<PeopleSnapshot>,
  changes: Partial<Attempt> = {},
  counters: readonly SenderCounter[] = [],
): Decision<Ack> {
  const given: Attempt = { channel: "telegram", sender: "43", private: true, proof: 7, ...changes };
  return decideAttempt({ bindings: [eric], codes: [], ...snapshot }, counters, given, now, places);
}

function failures(value: number, sinceAt = now): SenderCounter[] {
  return [{ channel: "telegram", sender: "43", name: "pairing", value, sinceAt }];
}

const types = (effects: readonly Effect[]) => effects.map(({ type }) => type);
const events = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "log" ? [effect.event.kind] : []));
const sent = (effects: readonly Effect[]) =>
  effects.flatMap((effect) =>
    effect.type === "send"
      ? [`${effect.job.channel} ${effect.job.destination}: ${effect.job.notice?.text}`]
      : [],
  );

describe("making a code", () => {
  test("for ten minutes; its event holds no hash", () => {
    const { effects, value } = code({ bindings: [eric] }, " mara ");
    expect(value).toEqual({ ok: true, person: { name: "mara", role: "member" }, expiresAt: now + codeMs });
    expect(effects).toEqual([
      {
        type: "insert-code",
        code: {
          person: { name: "mara", role: "member" },
          channel: "telegram",
          ...hashes,
          expiresAt: now + codeMs,
        },
      },
      {
        type: "log",
        event: { kind: "pairing.code-made", data: { name: "mara", role: "member", channel: "telegram" } },
      },
    ]);
  });

  test.each([
    ["", "name is missing"],
    [" \u200b ", "name is missing"],
    ["two\nlines", "one line"],
    ["bell\u0007", "control"],
    ["\u202eeric", "control"],
    ["x".repeat(41), "at most 40"],
    ["Owner", "that is a role"],
  ])("the name %j is refused: %s", (name, why) => {
    const { effects, value } = code({}, name);
    expect(effects).toEqual([]);
    expect(value).toMatchObject({ ok: false, error: "bad-usage", message: expect.stringContaining(why) });
  });

  test("forty characters of any kind are fine", () => {
    expect(code({}, "🦉".repeat(40)).value.ok).toBe(true);
  });

  test.each(["4 2", "", "4\u202e2", "4".repeat(255)])("the address %j is refused", (address) => {
    expect(code({}, "mara", "member", { address }).value).toMatchObject({ ok: false, error: "bad-usage" });
  });

  test("the same name with another role is a conflict, also while it is only a live code", () => {
    expect(code({ bindings: [eric] }, "ERIC", "member", { channel: "slack" }).value).toMatchObject({
      ok: false,
      error: "conflict",
      message: expect.stringContaining("eric is an owner already"),
    });
    const elsewhere = aPairingCode({ channel: "slack" });
    expect(code({ codes: [elsewhere] }, "mara", "owner").value).toMatchObject({
      ok: false,
      error: "conflict",
    });
  });

  test("the newest for a name on a channel replaces the older one, with its role", () => {
    const other = aPairingCode({ id: 8, person: { name: "ola", role: "viewer" } });
    const { effects, value } = code({ codes: [aPairingCode(), other] }, "Mara", "owner");
    expect(value).toMatchObject({ ok: true, person: { name: "Mara", role: "owner" } });
    expect(effects[0]).toEqual({ type: "revoke-codes", codes: [7] });
  });

  test("who is known keeps the spelling, and has one account a channel", () => {
    expect(code({ bindings: [eric] }, "Eric", "owner", { channel: "slack" }).value).toMatchObject({
      ok: true,
      person: { name: "eric", role: "owner" },
    });
    expect(code({ bindings: [eric] }, "eric", "owner").value).toMatchObject({
      ok: false,
      error: "conflict",
      message: expect.stringContaining("owlpost pairing revoke 1"),
    });
    expect(code({ bindings: [eric] }, "mara", "member", { address: "42" }).value).toMatchObject({
      ok: false,
      error: "conflict",
      message: expect.stringContaining("as eric"),
    });
  });
});

describe("the right code", () => {
  test("in private it binds, is used up, and every owner is told how to revoke it", () => {
    const { effects, value } = attempt({ codes: [aPairingCode()] });
    expect(value).toMatchObject({ accepted: true, state: "paired" });
    expect(value.text).toMatch(/^Welcome, mara\. You are a member here: answer, skip, retry/);
    expect(effects[0]).toEqual({
      type: "bind",
      person: { name: "mara", role: "member" },
      channel: "telegram",
      address: "43",
      code: 7,
    });
    expect(events(effects)).toEqual(["person.paired", "notice.queued"]);
    const news =
      "mara is paired on telegram as member (id 43). Not expected? On the machine: owlpost pairing revoke 7";
    expect(sent(effects)).toEqual([`inbox local: ${news}`, `telegram 42: ${news}`]);
  });

  test("an owner's second account is announced on the first one, and never to itself", () => {
    const slack = aPlace({ channel: "slack", mark: "!", allow: ["T1/U2"] });
    const given: Attempt = { channel: "slack", sender: "T1/U2", private: true, proof: 7 };
    const codes = [aPairingCode({ channel: "slack", person: eric.person })];
    const { effects, value } = decideAttempt({ bindings: [eric], codes }, [], given, now, [...places, slack]);
    expect(value.text).toContain("You are an owner here");
    expect(value.text).toContain("!unpair");
    expect(sent(effects).map((line) => line.split(":")[0])).toEqual(["inbox local", "telegram 42"]);
  });

  test("an id that the configuration allows is told and announced as the owner it is, whatever the code says", () => {
    const given: Attempt = { channel: "telegram", sender: "43", private: true, proof: 7 };
    const allowing = [aPlace({ allow: ["42", "43"] })];
    const { effects, value } = decideAttempt(
      { bindings: [], codes: [aPairingCode()] },
      [],
      given,
      now,
      allowing,
    );
    expect(value.text).toContain("You are an owner here");
    expect(sent(effects)).toEqual([expect.stringContaining("mara is paired on telegram as owner (id 43)")]);
  });

  test("forgets the sender's wrong ones", () => {
    const { effects } = attempt({ codes: [aPairingCode()] }, {}, failures(4));
    expect(effects).toContainEqual({
      type: "count",
      counter: { channel: "telegram", sender: "43", name: "pairing", value: 0, sinceAt: now },
    });
  });

  test.each<[string, Partial<PeopleSnapshot>, Partial<Attempt>]>([
    ["used", {}, {}],
    ["run out", { codes: [aPairingCode({ expiresAt: now })] }, {}],
    ["of another channel", { codes: [aPairingCode({ channel: "slack" })] }, {}],
    ["for another address", { codes: [aPairingCode({ address: "99" })] }, {}],
  ])("field 62: that is %s is wrong, and met with silence", (_what, snapshot, changes) => {
    const { effects, value } = attempt(snapshot, changes);
    expect(value).toEqual(silence);
    expect(events(effects)).toEqual(["pairing.failed"]);
    expect(types(effects)).not.toContain("bind");
  });

  test("from who is paired already stays good, and they are told how to leave first", () => {
    const speaker = speakerOf(eric, false, "42");
    if (!speaker) expect.fail("eric is a stranger");
    const { effects, value } = attempt({ codes: [aPairingCode()] }, { sender: "42", speaker });
    expect(effects).toEqual([]);
    expect(value).toMatchObject({ accepted: false, reason: "not-allowed" });
    expect(value.text).toContain("send /unpair first");
  });

  test("in a group it is revoked and the owners told; a stranger there gets silence, a known person a word", () => {
    const stranger = attempt({ codes: [aPairingCode()] }, { private: false });
    expect(stranger.value).toEqual(silence);
    expect(types(stranger.effects)).toEqual(["revoke-codes", "log", "log", "send", "send"]);
    expect(events(stranger.effects)).toEqual(["pairing.codes-revoked", "notice.queued"]);
    const speaker = speakerOf(eric, false, "42");
    if (!speaker) expect.fail("eric is a stranger");
    const known = attempt({ codes: [aPairingCode()] }, { private: false, sender: "42", speaker });
    expect(known.value).toMatchObject({ reason: "not-allowed", text: expect.stringContaining("revoked") });
  });
});

describe("field 62: a wrong code", () => {
  test("counts against its sender and every live code of the channel", () => {
    for (const proof of ["wrong", "unchecked"] as const) {
      const { effects, value } = attempt({ codes: [aPairingCode()] }, { proof }, failures(1, now - hour));
      expect(value).toEqual(silence);
      expect(effects.slice(0, 2)).toEqual([
        {
          type: "count",
          counter: { channel: "telegram", sender: "43", name: "pairing", value: 2, sinceAt: now },
        },
        { type: "fail-codes", channel: "telegram" },
      ]);
      expect(sent(effects)).toEqual([]);
    }
  });

  test("the fifth silences its sender for a day, right codes too", () => {
    expect(isLockedOut(failures(4), now)).toBe(false);
    expect(isLockedOut(failures(5), now)).toBe(true);
    expect(isLockedOut(failures(5), now + 24 * hour)).toBe(false);
    expect(attempt({ codes: [aPairingCode()] }, {}, failures(5))).toEqual({ effects: [], value: silence });
    expect(attempt({ codes: [aPairingCode()] }, {}, failures(5, now - 24 * hour)).value.accepted).toBe(true);
  });

  test("the twentieth revokes every live code of the channel, and the owners are told", () => {
    const codes = [
      aPairingCode({ failures: 19 }),
      aPairingCode({ id: 8, failures: 3 }),
      aPairingCode({ id: 9, channel: "slack" }),
    ];
    const { effects, value } = attempt({ codes }, { proof: "wrong" });
    expect(value).toEqual(silence);
    expect(effects).toContainEqual({ type: "revoke-codes", codes: [7, 8] });
    expect(events(effects)).toEqual(["pairing.failed", "pairing.codes-revoked", "notice.queued"]);
    expect(sent(effects).map((line) => line.split(":")[0])).toEqual(["inbox local", "telegram 42"]);
    const before = attempt({ codes: [aPairingCode({ failures: 18 })] }, { proof: "wrong" });
    expect(types(before.effects)).not.toContain("revoke-codes");
  });

  test("while no code is live still counts against its sender", () => {
    expect(types(attempt({}, { proof: "unchecked" }).effects)).toEqual(["count", "log"]);
  });

  test("from a known person is told, also when it was one too many", () => {
    const speaker = speakerOf(undefined, true, "43");
    if (!speaker) expect.fail("an allowed id is a stranger");
    const fourth = attempt({}, { proof: "wrong", speaker }, failures(3));
    expect(fourth.value).toMatchObject({
      accepted: false,
      reason: "bad-command",
      text: expect.not.stringContaining("for a day"),
    });
    expect(attempt({}, { proof: "wrong", speaker }, failures(4)).value.text).toContain("for a day");
    expect(attempt({}, { proof: "wrong", speaker }, failures(5)).value).toMatchObject({
      reason: "not-allowed",
      text: expect.stringContaining("for a day"),
    });
  });
});

describe("leaving", () => {
  const mara = aBinding({ id: 2, person: { name: "mara", role: "member" }, address: "43" });
  const leave = (bindings: PeopleSnapshot["bindings"], sender: string, allow: readonly string[] = []) => {
    const speaker = speakerOf(
      bindings.find((each) => each.address === sender),
      allow.includes(sender),
      sender,
    );
    const leaver = { channel: "telegram", sender, ...(speaker ? { speaker } : {}) };
    return decideUnpair({ bindings, codes: [] }, leaver, [aPlace({ allow })]);
  };

  test("a member leaves", () => {
    const { effects, value } = leave([eric, mara], "43");
    expect(value).toMatchObject({ accepted: true, state: "unpaired" });
    expect(effects[0]).toEqual({ type: "unbind", binding: 2 });
    expect(events(effects)).toEqual(["person.unpaired"]);
  });

  test("the last owner does not leave from a chat; allowed ids and second bindings count", () => {
    expect(leave([eric, mara], "42")).toMatchObject({
      effects: [],
      value: {
        accepted: false,
        reason: "not-allowed",
        text: expect.stringContaining("owlpost pairing revoke 1"),
      },
    });
    expect(leave([eric, mara], "42", ["41"]).value.accepted).toBe(true);
    expect(leave([eric, aBinding({ id: 4, channel: "slack", address: "U2" })], "42").value.accepted).toBe(
      true,
    );
    expect(leave([eric], "42", ["42"]).value.text).toContain("remains an owner");
  });

  test("who is not paired is told so, and a stranger nothing", () => {
    expect(leave([], "42", ["42"]).value).toMatchObject({ reason: "bad-command" });
    expect(leave([eric], "99").value).toEqual(silence);
  });

  test("from the machine anybody is revoked, and the last owner is said to be that", () => {
    const codes = [aPairingCode()];
    expect(decideRevoke({ bindings: [eric, mara], codes }, 1, places, "cli").value).toMatchObject({
      ok: true,
      was: "binding",
      person: { name: "eric" },
      lastOwner: true,
    });
    expect(decideRevoke({ bindings: [eric, mara], codes }, 2, places, "cli").value).toMatchObject({
      lastOwner: false,
    });
    const revoked = decideRevoke({ bindings: [], codes }, 7, places, "inbox");
    expect(revoked.value).toMatchObject({ ok: true, was: "code" });
    expect(types(revoked.effects)).toEqual(["revoke-codes", "log"]);
    expect(decideRevoke({ bindings: [eric], codes }, 99, places, "cli")).toEqual({
      effects: [],
      value: { ok: false },
    });
    const allowed = [aPlace({ allow: ["42"] })];
    expect(decideRevoke({ bindings: [eric], codes }, 1, allowed, "cli").value).toMatchObject({
      lastOwner: false,
      stillAllowed: true,
    });
  });
});
