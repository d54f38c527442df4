import { parseDuration } from "../core/time.ts";

const longestMs = 366 * 86_400_000;

/** A duration of `--wait` in milliseconds: as in a question, and seconds (`90s`) too; at most a year. */
export function waitMs(text: string): number | undefined {
  const seconds = /^(\d{1,8})s$/.exec(text)?.[1];
  const ms = seconds === undefined ? parseDuration(text) : Number(seconds) * 1_000;
  return ms === undefined || ms > longestMs ? undefined : ms;
}
