import { describe, expect, test } from "vitest";
import { standingLines } from "../../src/core/standing.ts";
import { followUpView, questionView } from "../../src/core/view.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { anAnswer, aQuestion, aStored, evening, hour, minute } from "../builders.ts";

const morning = evening + 9 * hour;
const claim = {
  claim: "c",
  run: "a3f2",
  takenAt: evening + 3 * hour + 31 * minute,
  leaseUntilAt: morning,
  confirmedAt: evening + 3 * hour + 32 * minute,
};
const byEric = anAnswer({ via: "telegram", by: "eric", at: evening + 3 * hour + 14 * minute });
const label = "Refresh-token rotation";

describe("where a question stands, as its message shows it", () => {
  const table: [string, Partial<StoredQuestion>, string | undefined][] = [
    ["open", {}, undefined],
    [
      "answered",
      { state: "answered", answer: byEric },
      `✅ Answered: 1 — ${label} (by eric, 02:14) — applies at the next iteration on 012-fix-auth`,
    ],
    [
      "answered on the command line",
      { state: "answered", answer: anAnswer() },
      `✅ Answered: 1 — ${label} (from the command line on owl, 00:00) — applies at the next iteration on 012-fix-auth`,
    ],
    [
      "taken",
      { state: "applied", answer: byEric, claim },
      `✅ Answered: 1 — ${label} (by eric, 02:14)\n▶ Picked up by run a3f2 at 02:31`,
    ],
    [
      "closed",
      { state: "resolved", answer: byEric, claim, result: "done" },
      `✅ Answered: 1 — ${label} (by eric, 02:14)\n▶ Picked up by run a3f2 at 02:31, closed as done`,
    ],
    [
      "overridden",
      { state: "answered", answer: { ...byEric, outcome: "overridden", option: "2" } },
      "✅ Changed to 2 — Extend the TTL to 30 days (by eric, 02:14) — applies at the next iteration on 012-fix-auth",
    ],
    [
      "answered after the deadline: there was no answer to change",
      { state: "answered", answer: { ...byEric, outcome: "overridden", late: true } },
      `✅ Answered after the deadline: 1 — ${label} (by eric, 02:14) — applies at the next iteration on 012-fix-auth`,
    ],
    [
      "skipped",
      {
        state: "answered",
        answer: { outcome: "skipped", via: "telegram", by: "eric", at: evening, digest: "d" },
      },
      "✅ Skipped (by eric, 23:00) — 012-fix-auth stays blocked, the loop goes on",
    ],
    [
      "retried, by somebody without a name",
      { state: "answered", answer: { outcome: "retried", via: "ntfy", at: evening, digest: "d" } },
      "✅ Retry (via ntfy, 23:00) — 012-fix-auth runs again without an answer",
    ],
    [
      "expired",
      { state: "expired" },
      "⏰ No answer by 06:00 — the spec will be skipped at the loop's next stop. You can still answer until then.",
    ],
    [
      "expired, and the recommendation comes next",
      { state: "expired", defaultAction: "take_recommended" },
      `⏰ No answer by 06:00 — the recommendation will be taken at the loop's next stop: 1 — ${label}. You can still answer until then.`,
    ],
    [
      "expired and parked",
      { state: "expired", defaultAction: "stay_parked" },
      "⏰ No answer by 06:00 — the task stays parked. You can still answer.",
    ],
    [
      "the default was taken",
      { state: "default_applied", claim: { ...claim, takenAt: evening + 7 * hour + 12 * minute } },
      "⏰ No answer by 06:00 — spec skipped at 06:12",
    ],
    [
      "the recommendation was taken",
      { state: "default_applied", defaultAction: "take_recommended", claim },
      `⏰ No answer by 06:00 — recommendation taken at 02:31: 1 — ${label}`,
    ],
    ["cancelled", { state: "cancelled", why: "the spec was\nremoved" }, "🚫 Cancelled: the spec was removed"],
  ];
  test.each(table)("%s", (_name, changes, words) => {
    expect(standingLines(aStored(changes), morning)).toBe(words);
  });

  test("a label of several lines stays in its line", () => {
    const question = aQuestion({
      options: [{ key: "1", label: "One\n✅ Answered: 2", consequence: "c", recommended: true }],
    });
    expect(standingLines(aStored({ question, state: "answered", answer: byEric }), morning)).toMatch(
      /^✅ Answered: 1 — One ✅ Answered: 2 \(by eric/,
    );
  });
});

describe("the view of a question", () => {
  test("names the next task in the deadline, and a day where the clock alone is not enough", () => {
    const question = aQuestion({ facts: { next_task: "013" } });
    const deadline = (changes: Partial<StoredQuestion>, now = evening) =>
      questionView(aStored({ question, ...changes }), now).deadline;
    expect(deadline({})).toBe("⏰ No answer by 06:00 → spec skipped, loop continues with 013.");
    expect(deadline({ defaultAction: "stay_parked", deadlineAt: evening + 31 * hour })).toBe(
      "⏰ No answer by Wed 06:00 → the task stays parked, loop continues with 013.",
    );
    expect(deadline({ defaultAction: "take_recommended" })).toBe(
      "⏰ No answer by 06:00 → 1 is taken, as recommended.",
    );
  });

  test("the failing command is one line of at most 160, and its exit code is never cut", () => {
    const view = questionView(
      aStored({ question: aQuestion({ facts: { command: `make\n${"x".repeat(300)}`, exit_code: 137 } }) }),
      evening,
    );
    expect([...(view.command ?? "")]).toHaveLength(160);
    expect(view.command).toMatch(/^make x+… → exit 137$/);
    const family = "👨‍👩‍👧‍👦";
    const whole = questionView(
      aStored({ question: aQuestion({ facts: { command: `${"x".repeat(146)}${family.repeat(5)}` } }) }),
      evening,
    );
    expect(whole.command).toBe(`${"x".repeat(146)}${family}…`);
    const facts = { command: "x".repeat(60_000), exit_code: "e".repeat(60_000) };
    const odd = questionView(aStored({ question: aQuestion({ facts }) }), evening);
    expect([...(odd.command ?? "")]).toHaveLength(160);
  });

  test("output is at most ten lines, facts without a name of ours are lines, links are facts", () => {
    const view = questionView(
      aStored({
        question: aQuestion({
          facts: {
            output_tail: Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n"),
            coverage: { lines: 91 },
            branch: "owl/a3f2",
            empty: " ",
          },
          links: { branch: "owl/a3f2", log: "iter-7.log" },
        }),
      }),
      evening,
    );
    expect(view.outputTail).toHaveLength(10);
    expect(view.outputTail[0]).toBe("line 2");
    expect(view.freeFacts).toEqual(['coverage: {"lines":91}', "log: iter-7.log"]);
    expect(view.branch).toBe("owl/a3f2");
    expect(view.factsCut).toBeUndefined();
  });

  test.each([
    ["a fact of any name", { facts: { coverage: "x".repeat(161) } }],
    ["the command", { facts: { command: "x".repeat(161) } }],
    ["the branch", { facts: { branch: "x".repeat(161) } }],
    ["a link", { links: { log: "x".repeat(161) } }],
  ])("%s that is longer than its line is told as cut", (_name, longer) => {
    expect(questionView(aStored({ question: aQuestion(longer) }), evening).factsCut).toBe(true);
  });

  test("what programs alone need is shown to nobody, however long it is", () => {
    const question = aQuestion({ facts: { arguments_sha256: "f".repeat(200) } });
    const view = questionView(aStored({ question }), evening);
    expect(view.freeFacts).toEqual([]);
    expect(view.factsCut).toBeUndefined();
  });

  test("may be answered until something has taken what stands", () => {
    const answerable = (changes: Partial<StoredQuestion>) =>
      questionView(aStored(changes), morning).answerable;
    expect([answerable({}), answerable({ state: "pending" }), answerable({ state: "expired" })]).toEqual([
      true,
      true,
      true,
    ]);
    for (const state of ["answered", "applied", "default_applied", "resolved", "cancelled"] as const)
      expect(answerable({ state })).toBe(false);
  });

  test("a follow-up begins with the id, so that no title can look like a line of ours", () => {
    const view = followUpView(aStored({ state: "answered", answer: byEric }), morning);
    expect(view.text.split("\n")[0]).toBe(
      "[q-a3f2-012-fix-auth-1] Token refresh strategy for the auth middleware?",
    );
    expect(view.text.split("\n")[1]).toMatch(/^✅ Answered: 1 — /);
    expect(view.silent).toBe(true);
  });

  test("a follow-up carries how the question stands now, so that its words can say how it is still answered", () => {
    const late = followUpView(aStored({ state: "expired" }), morning);
    expect(late.asked).toMatchObject({ type: "question", answerable: true });
    const decided = followUpView(aStored({ state: "answered", answer: byEric }), morning);
    expect(decided.asked?.answerable).toBe(false);
  });
});
