import type { Instant, QuestionId } from "../domain/ids.ts";
import type { Job, NewJob } from "../domain/store.ts";
import type { Sql } from "./statements.ts";

type JobRow = {
  channel: string;
  destination: string;
  id: number;
  kind: Job["kind"];
  question: QuestionId | null;
  notice_kind: string | null;
  notice_text: string | null;
  attempts: number;
  not_before_at: number;
  created_at: number;
};

const columns =
  "channel, destination, id, kind, question, notice_kind, notice_text, attempts, not_before_at, created_at";

/** Ids that the events up to one number have used up. */
const idsPerEvent = 4096;

/**
 * Ids of jobs rise and are never given twice, not even after a job has left: a platform that knows the key of a
 * sent message would swallow a new one under the same key. Nearly every change that sends also logs, so an id is made
 * of the last event's number and costs no page of its own; only a change that sends and logs too little moves a counter.
 */
export type JobIds = {
  /** `logged` is how many events this very change has written. */
  next(logged: number): number;
  settle(logged: number): void;
};

const usedUp = `SELECT ifnull((SELECT max(seq) FROM events), 0) AS events,
  (SELECT value FROM counters WHERE name = 'job') AS counted`;

export function jobIds(sql: Sql): JobIds {
  let before: number | undefined;
  let last = 0;
  return {
    next(logged) {
      if (before === undefined) {
        const { events, counted } = sql<{ events: number; counted: number }>(usedUp).get() ?? {
          events: 0,
          counted: 0,
        };
        before = events - logged;
        last = Math.max(before * idsPerEvent, counted);
      }
      last += 1;
      return last;
    },
    settle(logged) {
      if (before === undefined || last <= (before + logged) * idsPerEvent) return;
      sql("UPDATE counters SET value = ? WHERE name = 'job'").run(last);
    },
  };
}

/**
 * Puts a job at the end of its queue. An edit is rendered from the row when it is sent, so one per copy is enough: a
 * waiting one gives up its place to the new one. It is replaced and not kept, since the sender may be
 * sending it at this moment with what the row held before.
 */
export function enqueue(sql: Sql, job: NewJob, id: number, now: Instant): void {
  const waiting = job.kind === "edit" ? withdrawEdit(sql, job) : undefined;
  sql(insertJob).run(
    job.channel,
    job.destination,
    id,
    job.kind,
    job.question ?? null,
    job.notice?.kind ?? null,
    job.notice?.text ?? null,
    waiting?.attempts ?? 0,
    waiting?.notBeforeAt ?? now,
    now,
  );
}

const insertJob = `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** So far back in its queue a waiting edit is looked for; one that is not found drops itself when its turn comes. */
const editsWithin = 32;
const waitingEdit = `SELECT ${columns} FROM (
    SELECT ${columns} FROM outbox WHERE channel = ? AND destination = ? ORDER BY id DESC LIMIT ${editsWithin}
  ) WHERE kind = 'edit' AND question = ?`;

function withdrawEdit(sql: Sql, { channel, destination, question }: NewJob): Job | undefined {
  const row = sql<JobRow>(waitingEdit).get(channel, destination, question ?? null);
  if (!row) return undefined;
  const job = jobOf(row);
  removeJob(sql, job);
  return job;
}

const firstJob = `SELECT ${columns} FROM outbox ORDER BY channel, destination, id LIMIT 1`;
// Not one comparison of (channel, destination): SQLite would walk through the whole queue for it.
const nextDestination = `SELECT ${columns} FROM outbox WHERE channel = ? AND destination > ?
  ORDER BY destination, id LIMIT 1`;
const nextChannel = `SELECT ${columns} FROM outbox WHERE channel > ? ORDER BY channel, destination, id LIMIT 1`;

/** The first job of each queue; nothing overtakes it, even while it waits for another attempt. */
export function heads(sql: Sql): Job[] {
  const found: Job[] = [];
  let row = sql<JobRow>(firstJob).get();
  while (row) {
    found.push(jobOf(row));
    row =
      sql<JobRow>(nextDestination).get(row.channel, row.destination) ??
      sql<JobRow>(nextChannel).get(row.channel);
  }
  return found;
}

/** Returns whether it was still there. */
export function removeJob(sql: Sql, job: Job): boolean {
  const { changes } = sql("DELETE FROM outbox WHERE channel = ? AND destination = ? AND id = ?").run(
    job.channel,
    job.destination,
    job.id,
  );
  return changes === 1;
}

export function postponeJob(sql: Sql, job: Job, notBeforeAt: Instant): void {
  sql(
    `UPDATE outbox SET attempts = attempts + 1, not_before_at = ?
    WHERE channel = ? AND destination = ? AND id = ?`,
  ).run(notBeforeAt, job.channel, job.destination, job.id);
}

function jobOf(row: JobRow): Job {
  return {
    id: row.id,
    channel: row.channel,
    destination: row.destination,
    kind: row.kind,
    ...(row.question === null ? {} : { question: row.question }),
    ...(row.notice_kind === null ? {} : { notice: { kind: row.notice_kind, text: row.notice_text ?? "" } }),
    attempts: row.attempts,
    notBeforeAt: row.not_before_at,
    createdAt: row.created_at,
    key: `${row.question ?? "notice"}/${row.kind}/${row.id}`,
  };
}
