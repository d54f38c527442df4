import { describe, expect, test } from "vitest";
import { decideReply, type ReplySettings } from "../../src/core/reply.ts";
import type { Ack, Command } from "../../src/domain/command.ts";
import type { Copy, StoredQuestion } from "../../src/domain/question.ts";
import type { Decision } from "../../src/domain/store.ts";
import { anAnswer, aQuestionId, aStored, evening, hour } from "../builders.ts";

const cli: ReplySettings = { sender: { via: "cli", host: "owl" }, now: evening + hour, project: "default" };
const id = aQuestionId;

function decide(
  stored: StoredQuestion | undefined,
  command: Command,
  settings: ReplySettings = cli,
  copies: Copy[] = [],
): Decision<Ack> {
  const questions = new Map(stored ? [[stored.question.id, stored]] : []);
  return decideReply({ questions, copies: new Map([[id, copies]]) }, command, settings);
}

function moves(decision: Decision<Ack>): { to: string; outcome: unknown }[] {
  return decision.effects.flatMap((effect) =>
    effect.type === "move-question" ? [{ to: effect.to, outcome: effect.outcome }] : [],
  );
}

function events(decision: Decision<Ack>): string[] {
  return decision.effects.flatMap((effect) => (effect.type === "log" ? [effect.event.kind] : []));
}

describe("a first reply", () => {
  const table: [Command, string, string][] = [
    [{ verb: "choose", question: id, key: "2" }, "answered", "Answered: 2 — Extend the TTL to 30 days"],
    [{ verb: "answer", question: id, text: "do both" }, "answered", "Answered in words"],
    [{ verb: "skip", question: id }, "skipped", "Skipped: 012-fix-auth stays blocked"],
    [{ verb: "retry", question: id }, "retried", "Retry: 012-fix-auth runs again"],
  ];
  test.each(table)("%j gives the outcome %s", (command, outcome, words) => {
    for (const state of ["pending", "posted"] as const) {
      const decision = decide(aStored({ state }), command);
      expect(moves(decision)).toEqual([{ to: "answered", outcome }]);
      expect(events(decision)).toEqual(["question.answered"]);
      expect(decision.value).toMatchObject({ accepted: true, state: "answered" });
      expect(decision.value.text).toContain(words);
    }
  });

  test("is stored with where it came from and never with a person's name that nobody gave", () => {
    const decision = decide(aStored(), { verb: "choose", question: id, key: "1" });
    const move = decision.effects.find((effect) => effect.type === "move-question");
    expect(move?.type === "move-question" && move.answer).toEqual({
      outcome: "answered",
      option: "1",
      via: "cli",
      host: "owl",
      at: evening + hour,
      digest: "d1",
    });
  });

  test("edits every copy", () => {
    const copy: Copy = {
      question: id,
      channel: "phone",
      destination: "7",
      ref: "m1",
      revision: 1,
      postedAt: evening,
    };
    const decision = decide(aStored(), { verb: "skip", question: id }, cli, [
      copy,
      { ...copy, channel: "inbox" },
    ]);
    const sends = decision.effects.flatMap((effect) => (effect.type === "send" ? [effect.job] : []));
    expect(sends).toEqual([
      { channel: "phone", destination: "7", kind: "edit", question: id },
      { channel: "inbox", destination: "7", kind: "edit", question: id },
    ]);
  });
});

describe("a later reply", () => {
  const answered = aStored({
    state: "answered",
    outcome: "answered",
    answer: anAnswer({ by: "eric", via: "telegram" }),
  });

  test("with the same choice is already recorded", () => {
    const decision = decide(answered, { verb: "choose", question: id, key: "1" });
    expect(decision.effects).toEqual([]);
    expect(decision.value).toMatchObject({ accepted: true, repeated: true });
  });

  test("with another choice gets the current state, who and when, and how to change it", () => {
    const decision = decide(answered, { verb: "choose", question: id, key: "2" });
    expect(moves(decision)).toEqual([]);
    expect(decision.value).toMatchObject({ accepted: false, reason: "not-open" });
    expect(decision.value.text).toBe(
      `${id} is already answered: option 1 — Refresh-token rotation by eric at 00:00. To change it: owlpost override ${id} 2`,
    );
    const tapped = decide(
      answered,
      { verb: "choose", question: id, key: "2" },
      { ...cli, sender: { via: "inbox", host: "owl" } },
    );
    expect(tapped.value.text).toContain("To change it, press Change.");
    const typed = decide(
      answered,
      { verb: "choose", question: id, key: "2" },
      { ...cli, sender: { via: "telegram", by: "mara" } },
    );
    expect(typed.value.text).toContain(`To change it: /override ${id} 2`);
  });

  test("after it was taken is stored as late and told what was done instead", () => {
    const claim = { claim: "c", run: "a3f2", takenAt: evening + hour, leaseUntilAt: evening + 2 * hour };
    const decision = decide(
      { ...answered, state: "applied", claim },
      { verb: "choose", question: id, key: "2" },
    );
    expect(events(decision)).toEqual(["question.late-reply", "reply.refused"]);
    expect(decision.value).toMatchObject({ accepted: false, reason: "not-open" });
    expect(decision.value.text).toContain("picked up by run a3f2 at 00:00");
  });
});

