import { describe, expect, it } from "vitest";
import type { StatusReport } from "../../src/app/api.ts";
import { linkLines } from "../../src/app/inbox-facts.ts";
import { type InboxSource, inboxState, questionCard, recentLimit } from "../../src/app/inbox-state.ts";
import type { NightRules } from "../../src/core/night.ts";
import type { Event } from "../../src/domain/event.ts";
import { mintQuestionId, type RunId } from "../../src/domain/ids.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import { anAnswer, aQuestion, aStored, evening, hour, minute } from "../builders.ts";
import { nightRules } from "../renderers/night-cases.ts";

const zone = "Europe/Berlin";

function aStatus(changes: Partial<StatusReport> = {}): StatusReport {
  return {
    service: { running: true, since: evening - hour },
    zone,
    open: [],
    decided: [],
    aborts: [],
    copies: new Map(),
    counts: {
      pending: 0,
      posted: 0,
      answered: 0,
      applied: 0,
      expired: 0,
      default_applied: 0,
      resolved: 0,
      cancelled: 0,
    },
    channels: [],
    wake: { channels: [], questions: [] },
    forms: new Map(),
    wakeLines: [],
    ...changes,
  };
}

const nobody: InboxSource["people"] = { bindings: [], codes: [], allowed: [], pairable: [] };

function stateOf(source: Partial<InboxSource>, now: number) {
  return inboxState(
    { status: aStatus(), closed: [], notices: [], people: nobody, boards: [], ...source },
    zone,
    now,
  );
}

function numbered(seq: number, changes: Partial<StoredQuestion> = {}): StoredQuestion {
  const id = mintQuestionId("a3f2" as RunId, "012-fix-auth", seq);
  return aStored({ question: aQuestion({ id }), ...changes });
}

