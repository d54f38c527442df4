import { createHash } from "node:crypto";
import type { QuestionId } from "../../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../../domain/question.ts";
import type { Owlpost, Taken } from "../api.ts";

/** The deadline comes by the clock, without a commit: nobody waits longer than this without looking. */
const lookMs = 1_000;

export type WaitOptions = {
  readonly now: () => number;
  /** Not longer than this, whatever the deadlines are; undefined: until then. */
  readonly waitMs: number | undefined;
  /** Whoever waits has gone. */
  readonly signal: AbortSignal;
};

/** Where questions stand once none of them is open any more, or when it is time. Takes nothing. Undefined when whoever waits has gone. */
export async function awaitAll(
  owlpost: Owlpost,
  ids: readonly QuestionId[],
  { now, waitMs = Number.POSITIVE_INFINITY, signal }: WaitOptions,
): Promise<readonly StoredQuestion[] | undefined> {
  const untilAt = now() + waitMs;
  // A clock that is set back holds nobody up: the agent would give the hook up.
  const end = performance.now() + waitMs;
  const left = (): number => Math.min(untilAt - now(), end - performance.now());
  for (;;) {
    const looked = new AbortController();
    const stop = (): void => looked.abort();
    signal.addEventListener("abort", stop, { once: true });
    // Waiting begins before looking, so that nothing falls between the two.
    const change = owlpost.changed(Math.max(1, Math.min(left(), lookMs)), looked.signal);
    try {
      const found = await look(owlpost, ids, now);
      if (signal.aborted || found.length < ids.length) return undefined;
      if (left() <= 0 || !found.some(({ state }) => isOpen(state))) return found;
      await change;
    } finally {
      signal.removeEventListener("abort", stop);
      looked.abort();
      await change;
    }
  }
}

async function look(
  owlpost: Owlpost,
  ids: readonly QuestionId[],
  now: () => number,
): Promise<StoredQuestion[]> {
  const read = async (): Promise<StoredQuestion[]> =>
    (await Promise.all(ids.map((id) => owlpost.question(id)))).filter((stored) => stored !== undefined);
  const found = await read();
  const isDue = found.some(({ state, deadlineAt }) => isOpen(state) && deadlineAt <= now());
  if (!isDue) return found;
  await owlpost.sweep();
  return read();
}

/** The claim of whoever asks with a key: a hook that is run again for the same call makes the same take. */
export function claimOf(key: string): string {
  return `hook:${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** Takes what is decided; undefined where there is nothing to take, or somebody else has it. */
export async function takeOne(owlpost: Owlpost, id: QuestionId, claim: string): Promise<Taken | undefined> {
  const { taken } = await owlpost.take({ question: id, claim, works: "asker" });
  return taken.find((each) => each.id === id);
}
