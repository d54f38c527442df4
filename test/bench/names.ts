/** The rows, in the order in which they are measured. */
export const rowNames: readonly string[] = [
  "ask",
  "in-flight",
  "cold",
  "reply",
  "batch",
  "outage",
  "notice",
  "idle",
  "deadlines",
  "growth",
  "telegram",
  "stale",
  "guesses",
  "render",
  "memory",
  "mcp",
];
