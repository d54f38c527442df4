import { rowOf } from "../../renderers/matrix.ts";
import { morningText } from "../core/morning.ts";
import { changeDue, decideNightChange, nextChangeAt, nightNeed } from "../core/night-change.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Config } from "./config.ts";
import { routerOf } from "./route.ts";

export type NightsOptions = {
  readonly store: Store;
  readonly config: Config;
  readonly onCommit: () => void;
};

export type Nights = {
  /** Makes the change between day and night that is due at `at`, in as many steps as it takes. */
  run(at: Instant): Promise<void>;
  /** When one may be due next. */
  nextAt(at: Instant): Instant | undefined;
};

/** So many events of a night are read for what the morning says. */
const mostEvents = 10_000;

/** The service's side of quiet hours; deadlines that have come are swept before. */
export function openNights({ store, config, onCommit }: NightsOptions): Nights {
  const { night: rules, againDeadlineMs, zone } = config;

  async function step(now: Instant): Promise<boolean> {
    const state = await store.nightState();
    const change = changeDue(state, rules, now);
    if (change === undefined) return false;
    const { mark } = state;
    const sumsUp = change === "daybreak" && mark?.phase === "day" && mark.stage === "morning";
    const morning = sumsUp ? morningText(await store.events(mark.nightEvent, mostEvents)) : undefined;
    const routes = await routerOf(config, store);
    await store.changeNight(
      (mark) => nightNeed(mark, change, { rules, now }),
      (snapshot) =>
        decideNightChange(snapshot, change, {
          rules,
          now,
          zone,
          routes,
          edits: (channel) => rowOf(channel).edit === "yes",
          againDeadlineMs,
          ...(morning === undefined ? {} : { morning }),
        }),
      now,
    );
    onCommit();
    return true;
  }

  return {
    async run(at) {
      while (await step(at)) await new Promise((next) => setImmediate(next));
    },
    nextAt: (at) => nextChangeAt(rules, at),
  };
}
