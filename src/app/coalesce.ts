export type Coalesced = { wake(): void; close(): void };

/** Runs `work` once it was quiet for `quietMs` after a wake, and at most `withinMs` after the first. */
export function coalesce(quietMs: number, withinMs: number, work: () => void): Coalesced {
  let timer: NodeJS.Timeout | undefined;
  let firstAt = 0;
  let latestAt = 0;

  function arm(ms: number): void {
    timer = setTimeout(look, ms);
    timer.unref();
  }

  // One timer for a whole burst: a new one for each wake would cost more than what it saves.
  function look(): void {
    timer = undefined;
    const now = performance.now();
    const leftMs = Math.min(latestAt + quietMs, firstAt + withinMs) - now;
    if (leftMs >= 1) arm(leftMs);
    else work();
  }

  return {
    wake(): void {
      latestAt = performance.now();
      if (timer) return;
      firstAt = latestAt;
      arm(quietMs);
    },
    close(): void {
      clearTimeout(timer);
      // Wakes that come later find a timer that never runs.
      timer ??= setTimeout(() => undefined, 0).unref();
    },
  };
}
