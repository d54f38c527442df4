import type { Claim, QuestionId } from "../domain/ids.ts";
import type { StoredQuestion } from "../domain/question.ts";
import type { Owlpost, Taken } from "./api.ts";

/** The deadline comes by the clock, without a commit: nobody waits longer than this without looking. */
const lookMs = 1_000;

export type Awaited =
  /** It was taken under the claim, and is to be confirmed once it has been delivered. */
  | { readonly kind: "taken"; readonly taken: Taken; readonly stored: StoredQuestion }
  /** Nothing more can be taken; `why` says it in a sentence. */
  | { readonly kind: "over"; readonly why: string; readonly stored?: StoredQuestion }
  /** It is decided by nobody, and still may be; or somebody else holds it, and may give it back. Or whoever waited has gone. */
  | { readonly kind: "waiting"; readonly stored: StoredQuestion };

export type AwaitOptions = {
  readonly waitMs: number;
  readonly claim: Claim;
  /** Whoever waits has gone: nothing is taken any more. */
  readonly signal?: AbortSignal;
  /** Is it not waited for while somebody else holds it? */
  readonly leavesHeld?: boolean;
};

/** Does a take stand that nobody has confirmed yet? */
export function isHeld({ state, claim }: StoredQuestion): boolean {
  return (state === "applied" || state === "default_applied") && claim?.confirmedAt === undefined;
}

/** Waits until a question can be taken, and takes it; at most `waitMs`. Looks at once, so that an answer that came before is found. */
export async function awaitDecision(
  owlpost: Owlpost,
  id: QuestionId,
  { waitMs, claim, signal, leavesHeld = false }: AwaitOptions,
): Promise<Awaited> {
  const end = performance.now() + waitMs;
  for (;;) {
    const left = end - performance.now();
    const looked = new AbortController();
    const stop = (): void => looked.abort();
    signal?.addEventListener("abort", stop, { once: true });
    // Waiting begins before looking, so that nothing falls between the two.
    const change = owlpost.changed(Math.max(1, Math.min(left, lookMs)), looked.signal);
    try {
      const stored = await owlpost.question(id);
      if (!stored) return { kind: "over", why: "the question is gone from the store" };
      if (signal?.aborted) return { kind: "waiting", stored };
      if (isTakeable(stored)) {
        const { taken } = await owlpost.take({ question: id, claim, works: "asker" });
        if (taken[0])
          return { kind: "taken", taken: taken[0], stored: (await owlpost.question(id)) ?? stored };
      }
      const why = whyOver(stored);
      if (why !== undefined) return { kind: "over", why, stored };
      if (left <= 0 || (leavesHeld && isHeld(stored))) return { kind: "waiting", stored };
      await change;
    } finally {
      signal?.removeEventListener("abort", stop);
      looked.abort();
      await change;
    }
  }
}

export function isTakeable(stored: StoredQuestion): boolean {
  if (stored.state === "answered") return true;
  return stored.state === "expired" && stored.defaultAction !== "stay_parked";
}

/** Why nothing will ever come; undefined while something may. A take that was not confirmed may come back. */
function whyOver({ state, why, claim, question }: StoredQuestion): string | undefined {
  if (state === "cancelled") return `${question.id} was cancelled${why ? `: ${why}` : ""}`;
  if (state === "resolved") return `${question.id} is closed`;
  if (claim?.confirmedAt !== undefined && (state === "applied" || state === "default_applied")) {
    return `${question.id} was taken already${claim.run ? ` by run ${claim.run}` : ""}`;
  }
  return undefined;
}
