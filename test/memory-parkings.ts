import type { TaskChange } from "../src/domain/board.ts";
import type { QuestionId, TaskId } from "../src/domain/ids.ts";
import { type Awaited, leftWords, type ParkingStep, park, parkingStep } from "../src/domain/parking.ts";
import type { StoredQuestion } from "../src/domain/question.ts";
import type { Effect } from "../src/domain/store.ts";
import type { Task, TaskClaim } from "../src/domain/task.ts";

/** What parkings need of the board that they belong to. */
export type ParkingBoard = {
  task(id: TaskId): Task | undefined;
  claim(id: TaskId): TaskClaim | undefined;
  change(task: Task, change: TaskChange, now: number): void;
  log(event: Extract<Effect, { type: "log" }>["event"]): void;
};

type Parked = { readonly open: Set<QuestionId>; readonly left: Set<QuestionId> };

/** The questions of a board in memory, and which task stands still for which. */
export function memoryParkings(board: ParkingBoard) {
  const questions = new Map<QuestionId, StoredQuestion>();
  const parked = new Map<TaskId, Parked>();

  function asked(stored: StoredQuestion, now: number): void {
    const { id, task: taskId } = stored.question;
    questions.set(id, stored);
    const task = board.task(taskId);
    const earlier = parked.get(taskId);
    if (!task || (task.status !== "In Progress" && !(task.status === "Blocked" && earlier))) return;
    const open = new Set([...(earlier?.open ?? []), id]);
    parked.set(taskId, { open, left: new Set() });
    board.change(task, park(task.status, board.claim(taskId) ?? null, awaitedBy(open), now), now);
    told(task, "task.parked", { from: task.status, to: "Blocked", question: id });
  }

  function moved(effect: Extract<Effect, { type: "move-question" }>, now: number): void {
    const before = questions.get(effect.id);
    if (!before) throw new Error(`${effect.id} is not there`);
    const { answer = before.answer, outcome = before.outcome, claim = before.claim } = effect;
    const { answer: _answer, claim: _claim, outcome: _outcome, ...rest } = before;
    const after: StoredQuestion = {
      ...rest,
      state: effect.to,
      revision: before.revision + 1,
      ...(outcome ? { outcome } : {}),
      ...(answer ? { answer } : {}),
      ...(claim ? { claim } : {}),
      ...(effect.why === undefined ? {} : { why: effect.why }),
    };
    questions.set(effect.id, after);
    const task = board.task(before.question.task);
    const own = task && parked.get(task.id);
    if (!task || !own?.open.has(effect.id)) return;
    const step = stepOf(task, own, after, effect, now);
    if (!step) return;
    if (step.parking !== "stays") own.open.delete(effect.id);
    if (step.parking === "left") own.left.add(effect.id);
    if (own.open.size + own.left.size === 0) parked.delete(task.id);
    board.change(task, step.change, now);
    if (step.event) told(task, step.event.kind, step.event.data);
  }

  function stepOf(
    task: Task,
    { open, left }: Parked,
    after: StoredQuestion,
    { id, to, why, claim, works }: Extract<Effect, { type: "move-question" }>,
    now: number,
  ): ParkingStep | undefined {
    const parking = {
      status: task.status,
      claim: board.claim(task.id) ?? null,
      question: id,
      awaited: awaitedBy(open),
    };
    return parkingStep(
      { ...parking, ...(left.size > 0 ? { left: leftWords(task.errorMessage, parking, [...left]) } : {}) },
      { ...awaitedOf(after), to, why, take: claim?.claim, works },
      now,
    );
  }

  function awaitedBy(open: ReadonlySet<QuestionId>): Awaited[] {
    return [...open].flatMap((id) => {
      const stored = questions.get(id);
      return stored ? [awaitedOf(stored)] : [];
    });
  }

  function told(
    task: Task,
    kind: Parameters<ParkingBoard["log"]>[0]["kind"],
    data: Readonly<Record<string, unknown>>,
  ): void {
    board.log({ kind, task: task.id, project: task.board, data });
  }

  return {
    questions,
    asked,
    moved,
    /** It stands still for nothing any more. */
    forget: (id: TaskId): void => void parked.delete(id),
    openFor: (id: TaskId): QuestionId[] => [...(parked.get(id)?.open ?? [])],
  };
}

function awaitedOf({
  question,
  state,
  outcome,
  answer,
  defaultAction,
  deadlineAt,
  zone,
}: StoredQuestion): Awaited {
  const deadline = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone: zone,
  }).format(deadlineAt);
  return { id: question.id, state, outcome, answer, defaultAction, deadline };
}
