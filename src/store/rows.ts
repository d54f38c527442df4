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

/**
 * What is read of a question: the columns of `questions` that its value needs, and its document. Rows come as plain
 * lists: the driver takes half as long again to name every column of every row.
 */
export type QuestionRow = [
  n: number,
  state: State,
  revision: number,
  digest: string,
  askedAt: number,
  deadlineAt: number,
  zone: string,
  defaultAction: DefaultAction,
  heldUntilAt: number | null,
  outcome: Outcome | null,
  answer: string | null,
  claim: string | null,
  claimRun: string | null,
  takenAt: number | null,
  leaseUntilAt: number | null,
  confirmedAt: number | null,
  result: Result | null,
  why: string | null,
  document: string,
];

export const questionColumns = `q.n, q.state, q.revision, q.digest, q.asked_at, q.deadline_at, q.zone,
  q.default_action, q.held_until_at, q.outcome, q.answer, q.claim, q.claim_run, q.taken_at, q.lease_until_at,
  q.confirmed_at, q.result, q.why, d.document`;

/** A question with the number that its copies are stored under. */
export type Found = { readonly n: number; readonly stored: StoredQuestion };

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

export function foundQuestion(row: QuestionRow): Found {
  const [
    n,
    state,
    revision,
    digest,
    askedAt,
    deadlineAt,
    zone,
    defaultAction,
    heldUntilAt,
    outcome,
    answer,
    claim,
    claimRun,
    takenAt,
    leaseUntilAt,
    confirmedAt,
    result,
    why,
    document,
  ] = row;
  const stored: Writable<StoredQuestion> = {
    question: JSON.parse(document) as Question,
    state,
    digest,
    revision,
    askedAt,
    deadlineAt,
    zone,
    defaultAction,
  };
  if (heldUntilAt !== null) stored.heldUntilAt = heldUntilAt;
  if (outcome !== null) stored.outcome = outcome;
  if (answer !== null) stored.answer = JSON.parse(answer) as Answer;
  if (claim !== null && takenAt !== null && leaseUntilAt !== null) {
    const record: Writable<ClaimRecord> = { claim, takenAt, leaseUntilAt };
    if (claimRun !== null) record.run = claimRun;
    if (confirmedAt !== null) record.confirmedAt = confirmedAt;
    stored.claim = record;
  }
  if (result !== null) stored.result = result;
  if (why !== null) stored.why = why;
  return { n, stored };
}

/** The id lies in the table as its three parts. */
export type IdRow = { run: string; part: string; seq: number };

export function questionIdOf(row: IdRow): QuestionId {
  return mintQuestionId(row.run as RunId, row.part, row.seq);
}
