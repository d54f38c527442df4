import { describe, expect, it } from "vitest";
import { calibrate } from "../../../src/core/board/calibration.ts";
import { decideChange } from "../../../src/core/board/change.ts";
import { decideClaim, decideHeartbeat, decideLapses, decideRelease } from "../../../src/core/board/claim.ts";
import { decideConfirmLine } from "../../../src/core/board/confirm.ts";
import { importOrder } from "../../../src/core/board/import.ts";
import { inferredLines } from "../../../src/core/board/inferred.ts";
import {
  cachedReview,
  decideReview,
  planReview,
  readReview,
  verdictOfAxes,
} from "../../../src/core/board/review.ts";
import { specHash, verdictStanding } from "../../../src/core/board/verdict.ts";
import { isExemptFromReview, takeIn } from "../../../src/core/board/worthiness.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import { type AxisMarks, axes, type Sample } from "../../../src/domain/review.ts";
import type { Task } from "../../../src/domain/task.ts";
import { evening, minute } from "../../builders.ts";
import { aTaskRow, memoryBoard } from "../../memory-board.ts";

const id = "login" as TaskId;
const at = "2026-07-06T21:00:00Z";
const settings = {
  now: evening,
  iso: at,
  actor: { kind: "person", name: "eric" } as const,
  directories: new Set(["/srv/app"]),
};
const agent = { ...settings, actor: { kind: "agent", name: "claude" } as const };

function aSpec(changes: Partial<Omit<Task, "id">> = {}): Task {
  const task = aTaskRow({
    id,
    status: "Ready",
    description: "Build the login page with the existing form kit, and keep the old URL.",
    acceptanceCriteria: "- the suite passes",
    executionPlan: "1. write it",
    executor: "cli",
    workingDirectory: "/srv/app",
    assignee: [{ id: "eric", name: "eric" }],
    ...changes,
  });
  return "qualityVerdict" in changes
    ? task
    : { ...task, qualityVerdict: `PASS hash=${specHash(task)} @${at} v2` };
}

const need = { tasks: [id], next: { limit: 9 } };
const claimOf = (board: ReturnType<typeof memoryBoard>, token: string, how = settings, now = evening) =>
  board.run(
    need,
    (snapshot) => decideClaim(snapshot, { id, token, by: token, leaseMs: 10 * minute }, { ...how, now }),
    now,
  );

describe("a claim", () => {
  it("is given once, and again to the same token", () => {
    const board = memoryBoard([aSpec()]);
    expect(claimOf(board, "one")).toMatchObject({
      ok: true,
      task: { status: "In Progress", dispatchedAt: evening },
    });
    expect(claimOf(board, "two")).toMatchObject({ ok: false, reason: "claimed" });
    expect(claimOf(board, "one")).toMatchObject({ ok: true, repeated: true });
    expect(board.log.map(({ kind }) => kind)).toEqual(["task.claimed"]);
  });

  it("fences every write of whoever has lost it", () => {
    const board = memoryBoard([aSpec()]);
    claimOf(board, "one");
    const later = evening + 10 * minute;
    expect(board.run({ lapsed: { limit: 5 } }, (snapshot) => decideLapses(snapshot, later), later)).toEqual({
      lapsed: [id],
    });
    expect(board.get(id)?.task).toMatchObject({ status: "Ready", dispatchedAt: null });
    expect(claimOf(board, "two", settings, later).ok).toBe(true);
    const write = (claim: string | undefined) =>
      board.run(
        need,
        (snapshot) =>
          decideChange(
            snapshot,
            { id, fields: { agentOutput: "Mine." }, ...(claim ? { claim } : {}) },
            { ...settings, now: later },
          ),
        later,
      );
    expect(write("one")).toMatchObject({ ok: false, reason: "claim-lost" });
    expect(write(undefined)).toMatchObject({ ok: false, reason: "claimed" });
    expect(write("two")).toMatchObject({ ok: true });
  });

  it("lives as long as its heart beats, and can be given back or taken away", () => {
    const board = memoryBoard([aSpec()]);
    claimOf(board, "one");
    const beat = (token: string, now: number) =>
      board.run(need, (snapshot) => decideHeartbeat(snapshot, { id, token }, { ...settings, now }), now);
    expect(beat("one", evening + 9 * minute)).toMatchObject({
      claim: { leaseUntilAt: evening + 19 * minute },
    });
    expect(beat("two", evening + 9 * minute)).toMatchObject({ ok: false, reason: "claim-lost" });
    expect(beat("one", evening + 20 * minute)).toMatchObject({ ok: false, reason: "claim-lost" });
    const release = (how: object, as = settings) =>
      board.run(need, (snapshot) => decideRelease(snapshot, { id, ...how }, as));
    expect(release({ token: "two" })).toMatchObject({ ok: false, reason: "claim-lost" });
    expect(release({ force: true }, agent as unknown as typeof settings)).toMatchObject({
      reason: "not-allowed",
    });
    expect(release({ force: true })).toMatchObject({ ok: true, task: { status: "Ready" }, claim: null });
  });

  it("of the next task passes over what cannot be begun, and says why", () => {
    const stale = aSpec({ priority: "Urgent" });
    const first = { ...stale, id: "a" as TaskId, description: `${stale.description} And more.` };
    const second = { ...aSpec({ priority: "High", workingDirectory: "/gone" }), id: "b" as TaskId };
    const board = memoryBoard([first, second, aSpec({ priority: "Low" })]);
    const request = { token: "t", by: "t", leaseMs: minute };
    const claimed = board.run({ next: { limit: 9 } }, (snapshot) => decideClaim(snapshot, request, settings));
    expect(claimed).toMatchObject({ ok: true, task: { id } });
    expect(
      claimed.passedOver.map(({ task, findings }) => [task.id, findings.map(({ rule }) => rule)]),
    ).toEqual([
      ["a", ["verdict_stale"]],
      ["b", ["not_a_directory"]],
    ]);
  });
});

