import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Config, type ConfigError, defaultConfig } from "./config-values.ts";
import type { Environment } from "./home.ts";
import { withSecrets } from "./secrets-file.ts";

export type { Config, ConfigError } from "./config-values.ts";
export { defaultConfig } from "./config-values.ts";
export { airlockDir, projectFor } from "./project.ts";

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly file: string; readonly errors: readonly ConfigError[] };

const maxConfigBytes = 1_048_576;

/**
 * Reads `<home>/config.yaml`; a variable that the environment does not give is looked for in `<home>/secrets.env`.
 * Without a configuration neither the YAML reader nor the schemas are loaded.
 */
export async function loadConfig(home: string, env: Environment): Promise<LoadedConfig> {
  const file = join(home, "config.yaml");
  let text: string;
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return refused(file, "is not a file");
    if (stat.size > maxConfigBytes) return refused(file, "is larger than 1 MiB");
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return { ok: true, config: defaultConfig() };
    return refused(file, `cannot be read (${code ?? "unknown error"})`);
  }
  const { readConfig } = await import("./config-read.ts");
  const filled = text.includes("${") ? withSecrets(home, env) : ({ ok: true, env } as const);
  if (!filled.ok) return filled;
  const read = await readConfig(text, filled.env);
  return read.ok ? { ok: true, config: { file, ...read.config } } : { ok: false, file, errors: read.errors };
}

/** For people: one line an error, `config.yaml:7: channels.inbox.port: …`. */
export function configErrorLines(file: string, errors: readonly ConfigError[]): string[] {
  return errors.map((error) => {
    const place = error.line === undefined ? file : `${file}:${error.line}`;
    return error.path ? `${place}: ${error.path}: ${error.message}` : `${place}: ${error.message}`;
  });
}

function refused(file: string, message: string): LoadedConfig {
  return { ok: false, file, errors: [{ path: "", message }] };
}
