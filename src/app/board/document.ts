import type { TaskId } from "../../domain/ids.ts";
import { taskId } from "../../domain/ids.ts";
import {
  type Attachment,
  priorities,
  type Task,
  type TaskFields,
  type TaskPerson,
  type TaskStatus,
  taskStatuses,
} from "../../domain/task.ts";
import { instantOf, isDay } from "./dates.ts";

/** One thing of a document that does not fit. */
export type Misfit = { readonly field: string; readonly message: string };

export type ReadTask = {
  readonly fields: Partial<TaskFields>;
  readonly id?: TaskId;
  readonly status?: TaskStatus;
  /** What only an import may bring. */
  readonly issuer?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly dispatchedAt?: number | null;
  /** Keys that mean nothing here. */
  readonly unknown: readonly string[];
  readonly misfits: readonly Misfit[];
};

type Reader = (
  value: unknown,
) => { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly says: string };

const good = (value: unknown) => ({ ok: true as const, value });
const bad = (says: string) => ({ ok: false as const, says });

const longestText = 262_144;
/** Half a surrogate pair is no text: on the way to the disk it would become another one. */
const wellFormed = (value: string): string => value.replaceAll(/\p{Surrogate}/gu, "\ufffd");
const text: Reader = (value) => {
  if (value === null) return good("");
  if (typeof value !== "string") return bad("must be text");
  return value.length > longestText
    ? bad(`is longer than ${longestText} characters`)
    : good(wellFormed(value));
};
const oneLine: Reader = (value) => {
  const read = text(value);
  if (!read.ok) return read;
  return /[\r\n\u2028\u2029]/.test(read.value as string) ? bad("must be one line") : read;
};
const title: Reader = (value) => {
  const read = oneLine(value);
  if (!read.ok) return read;
  const trimmed = (read.value as string).trim();
  return trimmed === "" ? bad("must not be empty") : good(trimmed);
};
const orNull =
  (reader: Reader): Reader =>
  (value) =>
    value === null || value === "" ? good(null) : reader(value);
const flag: Reader = (value) => {
  if (typeof value === "boolean") return good(value);
  // SQLite has no booleans.
  return value === 0 || value === 1 ? good(value === 1) : bad("must be true or false");
};
const oneOf =
  (...values: readonly string[]): Reader =>
  (value) => {
    const found = values.find((each) => each.toLowerCase() === String(value).toLowerCase());
    return found === undefined ? bad(`must be one of ${values.join(", ")}`) : good(found);
  };
const id: Reader = (value) => {
  const known = typeof value === "string" ? taskId(value) : undefined;
  return known
    ? good(known)
    : bad("must be a task's id: small letters, digits and dashes, such as 012-fix-auth");
};
const ids: Reader = (value) => {
  const list = listOf(value);
  if (!list) return bad("must be a list of tasks' ids");
  const read = list.map((each) => id(each));
  const wrong = read.find((each) => !each.ok);
  if (wrong && !wrong.ok) return wrong;
  return good([...new Set(read.map((each) => (each.ok ? (each.value as string) : "")))].sort());
};
const tags: Reader = (value) => {
  const list = listOf(value);
  return list?.every((each) => typeof each === "string" && each !== "")
    ? good([...new Set(list.map((each) => wellFormed(String(each))))])
    : bad("must be a list of words");
};
const people: Reader = (value) => {
  const list = listOf(value);
  const read = list?.map(personOf);
  return read && !read.includes(undefined) ? good(read) : bad('must be a list of people, such as ["eric"]');
};
const attachments: Reader = (value) => {
  const list = listOf(value);
  const read = list?.map(attachmentOf);
  return read && !read.includes(undefined)
    ? good(read)
    : bad('must be a list of files, such as [{"url": "https://…", "name": "log.txt"}]');
};
const date: Reader = (value) => {
  if (typeof value !== "string") return bad("must be a date such as 2026-12-01");
  if (isDay(value)) return good(value);
  const at = instantOf(value);
  // In UTC, so that the order of the texts is that of the instants.
  return at === undefined
    ? bad("must be a date such as 2026-12-01, or an instant such as 2026-12-01T09:00:00Z")
    : good(new Date(at).toISOString().replace(".000Z", "Z"));
};
const instant: Reader = (value) => {
  const at = typeof value === "string" ? instantOf(value) : undefined;
  return at === undefined ? bad("must be an instant such as 2026-12-01T09:00:00Z") : good(at);
};

const readers: Readonly<Record<keyof TaskFields, Reader>> = {
  title,
  description: text,
  acceptanceCriteria: text,
  priority: orNull(oneOf(...priorities)),
  executor: orNull(oneLine),
  blockedBy: ids,
  requiresReview: flag,
  executionPlan: text,
  workingDirectory: oneLine,
  sessionReference: oneLine,
  agentOutput: text,
  errorMessage: text,
  qualityVerdict: oneLine,
  context: text,
  artifacts: text,
  repository: orNull(oneLine),
  startDate: orNull(date),
  dueDate: orNull(date),
  tags,
  parentTask: orNull(id),
  project: orNull(oneLine),
  team: orNull(oneLine),
  assignee: people,
  attachments,
  branch: oneLine,
  acknowledgedAt: orNull(instant),
  sourceMessageId: orNull(oneLine),
};