describe("an edit", () => {
  it("takes nothing away that the status needs, and makes the verdict stale", () => {
    const board = memoryBoard([aSpec()]);
    const edit = (fields: object, status?: Task["status"]) =>
      board.run(need, (snapshot) =>
        decideChange(snapshot, { id, fields, ...(status ? { status } : {}) }, settings),
      );
    expect(edit({ acceptanceCriteria: " \n" })).toMatchObject({ ok: false, reason: "needs-missing" });
    expect(edit({ acceptanceCriteria: "- [INFERRED] it is fast" })).toMatchObject({ ok: false });
    expect(edit({ acceptanceCriteria: "- another" }).ok).toBe(true);
    expect(claimOf(board, "one")).toMatchObject({
      reason: "not-dispatch-ready",
      findings: [{ field: "Quality Verdict", rule: "verdict_stale" }],
    });
    expect(edit({ acceptanceCriteria: "" }, "Backlog").ok).toBe(true);
  });

  it("of an agent writes no verdict and approves of nothing", () => {
    const board = memoryBoard([aSpec({ status: "In Review", agentOutput: "Done." })]);
    const edit = (request: object) =>
      board.run(need, (snapshot) => decideChange(snapshot, { id, fields: {}, ...request }, agent));
    expect(edit({ fields: { qualityVerdict: "PASS hash=00000000 @x v2" } })).toMatchObject({
      reason: "not-allowed",
    });
    expect(edit({ status: "Done", approved: true })).toMatchObject({ reason: "not-allowed" });
    expect(edit({ status: "Done" })).toMatchObject({ reason: "needs-missing" });
  });
});

describe("a review", () => {
  const marks = (change: Partial<AxisMarks> = {}): AxisMarks =>
    ({ ...Object.fromEntries(axes.map((axis) => [axis, "◯"])), ...change }) as AxisMarks;

  it("rejects, sends back or passes: the first rule that fits", () => {
    expect(verdictOfAxes(marks())).toBe("PASS");
    expect(verdictOfAxes(marks({ goal: "△", boundary: "△" }))).toBe("NEEDS_REFINEMENT");
    expect(verdictOfAxes(marks({ goal: "△", fidelity: "✗" }))).toBe("REJECT");
  });

  it("is read as a whole or not at all", () => {
    expect(readReview({ axes: marks(), gaps: [], fixes: ["x"] })).toMatchObject({
      verdict: "PASS",
      fixes: ["x"],
    });
    expect(readReview({ verdict: "INSUFFICIENT_CONTEXT", gaps: ["no plan"] })).toMatchObject({
      verdict: "NEEDS_REFINEMENT",
      gaps: ["no plan"],
    });
    const { fidelity: _, ...five } = marks();
    for (const torn of [
      undefined,
      "PASS",
      [],
      {},
      { axes: five },
      { axes: marks(), gaps: "x" },
      { verdict: "PASS" },
    ])
      expect(readReview(torn)).toBeUndefined();
  });

  it("is stored with its findings for the text that was judged, and for no other", () => {
    const board = memoryBoard([aSpec({ qualityVerdict: "", context: "See the design." })]);
    const store = (hash: string, review: Parameters<typeof decideReview>[1]["review"]) =>
      board.run(need, (snapshot) =>
        decideReview(snapshot, { id, hash, review, reviewer: "the reviewer" }, settings),
      );
    const hash = specHash(aSpec({ context: "See the design." }));
    const bad = { verdict: "NEEDS_REFINEMENT", gaps: ["no rollback"], fixes: ["name one"] } as const;
    expect(store("00000000", bad)).toMatchObject({ ok: false, reason: "changed-meanwhile" });
    expect(store(hash, bad)).toMatchObject({ ok: true });
    const task = board.get(id)?.task as Task;
    expect(task.qualityVerdict).toBe(`NEEDS_REFINEMENT hash=${hash} @${at} v2 reviewer=the-reviewer`);
    expect(verdictStanding(task).kind).toBe("current");
    expect(cachedReview(task)).toMatchObject({ verdict: "NEEDS_REFINEMENT", gaps: ["no rollback"] });
    expect(store(hash, { verdict: "PASS", gaps: [], fixes: [] })).toMatchObject({ ok: true });
    expect(board.get(id)?.task.context).toBe("See the design.");
  });

  it("asks the reviewer in its own way for each mode", () => {
    const passed = aSpec();
    expect(planReview(passed, false, "cache-aware").kind).toBe("hit");
    expect(planReview(passed, false, "live").kind).toBe("ask");
    expect(
      planReview({ ...passed, description: `${passed.description} More.` }, false, "cache-only").kind,
    ).toBe("unreviewed");
    const legacy = { ...passed, qualityVerdict: `PASS hash=${specHash(passed, 1)} @x v1` };
    expect(planReview(legacy, false, "cache-only").kind).toBe("hit");
    expect(planReview(legacy, false, "cache-aware").kind).toBe("ask");
    expect(planReview(aSpec({ acceptanceCriteria: "" }), false, "live")).toMatchObject({
      kind: "rejected",
      findings: [{ rule: "required_non_empty" }],
    });
  });

  it("counts only where it has been measured, on enough tasks, and agrees often enough", () => {
    const samples = (agreed: number, all: number): Sample[] =>
      Array.from({ length: all }, (_, n) => ({
        id: `${n}`,
        expected: "PASS",
        got: n < agreed ? "PASS" : "REJECT",
      }));
    expect(calibrate(samples(24, 30))).toMatchObject({ enabled: true, agreement: 0.8 });
    expect(calibrate(samples(23, 30))).toMatchObject({ enabled: false, agreed: 23 });
    expect(calibrate(samples(29, 29))).toMatchObject({ enabled: false });
    expect(calibrate([])).toMatchObject({ enabled: false, agreement: 0 });
  });
});

