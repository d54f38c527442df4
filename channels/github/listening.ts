import type { Batch, Reply } from "../../src/domain/channel.ts";
import { decode, destination, type Me } from "./comment.ts";
import type { Line } from "./line.ts";
import type { OwnComments } from "./own-comments.ts";
import { rest } from "./pace.ts";
import { type Issue, pageOf } from "./place.ts";
import { cursorOf, keyOf, readingFrom, readOn, settled } from "./reading.ts";
import type { Comment } from "./rest.ts";
import { authorship } from "./trust.ts";

/** In milliseconds. */
export type Rhythm = {
  /** How often is looked while something is going on, and for how long after the last of it. */
  readonly quickMs: number;
  readonly activeMs: number;
  /** … and how often otherwise. */
  readonly idleMs: number;
  /** How long a poll goes on that brings nothing. */
  readonly holdMs: number;
  /** How often a place that took no comments is looked at again. */
  readonly mendMs: number;
};

export type ListeningOptions = {
  readonly line: Line;
  readonly issue: Issue;
  /** The place that a cursor is good for. */
  readonly of: string;
  readonly own: OwnComments;
  readonly whoAmI: (signal: AbortSignal) => Promise<Me>;
  /** Is a sender who is on the list heard all the same? */
  readonly isPermitted: (login: string, signal: AbortSignal) => Promise<boolean>;
  /** Are comments taken there? */
  readonly takes: (signal: AbortSignal) => Promise<boolean>;
  readonly rhythm: Rhythm;
};

/** Reads what people comment, quickly while something is going on. */
export function listening(options: ListeningOptions) {
  const { line, issue, of, own, whoAmI, isPermitted, takes, rhythm } = options;
  const isByItsAuthor = authorship(line.call);
  let activeAt = performance.now();
  let lookedAt: number | undefined;
  let leastMs = 0;
  /** When to look whether comments are taken there (again): at the start, and after each that was not. */
  let mendAt: number | undefined = 0;

  async function poll(cursor: string | undefined, signal: AbortSignal): Promise<Batch> {
    const me = await whoAmI(signal);
    const began = performance.now();
    for (;;) {
      const reading = readingFrom(cursor, of, line.now());
      if (reading.page === undefined) await pause(signal);
      const { page: number = 1, since } = reading;
      // The first look of a process shows which comments are ours, also where nothing has changed.
      const etag = lookedAt === undefined ? undefined : reading.etag;
      const page = await pageOf(line.call, issue, { since, page: number, etag }, signal);
      lookedAt = performance.now();
      for (const comment of page?.comments ?? []) own.note(comment, me);
      const { fresh, next, more } = page ? readOn(reading, page) : { fresh: [], next: reading, more: false };
      leastMs = page?.pollMs ?? leastMs;
      const replies = await repliesOf(fresh, me, signal);
      const chats = (await isMended(signal)) ? { chats: [{ chat: destination, open: true as const }] } : {};
      const after = cursorOf(next);
      if (after !== cursor || "chats" in chats)
        return { replies, cursor: after, more, ...chats, settle: settled };
      if (performance.now() - began >= rhythm.holdMs) return { replies: [] };
    }
  }

  async function repliesOf(fresh: readonly Comment[], me: Me, signal: AbortSignal): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const comment of fresh) {
      const said = decode(comment, me, keyOf(comment), own.copyOf);
      if (said.length === 0) continue;
      if (!(await isByItsAuthor(comment, signal))) continue;
      if (!(await isPermitted(comment.user?.login ?? "", signal))) continue;
      activeAt = performance.now();
      replies.push(...said);
    }
    return replies;
  }

  async function isMended(signal: AbortSignal): Promise<boolean> {
    if (mendAt === undefined || performance.now() < mendAt) return false;
    const mended = await takes(signal);
    mendAt = mended ? undefined : performance.now() + rhythm.mendMs;
    return mended;
  }

  /** Until it is time to look again. */
  async function pause(signal: AbortSignal): Promise<void> {
    if (lookedAt === undefined) return;
    const now = performance.now();
    const everyMs = now - activeAt < rhythm.activeMs ? rhythm.quickMs : rhythm.idleMs;
    await rest(lookedAt + Math.max(everyMs, leastMs) - now, signal);
  }

  return {
    poll,
    /** Something is going on: an answer may come soon. */
    stir(): void {
      activeAt = performance.now();
    },
    /** A comment was not taken. Whoever mends that need not tell us. */
    shut(): void {
      mendAt ??= performance.now() + rhythm.mendMs;
    },
  };
}
