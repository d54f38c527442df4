import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayAnswer } from "../../src/core/people.ts";
import { decideReply, type ReplySettings } from "../../src/core/reply.ts";
import type { Ack, Command } from "../../src/domain/command.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import { type Role, roles } from "../../src/domain/person.ts";
import { type StoredQuestion, states } from "../../src/domain/question.ts";
import type { Decision } from "../../src/domain/store.ts";
import { anAnswer, aQuestion, aStored, evening, hour, aQuestionId as id } from "../builders.ts";

const now = evening + hour;
const phone = (by: string, role: Role, more: Partial<ReplySettings> = {}): ReplySettings => ({
  sender: { via: "telegram", by },
  role,
  now,
  project: "default",
  ...more,
});
const local: ReplySettings = { sender: { via: "cli", host: "owl" }, now, project: "default" };
const eric = phone("eric", "owner");
const mara = phone("mara", "member");
const vera = phone("vera", "viewer");

const choose = (key: string): Command => ({ verb: "choose", question: id, key });
const goAhead: Command = { verb: "choose", question: id, key: "1", goAhead: true };
const skip: Command = { verb: "skip", question: id };
const retry: Command = { verb: "retry", question: id };
const answer: Command = { verb: "answer", question: id, text: "do both" };
const override: Command = { verb: "override", question: id, key: "2" };
const steer: Command = { verb: "steer", target: { question: id }, text: "be quick" };
const all = [choose("1"), goAhead, skip, retry, answer, override, steer];

function decide(stored: StoredQuestion, command: Command, settings: ReplySettings): Decision<Ack> {
  return decideReply({ questions: new Map([[id, stored]]), copies: new Map() }, command, settings);
}

const said = (stored: StoredQuestion, command: Command, settings: ReplySettings): unknown => {
  const { value } = decide(stored, command, settings);
  return value.accepted ? "accepted" : value.reason;
};

const changes = ({ effects }: Decision<Ack>): string[] =>
  effects.map((effect) => effect.type).filter((type) => type === "move-question" || type === "note");

const asked = (...answerable_by: string[]): StoredQuestion =>
  aStored({ question: aQuestion({ answerable_by }) });

describe("who may answer", () => {
  test.each([
    [[], "as without a list", ["eric", "mara"]],
    [["owner"], "owners", ["eric"]],
    [["member"], "members", ["mara"]],
    [["mara"], "the one it names", ["mara"]],
    [["eric", "member"], "names and roles", ["eric", "mara"]],
    [["vera", "viewer"], "no viewer", []],
    [[" MARA "], "names and roles however they are written", ["mara"]],
    [["Owner"], "a role in capitals", ["eric"]],
  ])("%j: %s", (list, _, allowed) => {
    for (const settings of [eric, mara, vera]) {
      const may = (allowed as string[]).includes(settings.sender.by ?? "");
      const { role, sender } = settings;
      expect(mayAnswer({ ...(role ? { role } : {}), name: sender.by ?? "" }, list)).toBe(may);
      for (const command of [choose("1"), skip, retry, answer]) {
        expect(said(asked(...list), command, settings)).toBe(may ? "accepted" : "not-allowed");
      }
    }
    expect(said(asked(...list), choose("1"), local)).toBe("accepted");
  });

  test("by default every owner and member", () => {
    expect([eric, mara, vera].map((settings) => said(aStored(), choose("1"), settings))).toEqual([
      "accepted",
      "accepted",
      "not-allowed",
    ]);
  });

  test("a name that is spelled like a role is no role", () => {
    expect(said(asked("owner"), choose("1"), phone("owner", "member"))).toBe("not-allowed");
  });

  test("the refusal says whom it waits for, and a note is taken all the same", () => {
    const decision = decide(asked("owner", "zoe"), choose("9"), mara);
    expect(decision.value).toEqual({
      accepted: false,
      reason: "not-allowed",
      text: `${id} waits for an owner or zoe; nobody else can answer it.`,
      state: "posted",
    });
    expect(changes(decision)).toEqual([]);
    expect(said(asked("owner"), steer, mara)).toBe("accepted");
  });

  test("a viewer changes nothing, whatever the state", () => {
    for (const state of states) {
      for (const command of all) {
        const decision = decide(aStored({ state, answer: anAnswer({ by: "vera" }) }), command, vera);
        expect(decision.value).toMatchObject({ accepted: false, reason: "not-allowed" });
        expect(changes(decision)).toEqual([]);
      }
    }
  });
});

