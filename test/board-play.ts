import fc from "fast-check";
import { decideChange } from "../src/core/board/change.ts";
import { decideClaim, decideHeartbeat, decideLapses, decideRelease } from "../src/core/board/claim.ts";
import { decideCreate } from "../src/core/board/create.ts";
import { orderedBlockers } from "../src/core/board/graph.ts";
import { decideImport } from "../src/core/board/import.ts";
import { decideRemove } from "../src/core/board/remove.ts";
import { decideReview } from "../src/core/board/review.ts";
import { specHash } from "../src/core/board/verdict.ts";
import { log, move } from "../src/core/moves.ts";
import type { BoardNeed, BoardSnapshot } from "../src/domain/board.ts";
import { mintQuestionId, type RunId, type TaskId } from "../src/domain/ids.ts";
import type { StoredQuestion } from "../src/domain/question.ts";
import type { Decision } from "../src/domain/store.ts";
import {
  isFinished,
  type StoredTask,
  type TaskFields,
  type TaskStatus,
  taskStatuses,
} from "../src/domain/task.ts";
import { anAnswer, aQuestion, aStored, minute } from "./builders.ts";
import { aTaskRow } from "./memory-board.ts";

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

const deeds = [
  "choose",
  "skip",
  "retry",
  "deadline",
  "cancel",
  "take",
  "take as its worker",
  "choose, and take as its worker",
] as const;

export type Step =
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
  | { readonly do: "remove" | "review" | "ask"; readonly id: TaskId }
  /** What becomes of the oldest question that the task is parked for. */
  | { readonly do: "question"; readonly id: TaskId; readonly what: (typeof deeds)[number] }
  | {
      readonly do: "import";
      readonly id: TaskId;
      readonly fields: Partial<TaskFields>;
      readonly status: TaskStatus;
    }
  | { readonly do: "wait"; readonly minutes: number };

export const aStep: fc.Arbitrary<Step> = fc.oneof(
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
  { weight: 3, arbitrary: fc.record({ do: fc.constant("ask"), id: anId }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("question"), id: anId, what: fc.constantFrom(...deeds) }),
  },
  fc.record({
    do: fc.constant("import"),
    id: anId,
    fields: aPlace,
    status: fc.constantFrom(...taskStatuses),
  }),
  fc.record({ do: fc.constant("wait"), minutes: fc.integer({ min: 1, max: 8 }) }),
) as fc.Arbitrary<Step>;

/** Tasks that are Ready, one that is Done and one that is parked for a question: what follows begins where something can happen. */
export const prelude: readonly Step[] = [
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
  { do: "claim", id: ids[3], token: "t2" },
  { do: "ask", id: ids[3] as TaskId },
];

/** What one step reads and decides, for whatever board it is played on. */
export type Plan = {
  readonly need: Omit<BoardNeed, "board">;
  readonly decide: (snapshot: BoardSnapshot) => Decision<{ readonly ok?: boolean }>;
};

