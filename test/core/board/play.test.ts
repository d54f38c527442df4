import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideChange } from "../../../src/core/board/change.ts";
import { decideClaim, decideHeartbeat, decideLapses, decideRelease } from "../../../src/core/board/claim.ts";
import { structureOf } from "../../../src/core/board/conditions.ts";
import { decideCreate } from "../../../src/core/board/create.ts";
import { checkStructure } from "../../../src/core/board/readiness.ts";
import { decideRemove } from "../../../src/core/board/remove.ts";
import { decideReview } from "../../../src/core/board/review.ts";
import { type Mover, moveRule } from "../../../src/core/board/transitions.ts";
import { specHash } from "../../../src/core/board/verdict.ts";
import type { TaskId } from "../../../src/domain/ids.ts";
import { isFinished, type TaskFields, type TaskStatus, taskStatuses } from "../../../src/domain/task.ts";
import { evening, minute } from "../../builders.ts";
import { type MemoryBoard, memoryBoard } from "../../memory-board.ts";

const ids = ["a", "b", "c", "d", "e"] as TaskId[];
const anId = fc.constantFrom(...ids);
const aToken = fc.constantFrom("t1", "t2");
const someFields: fc.Arbitrary<Partial<TaskFields>> = fc.record(
  {
    description: fc.constantFrom(
      "",
      "Build the login page with the existing form kit, and keep the old URL.",
    ),
    acceptanceCriteria: fc.constantFrom("", "- the suite passes", "[DRAFT-AC]"),
    executionPlan: fc.constantFrom("", "1. write it"),
    executor: fc.constantFrom("human", "cli", null),
    requiresReview: fc.boolean(),
    agentOutput: fc.constantFrom("", "It is done."),
    errorMessage: fc.constantFrom("", "It stands still."),
    parentTask: fc.option(anId),
    blockedBy: fc.uniqueArray(anId, { maxLength: 2 }),
    context: fc.constantFrom("", "See the design."),
  },
  { requiredKeys: [] },
);
const aPlace: fc.Arbitrary<Partial<TaskFields>> = fc.record(
  { parentTask: fc.option(anId), blockedBy: fc.uniqueArray(anId, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const whole: Partial<TaskFields> = {
  description: "Build the login page with the existing form kit, and keep the old URL.",
  acceptanceCriteria: "- the suite passes",
  executionPlan: "1. write it",
  executor: "human",
  assignee: [{ id: "eric", name: "eric" }],
  agentOutput: "It is done.",
  errorMessage: "It stands still.",
};

type Step =
  | {
      readonly do: "create";
      readonly id: TaskId;
      readonly fields: Partial<TaskFields>;
      readonly whole: boolean;
    }
  | {
      readonly do: "change";
      readonly id: TaskId;
      readonly fields: Partial<TaskFields>;
      readonly status: TaskStatus | undefined;
      readonly token: string | undefined;
      readonly yes: boolean;
    }
  | { readonly do: "claim"; readonly id: TaskId | undefined; readonly token: string }
  | { readonly do: "beat" | "release"; readonly id: TaskId; readonly token: string }
  | { readonly do: "remove" | "review"; readonly id: TaskId }
  | { readonly do: "wait"; readonly minutes: number };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("create"), id: anId, fields: someFields, whole: fc.boolean() }),
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("change"),
      id: anId,
      fields: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, someFields, aPlace),
      status: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...taskStatuses) },
        fc.constant("Done" as const),
        fc.constant(undefined),
      ),
      token: fc.oneof({ weight: 3, arbitrary: fc.constant("held") }, fc.constant(undefined), aToken),
      yes: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("claim"),
      id: fc.option(anId, { nil: undefined }),
      token: aToken,
    }),
  },
  fc.record({ do: fc.constantFrom("beat", "release"), id: anId, token: aToken }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("review"), id: anId }) },
  fc.record({ do: fc.constant("remove"), id: anId }),
  fc.record({ do: fc.constant("wait"), minutes: fc.integer({ min: 1, max: 8 }) }),
) as fc.Arbitrary<Step>;

