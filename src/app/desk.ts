import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import type { Config } from "./config.ts";
import type { Router } from "./route.ts";

/** What every operation on a home needs. */
export type Desk = {
  readonly home: string;
  readonly config: Config;
  readonly store: Store;
  /** Who is rung, as it is now: people come and go while a home is open. */
  readonly router: () => Promise<Router>;
  readonly now: () => Instant;
  /** The name of this machine. */
  readonly host: string;
  /** Called after every commit. */
  readonly committed: () => void;
};
