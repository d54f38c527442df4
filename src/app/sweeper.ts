import { decideLapses } from "../core/board/claim.ts";
import { decideSweep } from "../core/sweep.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import { settleAll } from "./board/settling.ts";
import type { Log } from "./log.ts";
import type { Nights } from "./nights.ts";

export type SweeperOptions = {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => Instant;
  readonly nights: Nights;
  readonly onCommit: () => void;
};

export type Sweeper = {
  /** A deadline may have been added or moved. */
  wake(): void;
  /** Sweeps everything that is due, now. */
  run(): Promise<void>;
  close(): Promise<void>;
};

/** Rows in one transaction: small enough that the event loop never stalls for long. */
const chunk = 50;
/** Deadlines are rows that a clock looks at, never long timers: a clock that jumps is noticed within this time. */
const longestSleepMs = 15_000;

export function startSweeper(options: SweeperOptions): Sweeper {
  const { store, log, now, nights, onCommit } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let closed = false;

  /** Deadlines first: a question that is over takes no other form. */
  async function sweep(): Promise<void> {
    const at = now();
    let more = true;
    while (more && !closed) {
      const due = await store.nextSweepAt(at);
      if (due === undefined || due > at) break;
      const swept = await store.sweep(at, chunk, (snapshot) => decideSweep(snapshot, at));
      more = swept.expired + swept.lapsed + swept.gathered > 0;
      if (more) onCommit();
      await new Promise((next) => setImmediate(next));
    }
    if (!closed) await sweepBoard(at);
    if (!closed) await nights.run(at);
  }

  /** Work whose lease is over comes back; and what a process that died had not told to all dependants is told. */
  async function sweepBoard(at: Instant): Promise<void> {
    for (;;) {
      const due = await store.nextLapseAt(at);
      if (closed || due === undefined || due > at) break;
      const need = { board: "", lapsed: { limit: chunk } };
      const { lapsed } = await store.changeBoard(need, decideLapses, now);
      if (lapsed.length === 0) break;
      onCommit();
      await new Promise((next) => setImmediate(next));
    }
    await settleAll(store, () => closed);
  }

  async function run(): Promise<void> {
    if (running) {
      again = true;
      return running;
    }
    running = sweep().finally(() => {
      running = undefined;
    });
    await running;
    if (again && !closed) {
      again = false;
      await run();
    }
  }

  async function arm(): Promise<void> {
    if (closed) return;
    const instants = [await store.nextSweepAt(now()), await store.nextLapseAt(now()), nights.nextAt(now())];
    const known = instants.filter((at) => at !== undefined);
    const next = known.length === 0 ? undefined : Math.min(...known);
    clearTimeout(timer);
    if (closed) return;
    const sleep = next === undefined ? longestSleepMs : Math.min(Math.max(next - now(), 5), longestSleepMs);
    timer = setTimeout(wake, sleep);
  }

  function wake(): void {
    if (closed) return;
    run()
      .then(arm)
      .catch((error: unknown) => {
        log.error({ err: error }, "deadlines could not be swept; trying again in 15 s");
        clearTimeout(timer);
        if (!closed) timer = setTimeout(wake, longestSleepMs);
      });
  }

  return {
    wake,
    run,
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await running?.catch(() => undefined);
    },
  };
}
