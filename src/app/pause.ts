import { setTimeout as sleep } from "node:timers/promises";
/** Waits, at most until the signal aborts; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
