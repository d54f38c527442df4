import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigError } from "./config-values.ts";
import type { Environment } from "./home.ts";

export type Secrets =
  | { readonly ok: true; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly file: string; readonly errors: readonly ConfigError[] };

const mostBytes = 65_536;

/** The name of a variable, in the environment and in `secrets.env` alike. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Where a home keeps what the environment does not give. */
export function secretsPath(home: string): string {
  return join(home, "secrets.env");
}

/**
 * The environment with `<home>/secrets.env` behind it: what is set in the environment wins. The file is refused when
 * others can read it, when it is not ours, or when a line is no `NAME=value`; no error repeats what stands in it.
 */
export function withSecrets(
  home: string,
  env: Environment,
): { readonly ok: true; readonly env: Environment } | Extract<Secrets, { ok: false }> {
  const secrets = readSecrets(home);
  if (!secrets.ok) return secrets;
  const filled: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(secrets.values)) filled[name] ||= value;
  return { ok: true, env: filled };
}

/** What `<home>/secrets.env` holds; nothing where there is no such file. */
export function readSecrets(home: string): Secrets {
  const file = secretsPath(home);
  const refused = (message: string): Secrets => ({ ok: false, file, errors: [{ path: "", message }] });
  let descriptor: number;
  try {
    // Non-blocking: opening a pipe must not wait for its writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT") return { ok: true, values: {} };
    if (code === "ELOOP") return refused("is a symbolic link: put the file itself there");
    return refused(`cannot be read (${code})`);
  }
  try {
    const stat = fstatSync(descriptor);
    const uid = process.getuid?.();
    if (!stat.isFile()) return refused("is not a file");
    if (uid !== undefined && stat.uid !== uid)
      return refused("belongs to another account: make it this one's");
    // On Windows a mode says nothing.
    if (uid !== undefined && (stat.mode & 0o077) !== 0) {
      return refused(`is open to other accounts: close it with chmod 600 ${file}`);
    }
    if (stat.size > mostBytes) return refused("is larger than 64 KiB");
    const { values, errors } = readLines(readFileSync(descriptor, "utf8"));
    return errors.length > 0 ? { ok: false, file, errors } : { ok: true, values };
  } finally {
    closeSync(descriptor);
  }
}

/** The text of the file with one variable set: its line is replaced, every other line stays. */
export function withSecret(text: string, name: string, value: string): string {
  const kept = text.split("\n").filter((line) => entryOf(line.trimEnd())?.name !== name);
  while (kept.at(-1)?.trim() === "") kept.pop();
  return `${[...kept, `${name}=${value}`].join("\n")}\n`;
}

function readLines(text: string) {
  const values: Record<string, string> = {};
  const errors: ConfigError[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const entry = entryOf(line);
    const number = index + 1;
    if (!entry) errors.push({ path: "", line: number, message: "must be NAME=value, or begin with #" });
    else if (Object.hasOwn(values, entry.name)) {
      errors.push({ path: entry.name, line: number, message: "stands here twice" });
    } else values[entry.name] = entry.value;
  }
  return { values, errors };
}

/** `NAME=value`, as systemd reads it too: a pair of quotes around the value is no part of it. */
function entryOf(line: string): { readonly name: string; readonly value: string } | undefined {
  const [, name, raw = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const value = raw.trim();
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return { name, value: quoted?.[2] ?? value };
}
