import { longestRestMs } from "../domain/store.ts";

/** The first wait after a failed send, and the longest one. */
export const firstWaitMs = 1_000;
export const longestWaitMs = 5 * 60_000;

/**
 * How long a message waits before it is sent again: doubling from one second to five minutes, spread over the upper
 * half so that many queues do not come back at the same instant; never shorter than what the platform asked for, up to an hour.
 *
 * @param attempts how often it was tried so far, at least 1
 * @param spread a random number in [0, 1), given by the caller
 */
export function waitMs(attempts: number, spread: number, retryAfterMs = 0): number {
  const full = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempts - 1, 20));
  return Math.max(Math.min(retryAfterMs, longestRestMs), Math.round(full / 2 + (full / 2) * spread));
}
