import { decideImport, decideTies, importOrder } from "../../core/board/import.ts";
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

  type Read = { readonly line: number; readonly task: Task; readonly given: ReadonlySet<string> };
  type Come = Omit<Read, "line"> & { readonly lost: readonly string[] };

  async function importDocuments(documents: readonly Numbered[], told?: Progress): Promise<ImportReport> {
    const refused: ImportLine[] = [];
    const dropped: ImportLine[] = [];
    const read = new Map<Task, Read>();
    const ids = new Set<string>();
    for (const { line, value } of documents) {
      const come = value === undefined ? "is no JSON document" : toTask(value);
      if (typeof come === "string") {
        refused.push({ line, message: come });
        continue;
      }
      const { task, given, lost } = come;
      read.set(task, { line, task, given });
      ids.add(task.id);
      for (const message of lost) dropped.push({ line, id: task.id, message });
    }
    const ordered = importOrder([...read.keys()]);
    const place = (task: Task) => ({ line: read.get(task)?.line ?? 0, id: task.id });
    /** Those that name somebody who comes after them. */
    const loose: Task[] = [];
    const arrived = new Set<string>();
    let added = 0;
    let same = 0;
    for (let from = 0; from < ordered.length; from += atOnce) {
      const chunk = ordered.slice(from, from + atOnce);
      const done = await Promise.all(
        chunk.map((task) => {
          const given = read.get(task)?.given ?? new Set();
          return change({ tasks: [task.id, ...linksOf(task)] }, (snapshot, settings) =>
            decideImport(snapshot, { task, given }, settings),
          );
        }),
      );
      for (const [at, { kind, differs, dropped: lost }] of done.entries()) {
        const task = chunk[at] as Task;
        if (kind === "new") added += 1;
        else if (kind === "same") same += 1;
        else refused.push({ ...place(task), message: takenWords(differs) });
        const isLoose = kind === "new" && linksOf(task).some((id) => ids.has(id) && !arrived.has(id));
        if (isLoose) loose.push(task);
        else for (const message of lost) dropped.push({ ...place(task), message });
        arrived.add(task.id);
      }
      told?.(from + chunk.length, ordered.length);
    }
    for (const task of loose) {
      const lost = await change({ tasks: [task.id, ...linksOf(task)] }, (snapshot) =>
        decideTies(snapshot, task),
      );
      for (const message of lost) dropped.push({ ...place(task), message });
    }
    const byLine = (a: ImportLine, b: ImportLine): number => a.line - b.line;
    return { added, same, refused: refused.sort(byLine), dropped: dropped.sort(byLine) };
  }

  function toTask(value: unknown): Come | string {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is no task";
    const document = value as Record<string, unknown>;
    const read = readTask(document);
    if (read.misfits.length > 0) return read.misfits.map(({ message }) => message).join("; ");
    const { title } = read.fields;
    if (title === undefined) return "has no title";
    const maker = read.issuer ?? issuer;
    if (maker === undefined)
      return "names no issuer, and nobody is known as the one who imports it: set WAGGLE_USER_ID or USER to a name";
    const at = now();
    const { fields, unknown, misfits: _, updatedAt: __, ...own } = read;
    const task = {
      ...emptyFields,
      ...fields,
      title,
      id: read.id ?? mintTaskId(title),
      board,
      status: read.status ?? "Backlog",
      dispatchedAt: read.dispatchedAt ?? null,
      issuer: { id: maker, name: maker },
      createdAt: read.createdAt ?? at,
      updatedAt: read.updatedAt ?? read.createdAt ?? at,
      revision: 1,
    };
    const lost = unknown
      .filter((key) => !silent.includes(key) && !isEmpty(document[key]))
      .map((key) => `its ${key}, for which a task has no field`);
    if ("issuer" in document && read.issuer === undefined)
      lost.push(`its issuer, who is not named: ${maker} is`);
    return { task, given: new Set([...Object.keys(fields), ...Object.keys(own)]), lost };
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

/** What a task's document says beside its fields. */
const silent: readonly string[] = ["board", "revision", "url"];

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function linksOf({ parentTask, blockedBy }: Task): readonly TaskId[] {
  return [...(parentTask ? [parentTask] : []), ...blockedBy];
}

function takenWords(differs: readonly string[]): string {
  return `the board has a task of that id already, which differs (${differs.join(", ")}) and stays as it is`;
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
