import type { Claim, Instant, QuestionId, RunId } from "../domain/ids.ts";
import { questionIdParts } from "../domain/ids.ts";
import type { Store, TakeNeed } from "../domain/store.ts";
import { abortsFor, confirmAborts } from "./aborts.ts";
import { copiesOf } from "./copies.ts";
import { applyEffects } from "./effects.ts";
import { logEvent } from "./events.ts";
import type { Commit } from "./group-commit.ts";
import { decidedQuestions, leavesKey, openQuestions, selectQuestions, takenQuestions } from "./questions.ts";
import { type Found, type IdRow, questionIdOf } from "./rows.ts";
import { nextGatheredAt, takeGathered } from "./senders.ts";
import { type Bindable, type Sql, scalar } from "./statements.ts";

/** So many decided questions are handed out by one take. */
const mostTaken = 1_000;

/** Taken so long after `now` that the clock was set back: in SQL what `hasLapsed` says of a claim. */
const takenLater = "taken_at - ? > lease_until_at - taken_at";

type Filter = { readonly condition: string; readonly values: readonly Bindable[] };

/** The loop's side: deadlines, what is decided, claims and their leases. */
export function taking(sql: Sql, commit: Commit): Pick<Store, "take" | "confirm" | "sweep" | "nextSweepAt"> {
  return {
    take: (need, decide) =>
      commit(() => {
        const filter = filterOf(need);
        const due = dueQuestions(sql, need.now, filter);
        const decided = selectQuestions(
          sql,
          `SELECT n FROM questions INDEXED BY questions_decided WHERE ${decidedQuestions} ${filter.condition}
            ORDER BY n LIMIT ${mostTaken}`,
          filter.values,
        );
        const same = takenBy(sql, need.claim);
        const lapsed = lapsedQuestions(sql, need.now, filter).filter(
          ({ stored }) => stored.claim?.claim !== need.claim,
        );
        const { effects, value } = decide({
          due: due.map(storedOf),
          decided: decided.map(storedOf),
          same: same.map(storedOf),
          lapsed: lapsed.map(storedOf),
          aborts: abortsFor(sql, need),
          copies: copiesOf(sql, due, decided, same, lapsed),
        });
        applyEffects(sql, effects, need.now);
        return value;
      }),

    confirm: (claim, now, data = {}) => commit(() => confirm(sql, claim, now, data)),

    sweep: (now, limit, decide) =>
      commit(() => {
        const due = dueQuestions(sql, now, everything, limit);
        const lapsed = lapsedQuestions(sql, now, everything, limit);
        const { effects, value } = decide({
          due: due.map(storedOf),
          lapsed: lapsed.map(storedOf),
          gathered: takeGathered(sql, now, limit),
          copies: copiesOf(sql, due, lapsed),
        });
        applyEffects(sql, effects, now);
        return value;
      }),

    nextSweepAt: async (now) => {
      const deadline = scalar<number | null>(
        sql,
        `SELECT min(deadline_at) FROM questions INDEXED BY questions_open WHERE ${openQuestions}`,
      );
      const lease = scalar<number | null>(
        sql,
        `SELECT min(CASE WHEN ${takenLater} THEN 0 ELSE lease_until_at END)
        FROM questions INDEXED BY questions_leases WHERE ${takenQuestions} AND confirmed_at IS NULL`,
        now,
      );
      const gathered = nextGatheredAt(sql, now);
      const instants = [deadline, lease, gathered].filter((at) => at !== null && at !== undefined);
      return instants.length === 0 ? undefined : Math.min(...instants);
    },
  };
}

const everything: Filter = { condition: "", values: [] };

function filterOf(need: TakeNeed): Filter {
  const conditions: string[] = [];
  const values: Bindable[] = [];
  const keep = (column: string, value: Bindable | undefined): void => {
    if (value === undefined) return;
    conditions.push(`AND ${column} = ?`);
    values.push(value);
  };
  keep("task", need.task);
  keep("project", need.project);
  keep("run", need.run);
  if (need.leaves !== undefined) {
    conditions.push(`AND ${leavesKey}`);
    values.push(need.leaves, need.leaves);
  }
  if (need.question !== undefined) {
    const { run, part, seq } = questionIdParts(need.question);
    conditions.push("AND n = (SELECT n FROM questions WHERE run = ? AND part = ? AND seq = ?)");
    values.push(run, part, seq);
  }
  return { condition: conditions.join(" "), values };
}

function dueQuestions(sql: Sql, now: Instant, filter: Filter, limit = -1): Found[] {
  return selectQuestions(
    sql,
    `SELECT n FROM questions INDEXED BY questions_open
      WHERE ${openQuestions} AND deadline_at <= ? ${filter.condition} ORDER BY deadline_at, state, n LIMIT ?`,
    [now, ...filter.values, limit],
  );
}

function lapsedQuestions(sql: Sql, now: Instant, filter: Filter, limit = -1): Found[] {
  return selectQuestions(
    sql,
    `SELECT n FROM questions INDEXED BY questions_leases
      WHERE ${takenQuestions} AND confirmed_at IS NULL AND (lease_until_at <= ? OR ${takenLater}) ${filter.condition}
      ORDER BY lease_until_at, n LIMIT ?`,
    [now, now, ...filter.values, limit],
  );
}

function takenBy(sql: Sql, claim: Claim): Found[] {
  return selectQuestions(
    sql,
    `SELECT n FROM questions INDEXED BY questions_claims WHERE ${takenQuestions} AND claim = ? ORDER BY n`,
    [claim],
  );
}

/** A second confirmation finds the same questions and logs nothing. */
function confirm(
  sql: Sql,
  claim: Claim,
  now: Instant,
  data: Readonly<Record<string, unknown>>,
): (QuestionId | RunId)[] {
  type Row = IdRow & { n: number; task: string; project: string; confirmed_at: number | null };
  const rows = sql<Row>(
    `SELECT n, run, part, seq, task, project, confirmed_at FROM questions INDEXED BY questions_claims
    WHERE ${takenQuestions} AND claim = ? ORDER BY n`,
  ).all(claim);
  const questions = rows.map((row) => {
    const question = questionIdOf(row);
    if (row.confirmed_at === null) {
      sql("UPDATE questions SET confirmed_at = ? WHERE n = ?").run(now, row.n);
      const { task, project } = row;
      logEvent(sql, { kind: "question.confirmed", question, task, project, data }, now);
    }
    return question;
  });
  return [...questions, ...confirmAborts(sql, claim, now, data)];
}

function storedOf(found: Found): Found["stored"] {
  return found.stored;
}
