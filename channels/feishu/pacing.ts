import { setTimeout as sleep } from "node:timers/promises";

export type Pace = {
  /** How long the next message waits, in milliseconds. */
  next(): number;
  /** Feishu has answered: however late the message went out, the next one keeps its distance from here. */
  answered(): void;
};

/** At most five messages a second and, with a burst of 40, 100 in any minute; `clock` runs evenly, in milliseconds. */
export function pacing(clock: () => number = () => performance.now()): Pace {
  const [most, refillMs, apartMs] = [40, 1_000, 200];
  let left = most;
  let looked = clock();
  let free = looked;
  return {
    next() {
      const at = clock();
      left = Math.min(most, left + (at - looked) / refillMs);
      looked = at;
      const waitMs = Math.max(0, free - at, (1 - left) * refillMs);
      left -= 1;
      free = at + waitMs + apartMs;
      return waitMs;
    },
    answered() {
      free = Math.max(free, clock() + apartMs);
    },
  };
}

const halfHourMs = 1_800_000;
/** Feishu asks not to send when everybody does, and throttles then. */
const crowdMs = 6_000;

/** How long until the crowd of a full or half hour is over, spread by `random`; 0 where there is none. */
export function crowdedMs(at: number, random: number): number {
  const into = at % halfHourMs;
  return into < crowdMs ? crowdMs - into + crowdMs * random : 0;
}

/** Waits, at most until the signal aborts; never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
