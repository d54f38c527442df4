/**
 * Orders to stop a run. A row is one run in one project; it waits until a take of the loop was confirmed, so at most one
 * waits at a time, and those that wait are few. Rows are kept: they say who stopped what, and when the loop knew.
 */
export const sql = `
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
CREATE UNIQUE INDEX aborts_waiting ON aborts (run, project) WHERE confirmed_at IS NULL;
CREATE INDEX aborts_claims ON aborts (claim) WHERE claim IS NOT NULL;
`;