describe("override", () => {
  const answered = (by?: string): StoredQuestion =>
    aStored({
      state: "answered",
      outcome: "answered",
      answer: by === undefined ? anAnswer() : anAnswer({ by, via: "telegram" }),
    });

  test("a member changes their own answer and nobody else's; an owner changes each", () => {
    expect(said(answered("mara"), override, mara)).toBe("accepted");
    expect(said(answered("eric"), override, mara)).toBe("not-allowed");
    expect(said(answered(), override, mara)).toBe("not-allowed");
    for (const by of ["mara", "eric", undefined]) {
      expect(said(answered(by), override, eric)).toBe("accepted");
      expect(said(answered(by), override, local)).toBe("accepted");
    }
  });

  test("the refusal says whose answer stands and who can change it", () => {
    expect(decide(answered("eric"), override, mara).value.text).toBe(
      `${id} is answered: option 1 — Refresh-token rotation by eric at 00:00. An owner can change it, and whoever gave it.`,
    );
  });

  test("only who may change the answer is told how, with the mark of the channel", () => {
    const own = decide(answered("mara"), choose("2"), { ...mara, mark: "!" });
    expect(own.value.text).toBe(
      `${id} is already answered: option 1 — Refresh-token rotation by mara at 00:00. To change it: !override ${id} <option>.`,
    );
    expect(decide(answered("eric"), choose("2"), mara).value.text).toMatch(
      /at 00:00\. An owner can change it, and whoever gave it\.$/,
    );
  });

  test("where owners may not answer, none is said to be able to change it", () => {
    const stored = { ...answered("mara"), question: aQuestion({ answerable_by: ["mara", "zoe"] }) };
    expect(decide(stored, override, phone("zoe", "member")).value.text).toMatch(
      /at 00:00\. Whoever gave that answer can change it\.$/,
    );
    expect(said(stored, override, eric)).toBe("not-allowed");
  });

  test("field 33: the same choice again is a success that says who and when", () => {
    const again = decide(answered("eric"), choose("1"), eric);
    expect(again).toEqual({
      effects: [],
      value: {
        accepted: true,
        repeated: true,
        state: "answered",
        text: `Already recorded: ${id} is answered: option 1 — Refresh-token rotation by eric at 00:00.`,
      },
    });
  });
});

describe("field 18: a tap that comes too late is told what was done", () => {
  const claim = { claim: "c", takenAt: evening + 8 * hour, leaseUntilAt: evening + 9 * hour };
  const taken = aStored({ state: "default_applied", outcome: "defaulted", claim });

  test("after the default was taken", () => {
    const decision = decide(taken, choose("2"), { ...eric, now: evening + 10 * hour });
    expect(decision.value).toEqual({
      accepted: false,
      reason: "not-open",
      state: "default_applied",
      text: `${id} can no longer be changed: no answer by 06:00 — spec skipped at 07:00.`,
    });
    expect(decision.effects).toMatchObject([
      { type: "log", event: { kind: "question.late-reply", data: { option: "2", by: "eric" } } },
      { type: "log", event: { kind: "reply.refused", data: { reason: "not-open" } } },
    ]);
  });

  test("for a question that is not there", () => {
    const none = (settings: ReplySettings): string =>
      decideReply({ questions: new Map(), copies: new Map() }, skip, settings).value.text;
    expect(none(eric)).toBe(`There is no question ${id}; /pending lists the open ones.`);
    expect(none({ ...eric, mark: "!" })).toBe(`There is no question ${id}; !pending lists the open ones.`);
    expect(none(local)).toBe(`There is no question ${id}; owlpost pending lists the open ones.`);
  });
});

