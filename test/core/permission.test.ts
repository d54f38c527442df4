import { expect, test } from "vitest";
import { permissionAsk } from "../../src/app/hook/permission.ts";
import { deadlineWords, verdictOf } from "../../src/app/inbox-verdict.ts";
import { isNightSafe } from "../../src/core/night.ts";
import { acceptedText } from "../../src/core/reply/words.ts";
import { ranWords, takenWords, willRunWords } from "../../src/core/report-words.ts";
import { deadlineLine, standingLines } from "../../src/core/standing.ts";
import { toldText } from "../../src/core/told.ts";
import { followUpView, questionView } from "../../src/core/view.ts";
import { defaultWords, standing } from "../../src/core/wording.ts";
import type { Claim } from "../../src/domain/ids.ts";
import { type Question, type StoredQuestion, titleLine } from "../../src/domain/question.ts";
import { anAnswer, aQuestion, aStored, evening, hour, minute } from "../builders.ts";

function permission(more: Partial<StoredQuestion> = {}): StoredQuestion {
  const options = [
    { key: "1", label: "Allow once", consequence: "it runs", reversible: true },
    { key: "2", label: "Do not allow", consequence: "it does not run" },
  ];
  return aStored({ question: aQuestion({ kind: "approval", source: "permission", options }), ...more });
}
const now = evening + 12 * hour;

test("what silence does to a permission is said once and in the same words, wherever it is told", () => {
  const open = permission();
  const ended = [permission({ state: "expired" }), permission({ state: "default_applied" })];
  const words = [
    deadlineLine(open, evening),
    deadlineWords(open, "06:00"),
    defaultWords(open.question, open.defaultAction),
    toldText(open, evening),
    willRunWords(open),
    ...ended.flatMap((stored) => [
      String(standingLines(stored, now)),
      standing(stored, now),
      followUpView(stored, now).text,
      String(verdictOf(stored, now)?.words),
      ranWords(stored),
    ]),
  ];
  for (const text of words) {
    expect(text.match(/not allowed/g)).toHaveLength(1);
    expect(text.match(/no answer by/gi)?.length ?? 0).toBeLessThan(2);
    expect(text).not.toMatch(/spec|skip|the loop|parked|no answer,/);
  }
  expect(deadlineLine(open, evening)).toBe("⏰ No answer by 06:00 → not allowed.");
  expect(deadlineWords(open, "06:00")).toBe("⏰ No answer by 06:00 → not allowed");
  for (const stored of ended) {
    expect(toldText(stored, now)).toMatch(/^No answer by .+, so not allowed\. Nobody decided q-\S+\.$/);
    expect(standingLines(stored, now)).toBe("⏰ No answer by 06:00, so not allowed");
    expect(verdictOf(stored, now)?.words).toBe("⏰ No answer by 06:00, so not allowed");
    expect(standing(stored, now)).toBe("no answer by 06:00, so not allowed");
  }
});

test("after its deadline nobody waits for it: it shows no buttons, and says of nobody that they can still answer", () => {
  const expired = permission({ state: "expired" });
  expect(questionView(expired, now).answerable).toBe(false);
  expect(questionView(permission(), evening).answerable).toBe(true);
  expect(`${standingLines(expired, now)}${verdictOf(expired, now)?.next ?? ""}`).not.toContain(
    "still answer",
  );
});

test("an answer reaches the agent that waits; a late one allows nothing, and its receipt says so", () => {
  const answered = (late?: true): StoredQuestion =>
    permission({
      state: "answered",
      answer: anAnswer({ option: "1", ...(late ? { late, outcome: "overridden" } : {}) }),
    });
  const receipt = (stored: StoredQuestion): string =>
    acceptedText(stored, { verb: "choose", question: stored.question.id, key: "1" }, undefined, {
      sender: { via: "telegram", by: "eric" },
      now: evening + minute,
    });
  expect(receipt(answered())).toBe("Answered: 1 — Allow once. The agent that waits is told.");
  expect(receipt(answered(true))).toContain("nothing is allowed by it");
  expect(standingLines(answered(true), now)).toContain("too late: nothing is allowed by it");
  expect(toldText(answered(true), now)).toContain("too late, so not allowed");
});

test("skipped or sent back, it says everywhere that the call is not allowed, and of no other question", () => {
  for (const outcome of ["skipped", "retried"] as const) {
    const { option: _, ...answer } = anAnswer({ outcome });
    const denied = permission({ state: "answered", answer });
    expect(standingLines(denied, now)).toMatch(/^✅ (Skipped|Sent back): not allowed \(/);
    expect(verdictOf(denied, now)?.words).toMatch(/^(Skipped|Sent back): not allowed$/);
    const other = aStored({ state: "answered", answer });
    for (const text of [standingLines(other, now), verdictOf(other, now)?.words, standing(other, now)])
      expect(text).not.toContain("allowed");
    if (outcome === "retried") expect(standing(denied, now)).toContain("sent back (not allowed)");
  }
});

test("it is the agent that comes for it, never a loop", () => {
  const claim = { claim: "c" as Claim, takenAt: evening + minute, leaseUntilAt: evening + hour };
  const taken = permission({ state: "applied", answer: anAnswer({ option: "1" }), claim });
  const told = [standingLines(taken, now), verdictOf(taken, now)?.taken?.words, takenWords(taken, now)];
  for (const text of told) expect(text).toMatch(/icked up by the agent at/);
});

test("where prompts stand among others, each names what would run; other questions have their title alone", () => {
  const asks = (input: unknown): string => {
    const scene = { agent: "Claude Code", tool: "Bash", folder: "/home/eric/shop", task: "shop", at: "15m" };
    const document = permissionAsk(input, "The agent's word", scene)?.document as Partial<Question>;
    return titleLine(aQuestion({ ...document, source: "permission" }));
  };
  const title = "May Claude Code use Bash now?";
  expect(asks({ command: "npm publish --tag next" })).toBe(`${title} · npm publish --tag next`);
  expect(asks({ command: "cd a &&\nTool: b" })).toBe(`${title} · cd a &&`);
  expect(asks({ file_path: "src/a.ts", content: "x" })).toBe(`${title} · src/a.ts`);
  expect(asks({ depth: 2 })).toBe(`${title} · {"depth":2}`);
  expect([...asks({ command: "x".repeat(5_000) })]).toHaveLength(title.length + 3 + 80);
  expect(titleLine(aQuestion({ title, context: "Command:\nnpm publish\nTool: Bash." }))).toBe(title);
});

test("it is never safe at night, whatever it recommends", () => {
  const options = [{ key: "1", label: "Allow", consequence: "it runs", recommended: true, reversible: true }];
  const question = aQuestion({ kind: "approval", source: "permission", options, low_fidelity: true });
  expect(isNightSafe(question, { isolated: true })).toBe(false);
});
