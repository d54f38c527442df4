import type { Ack } from "../domain/command.ts";
import type { Cursor, Instant, QuestionId } from "../domain/ids.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Store, TurnSnapshot } from "../domain/store.ts";
import { copiesOf } from "./copies.ts";
import { writing } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { findQuestion } from "./questions.ts";
import { type Sql, scalar } from "./statements.ts";

/** What came in: stored once, decided, and the cursor with it. */
export function turning(sql: Sql, commit: Commit): Pick<Store, "turn" | "cursor" | "setCursor"> {
  return {
    turn: (turn, gather, decide, now) =>
      commit(() =>
        writing(sql, now, (write) => {
          const acks = turn.inputs.map((input) => {
            const payload = JSON.stringify(input.payload ?? null);
            const before = storedAck(sql, turn.channel, input.key, payload);
            if (before) return before.accepted ? { ...before, repeated: true as const } : before;
            const { effects, value } = decide(snapshotOf(sql, gather(input).questions), input);
            write(effects);
            sql("INSERT INTO inbox (channel, key, payload, ack, received_at) VALUES (?, ?, ?, ?, ?)").run(
              turn.channel,
              input.key,
              payload,
              JSON.stringify(value),
              now,
            );
            return value;
          });
          if (turn.cursor !== undefined) putCursor(sql, turn.channel, turn.cursor, now);
          return acks;
        }),
      ),

    cursor: async (channel) => scalar<Cursor>(sql, "SELECT cursor FROM cursors WHERE channel = ?", channel),
    setCursor: (channel, cursor, now) => commit(() => putCursor(sql, channel, cursor, now)),
  };
}

/** The ack of an input that came before under this key. Another input under the same key is told so: nothing was done with it. */
function storedAck(sql: Sql, channel: string, key: string, payload: string): Ack | undefined {
  const row = sql<{ ack: string; payload: string }>(
    "SELECT ack, payload FROM inbox WHERE channel = ? AND key = ?",
  ).get(channel, key);
  if (!row) return undefined;
  if (row.payload === payload) return JSON.parse(row.ack) as Ack;
  const text = "Nothing was recorded: another reply was sent under the same key before. Send it again.";
  return { accepted: false, reason: "bad-command", text };
}

function snapshotOf(sql: Sql, ids: readonly QuestionId[]): TurnSnapshot {
  const questions = new Map<QuestionId, StoredQuestion>();
  const copies = new Map<QuestionId, readonly Copy[]>();
  for (const id of ids) {
    const found = questions.has(id) ? undefined : findQuestion(sql, id);
    if (!found) continue;
    questions.set(id, found.stored);
    copies.set(id, copiesOf(sql, found.n, id));
  }
  return { questions, copies };
}

function putCursor(sql: Sql, channel: string, cursor: Cursor, now: Instant): void {
  sql(
    `INSERT INTO cursors (channel, cursor, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (channel) DO UPDATE SET cursor = excluded.cursor, updated_at = excluded.updated_at`,
  ).run(channel, cursor, now);
}
