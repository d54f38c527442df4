import { mintQuestionId, type RunId, runId, type TaskId, taskId, taskPart } from "../../src/domain/ids.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";

/** The clock of these tests stands here. */
export const now = 1_800_000_000_000;
export const minute = 60_000;
export const digest = "d".repeat(64);

export function aTask(text: string): TaskId {
  const id = taskId(text);
  if (!id) throw new Error(`not a task: ${text}`);
  return id;
}

export function aRun(text: string): RunId {
  const id = runId(text);
  if (!id) throw new Error(`not a run: ${text}`);
  return id;
}

type Wanted = Partial<Omit<StoredQuestion, "question">> & {
  run?: string;
  task?: string;
  seq?: number;
  project?: string;
};

export function aQuestion({
  run = "a3f2",
  task = "fix-auth",
  seq = 1,
  project = "shop",
  ...rest
}: Wanted = {}): StoredQuestion {
  const id = mintQuestionId(aRun(run), taskPart(aTask(task)), seq);
  return {
    question: {
      id,
      project,
      kind: "decide",
      task: aTask(task),
      run: aRun(run),
      title: "Which way to go on?",
      context: "`src/auth.ts` fails; `npm test` says why. 日本語 👩‍👩‍👧",
      options: [
        { key: "1", label: "Keep", consequence: "keeps it", recommended: true },
        { key: "2", label: "Drop", consequence: "drops it" },
      ],
      default: { action: "skip_spec", at: "06:00" },
    },
    state: "pending",
    digest,
    revision: 1,
    askedAt: now,
    deadlineAt: now + 60 * minute,
    zone: "Europe/Berlin",
    defaultAction: "skip_spec",
    ...rest,
  };
}
