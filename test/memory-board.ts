import { compareNext } from "../src/core/board/next.ts";
import type { BoardEffect, BoardNeed, BoardSnapshot } from "../src/domain/board.ts";
import type { TaskId } from "../src/domain/ids.ts";
import type { Decision, Effect } from "../src/domain/store.ts";
import {
  emptyFields,
  hasRunOut,
  isFinished,
  type StoredTask,
  type Task,
  type TaskClaim,
  type TaskStatus,
} from "../src/domain/task.ts";
import { evening } from "./builders.ts";
import { memoryParkings } from "./memory-parkings.ts";

export function aTaskRow(changes: Partial<Omit<Task, "id">> & { readonly id: string }): Task {
  const { id, ...rest } = changes;
  return {
    ...emptyFields,
    title: `Task ${id}`,
    board: "shop",
    status: "Backlog",
    dispatchedAt: null,
    issuer: { id: "eric", name: "eric" },
    createdAt: evening,
    updatedAt: evening,
    revision: 1,
    ...rest,
    id: id as TaskId,
  };
}

/**
 * A board in memory, as plain as can be: nothing is counted in advance. What the store maintains is derived here anew each
 * time, so that the two can be compared.
 */
export function memoryBoard(tasks: readonly Task[] = []) {
  const rows = new Map<TaskId, Task>(tasks.map((task) => [task.id, task]));
  const claims = new Map<TaskId, TaskClaim>();
  const log: Extract<Effect, { type: "log" }>["event"][] = [];
  const parkings = memoryParkings({
    task: (id) => rows.get(id),
    claim: (id) => claims.get(id),
    change: ({ id, board, revision }, change, now) =>
      update({ type: "update-task", board, id, revision, change }, now),
    log: (event) => log.push(event),
  });

  const all = (): Task[] => [...rows.values()];
  const childrenOf = (id: TaskId): Task[] => all().filter(({ parentTask }) => parentTask === id);

  function stored(task: Task): StoredTask {
    const children = childrenOf(task.id);
    const blockers = task.blockedBy.flatMap((id) => rows.get(id) ?? []);
    return {
      task,
      claim: claims.get(task.id) ?? null,
      openBlockers: blockers.filter(({ status }) => !isFinished(status)).length,
      cancelledBlockers: blockers.filter(({ status }) => status === "Cancelled").length,
      children: {
        all: children.length,
        open: children.filter(({ status }) => !isFinished(status)).length,
        done: children.filter(({ status }) => status === "Done").length,
      },
      ...parkings.holding(task.id),
    };
  }

  function next(): StoredTask[] {
    return all()
      .map(stored)
      .filter(({ task, openBlockers }) => task.status === "Ready" && openBlockers === 0)
      .sort((a, b) => compareNext(a.task, b.task));
  }

  function snapshot(need: BoardNeed, now: number = evening): BoardSnapshot {
    const wanted = (need.tasks ?? []).flatMap((id) => rows.get(id) ?? []);
    const parents = wanted.flatMap(({ parentTask }) =>
      parentTask === null ? [] : (rows.get(parentTask) ?? []),
    );
    return {
      tasks: new Map([...wanted, ...parents].map((task) => [task.id, stored(task)])),
      next: need.next ? next().slice(0, need.next.limit) : [],
      ...heldUnder(need.heldUnder),
      lapsed: need.lapsed
        ? all()
            .map(stored)
            .filter(({ claim }) => claim !== null && hasRunOut(claim, now))
        : [],
      blockersOf: (id) => rows.get(id)?.blockedBy ?? [],
      questions: parkings.questions,
      copies: new Map(),
    };
  }

  function heldUnder(token: string | undefined): Pick<BoardSnapshot, "held"> {
    const held = all()
      .map(stored)
      .find(({ claim }) => token !== undefined && claim?.token === token && claim.leaseUntilAt !== null);
    return held ? { held } : {};
  }

  function write(effect: Effect, now: number): void {
    if (effect.type === "log") log.push(effect.event);
    else if (effect.type === "insert-task") rows.set(effect.task.id, effect.task);
    else if (effect.type === "update-task") update(effect, now);
    else if (effect.type === "delete-task") remove(effect.id);
    else if (effect.type === "insert-question") parkings.asked(effect.row, now);
    else if (effect.type === "move-question") parkings.moved(effect, now);
  }

  function update(
    { id, revision, change }: Extract<BoardEffect, { type: "update-task" }>,
    now: number,
  ): void {
    const before = rows.get(id);
    if (before?.revision !== revision) throw new Error(`${id} has not the revision ${revision}`);
    const { claim, ...fields } = change;
    rows.set(id, { ...before, ...fields, revision: revision + 1, updatedAt: now });
    if (claim === null) claims.delete(id);
    else if (claim !== undefined) claims.set(id, claim);
    if (before.status === "Blocked" && rows.get(id)?.status !== "Blocked") parkings.forget(id);
  }

  function remove(id: TaskId): void {
    rows.delete(id);
    claims.delete(id);
    parkings.forget(id);
    for (const task of all()) {
      if (task.blockedBy.includes(id))
        rows.set(task.id, { ...task, blockedBy: task.blockedBy.filter((each) => each !== id) });
    }
  }

  return {
    log,
    claims,
    all,
    snapshot,
    get: (id: string): StoredTask | undefined => {
      const task = rows.get(id as TaskId);
      return task && stored(task);
    },
    next: (): string[] => next().map(({ task }) => task.id),
    statuses: (): Record<string, TaskStatus> =>
      Object.fromEntries(all().map(({ id, status }) => [id, status] as const)),
    run<Value>(
      need: Omit<BoardNeed, "board">,
      decide: (snapshot: BoardSnapshot) => Decision<Value>,
      now: number = evening,
    ): Value {
      const { effects, value } = decide(snapshot({ board: "shop", ...need }, now));
      for (const effect of effects) write(effect, now);
      return value;
    },
  };
}

export type MemoryBoard = ReturnType<typeof memoryBoard>;
