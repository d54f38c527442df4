import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Config } from "./config.ts";
import type { Route } from "./route.ts";

/** What every operation on a home needs. */
export type Desk = {
  readonly home: string;
  readonly config: Config;
  readonly store: Store;
  readonly routes: readonly Route[];
  readonly now: () => Instant;
  /** The name of this machine. */
  readonly host: string;
  /** Called after every commit. */
  readonly committed: () => void;
};
