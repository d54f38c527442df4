import {
  type ChannelId,
  type Instant,
  type MessageRef,
  type QuestionId,
  questionIdParts,
} from "../domain/ids.ts";
import type { Copy } from "../domain/question.ts";
import { type Found, type IdRow, questionIdOf } from "./rows.ts";
import type { Sql } from "./statements.ts";

type CopyRow = [
  n: number,
  channel: string,
  destination: string,
  ref: string,
  revision: number,
  postedAt: number,
];

const columns = "question, channel, destination, ref, revision, posted_at";
const byNumber = `SELECT ${columns} FROM deliveries WHERE question = ? ORDER BY channel, destination, ref`;
const byNumbers = `SELECT ${columns} FROM deliveries WHERE question IN (SELECT value FROM json_each(?))
  ORDER BY question, channel, destination, ref`;

const byId = `SELECT ${columns} FROM deliveries
  WHERE question = (SELECT n FROM questions WHERE run = ? AND part = ? AND seq = ?)
  ORDER BY channel, destination, ref`;

/** Every question of the lists has an entry, also one without copies. */
export function copiesOf(sql: Sql, ...lists: readonly (readonly Found[])[]): Map<QuestionId, Copy[]> {
  const ids = new Map(lists.flat().map(({ n, stored }) => [n, stored.question.id]));
  const copies = new Map<QuestionId, Copy[]>();
  for (const id of ids.values()) copies.set(id, []);
  const numbers = [...ids.keys()];
  const only = numbers.length === 1 ? numbers[0] : undefined;
  if (numbers.length === 0) return copies;
  const rows =
    only === undefined
      ? sql<unknown>(byNumbers).raw().all(JSON.stringify(numbers))
      : sql<unknown>(byNumber).raw().all(only);
  for (const row of rows as CopyRow[]) {
    const question = ids.get(row[0]) as QuestionId;
    copies.get(question)?.push(copyOf(question, row));
  }
  return copies;
}

/** Of one question, without the question itself: reading that costs ten times as much. */
export function copiesOfId(sql: Sql, id: QuestionId): Copy[] {
  const { run, part, seq } = questionIdParts(id);
  const rows = sql<unknown>(byId).raw().all(run, part, seq) as CopyRow[];
  return rows.map((row) => copyOf(id, row));
}

function copyOf(question: QuestionId, [, channel, destination, ref, revision, postedAt]: CopyRow): Copy {
  return { question, channel, destination, ref, revision, postedAt };
}

/** A ref names one message of the channel. Should it ever stand for two questions, nobody knows which is meant. */
const byRef = `SELECT DISTINCT q.run, q.part, q.seq FROM deliveries d INDEXED BY deliveries_refs
  JOIN questions q ON q.n = d.question WHERE d.channel = ? AND d.ref = ? LIMIT 2`;

/** The question that a message of ours shows. */
export function questionOfCopy(sql: Sql, channel: ChannelId, ref: MessageRef): QuestionId | undefined {
  const [row, other] = sql<IdRow>(byRef).all(channel, ref);
  return row && !other ? questionIdOf(row) : undefined;
}

/**
 * One message, one copy: a question may stand twice at one destination, where the reply to a post was lost.
 * A copy that shows a later revision already keeps it.
 */
export function recordCopy(
  sql: Sql,
  n: number,
  copy: { channel: string; destination: string; ref: string; revision: number },
  now: Instant,
): void {
  sql(
    `INSERT INTO deliveries (question, channel, destination, ref, revision, posted_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (question, channel, destination, ref) DO UPDATE SET revision = excluded.revision
    WHERE excluded.revision >= revision`,
  ).run(n, copy.channel, copy.destination, copy.ref, copy.revision, now);
}
