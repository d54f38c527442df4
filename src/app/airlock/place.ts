import { join, sep } from "node:path";
import { isProjectName } from "../../domain/ids.ts";
import { AirlockFault, ensureFolder } from "./files.ts";

/** Where one project's files lie and how open they are. */
export type Place = {
  readonly project: string;
  readonly dir: string;
  readonly folderMode: number;
  readonly fileMode: number;
};

/** The folders of an airlock. */
export const folders = ["questions", "answers", "steering", "take"] as const;
export type Folder = (typeof folders)[number];

export type Home = {
  readonly home: string;
  /** Project to absolute folder, as configured. */
  readonly airlocks: Readonly<Record<string, string>>;
};

/**
 * One folder of an airlock. Put together by hand: `join` looks at every character, and what looks again every few
 * seconds would make that a hot loop, for which V8 loads 4 MB of optimiser.
 */
export function folderOf({ dir }: Pick<Place, "dir">, folder: Folder): string {
  return `${dir}${sep}${folder}`;
}

/**
 * A home is closed to everybody else; a folder inside a repository is as open as the repository's other files.
 *
 * @throws AirlockFault for a name that could lead out of the home
 */
export function placeOf({ home, airlocks }: Home, project: string): Place {
  const configured = Object.hasOwn(airlocks, project) ? airlocks[project] : undefined;
  if (configured !== undefined) return { project, dir: configured, folderMode: 0o755, fileMode: 0o644 };
  if (!isProjectName(project)) {
    throw new AirlockFault(
      "unreadable",
      `${JSON.stringify(project)} is no project name: use letters, digits, . _ -`,
    );
  }
  return { project, dir: join(home, "airlocks", project), folderMode: 0o700, fileMode: 0o600 };
}

/** One writer of airlock files at a time in a home. */
export function lockPath(home: string): string {
  return join(home, "mirror.lock");
}

export const lockTimeoutMs = 10_000;

/**
 * Makes the airlock's folders where they are missing.
 *
 * @throws AirlockFault when a link or a foreign folder stands in the way
 */
export async function ensurePlace({ home }: Pick<Home, "home">, place: Place): Promise<void> {
  const own = join(home, "airlocks");
  if (place.dir === `${own}${sep}${place.project}`) {
    await ensureFolder(own, 0o700);
  }
  await ensureFolder(place.dir, place.folderMode);
  for (const folder of folders) await ensureFolder(folderOf(place, folder), place.folderMode);
}

export function questionFile(place: Place, id: string): string {
  return join(place.dir, "questions", `${id}.yaml`);
}
