import { createHash } from "node:crypto";
import type { Batch } from "../../src/domain/channel.ts";
import type { Cursor } from "../../src/domain/ids.ts";
import { isEdited } from "./comment.ts";
import type { Page } from "./place.ts";
import type { Comment } from "./rest.ts";

/** A change may be told a little later than one that came after it. */
const overlapMs = 60_000;
/** A home that has never listened here hears what was said just before. */
const lookBackMs = 10 * 60_000;
/** Comments on the first page beyond which the start of the reading moves on. */
const mostStanding = 50;

/**
 * How far the comments were read. `since` stays while the list is short: the ETag is good for exactly this address, and
 * while nothing changes there, a poll costs nothing. `seen` has each comment since then with the version that was read.
 */
export type Reading = {
  /** The place that it is of: another repository or issue is read from its own start. */
  readonly of: string;
  readonly since: number;
  readonly seen: Readonly<Record<string, string>>;
  readonly etag?: string;
  /** The page that comes next, of a list that is longer than one. */
  readonly page?: number;
  /** Did an earlier page of this list hold anything new? */
  readonly news?: true;
};

export function readingFrom(cursor: Cursor | undefined, of: string, now: number): Reading {
  const fresh: Reading = { of, since: now - lookBackMs, seen: {} };
  if (cursor === undefined) return fresh;
  try {
    const kept = JSON.parse(cursor) as Reading;
    return kept.of === of && Number.isFinite(kept.since) && typeof kept.seen === "object" ? kept : fresh;
  } catch {
    return fresh;
  }
}

/** What a page brings, and where to go on. `isNew` tells the versions that were not read before, in the order of the list. */
export function readOn(
  reading: Reading,
  page: Page,
): { readonly fresh: readonly Comment[]; readonly next: Reading; readonly more: boolean } {
  const { of, since, page: number = 1 } = reading;
  const fresh = page.comments.filter((each) => reading.seen[String(each.id)] !== versionOf(each));
  const seen = {
    ...reading.seen,
    ...Object.fromEntries(fresh.map((each) => [String(each.id), versionOf(each)])),
  };
  const news = reading.news === true || fresh.length > 0;
  if (!page.isLast) {
    return { fresh, next: { of, since, seen, page: number + 1, ...(news ? { news } : {}) }, more: true };
  }
  // While pages were turned, a comment that went away moved others to a page that was read before: once more.
  if (number > 1 && news) return { fresh, next: { of, since, seen }, more: true };
  if (number > 1 || page.comments.length > mostStanding) {
    return { fresh, next: movedOn({ of, since, seen }), more: false };
  }
  return {
    fresh,
    next: { of, since, seen, ...(page.etag === undefined ? {} : { etag: page.etag }) },
    more: false,
  };
}

function movedOn({ of, since, seen }: Reading): Reading {
  const newest = Math.max(...Object.values(seen).map(secondsOf)) * 1_000;
  const from = Math.max(since, newest - overlapMs);
  return {
    of,
    since: from,
    seen: Object.fromEntries(
      Object.entries(seen).filter(([, version]) => secondsOf(version) * 1_000 >= from),
    ),
  };
}

/** Times are whole seconds: two changes within one are told apart by their words. */
export function versionOf({ updated_at, body = "" }: Comment): string {
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 8);
  return `${(Date.parse(updated_at) / 1_000).toString(36)}.${hash}`;
}

const secondsOf = (version: string): number => Number.parseInt(version, 36);

/** The key of what a version says: the first one is the comment itself. */
export const keyOf = (comment: Comment): string =>
  isEdited(comment) ? `${comment.id}.${versionOf(comment)}` : String(comment.id);

export const cursorOf = (reading: Reading): Cursor => JSON.stringify(reading);

/** A comment's receipt is a comment: nothing is shown to its author in passing. */
export const settled: NonNullable<Batch["settle"]> = async () => [];
