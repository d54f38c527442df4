import { taskPart } from "../domain/ids.ts";
import type { AskSnapshot, Store } from "../domain/store.ts";
import { waitingAbortsOf } from "./aborts.ts";
import { copiesOf } from "./copies.ts";
import { applyEffects } from "./effects.ts";
import type { Commit } from "./group-commit.ts";
import { findByKey, findQuestion, nextSeq } from "./questions.ts";
import type { Sql } from "./statements.ts";

/** Operations on one question, or on none. */
export function asking(sql: Sql, commit: Commit): Pick<Store, "ask" | "move" | "append"> {
  return {
    ask: (need, decide, now) =>
      commit(() => {
        const sameId = need.id && findQuestion(sql, need.id)?.stored;
        const sameKey = need.key === undefined ? undefined : findByKey(sql, need.project, need.key);
        const [abort] = waitingAbortsOf(sql, need.run);
        const snapshot: AskSnapshot = {
          ...(sameId ? { sameId } : {}),
          ...(sameKey ? { sameKey } : {}),
          ...(abort ? { abort } : {}),
          nextSeq: nextSeq(sql, need.run, taskPart(need.task)),
        };
        const { effects, value } = decide(snapshot);
        applyEffects(sql, effects, now);
        return value;
      }),

    move: (id, decide, now) =>
      commit(() => {
        const found = findQuestion(sql, id);
        const { effects, value } = decide(found?.stored, found ? (copiesOf(sql, [found]).get(id) ?? []) : []);
        applyEffects(sql, effects, now);
        return value;
      }),

    append: (effects, now) => commit(() => applyEffects(sql, effects, now)),
  };
}
