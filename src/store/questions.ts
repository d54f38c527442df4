import { type Instant, maxSeq, type QuestionId, questionIdParts, type RunId } from "../domain/ids.ts";
import { type ClaimRecord, isOpen, type State, type StoredQuestion, states } from "../domain/question.ts";
import { type Effect, type QuestionFilter, StoreError } from "../domain/store.ts";
import { type Found, foundQuestion, type QuestionRow, questionColumns } from "./rows.ts";
import { type Bindable, type Sql, scalar } from "./statements.ts";

type Insert = Extract<Effect, { type: "insert-question" }>;
type Move = Extract<Effect, { type: "move-question" }>;
type Renew = Extract<Effect, { type: "renew-question" }>;

/** The condition of the index of the same name: SQLite uses it only where the words are the same. */
export const openQuestions = "state IN ('pending', 'posted')";
export const decidedQuestions =
  "(state = 'answered' OR (state = 'expired' AND default_action <> 'stay_parked'))";
export const takenQuestions = "state IN ('applied', 'default_applied')";
const pastQuestions =
  "(state = 'expired' OR state = 'applied' OR state = 'default_applied' OR state = 'resolved' OR state = 'cancelled')";

const fromQuestions = `SELECT ${questionColumns} FROM questions q JOIN documents d ON d.question = q.n`;
const fromList = `SELECT ${questionColumns} FROM json_each(?) wanted`;

const byId = `${fromQuestions} WHERE q.run = ? AND q.part = ? AND q.seq = ?`;
const byKey = `${fromQuestions} WHERE q.project = ? AND q.key = ?`;
// The list is walked through and each of its questions looked up, whatever the planner thinks of it.
const byIds = `${fromList} CROSS JOIN questions q
  ON q.run = wanted.value ->> 0 AND q.part = wanted.value ->> 1 AND q.seq = wanted.value ->> 2
  JOIN documents d ON d.question = q.n`;
const byNumbers = `${fromList} CROSS JOIN questions q ON q.n = wanted.value JOIN documents d ON d.question = q.n`;

/** The number that a question's copies are stored under; reading the question itself costs ten times as much. */
export function questionNumber(sql: Sql, id: QuestionId): number | undefined {
  const { run, part, seq } = questionIdParts(id);
  return scalar<number>(
    sql,
    "SELECT n FROM questions WHERE run = ? AND part = ? AND seq = ?",
    run,
    part,
    seq,
  );
}

export function findQuestion(sql: Sql, id: QuestionId): Found | undefined {
  const { run, part, seq } = questionIdParts(id);
  const row = sql<QuestionRow>(byId).raw().get(run, part, seq);
  return row && foundQuestion(row as QuestionRow);
}

/** Those of the questions that there are, in any order; many in one query cost a third of one query each. */
export function findQuestions(sql: Sql, ids: readonly QuestionId[]): Found[] {
  const only = ids.length === 1 ? ids[0] : undefined;
  if (only !== undefined) {
    const found = findQuestion(sql, only);
    return found ? [found] : [];
  }
  return readList(sql, byIds, ids.map(partsOf));
}

function partsOf(id: QuestionId): readonly [RunId, string, number] {
  const { run, part, seq } = questionIdParts(id);
  return [run, part, seq];
}

function readList(sql: Sql, query: string, list: readonly unknown[]): Found[] {
  if (list.length === 0) return [];
  const rows = sql<unknown>(query).raw().all(JSON.stringify(list)) as QuestionRow[];
  return rows.map(foundQuestion);
}

export function findByKey(sql: Sql, project: string, key: string): StoredQuestion | undefined {
  const row = sql<QuestionRow>(byKey).raw().get(project, key);
  return row && foundQuestion(row as QuestionRow).stored;
}

/** In any order. */
export function readQuestions(sql: Sql, numbers: readonly number[]): Found[] {
  return readList(sql, byNumbers, numbers);
}

/** The question that asks this one again: at most one. */
export function askingAgain(sql: Sql, n: number): Found[] {
  const later = scalar<number>(sql, "SELECT n FROM questions INDEXED BY questions_again WHERE again = ?", n);
  return later === undefined ? [] : readQuestions(sql, [later]);
}

/** So many open questions a reply may choose from. */
const mostOpen = 200;

/** The numbers of the open ones. */
export function oldestOpen(sql: Sql): number[] {
  return sql<number>(
    `SELECT n FROM questions INDEXED BY questions_open WHERE ${openQuestions} ORDER BY n LIMIT ${mostOpen}`,
  )
    .pluck()
    .all();
}

/** The numbers of all open ones of a run. */
export function openOf(sql: Sql, run: RunId): number[] {
  return sql<number>(
    `SELECT n FROM questions INDEXED BY questions_open WHERE ${openQuestions} AND run = ? ORDER BY n`,
  )
    .pluck()
    .all(run);
}