describe("the state of the page", () => {
  it("lists open questions by deadline, then what was decided, the newest first", () => {
    const state = stateOf(
      {
        status: aStatus({
          open: [numbered(1, { deadlineAt: evening + 9 * hour }), numbered(2)],
          decided: [
            numbered(3, { state: "answered", answer: anAnswer({ at: evening + minute }) }),
            numbered(4, { state: "answered", answer: anAnswer({ at: evening + 2 * minute }) }),
          ],
        }),
      },
      evening + 5 * minute,
    );
    expect(state.cards.map((card) => [card.id.at(-1), card.place])).toEqual([
      ["2", "open"],
      ["1", "open"],
      ["4", "decided"],
      ["3", "decided"],
    ]);
  });

  it("tells every time in the zone that it names", () => {
    const open = [numbered(1, { zone: "Pacific/Auckland" })];
    const [here] = stateOf({ status: aStatus({ open }) }, evening).cards;
    const [there] = stateOf({ status: aStatus({ open: [numbered(1, { zone })] }) }, evening).cards;
    expect(here?.deadline).toEqual(there?.deadline);
  });

  it("keeps the last 50 that are closed and every one that can still be answered or changed", () => {
    const closed = Array.from({ length: 60 }, (_, index) =>
      numbered(index + 1, { state: "resolved", result: "done", answer: anAnswer({ at: evening + index }) }),
    );
    const late = numbered(100, { state: "expired", outcome: "expired" });
    const { cards } = stateOf({ status: aStatus({ decided: [late] }), closed }, evening + hour);
    expect(cards.filter((card) => card.place === "closed")).toHaveLength(recentLimit);
    expect(cards.filter((card) => card.place === "late")).toHaveLength(1);
    expect(cards.find((card) => card.place === "closed")?.id).toBe("q-a3f2-012-fix-auth-60");
  });

  it("says times in the configured zone", () => {
    const card = questionCard(aStored(), evening + 2 * hour);
    expect(card.deadline.iso).toBe("2026-07-07T04:00:00.000Z");
    expect(card.deadline.text).toBe("06:00");
    expect(questionCard(aStored(), evening).deadline.text).toBe("Tue 06:00");
  });

  it.each([
    ["skip_spec", "⏰ No answer by 06:00 → the spec is skipped at the loop's next stop"],
    ["stay_parked", "⏰ No answer by 06:00 → the task stays parked"],
    [
      "take_recommended",
      "⏰ No answer by 06:00 → option 1 — Refresh-token rotation is taken at the loop's next stop",
    ],
  ] as const)("says what happens at the deadline: %s", (defaultAction, words) => {
    expect(questionCard(aStored({ defaultAction }), evening + 2 * hour).deadline.words).toBe(words);
  });

  it("names the next task when the engine does", () => {
    const stored = aStored({ question: aQuestion({ facts: { next_task: "013-rate-limit" } }) });
    expect(questionCard(stored, evening + 2 * hour).deadline.words).toBe(
      "⏰ No answer by 06:00 → the spec is skipped at the loop's next stop, then it goes on with 013-rate-limit",
    );
  });

  it("shows the night form while it is night and the question waits, and no longer than that", () => {
    const night = nightRules();
    const at = evening + 2 * hour;
    expect(questionCard(aStored(), at, night).night).toEqual({
      form: "consent",
      label: "Refresh-token rotation",
      consequence: "No schema change, survives a restart",
      safety: "The agent says this can be undone. Skipping only lets the task wait.",
      until: { iso: "2026-07-07T06:00:00.000Z", text: "08:00" },
    });
    const blocked = aStored({ state: "pending", question: aQuestion({ kind: "blocked" }) });
    expect(questionCard(blocked, at, night).night).toEqual({
      form: "held",
      words: "🌙 This question is held until 08:00 and takes no choice before.",
      until: { iso: "2026-07-07T06:00:00.000Z", text: "08:00" },
    });
    expect(questionCard(blocked, at, nightRules({ window: "00:00-24:00" })).night).toEqual({
      form: "held",
      words:
        "🌙 This question is held: quiet hours are set without an end. It can be read and answered in the local inbox.",
    });
    expect(questionCard(blocked, evening + 9 * hour, night).night).toBeUndefined();
    expect(questionCard(blocked, at).night).toBeUndefined();
    const answered = aStored({ state: "answered", answer: anAnswer() });
    expect(questionCard(answered, at, night).night).toBeUndefined();
    expect(questionCard(aStored({ state: "expired" }), at, night).night?.form).toBe("consent");
  });

  it("lists what is held behind what can be decided", () => {
    const held = { question: aQuestion({ kind: "blocked" }), deadlineAt: evening + 5 * hour };
    const { cards } = stateOf(
      { status: aStatus({ night: nightRules(), open: [aStored(held), numbered(2)] }) },
      evening + hour,
    );
    expect(cards.map((card) => card.night?.form)).toEqual(["consent", "held"]);
  });

  it("says that a recommendation is not taken by a deadline of the night", () => {
    const stored = aStored({ defaultAction: "take_recommended" });
    const words = (night: NightRules): string => questionCard(stored, evening, night).deadline.words;
    expect(words(nightRules())).toContain("the spec is skipped");
    expect(words(nightRules({ autoDefault: true }))).toContain("option 1 — Refresh-token rotation is taken");
  });

  it("says what was decided, where, when, and what comes next", () => {
    const stored = aStored({ state: "answered", answer: anAnswer() });
    expect(questionCard(stored, evening + 2 * hour).verdict).toEqual({
      mark: "answered",
      words: "Answered: 1 — Refresh-token rotation",
      option: "1",
      source: "from the command line on owl",
      at: { iso: "2026-07-06T22:00:00.000Z", text: "00:00" },
      next: "Applies at the next iteration on 012-fix-auth.",
    });
  });

  it("says who took it and when", () => {
    const claim = {
      claim: "c",
      run: "a3f2",
      takenAt: Date.parse("2026-07-07T00:31:00Z"),
      leaseUntilAt: evening + 9 * hour,
    };
    const card = questionCard(aStored({ state: "applied", answer: anAnswer(), claim }), evening + 4 * hour);
    expect(card.place).toBe("closed");
    expect(card.verdict?.taken?.words).toBe("▶ Picked up by run a3f2 at 02:31");
    expect(card.verdict?.next).toBeUndefined();
  });

  it("shows an answer in other words whole", () => {
    const { option: _, ...answer } = anAnswer({ text: "Ask Mara first.\nThen rotate." });
    const card = questionCard(aStored({ state: "answered", answer }), evening + 2 * hour);
    expect(card.verdict).toMatchObject({
      words: "Answered, in own words",
      text: "Ask Mara first.\nThen rotate.",
    });
  });

  it("shows what was said beside an option", () => {
    const answer = anAnswer({ text: "but keep it short" });
    const card = questionCard(aStored({ state: "answered", answer }), evening + 2 * hour);
    expect(card.verdict).toMatchObject({
      words: "Answered: 1 — Refresh-token rotation",
      text: "but keep it short",
    });
  });

  it("keeps an expired question answerable until the loop takes its default", () => {
    const card = questionCard(aStored({ state: "expired", outcome: "expired" }), evening + 8 * hour);
    expect(card.place).toBe("late");
    expect(card.verdict).toEqual({
      mark: "deadline",
      words: "⏰ No answer by 06:00 — the spec will be skipped at the loop's next stop",
      next: "You can still answer until the loop takes it.",
    });
  });

  it("field 80: no text for an outcome without a person names or addresses anybody", () => {
    const claim = { claim: "c", run: "a3f2", takenAt: evening + 8 * hour, leaseUntilAt: evening + 9 * hour };
    const rows = [
      aStored({ state: "default_applied", outcome: "defaulted", claim }),
      aStored({ state: "default_applied", outcome: "defaulted", claim, defaultAction: "take_recommended" }),
      aStored({ state: "expired", outcome: "expired", defaultAction: "stay_parked" }),
      aStored({ state: "cancelled", outcome: "cancelled", why: "the task was removed" }),
    ];
    const verdicts = rows.map((row) => questionCard(row, evening + 9 * hour).verdict);
    expect(verdicts.map((verdict) => verdict?.words)).toEqual([
      "⏰ No answer by 06:00 — spec skipped",
      "⏰ No answer by 06:00 — took option 1 — Refresh-token rotation",
      "⏰ No answer by 06:00 — the task stays parked until somebody answers",
      "Cancelled: the task was removed",
    ]);
    for (const verdict of verdicts) {
      expect(JSON.stringify(verdict)).not.toMatch(/\b(user|you|declined)\b/i);
      expect(verdict?.source).toBeUndefined();
    }
  });

  it("shows facts by name and links as links only when they lead to the web", () => {
    const facts = {
      command: "npm test",
      exit_code: 1,
      output_tail: ["a", "b"],
      spent: { usd: 3 },
      branch: "owl/a3f2",
      arguments_sha256: "f73a7f14ea5d600c",
    };
    const card = questionCard(aStored({ question: aQuestion({ facts }) }), evening);
    expect(card.facts).toEqual({
      command: "npm test",
      exitCode: "1",
      outputTail: "a\nb",
      branch: "owl/a3f2",
      others: [{ name: "spent", value: '{"usd":3}' }],
    });
    const links = linkLines({
      pull_request: "https://git.example.org/shop/318",
      log: ".owlpost/logs/iter-7.log",
      bad: "javascript:alert(1)",
      worse: "java\nscript:alert(1)",
      data: "data:text/html,x",
      spoof: "https://аpple.example/",
    });
    expect(links.map((link) => link.href)).toEqual([
      "https://git.example.org/shop/318",
      undefined,
      undefined,
      undefined,
      undefined,
      "https://xn--pple-43d.example/",
    ]);
    expect(links.at(-1)?.text).toBe("https://xn--pple-43d.example/");
  });

  it("shows notices, the newest first, and health", () => {
    const notice = (seq: number, data: Record<string, unknown>): Event => ({
      seq,
      at: evening,
      kind: "notice.queued",
      data,
    });
    const state = stateOf(
      {
        status: aStatus({
          channels: [
            { channel: "inbox", up: true, since: evening, rings: false },
            { channel: "telegram", up: false, since: 0, rings: true, detail: "401 Unauthorized" },
          ],
        }),
        notices: [
          notice(3, { kind: "stalled", text: "No progress for 2 h." }),
          notice(4, { kind: "run-complete", text: "5 of 5" }),
        ],
      },
      evening,
    );
    expect(state.notices.map((each) => [each.kind, each.text])).toEqual([
      ["run-complete", "5 of 5"],
      ["stalled", "No progress for 2 h."],
    ]);
    expect(state.channels.map((each) => [each.id, each.up, each.since?.text, each.detail])).toEqual([
      ["inbox", true, "23:00", undefined],
      ["telegram", false, undefined, "401 Unauthorized"],
    ]);
    expect(state.service.since?.text).toBe("22:00");
  });
});
