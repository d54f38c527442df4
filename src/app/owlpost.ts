import { hostname } from "node:os";
import { join } from "node:path";
import { notice } from "../core/notice.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import { openStore } from "../store/sqlite.ts";
import type { Owlpost } from "./api.ts";
import { asking } from "./asking.ts";
import type { Config } from "./config.ts";
import { deciding } from "./deciding.ts";
import type { Desk } from "./desk.ts";
import { routerOf } from "./route.ts";
import { taking } from "./taking.ts";
import { watching } from "./watching.ts";

export type OpenOptions = {
  readonly home: string;
  readonly config: Config;
  readonly now?: () => Instant;
  readonly host?: string;
  /** A store that is open already; `close` then leaves it open. */
  readonly store?: Store;
  /** Called after every commit of this object. */
  readonly onCommit?: () => void;
};

/** Opens a home: everything that a command, the inbox or a program may do with it. */
export async function openOwlpost(options: OpenOptions): Promise<Owlpost & { readonly store: Store }> {
  const { home, config } = options;
  const store = options.store ?? (await openStore(join(home, "owlpost.db")));
  const desk: Desk = {
    home,
    config,
    store,
    router: () => routerOf(config, store),
    now: options.now ?? Date.now,
    host: options.host ?? hostname(),
    committed: () => options.onCommit?.(),
  };

  return {
    home,
    store,
    ...asking(desk),
    ...deciding(desk),
    ...taking(desk),
    ...watching(desk),
    async notify(kind, text) {
      const routes = (await desk.router())();
      await store.append(notice(kind, text, routes), desk.now());
      desk.committed();
      return { channels: [...new Set(routes.map((route) => route.channel))] };
    },
    // Few commands need it, and an ask is to be quick.
    abort: async (run, surface) => (await import("./aborting.ts")).aborting(desk).abort(run, surface),
    pair: async (request) => (await import("./people.ts")).pairing(desk).pair(request),
    people: async () => (await import("./people.ts")).pairing(desk).people(),
    revoke: async (id, surface) => (await import("./people.ts")).pairing(desk).revoke(id, surface),
    board: async (options) => (await import("./board/board.ts")).openBoard(desk, options),
    report: async (request) => (await import("./reporting.ts")).reporting(desk).report(request),
    events: (since, limit) => store.events(since, limit),
    async close() {
      if (!options.store) await store.close();
    },
  };
}
