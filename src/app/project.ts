import { realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

/** Project to folder, as configured. */
export type Airlocks = { readonly airlocks: Readonly<Record<string, string>> };

export type ProjectSigns = {
  /** `--project`. */
  readonly flag?: string | undefined;
  /** The question's document: its own `project` field counts. */
  readonly document?: unknown;
  /** The asker's current directory. */
  readonly cwd?: string | undefined;
  readonly config: Airlocks;
};

/** Which project a question belongs to; the first sign that speaks wins. The name is not checked here. */
export function projectFor({ flag, document, cwd, config }: ProjectSigns): string {
  const named = flag || ownProject(document);
  if (named) return named;
  const airlocks = Object.entries(config.airlocks);
  if (airlocks.length === 0) return "default";
  const held = cwd ? holder(airlocks, realPath(cwd)) : undefined;
  if (held) return held;
  return airlocks.length === 1 && airlocks[0] ? airlocks[0][0] : "default";
}

/** Where a project's files lie: the configured folder, else one in the home. */
export function airlockDir(config: Airlocks, home: string, project: string): string {
  return Object.hasOwn(config.airlocks, project)
    ? (config.airlocks[project] as string)
    : join(home, "airlocks", project);
}

/** The configured airlock that holds a folder; undefined where none does. */
export function projectAround(cwd: string, config: Airlocks): string | undefined {
  const airlocks = Object.entries(config.airlocks);
  return airlocks.length === 0 ? undefined : holder(airlocks, realPath(cwd));
}

function ownProject(document: unknown): string | undefined {
  if (typeof document !== "object" || document === null || !("project" in document)) return undefined;
  const { project } = document;
  return typeof project === "string" && project !== "" ? project : undefined;
}

/** The innermost airlock around `folder`. A dot folder such as `repository/.owlpost` stands for its repository. */
function holder(airlocks: readonly [string, string][], folder: string): string | undefined {
  let best: { project: string; length: number } | undefined;
  for (const [project, path] of airlocks) {
    const real = realPath(path);
    const base = basename(real).startsWith(".") ? dirname(real) : real;
    if (folder !== base && !folder.startsWith(base.endsWith(sep) ? base : base + sep)) continue;
    if (!best || base.length > best.length) best = { project, length: base.length };
  }
  return best?.project;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
