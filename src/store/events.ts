import type { Event, EventKind, NewEvent } from "../domain/event.ts";
import type { Instant, QuestionId, RunId, TaskId } from "../domain/ids.ts";
import type { NewNote, Note } from "../domain/store.ts";
import { type Bindable, type Sql, scalar } from "./statements.ts";

type EventRow = {
  seq: number;
  at: number;
  kind: EventKind;
  question: string | null;
  task: string | null;
  project: string | null;
  data: string;
};
type NoteRow = {
  id: number;
  at: number;
  project: string;
  task: TaskId | null;
  run: RunId | null;
  question: QuestionId | null;
  sender: string;
  text: string;
};

/** Events are never deleted, so that the next number is one more than the last. */
export function logEvent(sql: Sql, event: NewEvent, now: Instant): void {
  sql("INSERT INTO events (at, kind, question, task, project, data) VALUES (?, ?, ?, ?, ?, ?)").run(
    now,
    event.kind,
    event.question ?? null,
    event.task ?? null,
    event.project ?? null,
    JSON.stringify(event.data),
  );
}

export function lastEvent(sql: Sql): number {
  return scalar<number | null>(sql, "SELECT max(seq) FROM events") ?? 0;
}

export function eventsAfter(sql: Sql, since: number, limit: number, project?: string): Event[] {
  return sql<EventRow>(
    `SELECT seq, at, kind, question, task, project, data FROM events WHERE seq > ? ${ofProject(project)}
    ORDER BY seq LIMIT ?`,
  )
    .all(...page(since, limit, project))
    .map((row) => ({
      seq: row.seq,
      at: row.at,
      kind: row.kind,
      ...(row.question === null ? {} : { question: row.question }),
      ...(row.task === null ? {} : { task: row.task }),
      ...(row.project === null ? {} : { project: row.project }),
      data: JSON.parse(row.data) as Event["data"],
    }));
}

export function insertNote(sql: Sql, note: NewNote, now: Instant): void {
  sql("INSERT INTO notes (at, project, task, run, question, sender, text) VALUES (?, ?, ?, ?, ?, ?, ?)").run(
    now,
    note.project,
    note.task ?? null,
    note.run ?? null,
    note.question ?? null,
    JSON.stringify(note.sender),
    note.text,
  );
}

export function notesAfter(sql: Sql, since: number, limit: number, project?: string): Note[] {
  return sql<NoteRow>(
    `SELECT id, at, project, task, run, question, sender, text FROM notes WHERE id > ? ${ofProject(project)}
    ORDER BY id LIMIT ?`,
  )
    .all(...page(since, limit, project))
    .map((row) => ({
      id: row.id,
      at: row.at,
      project: row.project,
      ...(row.task === null ? {} : { task: row.task }),
      ...(row.run === null ? {} : { run: row.run }),
      ...(row.question === null ? {} : { question: row.question }),
      sender: JSON.parse(row.sender) as Note["sender"],
      text: row.text,
    }));
}

function ofProject(project: string | undefined): string {
  return project === undefined ? "" : "AND project = ?";
}

function page(since: number, limit: number, project: string | undefined): Bindable[] {
  return project === undefined ? [since, limit] : [since, project, limit];
}
