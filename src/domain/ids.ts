/**
 * Ids are branded strings: a text becomes one only here, by a function that checks it.
 * Times are epoch milliseconds and are called `…At`; durations are `…Ms`; sizes are `…Bytes`.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `q-<run>-<task part>-<seq>`, ASCII, at most 40 bytes. */
export type QuestionId = Branded<"QuestionId">;
/** `[a-z0-9][a-z0-9-]{0,63}`. */
export type TaskId = Branded<"TaskId">;
/** `[a-z0-9]{1,8}`: one night of one loop. */
export type RunId = Branded<"RunId">;
/** The name of a row of the capability matrix, e.g. `inbox`. */
export type ChannelId = string;
/** What a platform calls a message of ours; only the channel that made it may read it. */
export type MessageRef = string;
/** How far a channel has read; opaque to everybody but that channel. */
export type Cursor = string;
/** The token of a take. */
export type Claim = string;
/** Epoch milliseconds. */
export type Instant = number;

export type QuestionIdParts = { readonly run: RunId; readonly part: string; readonly seq: number };

const questionIdPattern = /^q-([a-z0-9]{1,8})-([a-z0-9][a-z0-9-]{0,23})-([1-9][0-9]{0,3})$/;
const taskPattern = /^[a-z0-9][a-z0-9-]{0,63}$/;
const runPattern = /^[a-z0-9]{1,8}$/;
const projectPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The largest `seq` of one run and task. */
export const maxSeq = 9999;

export function questionId(text: string): QuestionId | undefined {
  return questionIdPattern.test(text) ? (text as QuestionId) : undefined;
}

export function questionIdParts(id: QuestionId): QuestionIdParts {
  const match = questionIdPattern.exec(id);
  if (!match) throw new Error(`not a question id: ${id}`);
  return { run: match[1] as RunId, part: match[2] as string, seq: Number(match[3]) };
}

/** The part of a question id that stands for the task: the task's id, or its first 24 characters. */
export function taskPart(task: TaskId): string {
  return task.slice(0, 24);
}

export function mintQuestionId(run: RunId, part: string, seq: number): QuestionId {
  const id = questionId(`q-${run}-${part}-${seq}`);
  if (!id) throw new Error(`no question id can be made of run ${run}, task ${part}, number ${seq}`);
  return id;
}

export function taskId(text: string): TaskId | undefined {
  return taskPattern.test(text) ? (text as TaskId) : undefined;
}

export function runId(text: string): RunId | undefined {
  return runPattern.test(text) ? (text as RunId) : undefined;
}

/** A project's name is also a folder's name, so it may hold no separator and not begin with a dot. */
export function isProjectName(text: string): boolean {
  return projectPattern.test(text);
}
