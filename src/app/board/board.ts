import { decideChange } from "../../core/board/change.ts";
import { decideHeartbeat, decideRelease, unmetFor } from "../../core/board/claim.ts";
import { adviceOn } from "../../core/board/conditions.ts";
import { decideConfirmLine } from "../../core/board/confirm.ts";
import { decideCreate } from "../../core/board/create.ts";
import { refusal } from "../../core/board/graph.ts";
import { inferredLines } from "../../core/board/inferred.ts";
import { decideRemove } from "../../core/board/remove.ts";
import type { BoardAnswer, BoardSettings } from "../../core/board/settings.ts";
import type { BoardRefusal } from "../../domain/board.ts";
import { type TaskId, taskId } from "../../domain/ids.ts";
import type { NewTask, TaskPage, TaskQuery, TaskUpdate, UpdateWords } from "../../domain/provider.ts";
import type { StoredTaskQuery, TaskPlace } from "../../domain/store.ts";
import type { Task } from "../../domain/task.ts";
import type { Desk } from "../desk.ts";
import type { Board, BoardOptions, NextRequest } from "./api.ts";
import { directoriesOf, openBoardDesk } from "./board-desk.ts";
import { claiming } from "./claiming.ts";
import { settleMore } from "./settling.ts";
import { mintTaskId } from "./task-id.ts";
import { transferring } from "./transfer.ts";

const mostListed = 1_000;
const usualListed = 50;

