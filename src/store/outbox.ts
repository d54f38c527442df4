import type { Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import type { Job, NewJob } from "../domain/store.ts";
import { type Sql, scalar } from "./statements.ts";

type JobRow = {
  channel: string;
  destination: string;
  id: number;
  kind: Job["kind"];
  question: QuestionId | null;
  notice_kind: string | null;
  notice_text: string | null;
  reply_to: MessageRef | null;
  attempts: number;
  not_before_at: number;
  created_at: number;
};

const columns =
  "channel, destination, id, kind, question, notice_kind, notice_text, reply_to, attempts, not_before_at, created_at";

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

/** What a waiting edit hands on to the one that takes its place. */
type WaitingEdit = { readonly id: number; readonly attempts: number; readonly notBeforeAt: Instant };

export type Outbox = {
  /**
   * Puts a job at the end of its queue. An edit is rendered from the row when it is sent, so one per copy is enough: a
   * waiting one gives up its place to the new one. It is replaced and not kept, since the sender may be
   * sending it at this moment with what the row held before.
   */
  add(job: NewJob, id: number): void;
  /** The question was open until now. */
  closed(question: QuestionId): void;
};

/** Adds the jobs of one change. */
export function openOutbox(sql: Sql, now: Instant): Outbox {
  const edits = waitingEdits(sql);
  return {
    add(job, id) {
      const { channel, destination, kind, notice } = job;
      const waiting = kind === "edit" ? edits.find(job) : undefined;
      if (waiting) removeJob(sql, { channel, destination, id: waiting.id });
      const attempts = waiting?.attempts ?? 0;
      const notBeforeAt = waiting?.notBeforeAt ?? now;
      sql(insertJob).run(
        channel,
        destination,
        id,
        kind,
        job.question ?? null,
        notice?.kind ?? null,
        notice?.text ?? null,
        job.replyTo ?? null,
        attempts,
        notBeforeAt,
        now,
      );
      if (kind === "edit") edits.added(job, { id, attempts, notBeforeAt });
    },
    closed: edits.closed,
  };
}

const insertJob = `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** So far back in its queue a waiting edit is looked for; one that is not found drops itself when its turn comes. */
const editsWithin = 32;
const lastEdits = `SELECT id, question, attempts, not_before_at FROM (
    SELECT id, kind, question, attempts, not_before_at FROM outbox WHERE channel = ? AND destination = ?
    ORDER BY id DESC LIMIT ${editsWithin}
  ) WHERE kind = 'edit'`;
const lastEdit = `${lastEdits} AND question = ?`;
type EditRow = [id: number, question: string | null, attempts: number, notBeforeAt: number];

type QueueEnd = { readonly edits: Map<string | undefined, WaitingEdit>; looks: number };

/**
 * No edit waits for a question that was open until this very change. For others, a change that edits once asks SQLite for
 * that one, and a change that edits again and again reads the end of the queue once.
 */
function waitingEdits(sql: Sql) {
  const ends = new Map<string, QueueEnd>();
  const unedited = new Set<string | undefined>();
  const endOf = ({ channel, destination }: NewJob): QueueEnd => {
    const queue = `${channel}\n${destination}`;
    const known = ends.get(queue);
    if (known) return known;
    const end: QueueEnd = { edits: new Map(), looks: 0 };
    ends.set(queue, end);
    return end;
  };
  return {
    find(job: NewJob): WaitingEdit | undefined {
      const { channel, destination, question } = job;
      const end = endOf(job);
      const known = end.edits.get(question);
      if (known || unedited.has(question)) return known;
      end.looks += 1;
      if (end.looks === 1) {
        const row = sql(lastEdit)
          .raw()
          .get(channel, destination, question ?? null) as EditRow | undefined;
        return row && waitingEdit(row);
      }
      if (end.looks > 2) return undefined;
      for (const row of sql(lastEdits).raw().all(channel, destination) as EditRow[]) {
        const about = row[1] ?? undefined;
        // The newest comes first.
        if (!end.edits.has(about)) end.edits.set(about, waitingEdit(row));
      }
      return end.edits.get(question);
    },
    added(job: NewJob, edit: WaitingEdit): void {
      endOf(job).edits.set(job.question, edit);
    },
    closed(question: QuestionId): void {
      unedited.add(question);
    },
  };
}

function waitingEdit([id, , attempts, notBeforeAt]: EditRow): WaitingEdit {
  return { id, attempts, notBeforeAt };
}

/** A message that waits for the morning is looked over, so that it holds up nothing behind it. */
const ready = "(waits_until_at IS NULL OR waits_until_at <= ?)";
const firstJob = `SELECT ${columns} FROM outbox WHERE ${ready} ORDER BY channel, destination, id LIMIT 1`;
// Not one comparison of (channel, destination): SQLite would walk through the whole queue for it.
const nextDestination = `SELECT ${columns} FROM outbox WHERE channel = ? AND destination > ?
  AND ${ready} ORDER BY destination, id LIMIT 1`;
const nextChannel = `SELECT ${columns} FROM outbox WHERE channel > ? AND ${ready}
  ORDER BY channel, destination, id LIMIT 1`;

/** The first job of each queue; nothing overtakes it, even while it waits for another attempt. */
export function heads(sql: Sql, now: Instant): Job[] {
  const found: Job[] = [];
  let row = sql<JobRow>(firstJob).get(now);
  while (row) {
    found.push(jobOf(row));
    row =
      sql<JobRow>(nextDestination).get(row.channel, row.destination, now) ??
      sql<JobRow>(nextChannel).get(row.channel, now);
  }
  return found;
}

const firstOfQueue = `SELECT ${columns} FROM outbox WHERE channel = ? AND destination = ? ORDER BY id LIMIT ?`;

export function firstJobs(sql: Sql, channel: string, destination: string, limit: number): Job[] {
  return sql<JobRow>(firstOfQueue).all(channel, destination, limit).map(jobOf);
}

/** When the first of those that wait for the morning may go out. */
export function nextReleaseAt(sql: Sql, now: Instant): Instant | undefined {
  const at = scalar<number | null>(
    sql,
    "SELECT min(waits_until_at) FROM outbox INDEXED BY outbox_waiting WHERE waits_until_at > ?",
    now,
  );
  return at ?? undefined;
}

export function waitUntil(sql: Sql, job: Job, at: Instant): void {
  sql("UPDATE outbox SET waits_until_at = ? WHERE channel = ? AND destination = ? AND id = ?").run(
    at,
    job.channel,
    job.destination,
    job.id,
  );
}

export function releaseJobs(sql: Sql): void {
  sql(
    "UPDATE outbox INDEXED BY outbox_waiting SET waits_until_at = NULL WHERE waits_until_at IS NOT NULL",
  ).run();
}

/** Questions with a post that has not gone out. */
export function postingQuestions(sql: Sql): Set<QuestionId> {
  return new Set(
    sql<QuestionId>("SELECT DISTINCT question FROM outbox WHERE kind = 'post' AND question IS NOT NULL")
      .pluck()
      .all(),
  );
}

/** Returns whether it was still there. */
export function removeJob(sql: Sql, job: Pick<Job, "channel" | "destination" | "id">): boolean {
  const { changes } = sql("DELETE FROM outbox WHERE channel = ? AND destination = ? AND id = ?").run(
    job.channel,
    job.destination,
    job.id,
  );
  return changes === 1;
}

/** Edits and receipts stay: they take buttons away, and answer what was said. */
export function dropPosts(sql: Sql, { channel, destination }: Pick<Job, "channel" | "destination">): void {
  sql("DELETE FROM outbox WHERE channel = ? AND destination = ? AND kind IN ('post', 'notice')").run(
    channel,
    destination,
  );
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
    ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
    attempts: row.attempts,
    notBeforeAt: row.not_before_at,
    createdAt: row.created_at,
    key: `${row.question ?? "notice"}/${row.kind}/${row.id}`,
  };
}
