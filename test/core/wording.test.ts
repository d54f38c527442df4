import { describe, expect, test } from "vitest";
import { mayStillAnswer } from "../../src/core/standing.ts";
import { followUpView, questionView } from "../../src/core/view.ts";
import { choiceWords, defaultWords, senderWords, shorten, standing } from "../../src/core/wording.ts";
import { defaultActions, type StoredQuestion } from "../../src/domain/question.ts";
import { anAnswer, aQuestion, aStored, evening, hour } from "../builders.ts";

const morning = evening + 9 * hour;
const claim = { claim: "c", run: "a3f2", takenAt: evening + 8 * hour, leaseUntilAt: morning };

describe("where a question stands, in words", () => {
  const table: [string, Partial<StoredQuestion>, string][] = [
    ["open", {}, "open until 06:00"],
    [
      "answered on the command line",
      { state: "answered", answer: anAnswer() },
      "answered: option 1 — Refresh-token rotation from the command line on owl at 00:00",
    ],
    [
      "answered by a person",
      { state: "answered", answer: anAnswer({ via: "telegram", by: "eric" }) },
      "answered: option 1 — Refresh-token rotation by eric at 00:00",
    ],
    [
      "answered in the inbox",
      { state: "answered", answer: anAnswer({ via: "inbox" }) },
      "answered: option 1 — Refresh-token rotation in the local inbox on owl at 00:00",
    ],
    [
      "overridden",
      { state: "answered", outcome: "overridden", answer: anAnswer({ outcome: "overridden", option: "2" }) },
      "changed to option 2 — Extend the TTL to 30 days from the command line on owl at 00:00",
    ],
    [
      "skipped",
      {
        state: "answered",
        answer: { outcome: "skipped", via: "cli", host: "owl", at: evening, digest: "d" },
      },
      "skipped from the command line on owl at 23:00",
    ],
    [
      "taken",
      { state: "applied", answer: anAnswer(), claim },
      "answered: option 1 — Refresh-token rotation from the command line on owl at 00:00, picked up by run a3f2 at 07:00",
    ],
    [
      "expired",
      { state: "expired" },
      "no answer by 06:00 — the spec will be skipped at the loop's next stop",
    ],
    [
      "expired and parked",
      { state: "expired", defaultAction: "stay_parked" },
      "no answer by 06:00 — the task stays parked until somebody answers",
    ],
    ["default taken", { state: "default_applied", claim }, "no answer by 06:00 — spec skipped at 07:00"],
    [
      "recommendation taken",
      { state: "default_applied", defaultAction: "take_recommended", claim },
      "no answer by 06:00 — option 1 (Refresh-token rotation) taken at 07:00",
    ],
    ["cancelled", { state: "cancelled", why: "the spec was removed" }, "cancelled: the spec was removed"],
    [
      "closed",
      { state: "resolved", answer: anAnswer(), claim, result: "done" },
      "answered: option 1 — Refresh-token rotation from the command line on owl at 00:00, picked up by run a3f2 at 07:00, closed as done",
    ],
    [
      "closed after a default",
      { state: "resolved", claim, result: "skipped" },
      "no answer by 06:00 — spec skipped, picked up by run a3f2 at 07:00, closed as skipped",
    ],
  ];
  test.each(table)("%s", (_name, changes, words) => {
    expect(standing(aStored(changes), morning)).toBe(words);
  });
});

test("field 80: no text for an outcome that no person caused speaks of a person", () => {
  const nobody = /\b(user|users|you|your|yours|he|she|human|eric|declined|chose|chosen|selected)\b/i;
  // What may still be done is said to the reader, once, and only while it may.
  const invitation = new RegExp(`${mayStillAnswer}( until then)?\\.$`);
  const texts = defaultActions.flatMap((defaultAction) =>
    (["expired", "default_applied", "resolved", "cancelled"] as const).flatMap((state) => {
      const stored = aStored({ state, defaultAction, claim, result: "skipped", why: "the spec was removed" });
      const shown = questionView(stored, morning).standing ?? "";
      expect(invitation.test(shown)).toBe(state === "expired");
      return [
        standing(stored, morning),
        defaultWords(stored.question, defaultAction),
        shown.replace(invitation, ""),
        followUpView(stored, morning).text.replace(invitation, ""),
        questionView(aStored({ defaultAction }), morning).deadline,
      ];
    }),
  );
  expect(texts).toHaveLength(60);
  for (const text of texts) expect(text).not.toMatch(nobody);
});

test("a name is shown only where one was given", () => {
  expect(senderWords({ via: "telegram" })).toBe("via telegram");
  expect(senderWords({ via: "cli" })).toBe("from the command line on this machine");
  expect(senderWords({ via: "inbox", host: "owl" })).toBe("in the local inbox on owl");
});

test("a long answer in words is shortened by code points, on one line", () => {
  expect(shorten("short", 10)).toBe("short");
  expect(shorten("first line\nsecond", 40)).toBe("first line…");
  expect(shorten("🚀".repeat(100), 3)).toBe("🚀🚀🚀…");
  expect(
    choiceWords(aQuestion(), { outcome: "answered", text: "both, please", via: "cli", at: 0, digest: "d" }),
  ).toBe("in words: “both, please”");
});
