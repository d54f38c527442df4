import { rowOf } from "../../renderers/matrix.ts";
import { isWorthTelling } from "../core/morning.ts";
import { changeDue, decideNightChange, nextChangeAt, nightNeed } from "../core/night-change.ts";
import type { Instant } from "../domain/ids.ts";
import { type Store, StoreError } from "../domain/store.ts";
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

/** So many events are looked through for something that is worth a word in the morning. */
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
    const morning = sumsUp ? await morningText(mark.nightEvent, now) : undefined;
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

  /** The digest of the night; undefined where there is nothing to tell. */
  async function morningText(since: number, now: Instant): Promise<string | undefined> {
    if (!isWorthTelling(await store.events(since, mostEvents))) return undefined;
    // Once a day: what a service needs all day long is enough of a load.
    const { lastNightAt, reportBetween } = await import("./reporting.ts");
    const { morningDigest } = await import("../core/report-text.ts");
    try {
      return morningDigest(await reportBetween(store, config, lastNightAt(config, now), now)).text;
    } catch (error) {
      // A fault of the disk passes; a report that cannot be made must not keep back the morning.
      if (error instanceof StoreError) throw error;
      return "The quiet hours are over. The report of the night could not be made: owlpost report says why.";
    }
  }

  return {
    async run(at) {
      while (await step(at)) await new Promise((next) => setImmediate(next));
    },
    nextAt: (at) => nextChangeAt(rules, at),
  };
}
