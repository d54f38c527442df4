import type { BoardRefusal, BoardSnapshot, TaskChange } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import { paused, resumed } from "../../domain/parking.ts";
import type { Decision, Effect } from "../../domain/store.ts";
import {
  changedTask,
  hasRunOut,
  isFinished,
  type StoredTask,
  type Task,
  type TaskClaim,
  type TaskFields,
  type TaskStatus,
} from "../../domain/task.ts";
import { takeMark } from "../digest.ts";
import { refusedToAgent } from "./agent.ts";
import { type MoveWords, openBlockersOf, structureFindings, unmetNeeds, unmetReason } from "./conditions.ts";
import { closeQuestions, familyEffects, logTask } from "./family.ts";
import { checkBlockers, checkParent, orderedBlockers, refusal } from "./graph.ts";
import type { BoardAnswer, BoardSettings } from "./settings.ts";
import { moveRule, movesFrom, readyNeeds } from "./transitions.ts";

export type ChangeRequest = MoveWords & {
  readonly id: TaskId;
  readonly fields: Partial<TaskFields>;
  readonly status?: TaskStatus;
  /** The change counts only when the task still has this revision. */
  readonly revision?: number;
};

/**
 * Changes fields, the status, or both at once. A change that would change nothing is done already. The snapshot must hold
 * the task, and the parent and blockers that the fields name.
 */
export function decideChange(
  snapshot: BoardSnapshot,
  request: ChangeRequest,
  settings: BoardSettings,
): Decision<BoardAnswer> {
  const stored = snapshot.tasks.get(request.id);
  if (!stored) return refused(noSuchTask(request.id));
  const { task: before } = stored;
  if (request.revision !== undefined && request.revision !== before.revision) {
    return refused(
      refusal("changed-meanwhile", `${before.id} was changed meanwhile: look at it, then decide again.`),
    );
  }
  const fields = changedFields(before, orderedBlockers(request.fields));
  const status = request.status ?? before.status;
  const names = Object.keys(fields);
  if (names.length === 0 && status === before.status) {
    return { effects: [], value: { ok: true, task: before, repeated: true } };
  }
  const wrong =
    refusedToAgent(settings, stored, request, fields, namedParent(snapshot, fields)) ??
    checkClaim(stored, request, names, settings) ??
    checkPlan(before, fields) ??
    checkPlace(snapshot, stored, fields);
  if (wrong) return refused(wrong);

  const edited = names.length === 0 ? before : changedTask(before, fields);
  const wanted = { stored, task: edited, openBlockers: openBlockersOf(snapshot, stored, fields.blockedBy) };
  const taken = keepsStatus(edited, status, stored);
  if (taken) return refused(taken);
  if (status !== before.status) {
    const rule = moveRule(before.status, status, "user");
    if (rule.kind !== "allowed") return refused(illegalMove(before, status));
    // Ready means the same, wherever a task comes from: what was edited since its review goes through it again.
    const needs = status === "Ready" ? [...new Set([...rule.needs, ...readyNeeds])] : rule.needs;
    const unmet = unmetNeeds(needs, status, wanted, request, settings);
    if (unmet.length > 0) {
      const message = `${before.id} cannot go to ${status}: ${unmet.map((each) => `${each.field}: ${each.message}`).join(" ")}`;
      return refused(refusal(unmetReason(before.status, status), message, unmet));
    }
  }
  const moved = status === before.status ? {} : statusChange(stored, edited, status, fields, settings);
  const change: TaskChange = { ...fields, ...moved };
  const { claim: _claim, ...taskChange } = change;
  const after = changedTask(before, taskChange, { revision: before.revision + 1, updatedAt: settings.now });
  const effects: Effect[] = [
    {
      type: "update-task",
      board: before.board,
      id: before.id,
      revision: before.revision,
      change,
    },
    ...events(before, after, names, request, settings),
    ...(isFinished(after.status) && !isFinished(before.status)
      ? closeQuestions(snapshot, stored, `the task ${before.id} is ${after.status}`)
      : []),
    ...familyEffects(snapshot, { before, after }, settings),
  ];
  return { effects, value: { ok: true, task: after } };
}

function refused(value: BoardRefusal): Decision<BoardAnswer> {
  return { effects: [], value };
}

export function noSuchTask(id: string): BoardRefusal {
  return refusal(
    "no-such-task",
    `There is no task ${id} on this board; owlpost task list shows those there are.`,
  );
}

function illegalMove({ id, status }: Task, to: TaskStatus): BoardRefusal {
  return refusal(
    "illegal-move",
    `${id} is ${status} and cannot go to ${to}; it may go to ${movesFrom(status).join(", ")}.`,
  );
}

/** Only what differs. Lists are compared as they are written. */
function changedFields(before: Task, fields: Partial<TaskFields>): Partial<TaskFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof TaskFields]),
    ),
  );
}

/** Fields that belong to whoever does the work. */
const workFields: readonly string[] = ["agentOutput", "sessionReference", "errorMessage"];
const workMoves: readonly TaskStatus[] = ["In Review", "Done", "Blocked"];