/** Opens the board of one project. */
export function openBoard(desk: Desk, options: BoardOptions): Board {
  const { store, now } = desk;
  const { board, actor, issuer } = options;
  const boardDesk = openBoardDesk(desk, options);
  const { change, lapse, sweep } = boardDesk;

  async function createTask(given: NewTask): Promise<BoardAnswer> {
    const { id: wanted, status, ...fields } = given;
    const chosen = wanted === undefined ? undefined : taskId(wanted);
    if (wanted !== undefined && !chosen) return badId(wanted);
    for (;;) {
      const id = chosen ?? mintTaskId(fields.title);
      const tasks = [id, ...namedIn(fields)];
      const request = { board, id, fields, issuer, ...(status === undefined ? {} : { status }) };
      const made = await change(
        { tasks },
        (snapshot, settings) => decideCreate(snapshot, request, settings),
        directoriesOf([fields.workingDirectory]),
      );
      // Nobody has chosen an id: another one will do.
      if (made.ok || made.reason !== "id-taken" || chosen) return made;
    }
  }

  async function updateTask(
    id: string,
    { status, ...fields }: TaskUpdate,
    words: UpdateWords = {},
  ): Promise<BoardAnswer> {
    const known = taskId(id);
    if (!known) return noTask(id);
    await lapse();
    const folder = fields.workingDirectory ?? (await folderFor(known, status));
    const request = { id: known, fields, ...words, ...(status === undefined ? {} : { status }) };
    return change(
      { tasks: [known, ...namedIn(fields)] },
      (snapshot, settings) => decideChange(snapshot, request, settings),
      directoriesOf([folder]),
    );
  }

  /** Only a move to In Progress asks whether the folder is there. */
  async function folderFor(id: TaskId, status: TaskUpdate["status"]): Promise<string | undefined> {
    if (status !== "In Progress") return undefined;
    return (await store.task(board, id))?.task.workingDirectory;
  }

  async function deleteTask(id: string, words: Pick<UpdateWords, "claim"> = {}): Promise<BoardAnswer> {
    const known = taskId(id);
    if (!known) return noTask(id);
    return change({ tasks: [known] }, (snapshot, settings) =>
      decideRemove(snapshot, { id: known, ...words }, settings),
    );
  }

  async function queryTasks(query: TaskQuery = {}): Promise<TaskPage | BoardRefusal> {
    const limit = query.limit ?? usualListed;
    if (!Number.isInteger(limit) || limit < 1 || limit > mostListed)
      return refusal("field-invalid", `A page holds 1 to ${mostListed} tasks.`);
    const after = query.after === undefined ? undefined : placeOf(query.after);
    if (query.after !== undefined && !after)
      return refusal(
        "field-invalid",
        "That is no place in a list: give the one that came with the page before.",
      );
    await sweep();
    const wanted: StoredTaskQuery = {
      board,
      filter: query.filter ?? {},
      sort: query.sort ?? "priority",
      limit: limit + 1,
      ...(after ? { after } : {}),
    };
    const found = await store.tasks(wanted);
    const results = found.slice(0, limit).map(({ task }) => task);
    const last = results.at(-1);
    return { results, ...(found.length > limit && last ? { next: placeText(last) } : {}) };
  }

  async function next(request: NextRequest = {}) {
    await sweep();
    const { limit = 1, ...filter } = request;
    const look = () => store.nextTasks(board, { ...filter, limit });
    let found = await look();
    while (found.length < limit && (await settleMore(store))) found = await look();
    // Another process may have told the last of them between the two.
    if (found.length === 0) found = await look();
    const at = now();
    const directories = directoriesOf(found.map(({ task }) => task.workingDirectory));
    const settings: BoardSettings = { now: at, iso: new Date(at).toISOString(), actor, directories };
    return found.map((stored) => ({ stored, findings: unmetFor(stored, {}, settings) }));
  }

  return {
    name: board,
    supportsFileHosting: false,
    createTask,
    updateTask,
    getTask: async (id) => {
      const known = taskId(id);
      return known ? (await store.task(board, known))?.task : undefined;
    },
    queryTasks,
    deleteTask,
    async validateSchema() {
      const missing = await store.missingTaskFields();
      return { ok: missing.length === 0, missing };
    },
    async autoRepairSchema() {
      if ((await store.missingTaskFields()).length > 0) await store.addTaskFields();
      return this.validateSchema();
    },
    async stored(id) {
      const known = taskId(id);
      if (!known) return undefined;
      await sweep();
      return store.task(board, known);
    },
    next,
    ...claiming(boardDesk),
    async heartbeat(id, token) {
      const known = taskId(id);
      if (!known) return noTask(id);
      return change({ tasks: [known] }, (snapshot, settings) =>
        decideHeartbeat(snapshot, { id: known, token }, settings),
      );
    },
    async release(id, how) {
      const known = taskId(id);
      if (!known) return noTask(id);
      return change({ tasks: [known] }, (snapshot, settings) =>
        decideRelease(snapshot, { id: known, ...how }, settings),
      );
    },
    inferred: inferredLines,
    advice: adviceOn,
    async confirmLine(id, line) {
      const known = taskId(id);
      if (!known) return noTask(id);
      return change({ tasks: [known] }, (snapshot, settings) =>
        decideConfirmLine(snapshot, { id: known, line }, settings),
      );
    },
    // Few commands need it, and next is to be quick.
    review: async (request) => (await import("./reviewing.ts")).review(boardDesk, request),
    calibrate: async (request) => (await import("./calibrating.ts")).calibrateReviewer(boardDesk, request),
    ...transferring(boardDesk),
  };
}

/** Tasks that the fields name. */
function namedIn({ parentTask, blockedBy }: Partial<Task>): readonly TaskId[] {
  return [...(parentTask ? [parentTask] : []), ...(blockedBy ?? [])];
}

function noTask(id: string): BoardRefusal {
  return refusal(
    "no-such-task",
    `There is no task ${id} on this board; owlpost task list shows those there are.`,
  );
}

function badId(id: string): BoardRefusal {
  return refusal(
    "field-invalid",
    `“${id}” is no task's id: small letters, digits and dashes, at most 64, such as 012-fix-auth.`,
  );
}

function placeText({ priority, dueDate, createdAt, id }: Task): string {
  return Buffer.from(JSON.stringify([priority, dueDate, createdAt, id])).toString("base64url");
}

function placeOf(text: string): TaskPlace | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (!Array.isArray(read) || read.length !== 4) return undefined;
    const [priority, dueDate, createdAt, id] = read as unknown[];
    const isText = (value: unknown): boolean => value === null || typeof value === "string";
    if (!isText(priority) || !isText(dueDate) || typeof createdAt !== "number") return undefined;
    const known = typeof id === "string" ? taskId(id) : undefined;
    return known
      ? {
          priority: priority as TaskPlace["priority"],
          dueDate: dueDate as string | null,
          createdAt,
          id: known,
        }
      : undefined;
  } catch {
    return undefined;
  }
}
