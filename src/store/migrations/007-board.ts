/** Plain comparisons: for an `IN` of three values or more, SQLite builds a small tree each time a row is written. */
const oneOf = (column: string, ...values: readonly string[]): string =>
  `(${values.map((value) => `${column} = '${value}'`).join(" OR ")})`;
const statusCheck = oneOf(
  "status",
  "Backlog",
  "Ready",
  "In Progress",
  "In Review",
  "Done",
  "Blocked",
  "Cancelled",
);
const priorityCheck = oneOf("priority", "Urgent", "High", "Medium", "Low");

/**
 * The board. The tables of tasks that the first schema made were never written to; these take their place. Short columns
 * come first, so that what decides about a task is read without its texts.
 *
 * What is counted over other rows stands in the row itself: open blockers, and children. `next` then reads one entry of
 * `tasks_next`, whatever the number of tasks and of those that are blocked. A dependency remembers whether it is counted, so
 * that a blocker with very many dependants is settled in several transactions, and may change its mind in between;
 * `unsettled_blockers` names those that are not through.
 *
 * Each further index is a page more in every commit that touches it. So a status stands at the end of the indexes that lists
 * are read from, where a move changes it in its place, and claims are found among the leases that run.
 *
 * `parkings` says which question a task stands still for; `open` is 0 once that question has left it Blocked.
 */
export const sql = `
DROP TABLE task_dependencies;
DROP TABLE tasks;

CREATE TABLE tasks (
  n INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  status TEXT NOT NULL DEFAULT 'Backlog' CHECK ${statusCheck},
  priority TEXT CHECK ${priorityCheck},
  executor TEXT,
  requires_review INTEGER NOT NULL DEFAULT 0 CHECK (requires_review IN (0, 1)),
  parent INTEGER REFERENCES tasks (n),
  open_blockers INTEGER NOT NULL DEFAULT 0 CHECK (open_blockers >= 0),
  children INTEGER NOT NULL DEFAULT 0 CHECK (children >= 0),
  open_children INTEGER NOT NULL DEFAULT 0 CHECK (open_children >= 0),
  done_children INTEGER NOT NULL DEFAULT 0 CHECK (done_children >= 0),
  claim TEXT,
  claimed_by TEXT,
  claimed_at INTEGER,
  lease_ms INTEGER,
  lease_until_at INTEGER,
  lease_left_ms INTEGER,
  start_date TEXT,
  due_date TEXT,
  dispatched_at INTEGER,
  acknowledged_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  issuer TEXT NOT NULL DEFAULT '',
  source_message_id TEXT,
  project_name TEXT,
  team TEXT,
  repository TEXT,
  branch TEXT NOT NULL DEFAULT '',
  working_directory TEXT NOT NULL DEFAULT '',
  session_reference TEXT NOT NULL DEFAULT '',
  quality_verdict TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]',
  assignee TEXT NOT NULL DEFAULT '[]',
  attachments TEXT NOT NULL DEFAULT '[]',
  title TEXT NOT NULL,
  error_message TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  acceptance_criteria TEXT NOT NULL DEFAULT '',
  execution_plan TEXT NOT NULL DEFAULT '',
  context TEXT NOT NULL DEFAULT '',
  artifacts TEXT NOT NULL DEFAULT '',
  agent_output TEXT NOT NULL DEFAULT '',
  rank INTEGER GENERATED ALWAYS AS (CASE priority
    WHEN 'Urgent' THEN 0 WHEN 'High' THEN 1 WHEN 'Medium' THEN 2 WHEN 'Low' THEN 3 ELSE 4 END) VIRTUAL,
  due TEXT GENERATED ALWAYS AS (ifnull(due_date, '~')) VIRTUAL
) STRICT;
CREATE UNIQUE INDEX tasks_ids ON tasks (project, id);
CREATE INDEX tasks_next ON tasks (project, rank, due, created_at, id, executor)
  WHERE status = 'Ready' AND open_blockers = 0;
CREATE INDEX tasks_open ON tasks (project, rank, due, created_at, id, status)
  WHERE NOT (status = 'Done' OR status = 'Cancelled');
CREATE INDEX tasks_finished ON tasks (project, rank, due, created_at, id, status)
  WHERE status = 'Done' OR status = 'Cancelled';
CREATE INDEX tasks_due ON tasks (project, due_date, rank, created_at, id) WHERE due_date IS NOT NULL;
CREATE INDEX tasks_parents ON tasks (parent) WHERE parent IS NOT NULL;
CREATE INDEX tasks_leases ON tasks (lease_until_at, claim) WHERE lease_until_at IS NOT NULL;

CREATE TABLE task_dependencies (
  task INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  blocked_by INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)),
  PRIMARY KEY (task, blocked_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_dependencies_blockers ON task_dependencies (blocked_by, counts, task);

CREATE TABLE unsettled_blockers (
  blocker INTEGER PRIMARY KEY REFERENCES tasks (n) ON DELETE CASCADE
) STRICT;

CREATE TABLE parkings (
  question INTEGER PRIMARY KEY REFERENCES questions (n),
  task INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1))
) STRICT;
CREATE INDEX parkings_tasks ON parkings (task, open);
`;
