import type {
  BoardRefusal,
  BoardSnapshot,
  Finding,
  HoldAnswer,
  PassedOver,
  TaskChange,
} from "../../domain/board.ts";
import type { Claim, TaskId } from "../../domain/ids.ts";
import type { Decision, Effect } from "../../domain/store.ts";
import { changedTask, hasRunOut, type StoredTask, type Task, type TaskClaim } from "../../domain/task.ts";
import { takeMark } from "../digest.ts";
import { noSuchTask } from "./change.ts";
import { structureFindings, unmetNeeds } from "./conditions.ts";
import { logTask } from "./family.ts";
import { refusal } from "./graph.ts";
import type { BoardSettings } from "./settings.ts";
import { moveRule } from "./transitions.ts";

export type ClaimRequest = {
  /** Absent: the task that is held under the token already, else the first of the snapshot's next ones that may be dispatched. */
  readonly id?: TaskId;
  readonly token: Claim;
  readonly by: string;
  readonly leaseMs: number;
  /** Who carries it out, where the task does not say so yet. */
  readonly executor?: string;
};

export type Claimed = {
  readonly ok: true;
  readonly task: Task;
  readonly claim: TaskClaim;
  readonly repeated?: true;
};
export type ClaimAnswer =
  | (Claimed & { readonly passedOver: readonly PassedOver[] })
  | (BoardRefusal & { readonly passedOver: readonly PassedOver[] });

/** Begins work on a task: Ready becomes In Progress under a claim. The same token again holds it already. */
export function decideClaim(
  snapshot: BoardSnapshot,
  request: ClaimRequest,
  settings: BoardSettings,
): Decision<ClaimAnswer> {
  if (request.id !== undefined) {
    const stored = snapshot.tasks.get(request.id);
    if (!stored) return none(noSuchTask(request.id), []);
    return claimOne(stored, request, settings, []);
  }
  if (snapshot.held) return claimOne(snapshot.held, request, settings, []);
  const passedOver: PassedOver[] = [];
  for (const stored of snapshot.next) {
    const findings = unmetFor(stored, request, settings);
    if (findings.length === 0) return claimOne(stored, request, settings, passedOver, findings);
    passedOver.push({ task: stored.task, findings });
  }
  const message =
    passedOver.length === 0
      ? "No task is Ready that nothing blocks; owlpost task list shows those there are."
      : `None of ${passedOver.length} Ready tasks can be begun: owlpost task next --all says why.`;
  return none(refusal("nothing-ready", message), passedOver);
}

function claimOne(
  stored: StoredTask,
  request: ClaimRequest,
  settings: BoardSettings,
  passedOver: readonly PassedOver[],
  /** What keeps it from being begun, where that is known already. */
  known?: readonly Finding[],
): Decision<ClaimAnswer> {
  const { task, claim } = stored;
  const { now } = settings;
  const held = claim !== null && !hasRunOut(claim, now) ? claim : undefined;
  if (held?.token === request.token) {
    return { effects: [], value: { ok: true, task, claim: held, repeated: true, passedOver } };
  }
  if (held) {
    return none(refusal("claimed", `${held.by} works on ${task.id} already.`), passedOver);
  }
  const fresh: TaskClaim = {
    token: request.token,
    by: request.by,
    claimedAt: now,
    leaseMs: request.leaseMs,
    leaseUntilAt: now + request.leaseMs,
    leftMs: null,
  };
  if (task.status !== "Ready" && task.status !== "In Progress") {
    const message = `${task.id} is ${task.status}: only a Ready task can be begun.`;
    return none(refusal("illegal-move", message), passedOver);
  }
  const goesOn = task.status === "In Progress";
  // A parent that the board itself has opened again may never have said anything.
  const findings = goesOn
    ? structureFindings(stored, "In Progress")
    : (known ?? unmetFor(stored, request, settings));
  if (findings.length > 0) {
    const message = `${task.id} cannot be begun: ${findings.map((each) => `${each.field}: ${each.message}`).join(" ")}`;
    return none(refusal("not-dispatch-ready", message, findings), passedOver);
  }
  // Work that nobody holds: its worker is gone, or it came back from a review.
  if (goesOn) return granted(stored, { claim: fresh }, fresh, passedOver);
  const change: TaskChange = {
    ...executorOf(task, request),
    status: "In Progress",
    dispatchedAt: now,
    claim: fresh,
  };
  return granted(stored, change, fresh, passedOver);
}

function granted(
  { task }: StoredTask,
  change: TaskChange,
  claim: TaskClaim,
  passedOver: readonly PassedOver[],
): Decision<ClaimAnswer> {
  const { claim: _claim, ...fields } = change;
  const after = changedTask(task, fields, { revision: task.revision + 1, updatedAt: claim.claimedAt });
  const effects: Effect[] = [
    { type: "update-task", board: task.board, id: task.id, revision: task.revision, change },
    logTask(task, "task.claimed", {
      from: task.status,
      to: "In Progress",
      by: claim.by,
      claim: takeMark(claim.token),
      lease_ms: claim.leaseMs,
    }),
  ];
  return { effects, value: { ok: true, task: after, claim, passedOver } };
}

