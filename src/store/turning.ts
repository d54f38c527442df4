import type { Ack } from "../domain/command.ts";
import type { ChannelId, Cursor, Instant, QuestionId } from "../domain/ids.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Effect, Store, TurnSnapshot } from "../domain/store.ts";
import { copiesOf } from "./copies.ts";
import { writing } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { findQuestions } from "./questions.ts";
import { type Sql, scalar } from "./statements.ts";

/** What came in: stored once, decided, and the cursor with it. */
export function turning(sql: Sql, commit: Commit): Pick<Store, "turn" | "cursor" | "setCursor"> {
  return {
    turn: (turn, gather, decide, now) =>
      commit(() =>
        writing(sql, now, (write) => {
          const { channel } = turn;
          const needs = turn.inputs.map((input) => gather(input).questions);
          const rows = openSnapshot(sql, needs.flat());
          const acks = turn.inputs.map((input, at) => {
            const payload = JSON.stringify(input.payload ?? null);
            const before = storedAck(sql, channel, input.key, payload);
            if (before) return before.accepted ? { ...before, repeated: true as const } : before;
            const { effects, value } = decide(rows.snapshot(needs[at] ?? []), input);
            write(effects);
            rows.written(effects);
            sql("INSERT INTO inbox (channel, key, payload, ack, received_at) VALUES (?, ?, ?, ?, ?)").run(
              channel,
              input.key,
              payload,
              JSON.stringify(value),
              now,
            );
            return value;
          });
          if (turn.cursor !== undefined) putCursor(sql, channel, turn.cursor, now);
          return acks;
        }),
      ),

    cursor: async (channel) => scalar<Cursor>(sql, "SELECT cursor FROM cursors WHERE channel = ?", channel),
    setCursor: (channel, cursor, now) => commit(() => putCursor(sql, channel, cursor, now)),
  };
}

type KeptRow = [ack: string, payload: string];

/** The ack of an input that came before under this key. Another input under the same key is told so: nothing was done with it. */
function storedAck(sql: Sql, channel: ChannelId, key: string, payload: string): Ack | undefined {
  const row = sql(keptInput).raw().get(channel, key) as KeptRow | undefined;
  if (!row) return undefined;
  if (row[1] === payload) return JSON.parse(row[0]) as Ack;
  const text = "Nothing was recorded: another reply was sent under the same key before. Send it again.";
  return { accepted: false, reason: "bad-command", text };
}

const keptInput = "SELECT ack, payload FROM inbox WHERE channel = ? AND key = ?";

/**
 * The questions of a whole batch, read at once: that costs a third of looking for one after the other. What an input has
 * changed is read again for a later one.
 */
function openSnapshot(sql: Sql, all: readonly QuestionId[]) {
  const questions = new Map<QuestionId, StoredQuestion>();
  const copies = new Map<QuestionId, readonly Copy[]>();
  const changed = new Set<QuestionId>();
  const read = (ids: readonly QuestionId[]): void => {
    const found = findQuestions(sql, ids);
    for (const { stored } of found) questions.set(stored.question.id, stored);
    for (const [id, each] of copiesOf(sql, found)) copies.set(id, each);
  };
  read([...new Set(all)]);
  return {
    snapshot(ids: readonly QuestionId[]): TurnSnapshot {
      const again = ids.filter((id) => changed.delete(id));
      if (again.length > 0) read(again);
      return { questions, copies };
    },
    written(effects: readonly Effect[]): void {
      for (const effect of effects) {
        if (effect.type === "move-question") changed.add(effect.id);
        if (effect.type === "insert-question") changed.add(effect.row.question.id);
      }
    },
  };
}

/** A platform that has nothing new gives the same cursor again and again. */
function putCursor(sql: Sql, channel: string, cursor: Cursor, now: Instant): void {
  sql(
    `INSERT INTO cursors (channel, cursor, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (channel) DO UPDATE SET cursor = excluded.cursor, updated_at = excluded.updated_at
    WHERE cursor <> excluded.cursor`,
  ).run(channel, cursor, now);
}
