import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Board, ImportLine, ImportReport, Progress } from "../../app/board/api.ts";
import { fail, plain, printJson, say } from "../print.ts";
import { argument, type Call, type Exit, isAgent, type Verb } from "../verb.ts";
import { projectOption, withBoard } from "./board.ts";
import { progress } from "./progress.ts";

const mostBytes = 256 * 1024 * 1024;
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
    const source = await open(name, call);
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

async function open(name: string, call: Call): Promise<Source> {
  const origin = name === "-" ? "standard input" : name;
  const unreadable = (why: string) => ({ ok: false as const, message: `${origin} ${why}` });
  try {
    const path = resolve(call.io.cwd, name);
    if (name !== "-") {
      const { size } = statSync(path);
      if (isDatabase(path)) return { ok: true, take: (board, told) => fromDatabase(board, path, told) };
      if (size > mostBytes) return unreadable("is larger than 256 MiB: split it at a line's end");
    }
    const bytes = name === "-" ? await readAll(call) : readFileSync(path);
    if (!bytes) return unreadable("is larger than 256 MiB: split it at a line's end");
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { ok: true, take: (board, told) => board.importText(text, told) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      return unreadable("is not UTF-8 text: save it as UTF-8");
    return unreadable(
      `cannot be read (${code === "ENOENT" ? "there is no such file" : (code ?? "unknown error")})`,
    );
  }
}

const mark = "SQLite format 3\u0000";

function isDatabase(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(mark.length);
    return (
      statSync(path).isFile() &&
      readSync(file, bytes, 0, mark.length, 0) === mark.length &&
      bytes.toString() === mark
    );
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

async function readAll(call: Call): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of call.io.stdin) {
    const part = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
    bytes += part.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
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