/** `serial` is another one for each step of a play. */
export function planOf(
  step: Step,
  look: (id: TaskId) => StoredTask | undefined,
  now: number,
  serial: number,
): Plan {
  const settings = {
    now,
    iso: "2026-07-06T21:00:00Z",
    actor: { kind: "person", name: "eric" } as const,
    directories: new Set<string>(),
  };
  const named = "fields" in step ? [step.fields.parentTask ?? [], step.fields.blockedBy ?? []].flat() : [];
  const tasks = "id" in step && step.id !== undefined ? [step.id, ...named] : [];
  const need = { tasks };
  switch (step.do) {
    case "create": {
      const fields = { title: step.id, ...(step.whole ? whole : {}), ...step.fields };
      const request = { board: "shop", id: step.id, issuer: "eric", fields };
      return { need, decide: (snapshot) => decideCreate(snapshot, request, settings) };
    }
    case "change": {
      const token = step.token === "held" ? look(step.id)?.claim?.token : step.token;
      const request = {
        id: step.id,
        fields: step.fields,
        approved: step.yes,
        changesRequested: step.yes,
        ...(step.status === undefined ? {} : { status: step.status }),
        ...(token === undefined ? {} : { claim: token }),
      };
      return { need, decide: (snapshot) => decideChange(snapshot, request, settings) };
    }
    case "claim": {
      const { id, token } = step;
      const request = { token, by: token, leaseMs: 10 * minute, ...(id === undefined ? {} : { id }) };
      return {
        need: { tasks, next: { limit: 5 }, ...(id === undefined ? { heldUnder: token } : {}) },
        decide: (snapshot) => decideClaim(snapshot, request, settings),
      };
    }
    case "beat":
      return { need, decide: (snapshot) => decideHeartbeat(snapshot, step, settings) };
    case "release":
      return { need, decide: (snapshot) => decideRelease(snapshot, step, settings) };
    case "remove":
      return { need, decide: (snapshot) => decideRemove(snapshot, step, settings) };
    case "review": {
      const task = look(step.id)?.task;
      const review = { verdict: "PASS", gaps: [], fixes: [] } as const;
      const request = { id: step.id, hash: task ? specHash(task) : "", review, reviewer: "eric" };
      return { need, decide: (snapshot) => decideReview(snapshot, request, settings) };
    }
    case "ask":
      return { need, decide: () => askAbout(step.id, now, serial) };
    case "question":
      return { need, decide: (snapshot) => settleQuestion(snapshot, step, now, serial) };
    case "import": {
      const { parentTask = null, ...fields } = step.fields;
      const task = aTaskRow({
        ...whole,
        id: step.id,
        status: step.status,
        ...orderedBlockers(fields),
        // An open part that is brought in leaves its whole as it is, even where the board had finished that.
        parentTask: isFinished(step.status) ? parentTask : null,
      });
      const decide = (snapshot: BoardSnapshot) => {
        const { effects, value } = decideImport(
          snapshot,
          { task, given: new Set(Object.keys(task)) },
          settings,
        );
        // What an import lacked of its ties is added when it comes again.
        return { effects, value: { ok: effects.length > 0, ...value } };
      };
      return { need, decide };
    }
    case "wait":
      return {
        need: { lapsed: { limit: 10 } },
        decide: (snapshot) => ({ ...decideLapses(snapshot, now), value: {} }),
      };
  }
}

function askAbout(task: TaskId, now: number, serial: number): Decision<{ readonly ok: true }> {
  const id = mintQuestionId("a3f2" as RunId, task, serial);
  const row = aStored({ question: aQuestion({ id, task, project: "shop" }), askedAt: now });
  return {
    effects: [{ type: "insert-question", row }, log(row, "question.asked")],
    value: { ok: true },
  };
}

/** Refused where the task is parked for nothing, or its question is too far or not far enough for this. */
function settleQuestion(
  { tasks, questions }: BoardSnapshot,
  { id, what }: Extract<Step, { do: "question" }>,
  now: number,
  serial: number,
): Decision<{ readonly ok: boolean }> {
  const task = tasks.get(id);
  const [first] = task?.parkedFor ?? [];
  const stored = first && questions.get(first);
  const refused = { effects: [], value: { ok: false } };
  if (!stored) return refused;
  const works = what.endsWith("as its worker") ? task?.claim?.token : undefined;
  const reply = (verb?: "skip" | "retry") =>
    move(stored, "reply", verb ? { verb } : {}, {
      answer: anAnswer({ outcome: verb === undefined ? "answered" : outcomes[verb] }),
    });
  const take = (from: StoredQuestion) =>
    move(
      from,
      "consume",
      { default_action: from.defaultAction },
      {
        claim: { claim: `take-${serial}`, takenAt: now, leaseUntilAt: now + 10 * minute },
        ...(works === undefined ? {} : { works }),
      },
    );
  const moves = {
    choose: () => [reply()],
    skip: () => [reply("skip")],
    retry: () => [reply("retry")],
    deadline: () => [move(stored, "deadline", {}, {})],
    cancel: () => [move(stored, "cancel", {}, { why: "no longer needed" })],
    take: () => [take(stored)],
    "take as its worker": () => [take(stored)],
    "choose, and take as its worker": () => {
      const replied = reply();
      return [replied, replied && take(replied.after)];
    },
  }[what]();
  const made = moves.filter((each) => each !== undefined);
  if (made.length < moves.length) return refused;
  return { effects: made.flatMap(({ effects }) => effects), value: { ok: true } };
}

const outcomes = { skip: "skipped", retry: "retried" } as const;