/** Every write under a claim needs that claim to stand; what only the worker writes needs it as long as somebody has one. */
function checkClaim(
  { task, claim }: StoredTask,
  request: ChangeRequest,
  names: readonly string[],
  { now }: BoardSettings,
): BoardRefusal | undefined {
  if (request.claim !== undefined) {
    if (claim?.token === request.claim && !hasRunOut(claim, now)) return undefined;
    return refusal(
      "claim-lost",
      `${task.id} is no longer held under that claim: leave its work alone, and look at it with owlpost task show ${task.id}.`,
    );
  }
  if (claim === null || task.status !== "In Progress" || hasRunOut(claim, now)) return undefined;
  const works =
    names.some((name) => workFields.includes(name)) ||
    (request.status !== undefined && workMoves.includes(request.status));
  return works
    ? refusal(
        "claimed",
        `${claim.by} works on ${task.id}: give the claim (--claim), or take it away first (owlpost task release ${task.id} --force).`,
      )
    : undefined;
}

function checkPlan(before: Task, fields: Partial<TaskFields>): BoardRefusal | undefined {
  if (fields.executionPlan === undefined || before.dispatchedAt === null) return undefined;
  return refusal(
    "plan-fixed",
    `${before.id} was dispatched under its plan, which stays as it is: move the task to Backlog to plan it anew.`,
  );
}

function namedParent({ tasks }: BoardSnapshot, { parentTask }: Partial<TaskFields>): StoredTask | undefined {
  return parentTask === undefined || parentTask === null ? undefined : tasks.get(parentTask);
}

function checkPlace(
  snapshot: BoardSnapshot,
  { task, children }: StoredTask,
  fields: Partial<TaskFields>,
): BoardRefusal | undefined {
  const parent = fields.parentTask === undefined ? task.parentTask : fields.parentTask;
  const blockedBy = fields.blockedBy ?? task.blockedBy;
  if (fields.parentTask !== undefined && parent !== null) {
    const found = snapshot.tasks.get(parent)?.task;
    const wrong = checkParent({ id: task.id, parent, found, children, blockedBy });
    if (wrong) return wrong;
  }
  if (fields.blockedBy === undefined) return undefined;
  return checkBlockers({
    id: task.id,
    blockedBy,
    parent,
    exists: (id) => snapshot.tasks.has(id),
    blockersOf: snapshot.blockersOf,
  });
}

/** What a status needs may not be edited away under it. The verdict is another matter: an edit makes it stale. */
function keepsStatus(edited: Task, to: TaskStatus, stored: StoredTask): BoardRefusal | undefined {
  const held = stored.claim !== null;
  const isMove = to !== stored.task.status;
  // Held and Blocked, it goes on where it stopped; and a move has its own conditions.
  const goesOn = held && (to === "Blocked" || to === "In Progress");
  if (!goesOn && (isMove || (to !== "Ready" && to !== "In Progress"))) return undefined;
  const status = goesOn ? "In Progress" : to;
  const errors = structureFindings({ ...stored, task: edited }, status);
  const before = structureFindings(stored, status);
  // What was missing before (an imported task) is not this edit's doing.
  const fresh = errors.filter(
    ({ field, rule }) => !before.some((each) => each.field === field && each.rule === rule),
  );
  if (fresh.length === 0) return undefined;
  const message = `${edited.id} is ${stored.task.status} and needs this: ${fresh.map((each) => `${each.field}: ${each.message}`).join(" ")} Move it to Backlog first.`;
  return refusal("needs-missing", message, fresh);
}

/** What a move sets beside the status. */
function statusChange(
  { claim }: StoredTask,
  { status: from }: Task,
  to: TaskStatus,
  fields: Partial<TaskFields>,
  { now }: BoardSettings,
): TaskChange {
  const back = to === "Backlog" || to === "Ready";
  return {
    status: to,
    ...(from === "Ready" && to === "In Progress" ? { dispatchedAt: now } : {}),
    ...(back ? { dispatchedAt: null, sessionReference: "" } : {}),
    ...(from === "Blocked" && fields.errorMessage === undefined ? { errorMessage: "" } : {}),
    ...(claim === null ? {} : { claim: claimAfter(claim, from, to, now) }),
  };
}

/** Blocked stops the clock of a lease, going on starts it again, and everything else ends the claim. */
function claimAfter(claim: TaskClaim, from: TaskStatus, to: TaskStatus, now: number): TaskClaim | null {
  if (from === "In Progress" && to === "Blocked") return paused(claim, now);
  if (from === "Blocked" && to === "In Progress") return resumed(claim, now);
  return null;
}

function events(
  before: Task,
  after: Task,
  names: readonly string[],
  request: ChangeRequest,
  { actor }: BoardSettings,
): readonly Effect[] {
  const by = {
    by: actor.name,
    ...(actor.kind === "agent" ? { agent: true } : {}),
    ...(request.claim === undefined ? {} : { claim: takeMark(request.claim) }),
  };
  const said = {
    ...(request.approved ? { approved: true } : {}),
    ...(request.changesRequested ? { changes_requested: true } : {}),
    ...(after.status === "Blocked" && after.errorMessage !== "" ? { why: after.errorMessage } : {}),
  };
  const edited = names.length > 0 ? { fields: names } : {};
  if (after.status === before.status) return [logTask(before, "task.edited", { ...edited, ...by })];
  const moved = { from: before.status, to: after.status };
  return [logTask(before, "task.moved", { ...moved, ...said, ...edited, ...by })];
}
