/**
 * At most five messages a second and, with a burst of 40, 100 in any minute. Gives how long the next one waits; `clock` runs
 * evenly, in milliseconds.
 */
export function pacing(clock: () => number = () => performance.now()): () => number {
  const [most, refillMs, apartMs] = [40, 1_000, 200];
  let left = most;
  let looked = clock();
  let free = looked;
  return () => {
    const at = clock();
    left = Math.min(most, left + (at - looked) / refillMs);
    looked = at;
    const waitMs = Math.max(0, free - at, (1 - left) * refillMs);
    left -= 1;
    free = at + waitMs + apartMs;
    return waitMs;
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

/** Ends early, and without a fault, when `signal` fires. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      done();
    }
    signal.addEventListener("abort", finish, { once: true });
  });
}