describe("no sequence of operations", () => {
  it("reaches an illegal state, and every move of a status is in the log and in the table", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
        const board = memoryBoard();
        let now = evening;
        for (const step of prelude) perform(board, step, now);
        for (const step of steps) {
          if (step.do === "wait") now += step.minutes * minute;
          const before = board.statuses();
          const logged = board.log.length;
          const ok = perform(board, step, now);
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
  });
});

/** Five tasks that are Ready, and one that is Done: what follows begins where something can happen. */
const prelude: readonly Step[] = [
  ...ids.flatMap((id): Step[] => [
    {
      do: "create",
      id,
      fields: id === "b" || id === "c" ? { parentTask: ids[0] as TaskId } : {},
      whole: true,
    },
    { do: "review", id },
    { do: "change", id, fields: {}, status: "Ready", token: undefined, yes: false },
  ]),
  { do: "claim", id: ids[2], token: "t1" },
  { do: "change", id: ids[2] as TaskId, fields: {}, status: "Done", token: "t1", yes: false },
];

const reached = [
  "task.claimed",
  "task.cascaded Done",
  "task.lapsed Ready",
  "task.moved Done",
  "task.moved In Progress",
  "task.reviewed",
  "task.deleted",
];

function perform(board: MemoryBoard, step: Step, now: number): boolean | undefined {
  const settings = {
    now,
    iso: "2026-07-06T21:00:00Z",
    actor: { kind: "person", name: "eric" } as const,
    directories: new Set<string>(),
  };
  const named = "fields" in step ? [step.fields.parentTask ?? [], step.fields.blockedBy ?? []].flat() : [];
  const tasks = "id" in step && step.id !== undefined ? [step.id, ...named] : [];
  switch (step.do) {
    case "create":
      return board.run(
        { tasks },
        (snapshot) =>
          decideCreate(
            snapshot,
            {
              board: "shop",
              id: step.id,
              issuer: "eric",
              fields: { title: step.id, ...(step.whole ? whole : {}), ...step.fields },
            },
            settings,
          ),
        now,
      ).ok;
    case "change": {
      const token = step.token === "held" ? board.get(step.id)?.claim?.token : step.token;
      return board.run(
        { tasks },
        (snapshot) =>
          decideChange(
            snapshot,
            {
              id: step.id,
              fields: step.fields,
              approved: step.yes,
              changesRequested: step.yes,
              ...(step.status === undefined ? {} : { status: step.status }),
              ...(token === undefined ? {} : { claim: token }),
            },
            settings,
          ),
        now,
      ).ok;
    }
    case "claim": {
      const { id, token } = step;
      const request = { token, by: token, leaseMs: 10 * minute, ...(id === undefined ? {} : { id }) };
      return board.run(
        { tasks, next: { limit: 5 } },
        (snapshot) => decideClaim(snapshot, request, settings),
        now,
      ).ok;
    }
    case "beat":
      return board.run({ tasks }, (snapshot) => decideHeartbeat(snapshot, step, settings), now).ok;
    case "release":
      return board.run({ tasks }, (snapshot) => decideRelease(snapshot, step, settings), now).ok;
    case "remove":
      return board.run({ tasks }, (snapshot) => decideRemove(snapshot, step, settings), now).ok;
    case "review": {
      const task = board.get(step.id)?.task;
      if (!task) return false;
      const review = { verdict: "PASS", gaps: [], fixes: [] } as const;
      const request = { id: step.id, hash: specHash(task), review, reviewer: "eric" };
      return board.run({ tasks }, (snapshot) => decideReview(snapshot, request, settings), now).ok;
    }
    case "wait":
      board.run({ lapsed: { now, limit: 10 } }, (snapshot) => decideLapses(snapshot, now), now);
      return undefined;
  }
}

const movers: Readonly<Record<string, Mover>> = {
  "task.moved": "user",
  "task.claimed": "user",
  "task.cascaded": "cascade",
  "task.lapsed": "lapse",
  "task.released": "release",
};

function checkMoves(board: MemoryBoard, before: Record<string, TaskStatus>, logged: number): void {
  const statuses = new Map(Object.entries(before));
  for (const { kind, task = "", data } of board.log.slice(logged)) {
    if (kind === "task.created") statuses.set(task, data.status as TaskStatus);
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
