import { type FSWatcher, statSync, watch } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isProjectName } from "../../domain/ids.ts";
import type { Store } from "../../domain/store.ts";
import type { Owlpost } from "../api.ts";
import type { Config } from "../config.ts";
import { type Log, silentLog } from "../log.ts";
import { openDrop } from "./drop.ts";
import { isFresh, sweepTemporary } from "./files.ts";
import { openMirror } from "./mirror.ts";
import { ensurePlace, folderOf, folders, type Place, placeOf } from "./place.ts";
import { openTakeFiles } from "./take-files.ts";
import { openTroubles } from "./troubles.ts";

export type AirlockSettings = {
  readonly owlpost: Pick<Owlpost, "ask" | "take" | "confirm">;
  readonly store: Store;
  readonly config: Pick<Config, "zone" | "airlocks">;
  readonly home: string;
  readonly log?: Log;
  readonly now?: () => number;
  /** Time that only goes forward, in ms, between two looks at a dropped file. */
  readonly clock?: () => number;
  /** For how many ms the mirror stays out of the way of what somebody waits for; 0: it need not. */
  readonly rushMs?: () => number;
};

export type Airlock = {
  /** Dropped questions, take requests and the mirror, once, now. Calls that come together share one pass; never rejects. */
  poke(): Promise<void>;
  /** Like `poke`, until no dropped file is waiting to be looked at a second time. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

type Pass = {
  /** Returns in how many ms something is waiting; undefined: nothing is. */
  run(): Promise<number | undefined>;
  /** Has a folder changed since the last pass? Cheap. */
  stale(): boolean;
  places(): Promise<readonly Place[]>;
  hint(project: string, folder: "questions" | "take", name: string | null): void;
};

const pollMs = 2_000;
const hintMs = 20;
const retryMs = 2_000;
const strayMs = 3_600_000;
/** A watch costs a kernel object; airlocks beyond that many are found by the slow poll alone. */
const mostWatched = 64;

/** One pass over every airlock of a home, without timers; for commands that run without a service. */
export async function passAirlocks(settings: AirlockSettings): Promise<void> {
  await openPass(settings).run();
}

/** Serves the airlocks of a home until it is closed. Faults of one airlock are logged once and tried again. */
export function startAirlock(settings: AirlockSettings): Airlock {
  const pass = openPass(settings);
  const watched = new Map<string, FSWatcher>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let hinted: NodeJS.Timeout | undefined;
  let waiting: number | undefined;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  function poke(): Promise<void> {
    // A call during a pass gets the next one, which sees everything that was there when it was called.
    next ??= running.then(() => {
      next = undefined;
      running = once();
      return running;
    });
    return next;
  }

  async function once(): Promise<void> {
    if (closed) return;
    clearTimeout(timer);
    try {
      waiting = await pass.run();
      await watchPlaces();
    } catch (error) {
      settings.log?.error({ error }, "the airlocks were not served; they are tried again");
      waiting = retryMs;
    }
    plan(waiting === undefined ? pollMs : Math.min(Math.max(waiting, hintMs), pollMs));
  }

  function plan(waitMs: number): void {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => void look(), waitMs);
    timer.unref();
  }

  async function look(): Promise<void> {
    if (waiting !== undefined || pass.stale()) await poke();
    else plan(pollMs);
  }

  async function watchPlaces(): Promise<void> {
    for (const place of await pass.places()) {
      for (const folder of ["questions", "take"] as const) {
        const path = folderOf(place, folder);
        if (closed || watched.has(path) || watched.size >= mostWatched) continue;
        try {
          const watcher = watch(path, { persistent: false }, (_, name) => {
            if (name?.startsWith(".")) return;
            pass.hint(place.project, folder, name);
            hinted ??= setTimeout(() => {
              hinted = undefined;
              void poke();
            }, hintMs);
          });
          watched.set(path, watcher);
          watcher.on("error", () => forget(path));
        } catch {
          // The slow poll finds it all the same.
        }
      }
    }
  }

  function forget(path: string): void {
    watched.get(path)?.close();
    watched.delete(path);
  }

  async function settle(): Promise<void> {
    await poke();
    while (!closed && waiting !== undefined && waiting <= 1_000) {
      await new Promise((done) => setTimeout(done, waiting));
      await poke();
    }
  }

  void poke();
  return {
    poke,
    settle,
    async close() {
      closed = true;
      clearTimeout(timer);
      clearTimeout(hinted);
      for (const path of [...watched.keys()]) forget(path);
      await (next ?? running);
      await running;
    },
  };
}