describe("an inferred line", () => {
  const acceptanceCriteria = "- sure\n- [INFERRED] it is fast\r\n- [INFERRED] it is fast";

  it("is adopted one by one, by a person, and the log says so", () => {
    const board = memoryBoard([
      aSpec({ status: "Backlog", acceptanceCriteria, executionPlan: "1. [INFERRED] go" }),
    ]);
    const confirm = (line: number, as = settings) =>
      board.run(need, (snapshot) => decideConfirmLine(snapshot, { id, line }, as));
    expect(confirm(1, agent as unknown as typeof settings)).toMatchObject({ reason: "not-allowed" });
    expect(confirm(4)).toMatchObject({ reason: "no-such-line" });
    expect(confirm(2).ok).toBe(true);
    const { task } = board.get(id) as { task: Task };
    expect(task.acceptanceCriteria).toBe("- sure\n- [INFERRED] it is fast\r\n- it is fast");
    expect(task.context).toContain(`- it is fast — confirmed by eric @${at}`);
    expect(inferredLines(task).map(({ text }) => text)).toEqual(["it is fast", "go"]);
  });
});

describe("the advice on what came in", () => {
  it("leaves the last word to a person", () => {
    expect(takeIn("task", undefined)).toEqual({ create: true, note: false, tags: [] });
    expect(takeIn("info-only", undefined)).toBeUndefined();
    expect(takeIn("info-only", "create", ["web"])?.tags).toEqual(["web", "worthiness:info-only"]);
    expect(takeIn("calendar-like", "note")).toMatchObject({ create: false, note: true });
    expect(takeIn("task", "discard")).toMatchObject({ create: false, note: false });
  });

  it("spares such a task the review, and nothing else", () => {
    const tags = ["worthiness:calendar-like"];
    expect(isExemptFromReview({ tags })).toBe(true);
    const board = memoryBoard([aSpec({ qualityVerdict: "", tags })]);
    expect(claimOf(board, "one").ok).toBe(true);
    const bare = memoryBoard([
      aSpec({ status: "Backlog", qualityVerdict: "", tags, acceptanceCriteria: "" }),
    ]);
    const moved = bare.run(need, (snapshot) =>
      decideChange(snapshot, { id, fields: {}, status: "Ready" }, settings),
    );
    expect(moved).toMatchObject({ ok: false, reason: "not-ready" });
  });
});

describe("the order of an import", () => {
  it("has parents and blockers first, and ends where they stand in a circle", () => {
    const row = (name: string, blockedBy: string[], parentTask: string | null = null): Task =>
      aTaskRow({ id: name, blockedBy: blockedBy as TaskId[], parentTask: parentTask as TaskId | null });
    const ordered = importOrder([
      row("a", ["b"]),
      row("b", ["c"]),
      row("c", ["a"]),
      row("d", [], "e"),
      row("e", []),
    ]);
    expect(ordered).toHaveLength(5);
    const place = (name: string): number => ordered.findIndex((task) => task.id === name);
    expect(place("e")).toBeLessThan(place("d"));
    expect(place("c")).toBeLessThan(place("b"));
  });
});
