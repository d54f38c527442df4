import { isFinished } from "../../src/domain/task.ts";
import type { BoardRows, TaskRow } from "./board-rows.ts";
import { inspectBoardLog } from "./inspect-board-log.ts";

/**
 * A board that nobody works on any more: every number is what can be counted, everything that says the same thing twice
 * agrees, and nothing waits for a process that is gone. In words; empty when all of it holds.
 */
export function inspectBoard(rows: BoardRows): string[] {
  const wrong = [
    ...inspectBlockers(rows),
    ...inspectFamilies(rows),
    ...inspectClaims(rows),
    ...inspectParkings(rows),
  ];
  return [...wrong, ...inspectBoardLog(rows)];
}

function inspectBlockers({ tasks, dependencies, unsettled }: BoardRows): string[] {
  const wrong: string[] = [];
  const byNumber = new Map(tasks.map((task) => [task.n, task]));
  const open = new Map<number, number>();
  const blockers = new Map<number, number[]>();
  for (const { task, blocked_by: blocker, counts } of dependencies) {
    const found = byNumber.get(blocker);
    const blocks = found !== undefined && !isFinished(found.status);
    if (blocks) open.set(task, (open.get(task) ?? 0) + 1);
    blockers.set(task, [...(blockers.get(task) ?? []), blocker]);
    if ((counts === 1) !== blocks)
      wrong.push(
        `${nameOf(byNumber, task)} ${counts === 1 ? "counts" : "does not count"} its blocker ${nameOf(byNumber, blocker)}, which is ${found?.status}`,
      );
  }
  for (const { n, id, open_blockers: counted } of tasks) {
    const real = open.get(n) ?? 0;
    if (counted !== real) wrong.push(`${id} says ${counted} open blockers, it has ${real}`);
  }
  for (const blocker of unsettled)
    wrong.push(`${nameOf(byNumber, blocker)} is not through with its dependants`);
  for (const { n, id } of tasks) if (reaches(blockers, n)) wrong.push(`${id} waits for itself`);
  return wrong;
}

function nameOf(tasks: ReadonlyMap<number, TaskRow>, n: number): string {
  return tasks.get(n)?.id ?? `the task ${n}, which is gone,`;
}

function reaches(blockers: ReadonlyMap<number, readonly number[]>, from: number): boolean {
  const seen = new Set<number>();
  const waiting = [...(blockers.get(from) ?? [])];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === from) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    waiting.push(...(blockers.get(at) ?? []));
  }
  return false;
}

function inspectFamilies({ tasks, dependencies }: BoardRows): string[] {
  const wrong: string[] = [];
  const byNumber = new Map(tasks.map((task) => [task.n, task]));
  const families = new Map<number, TaskRow[]>();
  for (const task of tasks) {
    if (task.parent === null) continue;
    families.set(task.parent, [...(families.get(task.parent) ?? []), task]);
    const parent = byNumber.get(task.parent);
    if (!parent) wrong.push(`${task.id} has a parent that is not there`);
    else if (parent.parent !== null) wrong.push(`${task.id} stands on a third level`);
    if (dependencies.some((each) => each.task === task.n && each.blocked_by === task.parent))
      wrong.push(`${task.id} waits for its own parent`);
  }
  for (const task of tasks) {
    const own = families.get(task.n) ?? [];
    const real = [
      own.length,
      own.filter(({ status }) => !isFinished(status)).length,
      own.filter(({ status }) => status === "Done").length,
    ];
    const counted = [task.children, task.open_children, task.done_children];
    if (String(counted) !== String(real))
      wrong.push(`${task.id} says ${counted} children (all, open, Done), it has ${real}`);
  }
  return wrong;
}

function inspectClaims({ tasks }: BoardRows): string[] {
  const wrong: string[] = [];
  for (const { id, status, claim, lease_until_at: until, dispatched_at: dispatched } of tasks) {
    if (status === "Ready" && dispatched !== null) wrong.push(`${id} is Ready, and dispatched`);
    if (claim === null) {
      if (until !== null) wrong.push(`${id} has a lease that nobody holds`);
      continue;
    }
    if (status !== "In Progress" && status !== "Blocked") wrong.push(`${id} is ${status}, and claimed`);
    if ((until === null) !== (status === "Blocked"))
      wrong.push(`${id} is ${status}, and its lease ${until === null ? "stands still" : "runs"}`);
  }
  return wrong;
}

/** Where every claim was asked for under a token of its own: none of them has two tasks. */
export function inspectTokens({ tasks }: BoardRows): string[] {
  const wrong: string[] = [];
  const holds = new Map<string, string>();
  for (const { id, project, claim } of tasks) {
    if (claim === null) continue;
    const other = holds.get(`${project} ${claim}`);
    if (other !== undefined) wrong.push(`one claim holds both ${other} and ${id}`);
    holds.set(`${project} ${claim}`, id);
  }
  return wrong;
}

const undecided: readonly string[] = ["pending", "posted", "expired"];

function inspectParkings({ tasks, parkings, questions, events }: BoardRows): string[] {
  const wrong: string[] = [];
  const byNumber = new Map(tasks.map((task) => [task.n, task]));
  for (const { question, task, open } of parkings) {
    const found = byNumber.get(task);
    const asked = questions.get(question);
    if (!found || !asked) {
      wrong.push(`${question} parks ${nameOf(byNumber, task)}: one of them is not there`);
      continue;
    }
    if (found.status !== "Blocked") wrong.push(`${question} parks ${found.id}, which is ${found.status}`);
    if (!open) continue;
    const isWaiting = undecided.includes(asked.state) || asked.state === "answered";
    if (!isWaiting || asked.outcome === "retried")
      wrong.push(`${question} parks ${found.id}, and is ${asked.state} ${asked.outcome ?? ""}`.trimEnd());
    // Somebody may have written something else over it.
    const isWritten = events.some(
      ({ task: id, project, data }) =>
        id === found.id &&
        project === found.project &&
        Array.isArray(data.fields) &&
        data.fields.includes("errorMessage"),
    );
    if (!isWritten && !found.error_message.includes(question))
      wrong.push(`${found.id} is parked for ${question}, and does not say so: ${found.error_message}`);
  }
  for (const { n, id, project, status } of tasks) {
    if (status !== "Blocked") continue;
    const own = events.filter((event) => event.task === id && event.project === project);
    const since = own.findLastIndex(
      ({ kind, data }) => data.from !== "Blocked" && data.to === "Blocked" && kind === "task.parked",
    );
    if (
      since < 0 ||
      own.slice(since + 1).some(({ data }) => data.from === "Blocked" && data.to !== "Blocked")
    )
      continue;
    for (const { kind, question = "" } of own.slice(since)) {
      if (kind !== "task.parked" || !undecided.includes(questions.get(question)?.state ?? "")) continue;
      if (!parkings.some((each) => each.question === question && each.task === n && each.open))
        wrong.push(`${id} stands still for ${question}, and the board does not know it`);
    }
  }
  return wrong;
}
