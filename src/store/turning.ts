import type { Ack } from "../domain/command.ts";
import type { ChannelId, Cursor, Instant } from "../domain/ids.ts";
import type { Store, TurnNeed } from "../domain/store.ts";
import { writing } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { openSnapshot } from "./snapshot.ts";
import { type Sql, scalar } from "./statements.ts";

/** What came in: stored once, decided, and the cursor with it. */
export function turning(sql: Sql, commit: Commit): Pick<Store, "turn" | "cursor" | "setCursor"> {
  return {
    turn: (turn, gather, decide, now) =>
      commit(() =>
        writing(sql, now, (write) => {
          const { channel } = turn;
          const needs = turn.inputs.map((input) => gather(input));
          const rows = openSnapshot(sql, channel, needs, now);
          const acks = turn.inputs.map((input, at) => {
            const payload = JSON.stringify(input.payload ?? null);
            const before =
              storedAck(sql, channel, input.key, payload) ??
              (input.twin === undefined ? undefined : storedAck(sql, channel, input.twin, twinned));
            if (before) return before;
            const { effects, value } = decide(rows.snapshot(needs[at] as TurnNeed), input);
            write(effects);
            rows.written(effects);
            const ack = JSON.stringify(value);
            sql(keepInput).run(channel, input.key, payload, ack, now);
            if (input.twin !== undefined) sql(keepInput).run(channel, input.twin, twinned, ack, now);
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

/** Instead of a payload: it is kept under the other key, and however it is told again, it is the same. */
const twinned = "";

/** The ack of an input that came before under this key. Another input under the same key is told so: nothing was done with it. */
function storedAck(sql: Sql, channel: ChannelId, key: string, payload: string): Ack | undefined {
  const row = sql(keptInput).raw().get(channel, key) as KeptRow | undefined;
  if (!row) return undefined;
  if (row[1] === payload || row[1] === twinned || payload === twinned) {
    const ack = JSON.parse(row[0]) as Ack;
    return ack.accepted ? { ...ack, repeated: true, replayed: true } : { ...ack, replayed: true };
  }
  const text = "Nothing was recorded: another reply was sent under the same key before. Send it again.";
  return { accepted: false, reason: "bad-command", text };
}

const keepInput = "INSERT INTO inbox (channel, key, payload, ack, received_at) VALUES (?, ?, ?, ?, ?)";
const keptInput = "SELECT ack, payload FROM inbox WHERE channel = ? AND key = ?";

/** A platform that has nothing new gives the same cursor again and again. */
function putCursor(sql: Sql, channel: string, cursor: Cursor, now: Instant): void {
  sql(
    `INSERT INTO cursors (channel, cursor, updated_at) VALUES (?, ?, ?)
    ON CONFLICT (channel) DO UPDATE SET cursor = excluded.cursor, updated_at = excluded.updated_at
    WHERE cursor <> excluded.cursor`,
  ).run(channel, cursor, now);
}
