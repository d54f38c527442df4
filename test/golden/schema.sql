PRAGMA user_version = 7;

CREATE TABLE aborts (
  n INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  project TEXT NOT NULL,
  sender TEXT NOT NULL,
  aborted_at INTEGER NOT NULL,
  claim TEXT,
  claim_run TEXT,
  taken_at INTEGER,
  lease_until_at INTEGER,
  confirmed_at INTEGER
) STRICT;

CREATE TABLE bindings (
  n INTEGER PRIMARY KEY,
  person INTEGER NOT NULL REFERENCES people (n),
  channel TEXT NOT NULL,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (channel, address)
) STRICT;

CREATE TABLE channel_health (
  channel TEXT PRIMARY KEY,
  up INTEGER NOT NULL CHECK (up IN (0, 1)),
  since_at INTEGER NOT NULL,
  last_receive_at INTEGER,
  detail TEXT
, refused TEXT, away_from_at INTEGER, away_to_at INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE cursors (
  channel TEXT PRIMARY KEY,
  cursor TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  question INTEGER NOT NULL REFERENCES questions (n),
  channel TEXT NOT NULL,
  destination TEXT NOT NULL,
  ref TEXT NOT NULL,
  revision INTEGER NOT NULL,
  posted_at INTEGER NOT NULL,
  PRIMARY KEY (question, channel, destination, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
  question INTEGER PRIMARY KEY REFERENCES questions (n),
  document TEXT NOT NULL
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

CREATE TABLE gathered_lines (
  receipt INTEGER NOT NULL REFERENCES gathered_receipts (n) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (receipt, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE gathered_receipts (
  n INTEGER PRIMARY KEY,
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  destination TEXT NOT NULL,
  reply_to TEXT,
  due_at INTEGER NOT NULL,
  UNIQUE (channel, sender, destination)
) STRICT;

CREATE TABLE inbox (
  channel TEXT NOT NULL,
  key TEXT NOT NULL,
  payload TEXT NOT NULL,
  ack TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;

CREATE TABLE nights (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  phase TEXT NOT NULL CHECK (phase = 'night' OR phase = 'day'),
  stage TEXT NOT NULL CHECK (stage = 'ended' OR stage = 'open' OR stage = 'morning' OR stage = 'done'),
  rules TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  until_at INTEGER,
  night_event INTEGER NOT NULL,
  ended_event INTEGER NOT NULL,
  open_question INTEGER NOT NULL
) STRICT;

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

CREATE TABLE outbox (
  channel TEXT NOT NULL,
  destination TEXT NOT NULL,
  id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind = 'post' OR kind = 'edit' OR kind = 'notice' OR kind = 'receipt'),
  question TEXT,
  notice_kind TEXT,
  notice_text TEXT,
  reply_to TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL, waits_until_at INTEGER,
  PRIMARY KEY (channel, destination, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pairing_codes (
  n INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  channel TEXT NOT NULL,
  address TEXT,
  salt TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  link_hash TEXT NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE parkings (
  question INTEGER PRIMARY KEY REFERENCES questions (n),
  task INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1))
) STRICT;

CREATE TABLE people (
  n INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE questions (
  n INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  part TEXT NOT NULL,
  seq INTEGER NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'posted' OR state = 'answered' OR state = 'applied' OR state = 'expired' OR state = 'default_applied' OR state = 'resolved' OR state = 'cancelled'),
  revision INTEGER NOT NULL,
  digest TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL,
  zone TEXT NOT NULL,
  default_action TEXT NOT NULL CHECK (default_action = 'skip_spec' OR default_action = 'take_recommended' OR default_action = 'stay_parked'),
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
, again INTEGER REFERENCES questions (n)) STRICT;

CREATE TABLE sender_counters (
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name IN ('refusals', 'help', 'pairing', 'stranger', 'again')),
  value INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  PRIMARY KEY (channel, sender, name)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE task_dependencies (
  task INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  blocked_by INTEGER NOT NULL REFERENCES tasks (n) ON DELETE CASCADE,
  counts INTEGER NOT NULL CHECK (counts IN (0, 1)),
  PRIMARY KEY (task, blocked_by)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  n INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  id TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  status TEXT NOT NULL DEFAULT 'Backlog' CHECK (status = 'Backlog' OR status = 'Ready' OR status = 'In Progress' OR status = 'In Review' OR status = 'Done' OR status = 'Blocked' OR status = 'Cancelled'),
  priority TEXT CHECK (priority = 'Urgent' OR priority = 'High' OR priority = 'Medium' OR priority = 'Low'),
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

CREATE TABLE token_keys (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('link', 'session')),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE typed_replies (
  channel TEXT NOT NULL,
  message TEXT NOT NULL,
  accepted INTEGER NOT NULL CHECK (accepted = 0 OR accepted = 1),
  question TEXT,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (channel, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE unsettled_blockers (
  blocker INTEGER PRIMARY KEY REFERENCES tasks (n) ON DELETE CASCADE
) STRICT;

CREATE INDEX aborts_claims ON aborts (claim) WHERE claim IS NOT NULL;

CREATE UNIQUE INDEX aborts_waiting ON aborts (run, project) WHERE confirmed_at IS NULL;

CREATE INDEX bindings_people ON bindings (person);

CREATE INDEX deliveries_refs ON deliveries (channel, ref);

CREATE INDEX gathered_receipts_due ON gathered_receipts (due_at);

CREATE UNIQUE INDEX inbox_keys ON inbox (channel, key);

CREATE INDEX outbox_waiting ON outbox (waits_until_at) WHERE waits_until_at IS NOT NULL;

CREATE INDEX pairing_codes_live ON pairing_codes (expires_at);

CREATE INDEX parkings_tasks ON parkings (task, open);

CREATE UNIQUE INDEX questions_again ON questions (again) WHERE again IS NOT NULL;

CREATE INDEX questions_claims ON questions (claim) WHERE state IN ('applied', 'default_applied');

CREATE INDEX questions_decided ON questions (n, task, project, run)
  WHERE state = 'answered' OR (state = 'expired' AND default_action <> 'stay_parked');

CREATE INDEX questions_held ON questions (held_until_at)
  WHERE held_until_at IS NOT NULL AND (state = 'pending' OR state = 'posted');

CREATE UNIQUE INDEX questions_ids ON questions (run, part, seq);

CREATE UNIQUE INDEX questions_keys ON questions (project, key) WHERE key IS NOT NULL;

CREATE INDEX questions_leases ON questions (lease_until_at)
  WHERE state IN ('applied', 'default_applied') AND confirmed_at IS NULL;

CREATE INDEX questions_open ON questions (deadline_at, state) WHERE state IN ('pending', 'posted');

CREATE INDEX questions_past ON questions (state)
  WHERE (state = 'expired' OR state = 'applied' OR state = 'default_applied' OR state = 'resolved' OR state = 'cancelled');

CREATE INDEX task_dependencies_blockers ON task_dependencies (blocked_by, counts, task);

CREATE INDEX tasks_due ON tasks (project, due_date, rank, created_at, id) WHERE due_date IS NOT NULL;

CREATE INDEX tasks_finished ON tasks (project, rank, due, created_at, id, status)
  WHERE status = 'Done' OR status = 'Cancelled';

CREATE UNIQUE INDEX tasks_ids ON tasks (project, id);

CREATE INDEX tasks_leases ON tasks (lease_until_at, claim) WHERE lease_until_at IS NOT NULL;

CREATE INDEX tasks_next ON tasks (project, rank, due, created_at, id, executor)
  WHERE status = 'Ready' AND open_blockers = 0;

CREATE INDEX tasks_open ON tasks (project, rank, due, created_at, id, status)
  WHERE NOT (status = 'Done' OR status = 'Cancelled');

CREATE INDEX tasks_parents ON tasks (parent) WHERE parent IS NOT NULL;
