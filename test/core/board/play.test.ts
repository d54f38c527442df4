import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structureOf } from "../../../src/core/board/conditions.ts";
import { checkStructure } from "../../../src/core/board/readiness.ts";
import { type Mover, moveRule } from "../../../src/core/board/transitions.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import { isFinished, type TaskStatus } from "../../../src/domain/task.ts";
import { aStep, planOf, prelude, type Step } from "../../board-play.ts";
import { evening, minute } from "../../builders.ts";
import { type MemoryBoard, memoryBoard } from "../../memory-board.ts";

describe("no sequence of operations", () => {
  it("reaches an illegal state, and every move of a status is in the log and in the table", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
        const board = memoryBoard();
        let now = evening;
        for (const [at, step] of prelude.entries()) perform(board, step, now, at);
        for (const [at, step] of steps.entries()) {
          if (step.do === "wait") now += step.minutes * minute;
          const before = board.statuses();
          const logged = board.log.length;
          const ok = perform(board, step, now, prelude.length + at);
          if (ok === false) expect(board.statuses()).toEqual(before);
          if (ok === false) expect(board.log.length).toBe(logged);
          checkMoves(board, before, logged);
          checkState(board, now);
        }
        for (const { kind, data } of board.log) {
          const what = `${kind} ${String(data.to ?? "")}`.trim();
          seen.set(what, (seen.get(what) ?? 0) + 1);
        }
      }),
      { numRuns: 150 },
    );
    // The property would be empty if the sequences never came that far.
    expect([...seen.keys()]).toEqual(expect.arrayContaining(reached));
  }, 60_000);
});

const reached = [
  "task.claimed In Progress",
  "task.cascaded Done",
  "task.lapsed Ready",
  "task.moved Done",
  "task.moved In Progress",
  "task.reviewed",
  "task.deleted",
  "task.imported",
  "task.parked Blocked",
  "task.freed In Progress",
  "task.freed Ready",
  "task.left-blocked",
];

function perform(board: MemoryBoard, step: Step, now: number, serial: number): boolean | undefined {
  const { need, decide } = planOf(step, (id) => board.get(id), now, serial);
  return board.run(need, decide, now).ok;
}

const movers: Readonly<Record<string, Mover>> = {
  "task.moved": "user",
  "task.claimed": "user",
  "task.cascaded": "cascade",
  "task.lapsed": "lapse",
  "task.released": "release",
  "task.parked": "question",
  "task.freed": "question",
};

function checkMoves(board: MemoryBoard, before: Record<string, TaskStatus>, logged: number): void {
  const statuses = new Map(Object.entries(before));
  for (const { kind, task = "", data } of board.log.slice(logged)) {
    if (kind === "task.created" || kind === "task.imported") statuses.set(task, data.status as TaskStatus);
    if (kind === "task.deleted") statuses.delete(task);
    const mover = movers[kind];
    if (!mover) continue;
    const from = data.from as TaskStatus;
    const to = (data.to ?? "In Progress") as TaskStatus;
    expect(statuses.get(task)).toBe(from);
    if (from !== to)
      expect([kind, from, to, moveRule(from, to, mover).kind]).toEqual([kind, from, to, "allowed"]);
    statuses.set(task, to);
  }
  expect(Object.fromEntries(statuses)).toEqual(board.statuses());
}

function checkState(board: MemoryBoard, now: number): void {
  for (const { id } of board.all()) {
    const stored = board.get(id);
    if (!stored) continue;
    const { task, claim, children } = stored;
    const parent = task.parentTask === null ? undefined : board.get(task.parentTask);
    if (task.parentTask !== null) {
      expect(parent).toBeDefined();
      expect(parent?.task.parentTask).toBeNull();
      expect(children.all).toBe(0);
      expect(task.blockedBy).not.toContain(task.parentTask);
      // A child that is open never stands under a parent that the board finished.
      if (!isFinished(task.status) && parent?.task.context.endsWith("all subtasks completed")) {
        expect(parent.task.status).not.toBe("Done");
      }
    }
    expect(reaches(board, id, id, new Set())).toBe(false);
    // Whoever waits for an answer is offered to nobody, and whoever is parked for nothing waits for none.
    if (stored.parkedFor.length > 0) expect(task.status).toBe("Blocked");
    if (claim !== null) {
      expect(["In Progress", "Blocked"]).toContain(task.status);
      expect(claim.leaseUntilAt === null).toBe(task.status === "Blocked");
    }
    if (task.status === "Ready") {
      expect(task.dispatchedAt).toBeNull();
      const { errors } = checkStructure("Ready", {
        ...structureOf(task, children.all > 0),
        qualityVerdict: "",
      });
      expect(errors).toEqual([]);
    }
    if (task.status === "Blocked" && claim?.leaseUntilAt) expect(claim.leaseUntilAt).toBeGreaterThan(now);
  }
  for (const id of board.next()) expect(board.get(id)?.openBlockers).toBe(0);
}

function reaches(board: MemoryBoard, from: TaskId, to: TaskId, seen: Set<TaskId>): boolean {
  for (const next of board.get(from)?.task.blockedBy ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(board, next, to, seen)) return true;
  }
  return false;
}