describe("at night", () => {
  const consent: Partial<ReplySettings> = { form: () => "consent" };
  const held: Partial<ReplySettings> = { form: () => "held" };

  test("a consent question takes go ahead, skip, retry and a note", () => {
    const at = phone("eric", "owner", consent);
    for (const command of [goAhead, skip, retry, steer])
      expect(said(aStored(), command, at)).toBe("accepted");
    for (const command of [choose("1"), choose("2"), answer]) {
      expect(said(aStored(), command, at)).toBe("needs-confirmation");
    }
    expect(said(aStored(), { ...goAhead, key: "2" } as Command, at)).toBe("needs-confirmation");
  });

  test("the ack shows the two night actions as they are sent there", () => {
    const text = (settings: ReplySettings): string => decide(aStored(), choose("2"), settings).value.text;
    const morningAt = evening + 9 * hour;
    expect(text(phone("eric", "owner", consent))).toBe(
      `At night it takes two answers: send ${id} go, or /skip ${id}. Go ahead is 1 — Refresh-token rotation.`,
    );
    expect(text(phone("eric", "owner", { ...consent, morningAt }))).toBe(
      `At night it takes two answers: send ${id} go, or /skip ${id} to be asked again tomorrow. Go ahead is 1 — Refresh-token rotation.`,
    );
    expect(text({ ...local, ...consent, morningAt, sender: { via: "inbox", host: "owl" } })).toBe(
      "At night it takes two answers: press Go ahead, or press Skip to be asked again tomorrow. Go ahead is 1 — Refresh-token rotation.",
    );
  });

  test("a held question takes what chooses nothing", () => {
    const at = phone("eric", "owner", held);
    const stored = aStored({ state: "pending", heldUntilAt: evening + 9 * hour });
    for (const command of [skip, retry, steer]) expect(said(stored, command, at)).toBe("accepted");
    for (const command of [choose("1"), goAhead, answer]) {
      expect(said(stored, command, at)).toBe("needs-confirmation");
    }
  });

  const ack = (changes: Partial<StoredQuestion>, settings: ReplySettings): string =>
    decide(aStored({ state: "pending", deadlineAt: evening + 12 * hour, ...changes }), choose("1"), settings)
      .value.text;
  const morningAt = evening + 9 * hour;

  test.each<[string, string, Partial<StoredQuestion>, ReplySettings]>([
    [
      "on a phone",
      `Held until 08:00: it is sent in full then, and takes no choice before. Works now: /skip ${id}, /retry ${id}.`,
      {},
      phone("eric", "owner", { ...held, morningAt }),
    ],
    [
      "in Slack's spelling",
      `Held until 08:00: it is sent in full then, and takes no choice before. Works now: !skip ${id}, !retry ${id}.`,
      {},
      phone("eric", "owner", { ...held, morningAt, mark: "!" }),
    ],
    [
      "with a deadline that comes first",
      `Held until 08:00: it takes no choice before, and its deadline, 06:00, comes first. Works now: /skip ${id}, /retry ${id}.`,
      { deadlineAt: evening + 7 * hour },
      phone("eric", "owner", { ...held, morningAt }),
    ],
    [
      "where quiet hours have no end",
      `Held as long as quiet hours last; it takes no choice until then. Works now: /skip ${id}, /retry ${id}.`,
      {},
      phone("eric", "owner", held),
    ],
    [
      "on the command line",
      `Held until 08:00: it is sent in full then, and takes no choice before. Works now: owlpost skip ${id}, owlpost retry ${id}. To decide it now: owlpost inbox, then Show in full and answer now.`,
      {},
      { ...local, ...held, morningAt },
    ],
    [
      "in the inbox",
      `Held until 08:00: it is sent in full then, and takes no choice before. To decide it now, press Show in full and answer now; Skip and Run again work, too.`,
      {},
      { ...local, ...held, morningAt, sender: { via: "inbox", host: "owl" } },
    ],
  ])("a held question says %s what may be done", (_where, words, changes, settings) => {
    expect(ack(changes, settings)).toBe(words);
  });

  test("with the longest id both actions, or the hour and what works, are within a toast of 200 units", () => {
    const long = mintQuestionId("abcdefgh" as RunId, "a".repeat(24), 9999);
    const stored = aStored({ question: aQuestion({ id: long }), deadlineAt: evening + 12 * hour });
    const toast = (form: Partial<ReplySettings>): string => {
      const settings = phone("eric", "owner", { ...form, morningAt });
      const questions = new Map([[long, stored]]);
      const asks: Command = { verb: "choose", question: long, key: "2" };
      return decideReply({ questions, copies: new Map() }, asks, settings).value.text.slice(0, 199);
    };
    expect(toast(consent)).toContain(`send ${long} go, or /skip ${long} to be asked again tomorrow.`);
    expect(toast(held)).toMatch(
      new RegExp(`^Held until 08:00: .* Works now: /skip ${long}, /retry ${long}\\.$`),
    );
  });

  test("a second press in the inbox lets a choice or an answer in words through, and from nowhere else", () => {
    const confirmed: Partial<ReplySettings> = { confirmed: "in-full" };
    const inbox: ReplySettings = { ...local, ...confirmed, sender: { via: "inbox", host: "owl" } };
    for (const command of [choose("2"), answer]) {
      expect(said(aStored(), command, { ...inbox, ...held })).toBe("accepted");
      expect(said(aStored(), command, { ...local, ...held, ...confirmed })).toBe("needs-confirmation");
      expect(said(aStored(), command, phone("eric", "owner", { ...held, ...confirmed }))).toBe(
        "needs-confirmation",
      );
      // A consent question takes its two actions, wherever it is looked at.
      expect(said(aStored(), command, { ...inbox, ...consent })).toBe("needs-confirmation");
    }
    const stored = decide(aStored(), choose("2"), { ...inbox, ...held }).effects.flatMap((effect) =>
      effect.type === "move-question" && effect.answer ? [effect.answer] : [],
    );
    expect(stored).toEqual([
      { outcome: "answered", option: "2", via: "inbox", host: "owl", at: now, digest: "d1" },
    ]);
  });

  test("a skip is told when the question comes again, and by day nothing of it", () => {
    const text = (settings: ReplySettings): string => decide(aStored(), skip, settings).value.text;
    const plain = "Skipped: 012-fix-auth stays blocked and the loop goes on with the rest.";
    expect(text(phone("eric", "owner", { ...consent, morningAt }))).toBe(
      `${plain} It is asked again at 08:00.`,
    );
    expect(text(phone("eric", "owner", { ...held, morningAt }))).toBe(`${plain} It is asked again at 08:00.`);
    expect(text(phone("eric", "owner", consent))).toBe(plain);
    expect(text(eric)).toBe(plain);
  });

  test("go ahead counts after the deadline, too, and a second one is recorded already", () => {
    const late = phone("eric", "owner", { ...consent, now: evening + 8 * hour });
    const expired = aStored({ state: "expired", outcome: "expired" });
    const { value, effects } = decide(expired, goAhead, late);
    expect(value.text).toBe(
      "Answered: 1 — Refresh-token rotation; it applies at the next iteration on 012-fix-auth. The deadline had passed; this replaces the default.",
    );
    expect(effects).toMatchObject([{ type: "move-question", answer: { option: "1", late: true } }, {}]);
    const answered = aStored({ state: "answered", answer: anAnswer({ by: "eric", via: "telegram" }) });
    expect(decide(answered, goAhead, late).value).toMatchObject({ accepted: true, repeated: true });
  });

  test("an answer that was given is changed with its question's id, at night as by day", () => {
    const answered = aStored({ state: "answered", answer: anAnswer({ by: "eric", via: "telegram" }) });
    const { value } = decide(
      answered,
      { verb: "override", question: id, key: "2" },
      phone("eric", "owner", consent),
    );
    expect(value).toMatchObject({ accepted: true });
  });

  test("a key that is no option is told so, with what may be sent", () => {
    const { value } = decide(aStored(), choose("7"), phone("eric", "owner", consent));
    expect(value).toMatchObject({ accepted: false, reason: "bad-option" });
    expect(value.text).toMatch(/^q-a3f2-012-fix-auth-1 has no option “7”\. At night it takes two answers: /);
  });

  test("a long word that names no option is cut in the ack", () => {
    const { value } = decide(aStored(), choose("w".repeat(900)), eric);
    expect(value.text.length).toBeLessThan(240);
    expect(value.text).toContain("Choose one of: 1 — Refresh-token rotation; 2 — Extend the TTL to 30 days.");
  });
});