export const fieldNames: readonly string[] = Object.keys(readers);

const others: Readonly<Record<string, Reader>> = {
  id,
  status: oneOf(...taskStatuses),
  // Old boards hold tasks of nobody.
  issuer: (value) => {
    const person = personOf(value);
    return person || isBlankName(value) ? good(person?.id) : bad("must be a name");
  },
  createdAt: instant,
  updatedAt: instant,
  dispatchedAt: orNull(instant),
};

/** Reads a task's document: JSON keys as the protocol has them, or the same in snake_case. Nothing is invented. */
export function readTask(document: Readonly<Record<string, unknown>>): ReadTask {
  const fields: Record<string, unknown> = {};
  const more: Record<string, unknown> = {};
  const unknown: string[] = [];
  const misfits: Misfit[] = [];
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue;
    const name = fieldName(key);
    const isField = Object.hasOwn(readers, name);
    const reader = isField
      ? readers[name as keyof TaskFields]
      : Object.hasOwn(others, name)
        ? others[name]
        : undefined;
    if (!reader) {
      unknown.push(key);
      continue;
    }
    const read = reader(value);
    if (!read.ok) misfits.push({ field: key, message: `${key} ${read.says}` });
    else if (isField) fields[name] = read.value;
    else if (read.value !== undefined) more[name] = read.value;
  }
  return { fields: fields as Partial<TaskFields>, ...more, unknown, misfits };
}

/** `parent_task_id` and `parentTaskId` are other names of `parentTask`. */
function fieldName(key: string): string {
  const name = key.replaceAll(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
  if (name === "parentTaskId" || name === "parent") return "parentTask";
  return name === "sourceMessageID" ? "sourceMessageId" : name;
}

/** A list, a JSON text of one, or words with commas between. */
function listOf(value: unknown): readonly unknown[] | undefined {
  if (value === null || value === "") return [];
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return undefined;
  if (!value.trimStart().startsWith("[")) return value.split(",").map((each) => each.trim());
  try {
    const read: unknown = JSON.parse(value);
    return Array.isArray(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function personOf(value: unknown): TaskPerson | undefined {
  if (typeof value === "string") {
    const name = wellFormed(value).trim();
    return name === "" ? undefined : { id: name, name };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { id: key, name } = value as { id?: unknown; name?: unknown };
  const known = [key, name]
    .filter((each): each is string => typeof each === "string" && each.trim() !== "")
    .map(wellFormed);
  return known[0] === undefined ? undefined : { id: known[0], name: known.at(-1) ?? known[0] };
}

function isBlankName(value: unknown): boolean {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : value;
  return id === null || id === undefined || (typeof id === "string" && id.trim() === "");
}

function attachmentOf(value: unknown): Attachment | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { url, name, mime_type, size } = value as Record<string, unknown>;
  if (typeof url !== "string" || typeof name !== "string" || url === "" || name === "") return undefined;
  return {
    url: wellFormed(url),
    name: wellFormed(name),
    ...(typeof mime_type === "string" ? { mime_type: wellFormed(mime_type) } : {}),
    ...(typeof size === "number" && size >= 0 ? { size } : {}),
  };
}

/** The task as programs read it: core fields always, extended ones where they hold something. */
export function taskDocument(task: Task): Readonly<Record<string, unknown>> {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    id: task.id,
    board: task.board,
    title: task.title,
    description: task.description,
    acceptanceCriteria: task.acceptanceCriteria,
    status: task.status,
    priority: task.priority,
    executor: task.executor,
    blockedBy: task.blockedBy,
    requiresReview: task.requiresReview,
    executionPlan: task.executionPlan,
    workingDirectory: task.workingDirectory,
    sessionReference: task.sessionReference,
    dispatchedAt: iso(task.dispatchedAt),
    agentOutput: task.agentOutput,
    errorMessage: task.errorMessage,
    issuer: task.issuer,
    qualityVerdict: task.qualityVerdict,
    ...filled({
      context: task.context,
      artifacts: task.artifacts,
      repository: task.repository,
      startDate: task.startDate,
      dueDate: task.dueDate,
      tags: task.tags,
      parentTask: task.parentTask,
      project: task.project,
      team: task.team,
      assignee: task.assignee,
      attachments: task.attachments,
      branch: task.branch,
      acknowledgedAt: iso(task.acknowledgedAt),
      sourceMessageId: task.sourceMessageId,
    }),
    createdAt: iso(task.createdAt),
    updatedAt: iso(task.updatedAt),
    revision: task.revision,
  };
}

function filled(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== "" && value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
