import { lstatSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { QuestionId } from "../../domain/ids.ts";
import { askDropped, type DropSettings, idOfName, refuseDropped } from "./dropped-file.ts";
import { codeOf, freshMs, isFresh, type Look, lookOf, refusalOf } from "./files.ts";
import { folderOf, type Place } from "./place.ts";
import { isRejectionName } from "./rejection.ts";
import type { Troubles } from "./troubles.ts";

export type Drop = {
  /** Looks at an airlock's questions. Returns in how many ms it wants to look again; undefined: when the folder changes. */
  scan(place: Place): Promise<number | undefined>;
  /** Somebody touched a file of that name, perhaps. */
  hint(project: string, name: string): void;
  /** A mirror file that we wrote ourselves. */
  wrote(project: string, id: QuestionId, look: Look): void;
};

/** A file is whole when it looks the same in two looks at least that far apart. */
const settleMs = 1_000;
const retryMs = 2_000;
/** How many files may lie in a folder before whole looks at it are made only that often. */
const manyFiles = 1_000;
const restMs = 5_000;
const yieldEvery = 200;

type Shelf = {
  /** The folder's own time at the last whole look; undefined: look again. */
  folderLook: string | undefined;
  wholeAt: number;
  names: number;
  /** Files that need nothing until they change. */
  readonly settled: Map<string, Look>;
  /** Files that may still be written. */
  readonly waiting: Map<string, { look: Look; since: number }>;
  readonly hints: Set<string>;
};

/** Finds the questions that other programs drop into an airlock. `clock` only measures time between two looks. */
export function openDrop(
  settings: DropSettings & { readonly troubles: Troubles; readonly clock: () => number },
): Drop {
  const { store, troubles, clock } = settings;
  const shelves = new Map<string, Shelf>();

  async function scan(place: Place): Promise<number | undefined> {
    const shelf = shelfOf(place.project);
    const again: number[] = [];
    const names = new Set([...shelf.hints, ...shelf.waiting.keys()]);
    shelf.hints.clear();
    try {
      const folder = await stat(folderOf(place, "questions"), { bigint: true });
      const folderLook = lookOf(folder);
      const changed = folderLook !== shelf.folderLook;
      const restedMs = clock() - shelf.wholeAt;
      if (changed && shelf.names > manyFiles && restedMs < restMs) again.push(restMs - restedMs);
      else if (changed) {
        for (const name of await wholeLook(place, shelf)) names.add(name);
        const fresh = isFresh(folder);
        shelf.folderLook = fresh ? undefined : folderLook;
        if (fresh) again.push(freshMs);
      }
      troubles.clear(`drop:${place.project}`);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") {
        troubles.report(
          `drop:${place.project}`,
          `the questions folder in ${place.dir} cannot be read`,
          error,
        );
      }
      again.push(retryMs);
    }
    let lookedAt = 0;
    for (const name of names) {
      if (!isCandidate(name)) continue;
      lookedAt += 1;
      if (lookedAt % yieldEvery === 0) await new Promise((done) => setImmediate(done));
      const waitMs = await lookAt(place, shelf, name);
      if (waitMs !== undefined) again.push(waitMs);
    }
    return again.length === 0 ? undefined : Math.min(...again);
  }

  /** Every name that may be a dropped file; mirrors of questions that we know are passed over without touching them. */
  async function wholeLook(place: Place, shelf: Shelf): Promise<string[]> {
    const names = await readdir(folderOf(place, "questions"));
    shelf.names = names.length;
    shelf.wholeAt = clock();
    const present = new Set(names);
    for (const name of shelf.settled.keys()) if (!present.has(name)) shelf.settled.delete(name);
    const found: string[] = [];
    let lookedUp = 0;
    for (const name of names) {
      if (!isCandidate(name)) continue;
      const id = name.endsWith(".yaml") ? idOfName(name) : undefined;
      if (id === undefined) {
        found.push(name);
        continue;
      }
      if (shelf.settled.has(name)) continue;
      lookedUp += 1;
      if (lookedUp % yieldEvery === 0) await new Promise((done) => setImmediate(done));
      const stored = await store.question(id);
      if (stored?.question.project === place.project) shelf.settled.set(name, "");
      else found.push(name);
    }
    return found;
  }

  async function lookAt(place: Place, shelf: Shelf, name: string): Promise<number | undefined> {
    const key = `drop:${place.project}/${name}`;
    try {
      // Synchronous on purpose: each mirror file that we write brings us here, and waking a thread for it costs ten times as much.
      const file = lstatSync(join(place.dir, "questions", name), { bigint: true });
      const look = lookOf(file);
      if (shelf.settled.get(name) === look) return undefined;
      const reason = refusalOf(file);
      if (reason) {
        await refuseDropped(place, name, look, reason, settings);
        settle(shelf, name, look);
        return undefined;
      }
      // Made, but not yet written.
      if (file.size === 0n) return waitFor(shelf, name, look, retryMs);
      const known = shelf.waiting.get(name);
      if (known?.look !== look) return waitFor(shelf, name, look, settleMs);
      const leftMs = settleMs - (clock() - known.since);
      if (leftMs > 0) return leftMs;
      const mirrored = shelf.settled.get(name);
      if ((await askDropped(place, name, look, settings)) === "changed") {
        shelf.waiting.delete(name);
        shelf.hints.add(name);
        return settleMs;
      }
      // Where its mirror took the file's place meanwhile, `wrote` has told so.
      if (shelf.settled.get(name) === mirrored) settle(shelf, name, look);
      shelf.waiting.delete(name);
      troubles.clear(key);
      return undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT") {
        shelf.waiting.delete(name);
        shelf.settled.delete(name);
        return undefined;
      }
      troubles.report(key, `the dropped question ${name} in ${place.dir} waits: it is tried again`, error);
      return retryMs;
    }
  }

  function waitFor(shelf: Shelf, name: string, look: Look, waitMs: number): number {
    const known = shelf.waiting.get(name);
    if (known?.look !== look) shelf.waiting.set(name, { look, since: clock() });
    return waitMs;
  }

  function settle(shelf: Shelf, name: string, look: Look): void {
    shelf.waiting.delete(name);
    shelf.settled.set(name, look);
  }

  function shelfOf(project: string): Shelf {
    const known = shelves.get(project);
    if (known) return known;
    const shelf: Shelf = {
      folderLook: undefined,
      wholeAt: Number.NEGATIVE_INFINITY,
      names: 0,
      settled: new Map(),
      waiting: new Map(),
      hints: new Set(),
    };
    shelves.set(project, shelf);
    return shelf;
  }

  return {
    scan,
    hint: (project, name) => {
      if (isCandidate(name)) shelfOf(project).hints.add(name);
    },
    wrote: (project, id, look) => {
      const shelf = shelfOf(project);
      shelf.settled.set(`${id}.yaml`, look);
      shelf.waiting.delete(`${id}.yaml`);
    },
  };
}

function isCandidate(name: string): boolean {
  return /\.(?:yaml|yml|json)$/.test(name) && !name.startsWith(".") && !isRejectionName(name);
}
