/**
 * What a channel's health remembers beside whether it is up: destinations that refuse everything (a JSON list, as nobody
 * looks for one of them alone), and the latest outage in which presses were lost.
 */
export const sql = `
ALTER TABLE channel_health ADD COLUMN refused TEXT;
ALTER TABLE channel_health ADD COLUMN away_from_at INTEGER;
ALTER TABLE channel_health ADD COLUMN away_to_at INTEGER;
`;
