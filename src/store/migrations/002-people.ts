/**
 * People, and what is kept of those who speak.
 *
 * SQLite cannot widen a CHECK, so the outbox is made anew and what waits in it moves over as it lies. Ids of bindings and
 * of pairing codes come from one counter and are never given twice: the line that revokes one may stand in a chat for
 * years, and must not hit another. Codes leave the table when they are used, revoked or long past; only hashes of them
 * were ever there.
 */
export const sql = `
ALTER TABLE outbox RENAME TO outbox_before;
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
  created_at INTEGER NOT NULL,
  PRIMARY KEY (channel, destination, id)
) STRICT, WITHOUT ROWID;
INSERT INTO outbox (channel, destination, id, kind, question, notice_kind, notice_text, attempts, not_before_at, created_at)
  SELECT channel, destination, id, kind, question, notice_kind, notice_text, attempts, not_before_at, created_at
  FROM outbox_before;
DROP TABLE outbox_before;

CREATE INDEX deliveries_refs ON deliveries (channel, ref);

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
CREATE INDEX pairing_codes_live ON pairing_codes (expires_at);
INSERT INTO counters (name, value) VALUES ('pairing', 0);

CREATE TABLE sender_counters (
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name = 'refusals' OR name = 'help' OR name = 'pairing'),
  value INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  PRIMARY KEY (channel, sender, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE typed_replies (
  channel TEXT NOT NULL,
  message TEXT NOT NULL,
  accepted INTEGER NOT NULL CHECK (accepted = 0 OR accepted = 1),
  question TEXT,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (channel, message)
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
CREATE INDEX gathered_receipts_due ON gathered_receipts (due_at);

CREATE TABLE gathered_lines (
  receipt INTEGER NOT NULL REFERENCES gathered_receipts (n) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (receipt, place)
) STRICT, WITHOUT ROWID;
`;
