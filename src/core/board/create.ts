import type { BoardSnapshot } from "../../domain/board.ts";
import type { TaskId } from "../../domain/ids.ts";
import type { Decision } from "../../domain/store.ts";
import {
  emptyFields,
  type StoredTask,
  type Task,
  type TaskFields,
  type TaskStatus,
} from "../../domain/task.ts";
import { newRefusedToAgent } from "./agent.ts";
import { openBlockersOf, unmetNeeds, unmetReason } from "./conditions.ts";
import { familyEffects, logTask } from "./family.ts";
import { checkBlockers, checkParent, orderedBlockers, refusal } from "./graph.ts";
import { isBlank } from "./readiness.ts";
import type { BoardAnswer, BoardSettings } from "./settings.ts";
import { moveRule } from "./transitions.ts";

export type CreateRequest = {
  readonly board: string;
  readonly id: TaskId;
  readonly fields: Partial<TaskFields> & Pick<TaskFields, "title">;
  /** Absent: Backlog. Else its conditions count as for a move from there. */
  readonly status?: TaskStatus;
  /** Who makes it, by the identity chain; undefined where nobody is known. */
  readonly issuer: string | undefined;
};

/**
 * Makes a task. The same task again, under an id that its maker chose, is made already. The snapshot must hold the id, and
 * the parent and blockers that the fields name.
 */
export function decideCreate(
  snapshot: BoardSnapshot,
  given: CreateRequest,
  settings: BoardSettings,
): Decision<BoardAnswer> {
  const request = { ...given, fields: orderedBlockers(given.fields) };
  const { board, id, issuer } = request;
  const refused = (value: BoardAnswer): Decision<BoardAnswer> => ({ effects: [], value });
  if (issuer === undefined) {
    return refused(
      refusal(
        "unknown-issuer",
        "Nobody is known as the one who makes this task: set WAGGLE_USER_ID or USER to a name.",
      ),
    );
  }
  const known = snapshot.tasks.get(id);
  if (known) {
    return isSame(known.task, request)
      ? refused({ ok: true, task: known.task, repeated: true })
      : refused(
          refusal("id-taken", `There is another task ${id} on this board: give the new one another id.`),
        );
  }
  if (isBlank(request.fields.title)) return refused(refusal("field-invalid", "A task needs a title."));
  const { parentTask } = request.fields;
  const whole = parentTask === undefined || parentTask === null ? undefined : snapshot.tasks.get(parentTask);
  const forbidden = newRefusedToAgent(settings.actor, request.fields, whole);
  if (forbidden) return refused(forbidden);
  const status = request.status ?? "Backlog";
  const task = Object.assign({}, emptyFields, request.fields, {
    id,
    board,
    status,
    dispatchedAt: null,
    issuer: { id: issuer, name: issuer },
    createdAt: settings.now,
    updatedAt: settings.now,
    revision: 1,
  }) as Task;
  const children = { all: 0, open: 0, done: 0 };
  const parent =
    task.parentTask === null
      ? undefined
      : checkParent({
          id,
          parent: task.parentTask,
          found: snapshot.tasks.get(task.parentTask)?.task,
          children,
          blockedBy: task.blockedBy,
        });
  const wrong =
    parent ??
    checkBlockers({
      id,
      blockedBy: task.blockedBy,
      parent: task.parentTask,
      exists: (each) => snapshot.tasks.has(each),
      // Nothing waits for a task that is not there yet.
      blockersOf: () => [],
    });
  if (wrong) return refused(wrong);

  const rule = moveRule("Backlog", status, "user");
  if (rule.kind === "refused" || status === "Cancelled") {
    return refused(
      refusal("illegal-move", `A new task stands in Backlog, Ready or Blocked, and not in ${status}.`),
    );
  }
  if (rule.kind === "allowed") {
    const stored: StoredTask = {
      task,
      claim: null,
      openBlockers: openBlockersOf(snapshot, undefined, task.blockedBy),
      cancelledBlockers: 0,
      children,
      parkedFor: [],
      leftBy: [],
    };
    const wanted = { stored, task, openBlockers: stored.openBlockers };
    const unmet = unmetNeeds(rule.needs, status, wanted, {}, settings);
    if (unmet.length > 0) {
      const message = `The task cannot begin in ${status}: ${unmet.map((each) => `${each.field}: ${each.message}`).join(" ")}`;
      return refused(refusal(unmetReason("Backlog", status), message, unmet));
    }
  }
  const { actor } = settings;
  const by = { by: actor.name, ...(actor.kind === "agent" ? { agent: true } : {}) };
  return {
    effects: [
      { type: "insert-task", task },
      logTask(task, "task.created", { title: task.title, status, ...by }),
      ...familyEffects(snapshot, { before: undefined, after: task }, settings),
    ],
    value: { ok: true, task },
  };
}

/** Was this very task made before? What it was given then may have been changed since: then it is another one. */
function isSame(task: Task, { fields, issuer }: CreateRequest): boolean {
  return (
    task.issuer.id === issuer &&
    Object.entries(fields).every(
      ([name, value]) => JSON.stringify(value) === JSON.stringify(task[name as keyof TaskFields]),
    )
  );
}
