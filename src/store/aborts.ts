import type { Abort, NewAbort } from "../domain/abort.ts";
import type { Sender } from "../domain/command.ts";
import type { Claim, Instant, RunId } from "../domain/ids.ts";
import type { ClaimRecord } from "../domain/question.ts";
import { StoreError, type TakeNeed } from "../domain/store.ts";
import { logEvent } from "./events.ts";
import { type Sql, scalar } from "./statements.ts";

type AbortRow = {
  n: number;
  run: RunId;
  project: string;
  sender: string;
  aborted_at: number;
  claim: string | null;
  claim_run: string | null;
  taken_at: number | null;
  lease_until_at: number | null;
};

const waiting = `SELECT n, run, project, sender, aborted_at, claim, claim_run, taken_at, lease_until_at
  FROM aborts INDEXED BY aborts_waiting WHERE confirmed_at IS NULL`;

/** Those that no loop has confirmed; the oldest first. */
export function waitingAborts(sql: Sql): Abort[] {
  return sql<AbortRow>(`${waiting} ORDER BY n`).all().map(abortOf);
}

export function waitingAbortsOf(sql: Sql, run: RunId): Abort[] {
  return sql<AbortRow>(`${waiting} AND run = ? ORDER BY n`).all(run).map(abortOf);
}

/** Those that a take must hand over, or has handed over under the same claim. */
export function abortsFor(sql: Sql, need: TakeNeed): Abort[] {
  return waitingAborts(sql).filter((abort) => abort.claim?.claim === need.claim || isAbout(sql, abort, need));
}

/**
 * The loop must learn of it at its next stop, whatever it asks for; who waits for one question is not the loop. A take for
 * a task is of the run that asked about it last, and of any run of its project where nobody has asked about it.
 */
function isAbout(sql: Sql, { run, project }: Abort, need: TakeNeed): boolean {
  if (need.question !== undefined) return false;
  if (need.run !== undefined) {
    if (need.run !== run) return false;
    // The same id may run in two projects; each has an order of its own.
    return need.project === undefined || need.project === project || !hasAsked(sql, run, need.project);
  }
  if (need.project !== undefined && need.project !== project) return false;
  if (need.task === undefined) return true;
  const last = scalar<RunId>(
    sql,
    "SELECT run FROM questions WHERE task = ? AND project = ? ORDER BY n DESC LIMIT 1",
    need.task,
    project,
  );
  return last === undefined || last === run;
}

function hasAsked(sql: Sql, run: RunId, project: string): boolean {
  const found = scalar<number>(sql, "SELECT 1 FROM questions WHERE run = ? AND project = ?", run, project);
  return found !== undefined;
}

/** Where a run has asked something, and the zone of its latest question. */
export function placesOf(sql: Sql, run: RunId): { projects: string[]; zone?: string } {
  const projects = sql<string>("SELECT DISTINCT project FROM questions WHERE run = ? ORDER BY project")
    .pluck()
    .all(run);
  const zone = scalar<string>(sql, "SELECT zone FROM questions WHERE run = ? ORDER BY n DESC LIMIT 1", run);
  return { projects, ...(zone === undefined ? {} : { zone }) };
}

export function insertAbort(sql: Sql, { run, project, sender, at }: NewAbort): void {
  sql("INSERT INTO aborts (run, project, sender, aborted_at) VALUES (?, ?, ?, ?)").run(
    run,
    project,
    JSON.stringify(sender),
    at,
  );
}

export function claimAbort(sql: Sql, id: number, claim: ClaimRecord): void {
  const { changes } = sql(
    `UPDATE aborts SET claim = ?, claim_run = ?, taken_at = ?, lease_until_at = ?
    WHERE n = ? AND confirmed_at IS NULL`,
  ).run(claim.claim, claim.run ?? null, claim.takenAt, claim.leaseUntilAt, id);
  if (changes !== 1) {
    throw new StoreError("conflict", `the order to stop a run (${id}) was confirmed meanwhile: take again`);
  }
}

/** A second confirmation finds the same runs and logs nothing. */
export function confirmAborts(
  sql: Sql,
  claim: Claim,
  now: Instant,
  data: Readonly<Record<string, unknown>>,
): RunId[] {
  type Row = { n: number; run: RunId; project: string; confirmed_at: number | null };
  const rows = sql<Row>(
    "SELECT n, run, project, confirmed_at FROM aborts INDEXED BY aborts_claims WHERE claim = ? ORDER BY n",
  ).all(claim);
  for (const { n, run, project, confirmed_at } of rows) {
    if (confirmed_at !== null) continue;
    sql("UPDATE aborts SET confirmed_at = ? WHERE n = ?").run(now, n);
    logEvent(sql, { kind: "run.abort-confirmed", project, data: { run, ...data } }, now);
  }
  return [...new Set(rows.map(({ run }) => run))];
}

function abortOf(row: AbortRow): Abort {
  const { claim, claim_run: run, taken_at: takenAt, lease_until_at: leaseUntilAt } = row;
  const taken = claim !== null && takenAt !== null && leaseUntilAt !== null;
  return {
    id: row.n,
    run: row.run,
    project: row.project,
    sender: JSON.parse(row.sender) as Sender,
    at: row.aborted_at,
    ...(taken ? { claim: { claim, takenAt, leaseUntilAt, ...(run === null ? {} : { run }) } } : {}),
  };
}
