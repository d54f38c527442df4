import type { BoardRefusal } from "./board.ts";
import type { Claim, TaskId } from "./ids.ts";
import type { Priority, Task, TaskFields, TaskStatus } from "./task.ts";

/** What a new task is given. Nobody gives an issuer: the provider knows who makes it. */
export type NewTask = Partial<TaskFields> &
  Pick<TaskFields, "title"> & {
    /** Absent: the provider makes one. */
    readonly id?: string;
    readonly status?: TaskStatus;
  };

/** A status in it is a move, checked together with the fields that come with it. */
export type TaskUpdate = Partial<TaskFields> & { readonly status?: TaskStatus };

export type UpdateWords = {
  /** The claim under which the writer works. */
  readonly claim?: Claim;
  /** The change counts only when the task still has this revision. */
  readonly revision?: number;
  /** A review approved of the work, or asks for changes. */
  readonly approved?: boolean;
  readonly changesRequested?: boolean;
};

/** Every filter that is given must hold. `null` stands for a field that is not set. */
export type TaskFilter = {
  readonly status?: readonly TaskStatus[];
  readonly priority?: readonly (Priority | null)[];
  readonly executor?: readonly (string | null)[];
  /** The id or name of exactly one person. */
  readonly assignee?: string | null;
  readonly issuer?: string;
  readonly parentTask?: TaskId | null;
  readonly project?: string;
  readonly tag?: string;
  readonly sourceMessageId?: string;
  /** Ready, and no blocker is open. */
  readonly actionable?: boolean;
};

/** `priority`: the order of `next`; `due`: due date (none last), then that; `created`: the oldest first. */
export const taskSorts = ["priority", "due", "created"] as const;
export type TaskSort = (typeof taskSorts)[number];

export type TaskQuery = {
  readonly filter?: TaskFilter;
  readonly sort?: TaskSort;
  /** `next` of the page before. */
  readonly after?: string;
  /** 1–1,000; 50 where absent. */
  readonly limit?: number;
};

export type TaskPage = {
  readonly results: readonly Task[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
};

export type TaskWritten = {
  readonly ok: true;
  readonly task: Task;
  /** It was so already. */
  readonly repeated?: true;
};

export type SchemaReport = {
  readonly ok: boolean;
  /** Core fields that the store cannot hold. */
  readonly missing: readonly string[];
};

/**
 * A board of tasks, whatever keeps it. What breaks a rule of the board comes back as a refusal with a named reason; a store
 * that fails rejects, and nobody falls back to a weaker search.
 */
export type TaskProvider = {
  /** Can it keep the bytes of attachments itself? */
  readonly supportsFileHosting: boolean;
  createTask(fields: NewTask): Promise<TaskWritten | BoardRefusal>;
  updateTask(id: string, fields: TaskUpdate, words?: UpdateWords): Promise<TaskWritten | BoardRefusal>;
  getTask(id: string): Promise<Task | undefined>;
  queryTasks(query?: TaskQuery): Promise<TaskPage | BoardRefusal>;
  /** `task` is what was deleted. */
  deleteTask(id: string, words?: Pick<UpdateWords, "claim">): Promise<TaskWritten | BoardRefusal>;
  validateSchema(): Promise<SchemaReport>;
  /** Makes what is missing, with defaults, and looks again. */
  autoRepairSchema(): Promise<SchemaReport>;
};