/** What keeps it from being dispatched now. */
export function unmetFor(
  stored: StoredTask,
  request: Pick<ClaimRequest, "executor">,
  settings: BoardSettings,
): readonly Finding[] {
  const rule = moveRule("Ready", "In Progress", "user");
  if (rule.kind !== "allowed") return [];
  const executor = executorOf(stored.task, request);
  const task = executor.executor === undefined ? stored.task : changedTask(stored.task, executor);
  return unmetNeeds(
    rule.needs,
    "In Progress",
    { stored, task, openBlockers: stored.openBlockers },
    {},
    settings,
  );
}

function executorOf(task: Task, { executor }: Pick<ClaimRequest, "executor">): { executor?: string } {
  return task.executor === null && executor !== undefined ? { executor } : {};
}

function none(value: BoardRefusal, passedOver: readonly PassedOver[]): Decision<ClaimAnswer> {
  return { effects: [], value: { ...value, passedOver } };
}

/** The worker lives: the lease begins anew. A task that is parked is held without it. */
export function decideHeartbeat(
  snapshot: BoardSnapshot,
  { id, token }: { readonly id: TaskId; readonly token: Claim },
  { now }: BoardSettings,
): Decision<HoldAnswer> {
  const held = heldBy(snapshot, id, token, now);
  if (!held.ok) return { effects: [], value: held };
  const { task, claim } = held;
  const renewed: TaskClaim =
    claim.leaseUntilAt === null
      ? { ...claim, leftMs: claim.leaseMs }
      : { ...claim, leaseUntilAt: now + claim.leaseMs };
  return {
    effects: [
      {
        type: "update-task",
        board: task.board,
        id,
        revision: task.revision,
        change: { claim: renewed },
      },
    ],
    value: {
      ok: true,
      task: changedTask(task, { revision: task.revision + 1, updatedAt: now }),
      claim: renewed,
    },
  };
}

/**
 * Gives a claim back: the task is Ready again for somebody else; one that is parked stays Blocked. `force`: a person takes
 * the task away from whoever holds it.
 */
export function decideRelease(
  snapshot: BoardSnapshot,
  { id, token, force }: { readonly id: TaskId; readonly token?: Claim; readonly force?: boolean },
  settings: BoardSettings,
): Decision<HoldAnswer> {
  const { now, actor } = settings;
  const stored = snapshot.tasks.get(id);
  if (!stored) return { effects: [], value: noSuchTask(id) };
  const { task, claim } = stored;
  if (force === true && actor.kind === "agent") {
    const message =
      "An agent (OWLPOST_AS=agent) may not take a task away from another: leave this to a person.";
    return { effects: [], value: refusal("not-allowed", message) };
  }
  if (force !== true) {
    const held = heldBy(snapshot, id, token, now);
    if (!held.ok) return { effects: [], value: held };
  }
  const lacks = task.status === "In Progress" && claim === null ? structureFindings(stored, "Ready") : [];
  if (lacks.length > 0) {
    const message = `${id} cannot be Ready: ${lacks.map((each) => `${each.field}: ${each.message}`).join(" ")} Move it to Backlog.`;
    return { effects: [], value: refusal("not-ready", message, lacks) };
  }
  return free(stored, "task.released", { by: actor.name, ...(force ? { force } : {}) }, now);
}

/** The lease is over and nobody has renewed it: whoever worked on it is taken to be gone. */
export function decideLapses(
  snapshot: BoardSnapshot,
  now: number,
): Decision<{ readonly lapsed: readonly TaskId[] }> {
  const over = snapshot.lapsed.filter(({ claim }) => claim !== null && hasRunOut(claim, now));
  const freed = over.map((stored) => free(stored, "task.lapsed", { by: stored.claim?.by }, now));
  return {
    effects: freed.flatMap(({ effects }) => effects),
    value: { lapsed: over.map(({ task }) => task.id) },
  };
}

function free(
  { task, claim }: StoredTask,
  kind: "task.released" | "task.lapsed",
  data: Readonly<Record<string, unknown>>,
  now: number,
): Decision<HoldAnswer> {
  const back = task.status === "In Progress";
  if (claim === null && !back) return { effects: [], value: { ok: true, task, claim: null } };
  // Given back while it is parked: whoever asked has nothing to go on with.
  const moved = {
    ...(back ? { status: "Ready" as const } : {}),
    dispatchedAt: null,
    sessionReference: "",
  };
  return {
    effects: [
      {
        type: "update-task",
        board: task.board,
        id: task.id,
        revision: task.revision,
        change: { ...moved, claim: null },
      },
      logTask(task, kind, {
        from: task.status,
        to: back ? "Ready" : task.status,
        ...(claim === null ? {} : { claim: takeMark(claim.token) }),
        ...data,
      }),
    ],
    value: {
      ok: true,
      task: changedTask(task, moved, { revision: task.revision + 1, updatedAt: now }),
      claim: null,
    },
  };
}

function heldBy(
  snapshot: BoardSnapshot,
  id: TaskId,
  token: Claim | undefined,
  now: number,
): { readonly ok: true; readonly task: Task; readonly claim: TaskClaim } | BoardRefusal {
  const stored = snapshot.tasks.get(id);
  if (!stored) return noSuchTask(id);
  const { task, claim } = stored;
  if (claim !== null && claim.token === token && !hasRunOut(claim, now)) return { ok: true, task, claim };
  return refusal(
    "claim-lost",
    `${id} is not held under that claim any more: leave its work alone, and look at it with owlpost task show ${id}.`,
  );
}
