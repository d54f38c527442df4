import type { Cursor } from "../../src/domain/ids.ts";

/** A message that the server keeps: its id, and its time in whole seconds. */
export type Kept = { readonly id: string; readonly seconds: number };

/**
 * How far the reply topic was read. The server gives what has come since a message, by the order in which it stored them, and
 * tells them by the second: two of the same second may come in another order, and one may be stored late. So it is asked for
 * what came since an older one, the anchor, and what comes twice is known by its id.
 */
export type Place = {
  /** Where to go on: the id to ask with, or `all`. */
  since(): string;
  /** Notes a message; false where it was noted before. */
  note(kept: Kept): boolean;
  /** Another one after every message that was noted. */
  cursor(): Cursor | undefined;
};

/** An anchor is at least so much older than the newest message. */
const overlapSeconds = 30;
/** However many come in that time. */
const mostRecent = 1_000;
/** Ids that are remembered, so that what comes twice is handed on once; the store knows all of them. */
const mostIds = 2_000;

const shape = /^([\w-]{0,64}):([\w-]{1,64}):(\d{1,15})$/;

export function placeAt(cursor: Cursor | undefined): Place {
  const [, readAnchor = "", readLast = "", readSeconds = "0"] = shape.exec(cursor ?? "") ?? [];
  let anchor = readAnchor;
  let last = readLast;
  let newest = Number(readSeconds);
  const recent: Kept[] = last === "" ? [] : [{ id: last, seconds: newest }];
  const ids = new Set<string>();

  function forget(): void {
    const old = recent.shift();
    if (old) anchor = old.id;
  }

  return {
    since: () => (anchor === "" ? "all" : anchor),
    note(kept) {
      if (ids.has(kept.id)) return false;
      ids.add(kept.id);
      if (ids.size > mostIds) for (const id of [...ids].slice(0, mostIds / 2)) ids.delete(id);
      last = kept.id;
      newest = Math.max(newest, kept.seconds);
      const after = recent.findLastIndex((each) => each.seconds <= kept.seconds);
      recent.splice(after + 1, 0, kept);
      while (recent[0] && recent[0].seconds <= newest - overlapSeconds) forget();
      if (recent.length > mostRecent) forget();
      return true;
    },
    cursor: () => (last === "" ? undefined : `${anchor}:${last}:${newest}`),
  };
}