function openPass(settings: AirlockSettings): Pass {
  const { store, owlpost, home, config } = settings;
  const now = settings.now ?? Date.now;
  const troubles = openTroubles(settings.log ?? silentLog);
  const common = { home, airlocks: config.airlocks, zone: config.zone, store, owlpost, now, troubles };
  const mirror = openMirror({
    ...common,
    ...(settings.rushMs ? { rushMs: settings.rushMs } : {}),
    wrote: (project, id, look) => drop.wrote(project, id, look),
  });
  const drop = openDrop({
    ...common,
    clock: settings.clock ?? (() => performance.now()),
    untold: new Map(),
    refresh: mirror.refresh,
  });
  const takeFiles = openTakeFiles(common);
  const ready = new Set<string>();
  let known: { look: bigint | undefined; places: readonly Place[] } = { look: undefined, places: [] };
  const ownFolder = join(home, "airlocks");
  let dropFolders: readonly string[] = [];
  let seen: string | undefined;

  /** The configured airlocks, and every folder in the home's own; without any, the one of `default`. */
  async function places(): Promise<readonly Place[]> {
    const look = await stat(ownFolder, { bigint: true }).then(
      (found) => (isFresh(found) ? undefined : found.mtimeNs),
      () => 0n,
    );
    if (look !== undefined && known.look === look) return known.places;
    const own = look === 0n ? [] : await readdir(ownFolder, { withFileTypes: true }).catch(() => []);
    const projects = new Set(Object.keys(config.airlocks));
    if (projects.size === 0) projects.add("default");
    for (const entry of own) if (entry.isDirectory() && isProjectName(entry.name)) projects.add(entry.name);
    known = { look, places: [...projects].map((project) => placeOf(common, project)) };
    dropFolders = known.places.flatMap((place) => [folderOf(place, "questions"), folderOf(place, "take")]);
    return known.places;
  }

  async function prepare(place: Place): Promise<boolean> {
    const key = `folders:${place.project}`;
    try {
      await ensurePlace(common, place);
      if (!ready.has(place.project)) {
        for (const folder of folders) await sweepTemporary(folderOf(place, folder), strayMs, Date.now());
        await sweepTemporary(place.dir, strayMs, Date.now());
        ready.add(place.project);
      }
      troubles.clear(key);
      return true;
    } catch (error) {
      troubles.report(key, `the airlock of ${place.project} cannot be used`, error);
      return false;
    }
  }

  async function run(): Promise<number | undefined> {
    const waits: number[] = [];
    const present = await places();
    // Before anything is looked at: what changes during the pass is stale after it.
    seen = signs();
    for (const place of present) {
      if (!(await prepare(place))) {
        waits.push(retryMs);
        continue;
      }
      for (const scan of [drop.scan, takeFiles.scan]) {
        const waitMs = await scan(place);
        if (waitMs !== undefined) waits.push(waitMs);
      }
    }
    try {
      const waitMs = await mirror.run();
      if (waitMs !== undefined) waits.push(waitMs);
      troubles.clear("mirror");
    } catch (error) {
      troubles.report("mirror", "the mirror stands still and is tried again", error);
      waits.push(retryMs);
    }
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /**
   * When each folder in which files are dropped has changed, in one text; commits are told by `poke`.
   * Synchronous on purpose: an idle service does this and nothing else, and waking a thread for it costs far more.
   */
  function signs(): string {
    let times = String(changedAt(ownFolder));
    for (const path of dropFolders) times += ` ${changedAt(path)}`;
    return times;
  }

  return {
    run,
    places,
    stale: () => signs() !== seen,
    hint(project, folder, name) {
      if (folder === "take") takeFiles.hint(project);
      else if (name !== null) drop.hint(project, name);
    },
  };
}

const noThrow = { throwIfNoEntry: false } as const;

function changedAt(folder: string): number {
  try {
    return statSync(folder, noThrow)?.mtimeMs ?? 0;
  } catch {
    return -1;
  }
}