/** The questions whose numbers a query gives, in its order. */
export function selectQuestions(sql: Sql, numbers: string, values: readonly Bindable[]): Found[] {
  const wanted = sql<number>(numbers)
    .pluck()
    .all(...values);
  const found = new Map(readQuestions(sql, wanted).map((each) => [each.n, each]));
  return wanted.map((n) => found.get(n) as Found);
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
  if (question.again === undefined) return;
  const asked = questionNumber(sql, question.again);
  sql("UPDATE questions SET again = ? WHERE n = ?").run(asked ?? null, Number(lastInsertRowid));
}

/** Compare-and-set: exactly one row, or a `conflict`. Returns its number. */
export function moveQuestion(sql: Sql, effect: Move): number {
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
  const n = scalar<number>(
    sql,
    `UPDATE questions SET ${sets.join(", ")} WHERE run = ? AND part = ? AND seq = ? AND state = ? RETURNING n`,
    ...values,
    run,
    part,
    seq,
    effect.from,
  );
  if (n === undefined) {
    throw new StoreError(
      "conflict",
      `${effect.id} is not ${effect.from}, so it cannot become ${effect.to}: look at its present state, then decide again`,
    );
  }
  return n;
}

/** Compare-and-set like a move; only what is shown changes. */
export function renewQuestion(sql: Sql, effect: Renew): void {
  const { id, from, heldUntilAt, defaultAction } = effect;
  const { run, part, seq } = questionIdParts(id);
  const { changes } = sql(
    `UPDATE questions SET revision = revision + 1, held_until_at = CASE WHEN ? THEN ? ELSE held_until_at END,
      default_action = ifnull(?, default_action) WHERE run = ? AND part = ? AND seq = ? AND state = ?`,
  ).run(heldUntilAt === undefined ? 0 : 1, heldUntilAt ?? null, defaultAction ?? null, run, part, seq, from);
  if (changes !== 1) {
    throw new StoreError("conflict", `${id} is not ${from}: look at its present state, then decide again`);
  }
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
export function addToCounters(sql: Sql, differences: ReadonlyMap<State, number>): void {
  for (const [state, difference] of differences) {
    if (difference === 0 || isOpen(state) || state === "answered") continue;
    sql("UPDATE counters SET value = value + ? WHERE name = ?").run(difference, state);
  }
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
  const { condition, values: wanted } = conditionOf(filter);
  const values: Bindable[] = [];
  const part = (place: string): string => {
    values.push(...wanted, filter.limit);
    return `SELECT n FROM (SELECT n FROM questions ${place} ${condition} ORDER BY n ${order} LIMIT ?)`;
  };
  const parts = filter.states
    ? [...new Set(filter.states)].map((state) => part(`INDEXED BY ${place(state)} AND state = '${state}'`))
    : [part("WHERE n > 0")];
  const numbers = `SELECT n FROM (${parts.join(" UNION ALL ")}) ORDER BY n ${order} LIMIT ?`;
  return selectQuestions(sql, numbers, [...values, filter.limit]).map(({ stored }) => stored);
}

function conditionOf({ project, task, run, takeable, leaves }: QuestionFilter): {
  readonly condition: string;
  readonly values: readonly Bindable[];
} {
  const conditions: string[] = [];
  const values: Bindable[] = [];
  const keep = (condition: string, ...those: readonly Bindable[]): void => {
    conditions.push(condition);
    values.push(...those);
  };
  if (project !== undefined) keep("AND project = ?", project);
  if (task !== undefined) keep("AND task = ?", task);
  if (run !== undefined) keep("AND run = ?", run);
  if (takeable) keep("AND (state <> 'expired' OR default_action <> 'stay_parked')");
  if (leaves !== undefined) keep(`AND ${leavesKey}`, leaves, leaves);
  return { condition: conditions.join(" "), values };
}

/** With the same text twice: is the key none that begins so? */
export const leavesKey = "(key IS NULL OR substr(key, 1, length(?)) <> ?)";

function place(state: State): string {
  if (isOpen(state)) return `questions_open WHERE ${openQuestions}`;
  if (state === "answered") return `questions_decided WHERE ${decidedQuestions}`;
  return `questions_past WHERE ${pastQuestions}`;
}

/** A run that was heard of lately; how many questions there are makes no difference. */
export function listRuns(sql: Sql, since: Instant): RunId[] {
  return sql<{ run: RunId }>(
    "SELECT DISTINCT run FROM (SELECT run, asked_at FROM questions ORDER BY n DESC LIMIT 500) WHERE asked_at >= ?",
  )
    .all(since)
    .map(({ run }) => run);
}
