import { describe, expect, test } from "vitest";
import { type AbortSettings, decideAbort, stoppedWords } from "../../src/core/abort.ts";
import { decideAsk } from "../../src/core/ask.ts";
import { checkQuestion } from "../../src/core/contract.ts";
import { decideTake, type TakeSettings } from "../../src/core/take.ts";
import type { Abort } from "../../src/domain/abort.ts";
import type { QuestionId, RunId } from "../../src/domain/ids.ts";
import type { ClaimRecord, StoredQuestion } from "../../src/domain/question.ts";
import type { AskSnapshot, Effect, RunSnapshot, TakeSnapshot } from "../../src/domain/store.ts";
import { aDocument, anAnswer, aQuestion, aStored, evening, hour, minute } from "../builders.ts";

const run = "a3f2" as RunId;
const now = evening + hour;
const eric = { via: "telegram", by: "eric" };
const settings: AbortSettings = { sender: eric, role: "owner", now, copies: new Map() };

function numbered(seq: number, changes: Partial<StoredQuestion> = {}): StoredQuestion {
  const id = `q-a3f2-012-fix-auth-${seq}` as QuestionId;
  return aStored({ question: aQuestion({ id }), ...changes });
}

function anAbort(changes: Partial<Abort> = {}): Abort {
  return { id: 1, run, project: "default", sender: eric, at: evening, ...changes };
}

function aClaim(changes: Partial<ClaimRecord> = {}): ClaimRecord {
  return { claim: "theirs", takenAt: now - minute, leaseUntilAt: now + 9 * minute, ...changes };
}

function aRun(changes: Partial<RunSnapshot> = {}): RunSnapshot {
  return {
    open: [numbered(1)],
    projects: ["default"],
    aborts: [],
    zone: "Europe/Berlin",
    ...changes,
  };
}

/** What would be written, one word each. */
function deeds(effects: readonly Effect[]): string[] {
  return effects.map((effect) => {
    if (effect.type === "move-question") return `${effect.id.slice(-1)}: ${effect.from} → ${effect.to}`;
    if (effect.type === "insert-abort") return `abort ${effect.abort.run} in ${effect.abort.project}`;
    if (effect.type === "claim-abort") return `claim ${effect.id} as ${effect.claim.claim}`;
    return effect.type === "log" ? effect.event.kind : effect.type;
  });
}

describe("stopping a run", () => {
  test("cancels every open question, edits its copies, and leaves an order for the loop", () => {
    const first = numbered(1);
    const copy = { channel: "telegram", destination: "42", ref: "42:7", revision: 1, postedAt: evening };
    const copies = new Map([[first.question.id, [{ ...copy, question: first.question.id }]]]);
    const snapshot = aRun({ open: [first, numbered(2, { state: "pending" })] });
    const { effects, value } = decideAbort(run, snapshot, { ...settings, copies });
    expect(deeds(effects)).toEqual([
      "1: posted → cancelled",
      "question.cancelled",
      "send",
      "2: pending → cancelled",
      "question.cancelled",
      "abort a3f2 in default",
      "run.aborted",
    ]);
    expect(effects[0]).toMatchObject({ why: "run a3f2 was stopped by eric", outcome: "cancelled" });
    expect(effects.at(-1)).toMatchObject({
      event: { project: "default", data: { run, via: "telegram", by: "eric", cancelled: 2 } },
    });
    expect(value).toEqual({
      accepted: true,
      state: "aborted",
      text: "Recorded: run a3f2 is to stop; its loop learns of it at its next stop. Until then a new question of it is cancelled and rings nobody. Cancelled: q-a3f2-012-fix-auth-1, q-a3f2-012-fix-auth-2.",
    });
  });

  test.each<[string, RunSnapshot, string[], RegExp]>([
    [
      "with nothing open",
      aRun({ open: [] }),
      ["abort a3f2 in default", "run.aborted"],
      /No question of it was open\.$/,
    ],
    [
      "with a deadline that has come and was not swept: the deadline counts",
      aRun({ open: [numbered(1, { deadlineAt: now })] }),
      ["1: posted → expired", "question.expired", "abort a3f2 in default", "run.aborted"],
      /No question of it was open\.$/,
    ],
    [
      "in two projects: an order in each",
      aRun({ open: [], projects: ["shop", "site"] }),
      ["abort a3f2 in shop", "run.aborted", "abort a3f2 in site", "run.aborted"],
      /^Recorded/,
    ],
    [
      "in two projects, one of which waits",
      aRun({ open: [], projects: ["default", "site"], aborts: [anAbort()] }),
      ["abort a3f2 in site", "run.aborted"],
      /^Recorded/,
    ],
    [
      "a second time, before the loop came by",
      aRun({ open: [], aborts: [anAbort()] }),
      [],
      /^Already recorded: run a3f2 was stopped by eric at 23:00, and its loop has not come by yet\.$/,
    ],
    [
      "a second time, while the loop has not confirmed it",
      aRun({ open: [], aborts: [anAbort({ claim: aClaim() })] }),
      [],
      /its loop was told at 23:59 and has not confirmed it\.$/,
    ],
    [
      "a second time, and something is open all the same",
      aRun({ aborts: [anAbort()] }),
      ["1: posted → cancelled", "question.cancelled"],
      /^Already recorded.*Cancelled: q-a3f2-012-fix-auth-1\.$/,
    ],
  ])("%s", (_, snapshot, wanted, text) => {
    const { effects, value } = decideAbort(run, snapshot, settings);
    expect(deeds(effects)).toEqual(wanted);
    expect(value).toMatchObject({ accepted: true, state: "aborted", text: expect.stringMatching(text) });
    expect(value).toEqual(
      wanted.includes("run.aborted")
        ? expect.not.objectContaining({ repeated: true })
        : expect.objectContaining({ repeated: true }),
    );
  });

  test("field 66: fail closed for destructive verbs: whoever is no owner, and a run that nobody knows, change nothing", () => {
    for (const role of ["member", "viewer"] as const) {
      const { effects, value } = decideAbort(run, aRun(), { ...settings, role });
      expect(deeds(effects)).toEqual(["reply.refused"]);
      expect(value).toMatchObject({ accepted: false, reason: "not-allowed" });
    }
    const unknown = decideAbort(run, aRun({ open: [], projects: [] }), settings);
    expect(deeds(unknown.effects)).toEqual(["reply.refused"]);
    expect(unknown.value).toMatchObject({ accepted: false, reason: "bad-command" });
  });

  test("no name stands where none is known, and a long list is cut", () => {
    expect(stoppedWords(run, { via: "cli", host: "owl" })).toBe(
      "run a3f2 was stopped from the command line on owl",
    );
    const open = Array.from({ length: 12 }, (_, at) => numbered(at + 1));
    expect(decideAbort(run, aRun({ open }), settings).value.text).toMatch(/fix-auth-10 and 2 more\.$/);
  });

  test("says when it was typed, and not when it came in", () => {
    const { effects } = decideAbort(run, aRun({ open: [] }), { ...settings, sentAt: now - minute });
    expect(effects[0]).toMatchObject({ abort: { at: now - minute } });
  });
});

