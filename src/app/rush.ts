export type Rush = {
  /** Something happened that somebody waits for. */
  note(): void;
  /** In how many ms the rush is over; 0 where there is none. */
  leftMs(): number;
};

/**
 * Knows when many things happen that somebody waits for, so that what nobody waits for can stay out of the way. A rush
 * is over when it was quiet for `quietMs`, and holds up nothing for longer than `withinMs`, however long it goes on.
 *
 * @param clock time that only goes forward, in ms
 */
export function openRush(quietMs: number, withinMs: number, clock: () => number): Rush {
  let firstAt = Number.NEGATIVE_INFINITY;
  let latestAt = Number.NEGATIVE_INFINITY;
  return {
    note(): void {
      const now = clock();
      if (now - latestAt >= quietMs) firstAt = now;
      latestAt = now;
    },
    leftMs: () => Math.max(0, Math.min(latestAt + quietMs, firstAt + withinMs) - clock()),
  };
}
