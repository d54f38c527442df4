import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { utf8, writeWhole } from "../airlock/files.ts";
import type { Environment } from "../home.ts";
import { type Fields, readEvent } from "./event.ts";
import { type HookCommand, hasOther, hookSettings, mergeSettings, shortestWait } from "./settings.ts";

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
  const named = settingsIn(folder);
  const refused = (why: string): Planned => ({ ok: false, message: `${named} ${why}: nothing was changed` });
  let file = named;
  let before: string | undefined;
  try {
    if (!existsSync(folder)) return refused("cannot be written, since that folder does not exist");
    if (isThere(named)) {
      if (!existsSync(named)) return refused("is a link to a file that is not there");
      file = realpathSync(named);
      const stat = statSync(file);
      if (!stat.isFile()) return refused("is no file");
      if (!isOurs(stat.uid)) return refused("belongs to another account");
      if ((stat.mode & 0o200) === 0) return refused("is read-only");
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
  if (!present)
    return refused(
      hasMore(before ?? "")
        ? "holds comments or trailing commas, which would be lost"
        : "is no JSON object, so Claude Code cannot read it either",
    );
  const merged = mergeSettings(present, how);
  if (!merged.ok) return refused(`is not what Claude Code reads: ${merged.message}`);
  const indent = /^\{\r?\n([ \t]+)/.exec(before ?? "")?.[1] ?? "  ";
  const text = `${JSON.stringify(merged.settings, null, indent)}\n`;
  const written = before?.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
  const after = merged.changed ? written : (before ?? "");
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
  try {
    mkdirSync(dirname(file), { recursive: true });
    const mode = before === undefined ? 0o600 : statSync(file).mode & 0o777;
    const backup = before === undefined ? undefined : freeName(`${file}.bak`, before);
    if (backup !== undefined) await writeWhole(backup, before ?? "", mode);
    await writeWhole(file, after, mode);
    return { ok: true, ...(backup === undefined ? {} : { backup }) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return { ok: false, message: `${file} cannot be written (${code}): nothing was changed` };
  }
}

/** Are there other hooks of owlpost in these settings? What cannot be read has none. */
export function hasOtherHooks(folder: string, { command }: HookCommand): boolean {
  try {
    return hasOther(readEvent(readFileSync(settingsIn(folder), "utf8")) ?? {}, command);
  } catch {
    return false;
  }
}

/** What `owlpost doctor` says of the hooks in an account's settings; undefined where there are none. */
export function hooksFinding(
  folder: string,
  deadlineMs: number,
): { readonly level: "ok" | "warn"; readonly text: string } | undefined {
  let settings: Fields | undefined;
  try {
    settings = readEvent(readFileSync(settingsIn(folder), "utf8"));
  } catch {
    return undefined;
  }
  const seconds = settings && shortestWait(settings);
  if (seconds === undefined) return undefined;
  if (settings?.disableAllHooks === true)
    return {
      level: "warn",
      text: `Claude Code runs none: "disableAllHooks" is true in ${settingsIn(folder)}`,
    };
  const text = `Claude Code waits ${seconds} s for an answer`;
  return seconds * 1_000 > deadlineMs
    ? { level: "ok", text }
    : { level: "warn", text: `${text}, and hook.deadline is longer: start owlpost init --claude-code again` };
}

function settingsIn(folder: string): string {
  return join(folder, ".claude", "settings.json");
}

/** Would it be JSON without its comments and trailing commas? */
function hasMore(text: string): boolean {
  const bare = text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_whole, kept = " ") => kept)
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_whole, kept = "") => kept);
  return readEvent(bare) !== undefined;
}

/** What was kept before is kept on: `settings.json.bak`, else `.bak2`, `.bak3` … unless one of them is the same. */
function freeName(wanted: string, content: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!isThere(name) || (lstatSync(name).isFile() && readFileSync(name, "utf8") === content)) return name;
  }
}

/** How a shell starts owlpost with these words: by its name where every shell finds it, else this very program by its path. */
export function startLine(
  words: string,
  program: string,
  home: string | undefined,
  env: Environment,
): string {
  const isFound = (env.PATH ?? "")
    .split(":")
    .some((folder) => isLasting(folder) && isProgram(join(folder, "owlpost")));
  const start = isFound ? "owlpost" : `${quoted(process.execPath)} ${quoted(program)}`;
  return `${start} ${words}${home === undefined ? "" : ` --home ${quoted(home)}`}`;
}

/** npm and npx put folders into the path of what they run that no other shell has. */
function isLasting(folder: string): boolean {
  return folder.startsWith("/") && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
