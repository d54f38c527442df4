import {
  decideImport,
  decideTies,
  type Imported,
  type Incoming,
  importOrder,
  type Ties,
} from "../../core/board/import.ts";
import type { TaskId } from "../../domain/ids.ts";
import { StoreError } from "../../domain/store.ts";
import { emptyFields, type Task } from "../../domain/task.ts";
import { readWaggle } from "../../store/board/waggle.ts";
import type { Board, ImportLine, ImportReport, Progress } from "./api.ts";
import type { BoardDesk } from "./board-desk.ts";
import { readTask, taskDocument } from "./document.ts";
import { documentsIn, type Numbered, readIncoming } from "./incoming.ts";
import { mintTaskId } from "./task-id.ts";

const page = 500;
/** So many writes share a commit. */
const atOnce = 200;
/** So many lines are put in order among themselves, and are in memory at once. */
const batchLength = 2_000;

/** Tasks on their way in and out. */
export function transferring({
  desk,
  options,
  change,
}: BoardDesk): Pick<Board, "importStream" | "importText" | "importWaggle" | "export"> {
  const { store, now } = desk;
  const { board, issuer } = options;

  type Read = Come & { readonly line: number };
  type Come = Incoming & { readonly lost: readonly string[] };
  type Place = { readonly line: number; readonly id: string };

  /** One import: what comes in, a batch at a time, and at its end those that named somebody who came later. */
  function importing(told: (done: number) => void) {
    const refused: ImportLine[] = [];
    const dropped: ImportLine[] = [];
    const loose: { readonly ties: Ties; readonly place: Place }[] = [];
    let added = 0;
    let same = 0;
    let done = 0;

    async function take(documents: readonly Numbered[]): Promise<void> {
      const read = new Map<Task, Read>();
      for (const { line, value, wrong } of documents) {
        const come = wrong ?? (value === undefined ? "is no JSON document" : toTask(value));
        if (typeof come === "string") refused.push({ line, message: come });
        else read.set(come.task, { line, ...come });
      }
      const ordered = importOrder([...read.keys()]).map((task) => read.get(task) as Read);
      for (let from = 0; from < ordered.length; from += atOnce) {
        const chunk = ordered.slice(from, from + atOnce);
        const answers = await Promise.all(
          chunk.map((each) =>
            change({ tasks: [each.task.id, ...linksOf(each.task)] }, (snapshot, settings) =>
              decideImport(snapshot, each, settings),
            ),
          ),
        );
        for (const [at, answer] of answers.entries()) note(chunk[at] as Read, answer);
        done += chunk.length;
        told(done);
      }
    }

    function note({ line, task, lost }: Read, { kind, differs, loose: lacks }: Imported): void {
      const place = { line, id: task.id };
      if (kind === "new") added += 1;
      else if (kind === "same") same += 1;
      else refused.push({ ...place, message: takenWords(differs) });
      for (const message of lost) dropped.push({ ...place, message });
      if (lacks) loose.push({ ties: { id: task.id, isNew: kind === "new", ...lacks }, place });
    }

    async function end(): Promise<ImportReport> {
      for (let from = 0; from < loose.length; from += atOnce) {
        const chunk = loose.slice(from, from + atOnce);
        const answers = await Promise.all(
          chunk.map(({ ties }) =>
            change({ tasks: [ties.id, ...linksOf(ties)] }, (snapshot, settings) =>
              decideTies(snapshot, ties, settings),
            ),
          ),
        );
        for (const [at, gone] of answers.entries())
          for (const message of gone) dropped.push({ ...(chunk[at] as (typeof chunk)[0]).place, message });
      }
      const byLine = (a: ImportLine, b: ImportLine): number => a.line - b.line;
      return { added, same, refused: refused.sort(byLine), dropped: dropped.sort(byLine) };
    }

    /** A fault stops it in the middle, and what was taken over by then stays. */
    async function all(batches: AsyncIterable<readonly Numbered[]>): Promise<ImportReport> {
      try {
        for await (const batch of batches) await take(batch);
        return await end();
      } catch (error) {
        throw error instanceof StoreError && done > 0
          ? new StoreError(error.code, cutWords(done, error.message), error)
          : error;
      }
    }
    return { all };
  }

  async function importDocuments(documents: readonly Numbered[], told?: Progress): Promise<ImportReport> {
    return importing((done) => told?.(done, documents.length)).all(batched([documents]));
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
    async importStream(chunks, told) {
      const incoming = await readIncoming(chunks);
      if (incoming.kind === "unreadable") return incoming.why;
      if (incoming.kind === "whole") return importDocuments(documentsIn(incoming.text), told);
      return importing((done) => told?.(done)).all(inBatches(incoming.documents));
    },
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

function linksOf({ parentTask, blockedBy }: Pick<Task, "parentTask" | "blockedBy">): readonly TaskId[] {
  return [...(parentTask ? [parentTask] : []), ...blockedBy];
}

function takenWords(differs: readonly string[]): string {
  return `the board has a task of that id already, which differs (${differs.join(", ")}) and stays as it is`;
}

function cutWords(done: number, message: string): string {
  return `${message.replace(" and nothing was written", "")}. ${done} tasks were dealt with before that, and stay; the same import again takes over the rest`;
}

async function* batched<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}

async function* inBatches(documents: AsyncIterable<Numbered>): AsyncGenerator<readonly Numbered[]> {
  let batch: Numbered[] = [];
  for await (const document of documents) {
    batch.push(document);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
