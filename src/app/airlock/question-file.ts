import { type Answer, type ClaimRecord, isOpen, type StoredQuestion } from "../../domain/question.ts";
import { yamlText } from "./yaml-text.ts";

/** `questions/<qid>.yaml`: the whole question and where it stands, for engines in any language. */
export async function questionText(stored: StoredQuestion): Promise<string> {
  const { id } = stored.question;
  const { default: default_, ...question } = stored.question;
  return yamlText(
    {
      ...question,
      default: default_,
      state: stored.state,
      outcome: stored.outcome,
      digest: stored.digest,
      revision: stored.revision,
      asked_at: iso(stored.askedAt),
      deadline_at: iso(stored.deadlineAt),
      zone: stored.zone,
      default_action: stored.defaultAction,
      held_until: stored.heldUntilAt === undefined ? undefined : iso(stored.heldUntilAt),
      answer: stored.answer && answerFields(stored.answer),
      claim: stored.claim && claimFields(stored.claim),
      result: stored.result,
      why: stored.why,
    },
    [
      "A mirror, written by owlpost at each move; changes made here are not read.",
      ...(isAnswerable(stored) ? [`To answer: owlpost answer ${id} KEY`] : []),
      `What counts is handed out by a take: answers/${id}.yaml`,
    ],
  );
}

function isAnswerable({ state }: StoredQuestion): boolean {
  return isOpen(state) || state === "expired";
}

function answerFields(answer: Answer): Record<string, unknown> {
  return { ...answer, at: iso(answer.at) };
}

/** Without the token itself: it would let every reader close the claim. */
function claimFields(claim: ClaimRecord): Record<string, unknown> {
  return {
    run: claim.run,
    taken_at: iso(claim.takenAt),
    lease_until: iso(claim.leaseUntilAt),
    confirmed_at: claim.confirmedAt === undefined ? undefined : iso(claim.confirmedAt),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
