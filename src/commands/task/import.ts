import { closeSync, createReadStream, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { Board, ImportLine, ImportReport, Progress } from "../../app/board/api.ts";
import { fail, plain, printJson, say } from "../print.ts";
import { argument, type Call, type Exit, isAgent, type Verb } from "../verb.ts";
import { projectOption, withBoard } from "./board.ts";
import { progress } from "./progress.ts";

/** So many lines that were not taken over whole are told to people. */
const mostTold = 20;

export const verb: Verb = {
  usage: "<file>",
  description:
    'Take tasks over as they are: JSON lines (what export writes), a JSON list, {"results": […]}, or the database of a waggle-sqlite board; - for standard input. What is on the board already stays as it is, so that it can be repeated. Exit 3 when a task was not taken over.',
  options: [projectOption],
  examples: [
    ["owlpost task import tasks.jsonl", "what owlpost task export wrote"],
    ["owlpost task import ~/.waggle/tasks.db", "a board of waggle-sqlite"],
    ["owlpost task list --all --json --limit 1000 | owlpost task import - --project copy", "from a list"],
  ],
  async run(call) {
    // It takes verdicts and statuses over as they stand.
    if (isAgent(call.io))
      return fail(
        call,
        3,
        "not-allowed",
        "An agent (OWLPOST_AS=agent) may not import tasks: leave this to a person.",
      );
    const name = argument(call, 0);
    const source = sourceOf(name, call);
    if (!source.ok) return fail(call, 2, "unreadable", plain(source.message));
    return withBoard(
      call,
      async (board) => {
        const counter = progress(call, "Imported");
        const read = await source.take(board, counter.count).finally(counter.end);
        return typeof read === "string" ? fail(call, 2, "unreadable", plain(read)) : print(call, read);
      },
      { brief: true },
    );
  },
};

type Source =
  | { readonly ok: true; take(board: Board, told: Progress): Promise<ImportReport | string> }
  | { readonly ok: false; readonly message: string };

function sourceOf(name: string, call: Call): Source {
  if (name === "-")
    return {
      ok: true,
      take: (board, told) => fromStream(board, "standard input", () => call.io.stdin, told),
    };
  const path = resolve(call.io.cwd, name);
  try {
    if (isDatabase(path)) return { ok: true, take: (board, told) => fromDatabase(board, path, told) };
  } catch (error) {
    return { ok: false, message: unreadable(name, error) };
  }
  return { ok: true, take: (board, told) => fromStream(board, name, () => createReadStream(path), told) };
}

async function fromStream(
  board: Board,
  origin: string,
  open: () => Readable,
  told: Progress,
): Promise<ImportReport | string> {
  let fault: unknown;
  try {
    const read = await board.importStream(
      bytesOf(open(), (error) => {
        fault = error;
      }),
      told,
    );
    return typeof read === "string" ? `${origin} ${read}` : read;
  } catch (error) {
    if (error !== fault) throw error;
    return unreadable(origin, error);
  }
}

async function* bytesOf(stream: Readable, failed: (error: unknown) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream)
      yield typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
  } catch (error) {
    failed(error);
    throw error;
  }
}

function unreadable(origin: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : code;
  return `${origin} cannot be read (${why ?? "unknown error"})`;
}

const mark = "SQLite format 3\u0000";

function isDatabase(path: string): boolean {
  // A pipe is read once.
  if (!statSync(path).isFile()) return false;
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(mark.length);
    return readSync(file, bytes, 0, mark.length, 0) === mark.length && bytes.toString() === mark;
  } finally {
    closeSync(file);
  }
}

async function fromDatabase(board: Board, path: string, told: Progress): Promise<ImportReport | string> {
  try {
    return await board.importWaggle(path, told);
  } catch (error) {
    if ((error as { code?: unknown }).code === "no-board") return (error as Error).message;
    throw error;
  }
}

async function print(call: Call, report: ImportReport): Promise<Exit> {
  const { added, same, refused, dropped } = report;
  if (call.json) await printJson(call, report);
  else {
    const tasks = (count: number): string => `${count} ${count === 1 ? "task" : "tasks"}`;
    await say(call, `${tasks(added)} imported${same > 0 ? `, ${same} on the board already` : ""}.`);
    await tell(call, "Not taken over", refused);
    await tell(call, "Taken over without something", dropped);
  }
  return refused.length > 0 ? 3 : 0;
}

async function tell(call: Call, heading: string, lines: readonly ImportLine[]): Promise<void> {
  if (lines.length === 0) return;
  await say(call, `${heading}:`);
  for (const { line, id, message } of lines.slice(0, mostTold))
    await say(call, `  line ${line}${id === undefined ? "" : `, ${id}`}: ${plain(message)}`);
  if (lines.length > mostTold)
    await say(call, `  and ${lines.length - mostTold} more: --json lists them all`);
}
