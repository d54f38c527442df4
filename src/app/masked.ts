import type { Config } from "./config.ts";

/** No channel repeats a secret; should one do so, it ends here. */
export function masked(text: string, config: Config): string {
  let out = text;
  for (const settings of Object.values(config.channels)) {
    for (const secret of secretsIn(settings)) out = out.replaceAll(secret, "[redacted]");
  }
  return out;
}

function secretsIn(value: unknown, key = ""): readonly string[] {
  if (typeof value === "string")
    return /token|secret|pass|key|^(?:webhook|url)$/i.test(key) && value.length >= 6 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => secretsIn(each, name));
}
