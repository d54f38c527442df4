import type { NextPlace } from "../../domain/board.ts";
import { isFinished, priorities, type TaskStatus } from "../../domain/task.ts";

/** The order in which work is offered: priority (none last), due date (none last), age, id. */
export function compareNext(a: NextPlace, b: NextPlace): number {
  return (
    rank(a.priority) - rank(b.priority) ||
    compareText(a.dueDate ?? afterAll, b.dueDate ?? afterAll) ||
    a.createdAt - b.createdAt ||
    compareText(a.id, b.id)
  );
}

export function rank(priority: string | null): number {
  const place = (priorities as readonly (string | null)[]).indexOf(priority);
  return place < 0 ? priorities.length : place;
}

/** Behind every date. */
const afterAll = "~";

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Is it Ready, with no blocker that is still open? A blocker that was deleted blocks nothing. */
export function isActionable(
  status: TaskStatus,
  blockedBy: readonly string[],
  statusOf: (id: string) => TaskStatus | undefined,
): boolean {
  return status === "Ready" && openBlockers(blockedBy, statusOf).length === 0;
}

export function openBlockers(
  blockedBy: readonly string[],
  statusOf: (id: string) => TaskStatus | undefined,
): readonly string[] {
  return blockedBy.filter((id) => {
    const status = statusOf(id);
    return status !== undefined && !isFinished(status);
  });
}
