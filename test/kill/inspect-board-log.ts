import { type Mover, moveRule } from "../../src/core/board/transitions.ts";
import { takeMark } from "../../src/core/digest.ts";
import type { Event, EventKind } from "../../src/domain/event.ts";
import type { TaskStatus } from "../../src/domain/task.ts";
import type { BoardRows, TaskRow } from "./board-rows.ts";

const movers: Partial<Record<EventKind, Mover>> = {
  "task.moved": "user",
  "task.claimed": "user",
  "task.cascaded": "cascade",
  "task.lapsed": "lapse",
  "task.released": "release",
  "task.parked": "question",
  "task.freed": "question",
};

/** The log of every task is a path that the table allows, from its making to where the row stands. */
export function inspectBoardLog({ tasks, events }: BoardRows): string[] {
  const wrong: string[] = [];
  const logs = new Map<string, Event[]>();
  for (const event of events) {
    const key = `${event.project} ${event.task}`;
    const log = logs.get(key);
    if (log) log.push(event);
    else logs.set(key, [event]);
  }
  const rows = new Map(tasks.map((task) => [`${task.project} ${task.id}`, task]));
  for (const [key, task] of rows) if (!logs.has(key)) wrong.push(`${task.id} is in no log`);
  for (const [key, log] of logs) {
    for (const fault of replay(rows.get(key), log)) wrong.push(`${log[0]?.task}: ${fault}`);
  }
  return wrong;
}

/** Who holds it, since when at least, and for how long it was given. */
type Held = { readonly mark: unknown; readonly at: number; readonly leaseMs: number };

function replay(row: TaskRow | undefined, log: readonly Event[]): string[] {
  const wrong: string[] = [];
  let status: TaskStatus | undefined;
  let held: Held | undefined;
  let notes = 0;
  let writtenByHand = false;
  for (const { seq, at, kind, data } of log) {
    if (kind === "task.created" || kind === "task.imported") {
      if (status !== undefined) wrong.push(`${kind} (${seq}) although it is there`);
      status = data.status as TaskStatus;
      [held, notes, writtenByHand] = [undefined, 0, false];
      continue;
    }
    if (status === undefined) {
      wrong.push(`${kind} (${seq}) of a task that is not there`);
      continue;
    }
    if (kind === "task.deleted") {
      status = undefined;
      continue;
    }
    if (Array.isArray(data.fields) && data.fields.includes("context")) writtenByHand = true;
    if (kind === "task.left-blocked") held = undefined;
    const mover = movers[kind];
    if (!mover) continue;
    const { from, to } = data as { from: TaskStatus; to: TaskStatus };
    if (from !== status) wrong.push(`${kind} (${seq}) comes from ${from}, it was ${status}`);
    if (from !== to && moveRule(from, to, mover).kind !== "allowed")
      wrong.push(`${kind} (${seq}) goes from ${from} to ${to}, which is no move`);
    if (kind === "task.claimed") {
      if (held && at < held.at + held.leaseMs) wrong.push(`claimed (${seq}) while ${held.mark} holds it`);
      held = { mark: data.claim, at, leaseMs: Number(data.lease_ms) };
    } else if (kind === "task.released" || kind === "task.lapsed") {
      if (data.claim !== held?.mark) wrong.push(`${kind} (${seq}) of ${data.claim}, ${held?.mark} holds it`);
      if (kind === "task.lapsed" && held && at < held.at + held.leaseMs)
        wrong.push(`lapsed (${seq}) before its time`);
      held = undefined;
    } else if (!keepsClaim(from, to)) held = undefined;
    if (kind === "task.cascaded") notes += 1;
    status = to;
  }
  if (row?.status !== status)
    wrong.push(`its log ends in ${status ?? "nothing"}, its row is ${row?.status ?? "gone"}`);
  if (!row) return wrong;
  const mark = row.claim === null ? undefined : takeMark(row.claim);
  // The last of several questions may end the claim of a task that stays Blocked.
  const isOver = mark === undefined && row.status === "Blocked";
  if (mark !== held?.mark && !isOver)
    wrong.push(`its log ends with claim ${held?.mark}, its row with ${mark}`);
  const written = row.context.match(/^- \[Auto\] Status /gm)?.length ?? 0;
  if (written !== notes && !writtenByHand) wrong.push(`${notes} cascades, and ${written} notes of them`);
  return wrong;
}

/** A parked task is still its worker's. */
function keepsClaim(from: TaskStatus, to: TaskStatus): boolean {
  return (
    (from === "In Progress" && to === "Blocked") ||
    (from === "Blocked" && to === "In Progress") ||
    (from === "Blocked" && to === "Blocked")
  );
}
