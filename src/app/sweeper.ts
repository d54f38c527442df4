import { decideSweep } from "../core/sweep.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
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
  const { store, log, now, nights } = options;
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
      if (more) options.onCommit();
      await new Promise((next) => setImmediate(next));
    }
    if (!closed) await nights.run(at);
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
    const sweeps = await store.nextSweepAt(now());
    const changes = nights.nextAt(now());
    const next = changes === undefined ? sweeps : Math.min(sweeps ?? changes, changes);
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
