import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isProjectName } from "../domain/ids.ts";
import type { Environment } from "./home.ts";

/** A git work tree. */
export type WorkTree = {
  readonly folder: string;
  /** Its `info/exclude`: what git leaves aside here and nowhere else. */
  readonly exclude: string;
};

/** The work tree around a folder; undefined where there is none, or no git. */
export async function workTreeAround(folder: string, env: Environment): Promise<WorkTree | undefined> {
  const from = nearestFolder(folder);
  const said = await git(from, ["rev-parse", "--show-toplevel", "--git-path", "info/exclude"], env);
  const [top, exclude] = said?.split("\n") ?? [];
  return top && exclude ? { folder: top, exclude: resolve(from, exclude) } : undefined;
}

/** Does git leave this folder of the work tree aside already? */
export async function isExcluded(tree: WorkTree, airlock: string, env: Environment): Promise<boolean> {
  const inside = join(relative(tree.folder, airlock), "questions");
  return (await git(tree.folder, ["check-ignore", "-q", "--", inside], env)) !== undefined;
}

/** The line of `info/exclude` that names exactly this folder. */
export function excludeLine(tree: WorkTree, airlock: string): string {
  const path = relative(tree.folder, airlock).split(sep).join("/");
  return `/${path.replaceAll(/[\\*?[\]]/g, "\\$&")}/`;
}

/** A repository's name as a project's name. */
export function projectNameOf(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, 64);
  return isProjectName(name) ? name : "project";
}

/** The home and an airlock hold different things: neither may be, or hold, the other. */
export function meetsHome(airlock: string, home: string): boolean {
  return airlock === home || airlock.startsWith(home + sep) || home.startsWith(airlock + sep);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** What git said, without its last line break; undefined when it said no or is not there. */
function git(cwd: string, args: readonly string[], env: Environment): Promise<string | undefined> {
  // The folder is what is meant, even where a hook of git set these.
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = env;
  return new Promise((tell) => {
    execFile("git", [...args], { cwd, env: rest, timeout: 10_000 }, (error, stdout) => {
      tell(error ? undefined : stdout.replace(/\n$/, ""));
    });
  });
}
