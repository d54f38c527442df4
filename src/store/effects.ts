import type { Instant } from "../domain/ids.ts";
import type { Effect } from "../domain/store.ts";
import { recordCopy } from "./copies.ts";
import { insertNote, logEvent } from "./events.ts";
import { enqueue, jobIds } from "./outbox.ts";
import { findQuestion, insertQuestion, moveQuestion } from "./questions.ts";
import type { Sql } from "./statements.ts";

/** Runs `change`, which writes what it decides, in order, inside the transaction that is open. */
export function writing<Value>(
  sql: Sql,
  now: Instant,
  change: (write: (effects: readonly Effect[]) => void) => Value,
): Value {
  let logged = 0;
  const ids = jobIds(sql);
  const value = change((effects) => {
    for (const effect of effects) {
      switch (effect.type) {
        case "insert-question":
          insertQuestion(sql, effect);
          break;
        case "move-question":
          moveQuestion(sql, effect);
          break;
        case "send":
          enqueue(sql, effect.job, ids.next(logged), now);
          break;
        case "adopt-copy": {
          const found = findQuestion(sql, effect.question);
          if (found) recordCopy(sql, found.n, effect, now);
          break;
        }
        case "note":
          insertNote(sql, effect.note, now);
          break;
        case "log":
          logEvent(sql, effect.event, now);
          logged += 1;
          break;
      }
    }
  });
  ids.settle(logged);
  return value;
}

export function applyEffects(sql: Sql, effects: readonly Effect[], now: Instant): void {
  writing(sql, now, (write) => write(effects));
}
