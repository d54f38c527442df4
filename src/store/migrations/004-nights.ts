/**
 * Quiet hours: which change between day and night was made last and how far it has come, so that a service that was
 * killed, or away for a whole night, goes on where it stopped. A question is asked again at most once, which the index
 * holds whatever the code does. A message that may not ring waits in its queue without holding up those behind it.
 */
export const sql = `
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

ALTER TABLE questions ADD COLUMN again INTEGER REFERENCES questions (n);
CREATE UNIQUE INDEX questions_again ON questions (again) WHERE again IS NOT NULL;
CREATE INDEX questions_held ON questions (held_until_at)
  WHERE held_until_at IS NOT NULL AND (state = 'pending' OR state = 'posted');

ALTER TABLE outbox ADD COLUMN waits_until_at INTEGER;
CREATE INDEX outbox_waiting ON outbox (waits_until_at) WHERE waits_until_at IS NOT NULL;
`;
