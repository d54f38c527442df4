import type { MessageRef } from "../../src/domain/ids.ts";
import type { Me } from "./comment.ts";
import type { Line } from "./line.ts";
import { isMarked, markIn, questionIn } from "./mark.ts";
import { rest } from "./pace.ts";
import { type Issue, pageOf } from "./place.ts";
import type { Comment } from "./rest.ts";

/** A message that was tried longer ago than this, by a service that was stopped since, may stand twice. */
const historyMs = 3 * 86_400_000;
/** The platform's times are whole seconds, and what is written at once may be told a little later. */
const overlapMs = 60_000;
/** Marks that are remembered; each is a hundred characters. */
const mostMarks = 5_000;

export type OwnComments = ReturnType<typeof ownComments>;

/** Which messages of ours stand there already, so that nothing that was sent is sent again. */
export function ownComments(
  line: Line,
  issue: Issue,
  me: (signal: AbortSignal) => Promise<Me>,
  settleMs: number,
) {
  const { call } = line;
  const byMark = new Map<string, MessageRef>();
  const byQuestion = new Map<string, MessageRef>();
  /** Attempts of which nobody knows whether they arrived, with when they began. */
  const doubts = new Map<string, number>();
  /** What an earlier service may have sent; absent once it is read. */
  let history: { since: number; page: number } | undefined;
  let isRead = false;

  function note(comment: Comment, { id }: Me): void {
    const { body = "", user } = comment;
    if (String(user?.id) !== id || !isMarked(body)) return;
    const ref = String(comment.id);
    const mark = markIn(body);
    if (!byMark.has(mark)) byMark.set(mark, ref);
    const question = questionIn(body);
    if (question !== undefined) byQuestion.set(question, ref);
    for (const oldest of byMark.keys()) {
      if (byMark.size <= mostMarks) break;
      byMark.delete(oldest);
    }
  }

  /** All pages from there on; where one fails, the next look goes on with it. */
  async function read(from: { since: number; page: number }, signal: AbortSignal): Promise<void> {
    const own = await me(signal);
    for (;;) {
      const page = await pageOf(call, issue, from, signal);
      for (const comment of page?.comments ?? []) note(comment, own);
      if (!page || page.isLast) return;
      from.page += 1;
    }
  }

  async function readHistory(signal: AbortSignal): Promise<void> {
    if (isRead) return;
    await me(signal);
    history ??= { since: line.now() - historyMs, page: 1 };
    await read(history, signal);
    isRead = true;
    history = undefined;
  }

  return {
    note,
    copyOf: (question: string): MessageRef | undefined => byQuestion.get(question),
    /** The comment that bears this mark, if there is one. Asks GitHub only where an attempt may have been made before. */
    async find(mark: string, signal: AbortSignal): Promise<MessageRef | undefined> {
      await readHistory(signal);
      const doubt = doubts.get(mark);
      for (const waitMs of doubt === undefined ? [] : [0, settleMs]) {
        if (byMark.has(mark)) break;
        await rest(waitMs, signal);
        await read({ since: (doubt ?? 0) - overlapMs, page: 1 }, signal);
      }
      return byMark.get(mark);
    },
    doubt: (mark: string): unknown => doubts.has(mark) || doubts.set(mark, line.now()),
    sure: (mark: string): unknown => doubts.delete(mark),
  };
}
