import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { utf8, writeWhole } from "../airlock/files.ts";
import type { Environment } from "../home.ts";
import { type Fields, readEvent } from "./event.ts";
import { type HookCommand, hookSettings, mergeSettings } from "./settings.ts";

/** What would be written, and where. */
export type Plan = {
  readonly file: string;
  readonly before?: string;
  readonly after: string;
  readonly changed: boolean;
  /** The part that is owlpost's. */
  readonly ours: Fields;
  /** Claude Code is told there to run no hooks at all. */
  readonly disabled: boolean;
};

export type Planned =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly message: string };

const mostBytes = 1_048_576;

/** Reads `<folder>/.claude/settings.json` and puts the hooks into it. Changes nothing. */
export function planSettings(folder: string, how: HookCommand): Planned {
  const named = join(folder, ".claude", "settings.json");
  const refused = (why: string): Planned => ({ ok: false, message: `${named} ${why}: nothing was changed` });
  let file = named;
  let before: string | undefined;
  try {
    if (!existsSync(folder)) return refused("cannot be written, since that folder does not exist");
    if (isThere(named)) {
      file = realpathSync(named);
      const stat = statSync(file);
      if (!stat.isFile()) return refused("is no file");
      if (!isOurs(stat.uid)) return refused("belongs to another account");
      const bytes = readFileSync(file);
      before = bytes.length > mostBytes ? undefined : utf8(bytes);
      if (before === undefined) return refused("is larger than 1 MiB or not UTF-8");
    } else {
      const near = [dirname(named), folder].find((each) => existsSync(each)) ?? folder;
      if (!isOurs(statSync(near).uid)) return refused("would lie in a folder of another account");
    }
  } catch (error) {
    return refused(`cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
  const isEmpty = before === undefined || before.trim() === "";
  const present = isEmpty ? {} : readEvent(before ?? "");
  if (!present) return refused("is no JSON object");
  const merged = mergeSettings(present, how);
  if (!merged.ok) return refused(`is not what Claude Code reads: ${merged.message}`);
  const indent = /^\{\r?\n([ \t]+)/.exec(before ?? "")?.[1] ?? "  ";
  const after = merged.changed ? `${JSON.stringify(merged.settings, null, indent)}\n` : (before ?? "");
  return {
    ok: true,
    plan: {
      file,
      ...(before === undefined ? {} : { before }),
      after,
      changed: merged.changed,
      ours: hookSettings(how),
      disabled: present.disableAllHooks === true,
    },
  };
}

/** Writes it whole; what was there before is kept beside it. Gives the file of that, or what is wrong. */
export async function writeSettings(
  folder: string,
  how: HookCommand,
  { file, before, after }: Plan,
): Promise<
  { readonly ok: true; readonly backup?: string } | { readonly ok: false; readonly message: string }
> {
  const again = planSettings(folder, how);
  if (!again.ok) return again;
  if (again.plan.before !== before || again.plan.file !== file)
    return { ok: false, message: `${file} was changed meanwhile: start owlpost init again` };
  mkdirSync(dirname(file), { recursive: true });
  const mode = before === undefined ? 0o600 : statSync(file).mode & 0o777;
  const backup = before === undefined ? undefined : `${file}.bak`;
  if (backup !== undefined) await writeWhole(backup, before ?? "", mode);
  await writeWhole(file, after, mode);
  return { ok: true, ...(backup === undefined ? {} : { backup }) };
}

/** `owlpost hook claude-code` where the shell finds owlpost, else this very program by its path. */
export function hookCommand(program: string, home: string | undefined, env: Environment): string {
  const isFound = (env.PATH ?? "")
    .split(":")
    .some((folder) => folder !== "" && existsSync(join(folder, "owlpost")));
  const start = isFound ? "owlpost" : `${quoted(process.execPath)} ${quoted(program)}`;
  return `${start} hook claude-code${home === undefined ? "" : ` --home ${quoted(home)}`}`;
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function isOurs(uid: number): boolean {
  const mine = process.getuid?.();
  return mine === undefined || uid === mine;
}