describe("after the deadline", () => {
  const late: ReplySettings = { ...cli, now: evening + 8 * hour };
  const expired = aStored({ state: "expired", outcome: "expired" });

  test("a choice overrides the default that nobody took", () => {
    const decision = decide(expired, { verb: "choose", question: id, key: "2" }, late);
    expect(moves(decision)).toEqual([{ to: "answered", outcome: "overridden" }]);
    expect(decision.value.text).toContain("The deadline had passed; this replaces the default.");
  });

  test("a deadline that nobody swept yet has come all the same", () => {
    const decision = decide(aStored(), { verb: "choose", question: id, key: "2" }, late);
    expect(moves(decision)).toEqual([
      { to: "expired", outcome: "expired" },
      { to: "answered", outcome: "overridden" },
    ]);
  });

  test("a reply that the platform dates before the deadline is an ordinary answer", () => {
    const decision = decide(
      expired,
      { verb: "choose", question: id, key: "2" },
      { ...late, sentAt: evening + 6 * hour },
    );
    expect(moves(decision)).toEqual([{ to: "answered", outcome: "answered" }]);
  });

  test("a reply that was sent in time to a question nobody swept yet never expires it", () => {
    const sentAt = evening + 6 * hour;
    const decision = decide(aStored(), { verb: "choose", question: id, key: "2" }, { ...late, sentAt });
    expect(moves(decision)).toEqual([{ to: "answered", outcome: "answered" }]);
    expect(events(decision)).toEqual(["question.answered"]);
  });

  test("a skip keeps its own outcome", () => {
    expect(moves(decide(expired, { verb: "skip", question: id }, late))).toEqual([
      { to: "answered", outcome: "skipped" },
    ]);
  });
});

describe("refusals", () => {
  test("an unknown question", () => {
    expect(decide(undefined, { verb: "skip", question: id }).value).toMatchObject({
      accepted: false,
      reason: "no-such-question",
    });
  });

  test("a key that names no option lists the right ones and moves nothing", () => {
    const decision = decide(aStored(), { verb: "choose", question: id, key: "9" });
    expect(moves(decision)).toEqual([]);
    expect(decision.value).toMatchObject({ accepted: false, reason: "bad-option", state: "posted" });
    expect(decision.value.text).toContain("1 — Refresh-token rotation; 2 — Extend the TTL to 30 days");
  });

  test("not-open comes before bad-option", () => {
    const decision = decide(aStored({ state: "cancelled", why: "the spec was removed" }), {
      verb: "choose",
      question: id,
      key: "9",
    });
    expect(decision.value).toMatchObject({ accepted: false, reason: "not-open" });
    expect(decision.value.text).toBe(`${id} was cancelled: the spec was removed.`);
  });
});

describe("override", () => {
  const answered = aStored({ state: "answered", outcome: "answered", answer: anAnswer() });

  test("changes an answer that was not taken", () => {
    const decision = decide(answered, { verb: "override", question: id, key: "2" });
    expect(moves(decision)).toEqual([{ to: "answered", outcome: "overridden" }]);
    expect(events(decision)).toEqual(["question.overridden"]);
  });

  test.each(["pending", "posted", "expired", "applied", "default_applied", "resolved", "cancelled"] as const)(
    "is refused in %s",
    (state) => {
      const decision = decide(aStored({ state }), { verb: "override", question: id, key: "2" });
      expect(moves(decision)).toEqual([]);
      expect(decision.value).toMatchObject({ accepted: false, reason: "not-open" });
    },
  );

  test("to the same option is already recorded", () => {
    expect(decide(answered, { verb: "override", question: id, key: "1" }).value).toMatchObject({
      accepted: true,
      repeated: true,
    });
  });
});

test("field 68: a note steers and leaves the question as it is", () => {
  const decision = decide(aStored(), { verb: "steer", target: { question: id }, text: "use the new table" });
  expect(moves(decision)).toEqual([]);
  expect(events(decision)).toEqual(["steering.noted"]);
  expect(decision.value.text).toContain("the question stays as it is");
});
