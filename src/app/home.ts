import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `OWLPOST_AS=agent`: set for whatever an agent runs; it asks, and never answers. */
export function isAgentIn(env: Environment): boolean {
  // Any value but the owner's counts, so that a misspelt one does not open what it should close.
  const as = env.OWLPOST_AS?.trim().toLowerCase() ?? "";
  return as !== "" && as !== "owner";
}

/** Names that only a home of owlpost holds; a folder with one of them may be tightened without asking. */
const ownNames = ["owlpost.db", "config.yaml", "airlocks"];

/** Linux allows 107 bytes in a socket's path; the rest is room for other systems. */
const maxSocketPathBytes = 100;

/** `--home`, else `OWLPOST_HOME`, else `~/.owlpost`; always absolute. */
export function homePath(flag: string | undefined, env: Environment): string {
  const named = flag || env.OWLPOST_HOME;
  return named ? resolve(named) : join(env.HOME || homedir(), ".owlpost");
}

export type HomeCheck =
  | { readonly ok: true; readonly home: string; readonly tightened?: true }
  | { readonly ok: false; readonly message: string };

/**
 * Makes the home (mode 0700), or checks one that exists: a folder, ours, closed to everybody else.
 * A looser mode is tightened when the folder is empty or already a home; any other folder is refused,
 * so that `--home /srv` never takes a folder of somebody else's files away from them.
 */
export function openHome(home: string): HomeCheck {
  try {
    makeFolder(home);
  } catch (error) {
    return {
      ok: false,
      message: `the home ${home} cannot be made (${errorCode(error)}): choose another with --home`,
    };
  }
  const stat = statSync(home);
  if (!stat.isDirectory()) {
    return { ok: false, message: `the home ${home} is a file, not a folder: choose another with --home` };
  }
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) {
    return { ok: false, message: `the home ${home} belongs to another account: choose another with --home` };
  }
  if ((stat.mode & 0o077) === 0) return { ok: true, home };
  const names = readdirSync(home);
  const ours = names.length === 0 || names.some((name) => ownNames.includes(name));
  const shared = (stat.mode & 0o7000) !== 0;
  if (!ours || shared) {
    return {
      ok: false,
      message: `the home ${home} is open to other accounts and holds other files: choose an empty folder, or close it with chmod 700 ${home}`,
    };
  }
  chmodSync(home, 0o700);
  return { ok: true, home, tightened: true };
}

/** The socket of the running service. A home whose path is too long for a socket keeps the real place in `socket-path`. */
export function socketPath(home: string): string {
  const near = join(home, "owlpost.sock");
  if (Buffer.byteLength(near) <= maxSocketPathBytes) return near;
  const pointer = join(home, "socket-path");
  try {
    const stat = lstatSync(pointer);
    const uid = process.getuid?.();
    if (!stat.isFile() || stat.size > 4096 || (uid !== undefined && stat.uid !== uid)) return near;
    return readFileSync(pointer, "utf8").trim() || near;
  } catch {
    return near;
  }
}

/** Where a running service says which configuration it could not take up. */
export function refusalPath(home: string): string {
  return join(home, "config.refused");
}

/** The folder that holds `config/samples`, `package.json` and `dist`, for sources and bundle alike. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "config", "samples"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the files of owlpost are not complete: install it again");
    folder = parent;
  }
  return folder;
}

/** Folders above are made only where they are missing: in some places (/proc) Node's own recursion never ends. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (existsSync(dirname(path))) mkdirSync(path, { mode: 0o700 });
  else mkdirSync(path, { recursive: true, mode: 0o700 });
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}
