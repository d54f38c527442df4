import type { ChannelId, Instant, MessageRef, QuestionId } from "../domain/ids.ts";
import {
  type Effect,
  type GatheredLine,
  type GatheredReceipt,
  longestGatherMs,
  type SenderCounter,
  type TurnSnapshot,
} from "../domain/store.ts";
import { type Sql, scalar } from "./statements.ts";

/** What is kept of those who speak, beside their replies: counts, what became of a message, lines that wait. */

type CounterRow = [name: SenderCounter["name"], value: number, sinceAt: Instant];

export function countersOf(sql: Sql, channel: ChannelId, sender: string): SenderCounter[] {
  const rows = sql<unknown>(
    "SELECT name, value, since_at FROM sender_counters WHERE channel = ? AND sender = ? ORDER BY name",
  )
    .raw()
    .all(channel, sender) as CounterRow[];
  return rows.map(([name, value, sinceAt]) => ({ channel, sender, name, value, sinceAt }));
}

export function setCounter(sql: Sql, { channel, sender, name, value, sinceAt }: SenderCounter): void {
  sql(
    `INSERT INTO sender_counters (channel, sender, name, value, since_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (channel, sender, name) DO UPDATE SET value = excluded.value, since_at = excluded.since_at`,
  ).run(channel, sender, name, value, sinceAt);
}

export function remember(sql: Sql, reply: Extract<Effect, { type: "remember" }>, now: Instant): void {
  sql(
    `INSERT INTO typed_replies (channel, message, accepted, question, decided_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (channel, message) DO UPDATE SET accepted = excluded.accepted, question = excluded.question,
      decided_at = excluded.decided_at`,
  ).run(reply.channel, reply.message, reply.accepted ? 1 : 0, reply.question ?? null, now);
}

export function rememberedReply(
  sql: Sql,
  channel: ChannelId,
  message: MessageRef,
): TurnSnapshot["earlier"] | undefined {
  const row = sql<{ accepted: number; question: QuestionId | null }>(
    "SELECT accepted, question FROM typed_replies WHERE channel = ? AND message = ?",
  ).get(channel, message);
  if (!row) return undefined;
  return { accepted: row.accepted === 1, ...(row.question === null ? {} : { question: row.question }) };
}

/**
 * The first line makes the receipt, with its hour and the message that it answers. One sender may speak in two places:
 * each has a receipt of its own, for a line of a private chat is nothing for a group.
 */
export function gatherLine(sql: Sql, line: GatheredLine): void {
  const { channel, sender, destination } = line;
  sql(
    `INSERT INTO gathered_receipts (channel, sender, destination, reply_to, due_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (channel, sender, destination) DO NOTHING`,
  ).run(channel, sender, destination, line.replyTo ?? null, line.dueAt);
  const receipt = scalar<number>(
    sql,
    "SELECT n FROM gathered_receipts WHERE channel = ? AND sender = ? AND destination = ?",
    channel,
    sender,
    destination,
  ) as number;
  sql(
    `INSERT INTO gathered_lines (receipt, place, text)
    VALUES (?, (SELECT ifnull(max(place), 0) + 1 FROM gathered_lines WHERE receipt = ?), ?)`,
  ).run(receipt, receipt, line.text);
}

type ReceiptRow = {
  n: number;
  channel: ChannelId;
  sender: string;
  destination: string;
  reply_to: MessageRef | null;
};

/** When the first of them is due: at once for one that was to wait longer than any, since the clock was set back. */
export function nextGatheredAt(sql: Sql, now: Instant): Instant | undefined {
  const at = scalar<number | null>(
    sql,
    "SELECT min(CASE WHEN due_at > ? THEN 0 ELSE due_at END) FROM gathered_receipts",
    now + longestGatherMs,
  );
  return at ?? undefined;
}

/** Takes those that are due out of the store, the oldest first. */
export function takeGathered(sql: Sql, now: Instant, limit: number): GatheredReceipt[] {
  const due = sql<ReceiptRow>(
    `SELECT n, channel, sender, destination, reply_to FROM gathered_receipts WHERE due_at <= ? OR due_at > ?
    ORDER BY due_at, n LIMIT ?`,
  ).all(now, now + longestGatherMs, limit);
  return due.map((row) => {
    const lines = sql<string>("SELECT text FROM gathered_lines WHERE receipt = ? ORDER BY place")
      .pluck()
      .all(row.n);
    // Its lines go with it.
    sql("DELETE FROM gathered_receipts WHERE n = ?").run(row.n);
    const { channel, sender, destination } = row;
    return {
      channel,
      sender,
      destination,
      ...(row.reply_to === null ? {} : { replyTo: row.reply_to }),
      lines,
    };
  });
}