describe("a take", () => {
  const mine: TakeSettings = { claim: "mine", run, now, leaseMs: 10 * minute, intact: () => true };
  const nothing: TakeSnapshot = { due: [], decided: [], same: [], lapsed: [], copies: new Map() };
  const claim = { claim: "mine", run, takenAt: now, leaseUntilAt: now + 10 * minute };

  test.each<[string, Abort, string[], ClaimRecord | undefined]>([
    ["gets one that is free", anAbort(), ["claim 1 as mine", "run.abort-taken"], claim],
    ["gets none that another take holds", anAbort({ claim: aClaim() }), [], undefined],
    [
      "gets one whose lease is over",
      anAbort({ claim: aClaim({ leaseUntilAt: now }) }),
      ["claim 1 as mine", "run.abort-taken"],
      claim,
    ],
    [
      "is the same under the same claim",
      anAbort({ claim: aClaim({ claim: "mine" }) }),
      [],
      aClaim({ claim: "mine" }),
    ],
    [
      "holds it anew when its own lease is over",
      anAbort({ claim: aClaim({ claim: "mine", leaseUntilAt: now - 1 }) }),
      ["claim 1 as mine", "run.abort-taken"],
      claim,
    ],
  ])("%s", (_, abort, wanted, held) => {
    const { effects, value } = decideTake({ ...nothing, aborts: [abort] }, mine);
    expect(deeds(effects)).toEqual(wanted);
    expect(value.aborts).toEqual(held === undefined ? [] : [{ ...abort, claim: held }]);
  });

  test("brings answers and orders under one claim; the same claim again brings nothing new", () => {
    const decided = [numbered(1, { state: "answered", answer: anAnswer(), outcome: "answered" })];
    const first = decideTake({ ...nothing, decided, aborts: [anAbort()] }, mine);
    expect([first.value.taken.length, first.value.aborts.length]).toEqual([1, 1]);
    const held = anAbort({ claim });
    const other = anAbort({ id: 2, project: "site" });
    const again = decideTake({ ...nothing, decided, aborts: [held, other] }, mine);
    expect(again).toEqual({ effects: [], value: { taken: [], aborts: [held], mismatched: [] } });
  });

  test("no event holds the token", () => {
    const { effects } = decideTake({ ...nothing, aborts: [anAbort()] }, mine);
    const events = effects.filter((effect) => effect.type === "log");
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain("mine");
  });
});

describe("an ask of a run that is to stop", () => {
  const checked = checkQuestion(aDocument(), {
    now,
    zone: "Europe/Berlin",
    minLeadMs: 10 * minute,
    channels: [{ id: "telegram" }],
    ownerAutoDefault: false,
    asAgent: false,
    given: { project: "default" },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.broken));
  const asking = {
    now,
    routes: [{ channel: "telegram", destination: "42" }],
    redactedFields: [],
    droppedFields: [],
  };
  const fresh: AskSnapshot = { nextSeq: 1 };

  test("is stored, cancelled at once, and sent to nobody", () => {
    const { effects, value } = decideAsk({ ...fresh, abort: anAbort() }, checked.draft, asking);
    expect(deeds(effects)).toEqual([
      "insert-question",
      "question.asked",
      "1: pending → cancelled",
      "question.cancelled",
    ]);
    expect(value).toMatchObject({
      ok: true,
      repeated: false,
      stored: { state: "cancelled", outcome: "cancelled", why: "run a3f2 was stopped by eric" },
    });
  });

  test("rings as ever when no order waits", () => {
    const { effects } = decideAsk(fresh, checked.draft, asking);
    expect(deeds(effects)).toEqual(["insert-question", "question.asked", "send"]);
  });
});
