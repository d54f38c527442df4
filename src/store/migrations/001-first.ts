/**
 * SQLite builds a small tree for an `IN` of three values or more, each time a row is written; plain comparisons
 * take no time. That was a quarter of what an ask cost beside its fsync.
 */
const oneOf = (column: string, ...values: readonly string[]): string =>
  `(${values.map((value) => `${column} = '${value}'`).join(" OR ")})`;

/**
 * The first schema.
 *
 * What an ask must write decides its price, so `questions` holds short columns only and the text lies in
 * `documents`, which never changes: a move rewrites a row of some 200 bytes and not the document. Every index but
 * the one on the id is partial, so that a question that came to its end costs the others nothing.
 * `n` is given in the order of asking and rows are never deleted: `max(n)` is how many there are.
 *
 * What waits to be taken is few, so `questions_decided` is walked through in the order of asking, and its columns save
 * the look at the row. Rows of `inbox` lie as they came, with an index of their keys beside them: keys of a platform may
 * be random, and a batch of a hundred would write two hundred pages if the texts lay in the order of the keys.
 */
export const sql = `
CREATE TABLE tasks (
  n INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  acceptance_criteria TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'Backlog'
    CHECK (status IN ('Backlog', 'Ready', 'In Progress', 'In Review', 'Done', 'Blocked', 'Cancelled')),
  priority TEXT CHECK (priority IN ('Urgent', 'High', 'Medium', 'Low')),
  executor TEXT,
  requires_review INTEGER NOT NULL DEFAULT 0 CHECK (requires_review IN (0, 1)),
  execution_plan TEXT NOT NULL DEFAULT '',
  working_directory TEXT NOT NULL DEFAULT '',
  session_reference TEXT NOT NULL DEFAULT '',
  dispatched_at INTEGER,
  agent_output TEXT NOT NULL DEFAULT '',
  error_message TEXT NOT NULL DEFAULT '',
  issuer TEXT NOT NULL DEFAULT '',
  quality_verdict TEXT NOT NULL DEFAULT '',
  context TEXT NOT NULL DEFAULT '',
  artifacts TEXT NOT NULL DEFAULT '',
  repository TEXT,
  start_date TEXT,
  due_date TEXT,
  tags TEXT NOT NULL DEFAULT '[]',
  parent INTEGER REFERENCES tasks (n),
  team TEXT,
  assignee TEXT NOT NULL DEFAULT '[]',
  attachments TEXT NOT NULL DEFAULT '[]',
  acknowledged_at INTEGER,
  branch TEXT NOT NULL DEFAULT '',
  source_message_id TEXT,
  open_blockers INTEGER NOT NULL DEFAULT 0 CHECK (open_blockers >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (project, id)
) STRICT;

CREATE TABLE task_dependencies (
  task INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  blocked_by INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  PRIMARY KEY (task, blocked_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_dependencies_blockers ON task_dependencies (blocked_by);

CREATE TABLE questions (
  n INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  part TEXT NOT NULL,
  seq INTEGER NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK ${oneOf("state", "pending", "posted", "answered", "applied", "expired", "default_applied", "resolved", "cancelled")},
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL,
  zone TEXT NOT NULL,
  default_action TEXT NOT NULL CHECK ${oneOf("default_action", "skip_spec", "take_recommended", "stay_parked")},
  held_until_at INTEGER,
  key TEXT,
  outcome TEXT,
  answer TEXT,
  claim TEXT,
  claim_run TEXT,
  taken_at INTEGER,
  lease_until_at INTEGER,
  confirmed_at INTEGER,
  result TEXT,
  why TEXT
) STRICT;
CREATE UNIQUE INDEX questions_ids ON questions (run, part, seq);
CREATE UNIQUE INDEX questions_keys ON questions (project, key) WHERE key IS NOT NULL;
CREATE INDEX questions_open ON questions (deadline_at, state) WHERE state IN ('pending', 'posted');
CREATE INDEX questions_decided ON questions (n, task, project, run)
  WHERE state = 'answered' OR (state = 'expired' AND default_action <> 'stay_parked');
CREATE INDEX questions_claims ON questions (claim) WHERE state IN ('applied', 'default_applied');
CREATE INDEX questions_leases ON questions (lease_until_at)
  WHERE state IN ('applied', 'default_applied') AND confirmed_at IS NULL;
CREATE INDEX questions_past ON questions (state)
  WHERE ${oneOf("state", "expired", "applied", "default_applied", "resolved", "cancelled")};

CREATE TABLE documents (
  question INTEGER PRIMARY KEY REFERENCES questions (n),
  document TEXT NOT NULL
) STRICT;

CREATE TABLE deliveries (
  question INTEGER NOT NULL REFERENCES questions (n),
  channel TEXT NOT NULL,
  destination TEXT NOT NULL,
  ref TEXT NOT NULL,
  revision INTEGER NOT NULL,
  posted_at INTEGER NOT NULL,
  PRIMARY KEY (question, channel, destination, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  channel TEXT NOT NULL,
  destination TEXT NOT NULL,
  id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK ${oneOf("kind", "post", "edit", "notice")},
  question TEXT,
  notice_kind TEXT,
  notice_text TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (channel, destination, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  channel TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  ack TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX inbox_keys ON inbox (channel, key);

CREATE TABLE cursors (
  channel TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
  n INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE bindings (
  n INTEGER PRIMARY KEY,
  person INTEGER NOT NULL REFERENCES people (n),
  channel TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (channel, address)
) STRICT;
CREATE INDEX bindings_people ON bindings (person);

CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  project TEXT NOT NULL,
  task TEXT,
  run TEXT,
  question TEXT,
  sender TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  question TEXT,
  task TEXT,
  project TEXT,
  data TEXT NOT NULL
) STRICT;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES
  ('applied', 0), ('expired', 0), ('default_applied', 0), ('resolved', 0), ('cancelled', 0), ('job', 0);

CREATE TABLE services (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  token TEXT NOT NULL,
  host TEXT NOT NULL,
  socket TEXT NOT NULL,
  port INTEGER,
  since_at INTEGER NOT NULL
) STRICT;

CREATE TABLE channel_health (
  channel TEXT PRIMARY KEY,
  up INTEGER NOT NULL CHECK (up IN (0, 1)),
  since_at INTEGER NOT NULL,
  last_receive_at INTEGER,
  detail TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('link', 'session')),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
