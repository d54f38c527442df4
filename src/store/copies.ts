import type { Instant, QuestionId } from "../domain/ids.ts";
import type { Copy } from "../domain/question.ts";
import type { Found } from "./questions.ts";
import type { Sql } from "./statements.ts";

type CopyRow = { channel: string; destination: string; ref: string; revision: number; posted_at: number };

export function copiesOf(sql: Sql, n: number, question: QuestionId): Copy[] {
  return sql<CopyRow>(
    "SELECT channel, destination, ref, revision, posted_at FROM deliveries WHERE question = ? ORDER BY channel, destination, ref",
  )
    .all(n)
    .map((row) => ({
      question,
      channel: row.channel,
      destination: row.destination,
      ref: row.ref,
      revision: row.revision,
      postedAt: row.posted_at,
    }));
}

export function copiesOfAll(sql: Sql, ...lists: readonly (readonly Found[])[]): Map<QuestionId, Copy[]> {
  const copies = new Map<QuestionId, Copy[]>();
  for (const { n, stored } of lists.flat()) {
    if (!copies.has(stored.question.id)) copies.set(stored.question.id, copiesOf(sql, n, stored.question.id));
  }
  return copies;
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
