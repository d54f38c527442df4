import { mintQuestionId, type QuestionId, type RunId } from "../domain/ids.ts";
import type {
  Answer,
  ClaimRecord,
  DefaultAction,
  Outcome,
  Question,
  Result,
  State,
  StoredQuestion,
} from "../domain/question.ts";

/** What is read of a question: the columns of `questions` that its value needs, and its document. */
export type QuestionRow = {
  n: number;
  state: State;
  revision: number;
  digest: string;
  asked_at: number;
  deadline_at: number;
  zone: string;
  default_action: DefaultAction;
  held_until_at: number | null;
  outcome: Outcome | null;
  answer: string | null;
  claim: string | null;
  claim_run: string | null;
  taken_at: number | null;
  lease_until_at: number | null;
  confirmed_at: number | null;
  result: Result | null;
  why: string | null;
  document: string;
};

export const questionColumns = `q.n, q.state, q.revision, q.digest, q.asked_at, q.deadline_at, q.zone,
  q.default_action, q.held_until_at, q.outcome, q.answer, q.claim, q.claim_run, q.taken_at, q.lease_until_at,
  q.confirmed_at, q.result, q.why, d.document`;

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

export function storedQuestion(row: QuestionRow): StoredQuestion {
  const stored: Writable<StoredQuestion> = {
    question: JSON.parse(row.document) as Question,
    state: row.state,
    digest: row.digest,
    revision: row.revision,
    askedAt: row.asked_at,
    deadlineAt: row.deadline_at,
    zone: row.zone,
    defaultAction: row.default_action,
  };
  if (row.held_until_at !== null) stored.heldUntilAt = row.held_until_at;
  if (row.outcome !== null) stored.outcome = row.outcome;
  if (row.answer !== null) stored.answer = JSON.parse(row.answer) as Answer;
  const claim = claimRecord(row);
  if (claim) stored.claim = claim;
  if (row.result !== null) stored.result = row.result;
  if (row.why !== null) stored.why = row.why;
  return stored;
}

function claimRecord(row: QuestionRow): ClaimRecord | undefined {
  if (row.claim === null || row.taken_at === null || row.lease_until_at === null) return undefined;
  return {
    claim: row.claim,
    takenAt: row.taken_at,
    leaseUntilAt: row.lease_until_at,
    ...(row.claim_run === null ? {} : { run: row.claim_run }),
    ...(row.confirmed_at === null ? {} : { confirmedAt: row.confirmed_at }),
  };
}

/** The id lies in the table as its three parts. */
export type IdRow = { run: string; part: string; seq: number };

export function questionIdOf(row: IdRow): QuestionId {
  return mintQuestionId(row.run as RunId, row.part, row.seq);
}
