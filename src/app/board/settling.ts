import { setTimeout as sleep } from "node:timers/promises";
import type { BoardSnapshot } from "../../domain/board.ts";
import type { Effect, Store } from "../../domain/store.ts";
import { isFinished } from "../../domain/task.ts";

/** So many dependants are told in one transaction. */
const mostSettled = 500;
/** By somebody who has other work. */
const aFew = 100;
/**
 * Between two of them. Another process that has something to write looks every few milliseconds whether the file is free:
 * without a pause it would find it locked until the last one is told.
 */
const pauseMs = 10;

/** Tells everybody who waits for a task that ended or was opened again, or was deleted, however many they are. */
export async function settleAll(
  store: Pick<Store, "settleBlockers">,
  isOver: () => boolean = () => false,
): Promise<void> {
  while (!isOver() && (await settleMore(store)));
}

/**
 * One chunk, and the pause after it; true when there was one. Where less is found than was asked for, those who could begin may
 * not have been told: then it is worth another look.
 */
export async function settleMore(store: Pick<Store, "settleBlockers">): Promise<boolean> {
  const told = await store.settleBlockers(mostSettled);
  if (told) await sleep(pauseMs);
  return told;
}

/** One transaction of it: so what a process that died has left is done in the end, also where no service runs. */
export async function settleSome(store: Pick<Store, "settleBlockers">): Promise<void> {
  await store.settleBlockers(aFew);
}

/** Does a task begin or cease to block others? */
export function changesBlocking({ tasks }: BoardSnapshot, effects: readonly Effect[]): boolean {
  return effects.some((effect) => {
    if (effect.type === "delete-task") return true;
    if (effect.type !== "update-task" || effect.change.status === undefined) return false;
    const before = tasks.get(effect.id)?.task.status;
    return before !== undefined && isFinished(before) !== isFinished(effect.change.status);
  });
}
