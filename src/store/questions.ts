import { maxSeq, type QuestionId, questionIdParts, type RunId } from "../domain/ids.ts";
import { type ClaimRecord, isOpen, type State, type StoredQuestion, states } from "../domain/question.ts";
import { type Effect, type QuestionFilter, StoreError } from "../domain/store.ts";
import { type QuestionRow, questionColumns, storedQuestion } from "./rows.ts";
import { type Bindable, type Sql, scalar } from "./statements.ts";

/** A question with the number that its copies are stored under. */
export type Found = { readonly n: number; readonly stored: StoredQuestion };
type Insert = Extract<Effect, { type: "insert-question" }>;
type Move = Extract<Effect, { type: "move-question" }>;

/** The condition of the index of the same name: SQLite uses it only where the words are the same. */
export const openQuestions = "state IN ('pending', 'posted')";
export const decidedQuestions =
  "(state = 'answered' OR (state = 'expired' AND default_action <> 'stay_parked'))";
export const takenQuestions = "state IN ('applied', 'default_applied')";
const pastQuestions =
  "(state = 'expired' OR state = 'applied' OR state = 'default_applied' OR state = 'resolved' OR state = 'cancelled')";

const fromQuestions = `SELECT ${questionColumns} FROM questions q JOIN documents d ON d.question = q.n`;

const byId = `${fromQuestions} WHERE q.run = ? AND q.part = ? AND q.seq = ?`;
const byKey = `${fromQuestions} WHERE q.project = ? AND q.key = ?`;
const byNumber = `${fromQuestions} WHERE q.n = ?`;

export function findQuestion(sql: Sql, id: QuestionId): Found | undefined {
  const { run, part, seq } = questionIdParts(id);
  const row = sql<QuestionRow>(byId).get(run, part, seq);
  return row && { n: row.n, stored: storedQuestion(row) };
}

export function findByKey(sql: Sql, project: string, key: string): StoredQuestion | undefined {
  const row = sql<QuestionRow>(byKey).get(project, key);
  return row && storedQuestion(row);
}

/** The questions whose numbers a query gives, in its order. */
export function selectQuestions(sql: Sql, numbers: string, values: readonly Bindable[]): Found[] {
  return sql<number>(numbers)
    .pluck()
    .all(...values)
    .map((n) => ({
      n,
      stored: storedQuestion(sql<QuestionRow>(byNumber).get(n) as QuestionRow),
    }));
}

/** The next free number of a run and task part; one more than the largest when all are used. */
export function nextSeq(sql: Sql, run: RunId, part: string): number {
  const last = scalar<number>(
    sql,
    "SELECT seq FROM questions WHERE run = ? AND part = ? ORDER BY seq DESC LIMIT 1",
    run,
    part,
  );
  if (last === undefined) return 1;
  if (last < maxSeq) return last + 1;
  // The largest was taken by an id that its asker chose: look for a gap.
  const used = sql<number>("SELECT seq FROM questions WHERE run = ? AND part = ? ORDER BY seq")
    .pluck()
    .all(run, part);
  const gap = used.findIndex((seq, index) => seq !== index + 1);
  return gap < 0 ? maxSeq + 1 : gap + 1;
}

