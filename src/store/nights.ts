import { type QuestionId, questionId, questionIdParts } from "../domain/ids.ts";
import type { EndedQuestion, NightNeed, NightPart, Store } from "../domain/store.ts";
import { waitingAbortsOf } from "./aborts.ts";
import { copiesOf } from "./copies.ts";
import { applyEffects } from "./effects.ts";
import { lastEvent } from "./events.ts";
import type { Commit } from "./group-commit.ts";
import { readMark } from "./night-mark.ts";
import { postingQuestions } from "./outbox.ts";
import { findQuestions, nextSeq, openQuestions, questionNumber, selectQuestions } from "./questions.ts";
import { type Found, type IdRow, questionIdOf } from "./rows.ts";
import { type Sql, scalar } from "./statements.ts";

/** The change between day and night: what it reads is decided on and written in one transaction. */
export function nights(sql: Sql, commit: Commit): Pick<Store, "changeNight" | "nightState" | "askedAgainAs"> {
  return {
    changeNight: (gather, decide, now) =>
      commit(() => {
        const mark = readMark(sql);
        const need = gather(mark);
        const ended = need.ended && endedAfter(sql, need.ended);
        const open = need.open ? openAfter(sql, need.open) : need.held && heldTo(sql, need.held);
        const { effects, value } = decide({
          ...(mark ? { mark } : {}),
          lastEvent: lastEvent(sql),
          ...(ended ? { ended } : {}),
          ...(open ? { open: { ...open, items: open.items.map(({ stored }) => stored) } } : {}),
          copies: copiesOf(sql, open?.items ?? []),
          posting: open ? postingQuestions(sql) : new Set<QuestionId>(),
        });
        applyEffects(sql, effects, now);
        return value;
      }),

    nightState: async () => {
      const mark = readMark(sql);
      const heldUntilAt = scalar<number | null>(
        sql,
        `SELECT min(held_until_at) FROM questions INDEXED BY questions_held WHERE ${held}`,
      );
      return {
        ...(mark ? { mark } : {}),
        ...(heldUntilAt === null || heldUntilAt === undefined ? {} : { heldUntilAt }),
      };
    },

    askedAgainAs: async (id) => {
      const n = questionNumber(sql, id);
      const row =
        n === undefined
          ? undefined
          : sql<IdRow>("SELECT run, part, seq FROM questions INDEXED BY questions_again WHERE again = ?").get(
              n,
            );
      return row && questionIdOf(row);
    },
  };
}

type Range = NonNullable<NightNeed["open"]>;

function openAfter(sql: Sql, { after, limit }: Range): NightPart<Found> {
  const items = selectQuestions(
    sql,
    `SELECT n FROM questions INDEXED BY questions_open WHERE ${openQuestions} AND n > ? ORDER BY n LIMIT ?`,
    [after, limit],
  );
  return { items, upTo: items.at(-1)?.n ?? after, all: items.length < limit };
}

const held = `held_until_at IS NOT NULL AND (state = 'pending' OR state = 'posted')`;

function heldTo(sql: Sql, { until, limit }: NonNullable<NightNeed["held"]>): NightPart<Found> {
  const items = selectQuestions(
    sql,
    `SELECT n FROM questions INDEXED BY questions_held WHERE ${held} AND held_until_at <= ? ORDER BY n LIMIT ?`,
    [until, limit],
  );
  return { items, upTo: items.at(-1)?.n ?? 0, all: items.length < limit };
}

/** What ended is told by its event: looking through all that is past would take longer with every year. */
const endings = `SELECT seq, question FROM events
  WHERE seq > ? AND (kind = 'question.answered' OR kind = 'question.expired') AND question IS NOT NULL
  ORDER BY seq LIMIT ?`;

function endedAfter(sql: Sql, { after, limit }: Range): NightPart<EndedQuestion> {
  const rows = sql<{ seq: number; question: string }>(endings).all(after, limit);
  const ids = [...new Set(rows.map(({ question }) => questionId(question)))].filter((id) => id !== undefined);
  const found = new Map(findQuestions(sql, ids).map((each) => [each.stored.question.id, each]));
  const items = ids.flatMap((id) => {
    const each = found.get(id);
    return each ? [endedQuestion(sql, each)] : [];
  });
  return { items, upTo: rows.at(-1)?.seq ?? after, all: rows.length < limit };
}

function endedQuestion(sql: Sql, { n, stored }: Found): EndedQuestion {
  const { id, project, task, title } = stored.question;
  const { run, part } = questionIdParts(id);
  const taskStatus = scalar<string>(
    sql,
    "SELECT status FROM tasks WHERE project = ? AND id = ?",
    project,
    task,
  );
  const again = scalar<number>(sql, "SELECT 1 FROM questions INDEXED BY questions_again WHERE again = ?", n);
  const reasked = scalar<number>(
    sql,
    `SELECT 1 FROM questions INDEXED BY questions_open JOIN documents d ON d.question = n
    WHERE ${openQuestions} AND n > ? AND project = ? AND task = ? AND again IS NULL
      AND (? OR d.document ->> '$.title' = ?) LIMIT 1`,
    n,
    project,
    task,
    // Whoever pressed “ask me tomorrow” was promised this very question.
    stored.outcome === "skipped" ? 0 : 1,
    title,
  );
  return {
    stored,
    ...(taskStatus === undefined ? {} : { taskStatus }),
    again: again === 1,
    reasked: reasked === 1,
    ...(waitingAbortsOf(sql, run).length > 0 ? { stopping: true as const } : {}),
    nextSeq: nextSeq(sql, run, part),
  };
}
