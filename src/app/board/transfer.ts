import { decideImport, type Imported, importOrder } from "../../core/board/import.ts";
import type { TaskId } from "../../domain/ids.ts";
import { emptyFields, type Task } from "../../domain/task.ts";
import { readWaggle } from "../../store/board/waggle.ts";
import type { Board, ImportLine, ImportReport, Progress } from "./api.ts";
import type { BoardDesk } from "./board-desk.ts";
import { readTask, taskDocument } from "./document.ts";
import { mintTaskId } from "./task-id.ts";

const page = 500;
/** So many writes share a commit. */
const atOnce = 200;

/** Tasks on their way in and out. */
export function transferring({
  desk,
  options,
  change,
}: BoardDesk): Pick<Board, "importText" | "importWaggle" | "export"> {
  const { store, now } = desk;
  const { board, issuer } = options;

  type Read = { readonly line: number; readonly task: Task };

  async function importDocuments(documents: readonly Numbered[], told?: Progress): Promise<ImportReport> {
    const refused: ImportLine[] = [];
    const read: Read[] = [];
    for (const { line, value } of documents) {
      const task = value === undefined ? "is no JSON document" : toTask(value);
      if (typeof task === "string") refused.push({ line, message: task });
      else read.push({ line, task });
    }
    const lines = new Map(read.map(({ line, task }) => [task, line]));
    const ordered = importOrder(read.map(({ task }) => task));
    const dropped: ImportLine[] = [];
    const known = new Set(ordered.map(({ id }) => id));
    /** Tasks that name one which comes after them: where a whole waits for its parts, no order would do. */
    const early: { readonly task: Task; readonly isNew: boolean; readonly lost: readonly string[] }[] = [];
    let added = 0;
    let same = 0;
    const decided = (task: Task): Promise<Imported> => {
      const tasks = [task.id, ...namedIn(task)];
      return change({ tasks }, (snapshot, settings) => decideImport(snapshot, task, settings));
    };
    const tell = (task: Task, messages: readonly string[]): void => {
      const where = { line: lines.get(task) ?? 0, id: task.id };
      for (const message of messages) dropped.push({ ...where, message });
    };
    for (let from = 0; from < ordered.length; from += atOnce) {
      const chunk = ordered.slice(from, from + atOnce);
      const done = await Promise.all(chunk.map(decided));
      for (const [at, { kind, dropped: lost }] of done.entries()) {
        const task = chunk[at] as Task;
        const where = { line: lines.get(task) ?? 0, id: task.id };
        if (kind === "new") added += 1;
        else if (kind === "same") same += 1;
        else refused.push({ ...where, message: "another task of this board has that id" });
        if (lost.length > 0 && namedIn(task).some((id) => known.has(id)))
          early.push({ task, isNew: kind === "new", lost });
        else if (kind === "new") tell(task, lost);
      }
      told?.(from + chunk.length, ordered.length);
    }
    for (const { task, isNew, lost } of early) {
      const { kind, dropped: still } = await decided(task);
      if (isNew) tell(task, kind === "same" ? still : lost);
    }
    const byLine = (a: ImportLine, b: ImportLine): number => a.line - b.line;
    return { added, same, refused: refused.sort(byLine), dropped: dropped.sort(byLine) };
  }

  function toTask(value: unknown): Task | string {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is no task";
    const read = readTask(value as Record<string, unknown>);
    if (read.misfits.length > 0) return read.misfits.map(({ message }) => message).join("; ");
    const { title } = read.fields;
    if (title === undefined) return "has no title";
    const at = now();
    const maker = read.issuer ?? issuer ?? "";
    const status = read.status ?? "Backlog";
    return {
      ...emptyFields,
      ...read.fields,
      title,
      id: read.id ?? mintTaskId(title),
      board,
      status,
      dispatchedAt: read.dispatchedAt ?? null,
      issuer: { id: maker, name: maker },
      createdAt: read.createdAt ?? at,
      updatedAt: read.updatedAt ?? read.createdAt ?? at,
      revision: 1,
    };
  }

  return {
    importText: async (text, told) => importDocuments(documentsIn(text), told),
    importWaggle: async (path, told) =>
      importDocuments(
        readWaggle(path).map((value, at) => ({ line: at + 1, value })),
        told,
      ),
    async *export() {
      let after: Task | undefined;
      for (;;) {
        const found = await store.tasks({
          board,
          filter: {},
          sort: "created",
          limit: page,
          ...(after ? { after } : {}),
        });
        for (const { task } of found) yield JSON.stringify(taskDocument(task));
        after = found.at(-1)?.task;
        if (found.length < page) return;
      }
    },
  };
}

function namedIn({ parentTask, blockedBy }: Task): readonly TaskId[] {
  return [...(parentTask === null ? [] : [parentTask]), ...blockedBy];
}

type Numbered = { readonly line: number; readonly value: unknown };

/** One document a line, or one for all of them. */
export function documentsIn(text: string): readonly Numbered[] {
  const whole = parsed(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const list = Array.isArray(whole)
    ? whole
    : typeof whole === "object" && whole !== null && "results" in whole && Array.isArray(whole.results)
      ? whole.results
      : undefined;
  if (list) return list.map((value: unknown, at) => ({ line: at + 1, value }));
  return text
    .split(/\r?\n/)
    .map((line, at) => ({ line: at + 1, text: line.trim() }))
    .filter((each) => each.text !== "")
    .map((each) => ({ line: each.line, value: parsed(each.text) }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
