import type { Store } from "../../domain/store.ts";

/** So many dependants are told in one transaction. */
const mostSettled = 500;
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
  while (!isOver() && (await store.settleBlockers(mostSettled)))
    await new Promise((next) => setTimeout(next, pauseMs));
}
