/** How far a stream of numbered rows was mirrored; projects whose airlock could not be written stand behind. */
export type Position = { readonly at: number; readonly behind: Readonly<Record<string, number>> };

export const start: Position = { at: 0, behind: {} };

export type Stream<Row> = {
  /** Rows after `since`, oldest first; of one project where it is named. */
  read(since: number, limit: number, project?: string): Promise<readonly Row[]>;
  numberOf(row: Row): number;
  /** Undefined: the row goes to no airlock. */
  projectOf(row: Row): Promise<string | undefined>;
  /** Writes rows of one project; doing it again adds nothing. Throws when the airlock cannot be written. */
  write(project: string, rows: readonly Row[]): Promise<void>;
  failed(project: string, error: unknown): void;
  healed(project: string): void;
};

export type Step = { readonly position: Position; readonly moved: boolean; readonly more: boolean };

/**
 * One page: first the next rows of all projects, then one page of each project that stands behind. A project that
 * fails holds up nobody else and loses nothing.
 */
export async function follow<Row>(
  stream: Stream<Row>,
  position: Position,
  limit: number,
  skip: ReadonlySet<string>,
): Promise<Step> {
  const behind = { ...position.behind };
  const rows = await stream.read(position.at, limit);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const project = await stream.projectOf(row);
    if (project === undefined) continue;
    const group = groups.get(project);
    if (group) group.push(row);
    else groups.set(project, [row]);
  }
  for (const [project, group] of groups) {
    if (Object.hasOwn(behind, project)) continue;
    try {
      await stream.write(project, group);
      stream.healed(project);
    } catch (error) {
      behind[project] = position.at;
      stream.failed(project, error);
    }
  }
  const last = rows.at(-1);
  const at = last === undefined ? position.at : stream.numberOf(last);
  let more = rows.length === limit;
  for (const [project, since] of Object.entries(position.behind)) {
    if (skip.has(project)) continue;
    try {
      const late = (await stream.read(since, limit, project)).filter((row) => stream.numberOf(row) <= at);
      if (late.length > 0) await stream.write(project, late);
      const end = late.at(-1);
      if (late.length < limit || end === undefined) {
        delete behind[project];
        stream.healed(project);
      } else {
        behind[project] = stream.numberOf(end);
        more = true;
      }
    } catch (error) {
      stream.failed(project, error);
    }
  }
  const moved = at !== position.at || JSON.stringify(behind) !== JSON.stringify(position.behind);
  return { position: { at, behind }, moved, more };
}