export function insertQuestion(sql: Sql, { row, key }: Insert): void {
  const { question } = row;
  const { run, part, seq } = questionIdParts(question.id);
  const { lastInsertRowid } = sql(
    `INSERT INTO questions (run, part, seq, project, task, state, revision, digest, asked_at, deadline_at, zone,
      default_action, held_until_at, key, outcome, answer, claim, claim_run, taken_at, lease_until_at, confirmed_at,
      result, why)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    run,
    part,
    seq,
    question.project,
    question.task,
    row.state,
    row.revision,
    row.digest,
    row.askedAt,
    row.deadlineAt,
    row.zone,
    row.defaultAction,
    row.heldUntilAt ?? null,
    key ?? null,
    row.outcome ?? null,
    row.answer ? JSON.stringify(row.answer) : null,
    ...claimColumns(row.claim),
    row.result ?? null,
    row.why ?? null,
  );
  sql("INSERT INTO documents (question, document) VALUES (?, ?)").run(
    Number(lastInsertRowid),
    JSON.stringify(question),
  );
  count(sql, row.state, 1);
}

/** Compare-and-set: exactly one row, or a `conflict`. */
export function moveQuestion(sql: Sql, effect: Move): void {
  const sets = ["state = ?", "revision = revision + 1"];
  const values: Bindable[] = [effect.to];
  const set = (column: string, value: Bindable): void => {
    sets.push(`${column} = ?`);
    values.push(value);
  };
  if (effect.outcome !== undefined) set("outcome", effect.outcome);
  if (effect.answer !== undefined) set("answer", effect.answer && JSON.stringify(effect.answer));
  if (effect.claim !== undefined) {
    sets.push("claim = ?", "claim_run = ?", "taken_at = ?", "lease_until_at = ?", "confirmed_at = ?");
    values.push(...claimColumns(effect.claim));
  }
  if (effect.result !== undefined) set("result", effect.result);
  if (effect.why !== undefined) set("why", effect.why);
  const { run, part, seq } = questionIdParts(effect.id);
  const { changes } = sql(
    `UPDATE questions SET ${sets.join(", ")} WHERE run = ? AND part = ? AND seq = ? AND state = ?`,
  ).run(...values, run, part, seq, effect.from);
  if (changes !== 1) {
    throw new StoreError(
      "conflict",
      `${effect.id} is not ${effect.from}, so it cannot become ${effect.to}: look at its present state, then decide again`,
    );
  }
  if (effect.from === effect.to) return;
  count(sql, effect.from, -1);
  count(sql, effect.to, 1);
}

function claimColumns(claim: ClaimRecord | null | undefined): Bindable[] {
  return [
    claim?.claim ?? null,
    claim?.run ?? null,
    claim?.takenAt ?? null,
    claim?.leaseUntilAt ?? null,
    claim?.confirmedAt ?? null,
  ];
}

/** Only states that fill up over the years have a counter: so neither an ask, nor a post, nor a reply touches one. */
function count(sql: Sql, state: State, difference: number): void {
  if (isOpen(state) || state === "answered") return;
  sql("UPDATE counters SET value = value + ? WHERE name = ?").run(difference, state);
}

/** Looks through the index of the open questions, and not through the others. */
export function countQuestions(sql: Sql): Record<State, number> {
  const open = sql<{ name: State; value: number }>(
    `SELECT state AS name, count(*) AS value FROM questions INDEXED BY questions_open WHERE ${openQuestions}
    GROUP BY state`,
  ).all();
  const past = sql<{ name: string; value: number }>("SELECT name, value FROM counters").all();
  const known = new Map<string, number>([...past, ...open].map(({ name, value }) => [name, value]));
  const counts = Object.fromEntries(states.map((state) => [state, known.get(state) ?? 0])) as Record<
    State,
    number
  >;
  const others = states.reduce((sum, state) => sum + counts[state], 0);
  counts.answered = (scalar<number | null>(sql, "SELECT max(n) FROM questions") ?? 0) - others;
  return counts;
}

/** In the order of asking. Each state is read from the index that holds it, never by looking through all questions. */
export function listQuestions(sql: Sql, filter: QuestionFilter): StoredQuestion[] {
  const order = filter.newest ? "DESC" : "ASC";
  if (filter.states?.length === 0) return [];
  const byProject = filter.project === undefined ? "" : "AND project = ?";
  const values: Bindable[] = [];
  const part = (place: string): string => {
    if (filter.project !== undefined) values.push(filter.project);
    values.push(filter.limit);
    return `SELECT n FROM (SELECT n FROM questions ${place} ${byProject} ORDER BY n ${order} LIMIT ?)`;
  };
  const parts = filter.states
    ? [...new Set(filter.states)].map((state) => part(`INDEXED BY ${place(state)} AND state = '${state}'`))
    : [part("WHERE n > 0")];
  const numbers = `SELECT n FROM (${parts.join(" UNION ALL ")}) ORDER BY n ${order} LIMIT ?`;
  return selectQuestions(sql, numbers, [...values, filter.limit]).map(({ stored }) => stored);
}

function place(state: State): string {
  if (isOpen(state)) return `questions_open WHERE ${openQuestions}`;
  if (state === "answered") return `questions_decided WHERE ${decidedQuestions}`;
  return `questions_past WHERE ${pastQuestions}`;
}
