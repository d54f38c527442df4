/**
 * The key of the tokens that stand in buttons and reply addresses: made once, so that what was sent before a restart is
 * still understood. And more that is counted of a sender; SQLite cannot widen a CHECK, so that table is made anew.
 */
export const sql = `
CREATE TABLE token_keys (
  n INTEGER PRIMARY KEY CHECK (n = 1),
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

ALTER TABLE sender_counters RENAME TO sender_counters_before;
CREATE TABLE sender_counters (
  channel TEXT NOT NULL,
  sender TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name IN ('refusals', 'help', 'pairing', 'stranger', 'again')),
  value INTEGER NOT NULL,
  since_at INTEGER NOT NULL,
  PRIMARY KEY (channel, sender, name)
) STRICT, WITHOUT ROWID;
INSERT INTO sender_counters SELECT channel, sender, name, value, since_at FROM sender_counters_before;
DROP TABLE sender_counters_before;
`;
