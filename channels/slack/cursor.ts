import type { Cursor, Instant } from "../../src/domain/ids.ts";

/** How far everything was heard, and where: read again from there after an outage. */
export type Heard = { readonly team: string; readonly at: Instant; readonly rooms: readonly string[] };

export function writeCursor({ team, at, rooms }: Heard): Cursor {
  return JSON.stringify({ team, at, rooms });
}

/** Undefined for one that is none of this team's. */
export function readCursor(cursor: Cursor | undefined, team: string): Heard | undefined {
  if (cursor === undefined) return undefined;
  try {
    const { team: of, at, rooms } = JSON.parse(cursor) as Record<string, unknown>;
    if (of !== team || typeof at !== "number" || !Array.isArray(rooms)) return undefined;
    return { team, at, rooms: rooms.filter((room) => typeof room === "string") };
  } catch {
    return undefined;
  }
}