test("whatever is asked: one ack, and a refusal moves nothing but a deadline that had come", () => {
  const key = fc.constantFrom("1", "2", "9", "redis", "");
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.record({ verb: fc.constant("choose" as const), question: fc.constant(id), key }),
    fc.record({ verb: fc.constant("override" as const), question: fc.constant(id), key }),
    fc.constantFrom(...all),
  );
  const anyForm = fc.constantFrom("consent" as const, "held" as const, undefined);
  const anyList = fc.constantFrom(undefined, ["owner"], ["mara"], []);
  fc.assert(
    fc.property(
      command,
      fc.constantFrom(...states),
      fc.constantFrom(...roles, undefined),
      anyForm,
      anyList,
      fc.integer({ min: 0, max: 20 }),
      (asks, state, role, form, answerable_by, hours) => {
        const question = aQuestion(answerable_by === undefined ? {} : { answerable_by });
        const answered = !["pending", "posted", "expired", "default_applied"].includes(state);
        const stored = aStored({
          question,
          state,
          ...(answered ? { answer: anAnswer({ by: "eric" }) } : {}),
        });
        const { effects, value } = decide(stored, asks, {
          sender: { via: "telegram", by: "mara" },
          now: evening + hours * hour,
          project: "default",
          form: () => form,
          ...(role === undefined ? {} : { role }),
        });
        expect(value.text).not.toBe("");
        const moved = effects.flatMap((effect) => (effect.type === "move-question" ? [effect.to] : []));
        const changed = moved.includes("answered") || effects.some((effect) => effect.type === "note");
        expect(changed).toBe(value.accepted && value.repeated !== true);
        if (role === "viewer") expect(value).toMatchObject({ accepted: false, reason: "not-allowed" });
      },
    ),
  );
});
