import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Event } from "../../domain/event.ts";
import { AirlockFault, codeOf, refusalOf, refusalWords, syncFolder } from "./files.ts";
import { jsonLine } from "./yaml-text.ts";

const chunkBytes = 65_536;

/**
 * Appends events to `events.jsonl`, each exactly once: what the file already holds is told by its last line, and a
 * last line that was torn by a kill is taken off first.
 *
 * @param path `<airlock>/events.jsonl`
 * @param events in the order of their numbers
 * @param lastSeq the newest number there is; a larger one in the file is not ours and proves nothing
 * @throws AirlockFault when a link or a foreign file stands there
 */
export async function appendEvents(
  path: string,
  events: readonly Event[],
  lastSeq: number,
  mode: number,
): Promise<void> {
  if (events.length === 0) return;
  const { file, made } = await openOwned(path, mode);
  try {
    const size = (await file.stat()).size;
    const { end, seq } = await tailOf(file, size);
    if (end < size) await file.truncate(end);
    const known = seq <= lastSeq ? seq : 0;
    const lines = events.filter((event) => event.seq > known).map((event) => `${jsonLine(lineOf(event))}\n`);
    if (lines.length > 0) await file.appendFile(lines.join(""));
    await file.sync();
  } finally {
    await file.close();
  }
  if (made) await syncFolder(dirname(path));
}

function lineOf(event: Event): Record<string, unknown> {
  const { seq, at, kind, question, task, data } = event;
  return { seq, at: new Date(at).toISOString(), kind, question, task, data };
}

async function openOwned(path: string, mode: number): Promise<{ file: FileHandle; made: boolean }> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: FileHandle;
  let made = false;
  try {
    file = await open(path, flags);
  } catch (error) {
    if (codeOf(error) === "ELOOP")
      throw new AirlockFault("link", `${path} is left alone: ${refusalWords.link}`);
    if (codeOf(error) !== "ENOENT") throw error;
    file = await open(path, flags | constants.O_CREAT | constants.O_EXCL, mode);
    made = true;
  }
  const reason = refusalOf(await file.stat({ bigint: true }));
  if (reason) {
    await file.close();
    throw new AirlockFault(reason, `${path} is left alone: ${refusalWords[reason]}`);
  }
  return { file, made };
}

/** Where the last whole line ends, and the number of the last event in the file (0 when there is none). */
async function tailOf(file: FileHandle, size: number): Promise<{ end: number; seq: number }> {
  let tail = Buffer.alloc(0);
  let start = size;
  let end = -1;
  while (start > 0) {
    const length = Math.min(chunkBytes, start);
    const chunk = Buffer.alloc(length);
    await file.read(chunk, 0, length, start - length);
    start -= length;
    tail = Buffer.concat([chunk, tail]);
    if (end < 0) {
      const newline = tail.lastIndexOf(10);
      if (newline < 0) continue;
      end = start + newline + 1;
    }
    // The first line of what was read may be cut in the middle, unless it is the first of the file.
    const whole = tail.subarray(start === 0 ? 0 : tail.indexOf(10) + 1, end - start);
    const lines = whole.toString("utf8").split("\n");
    for (let at = lines.length - 1; at >= 0; at -= 1) {
      const seq = seqOf(lines[at] ?? "");
      if (seq !== undefined) return { end, seq };
    }
  }
  return { end: Math.max(end, 0), seq: 0 };
}

function seqOf(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { seq } = JSON.parse(line) as { seq?: unknown };
    return typeof seq === "number" && Number.isSafeInteger(seq) && seq > 0 ? seq : undefined;
  } catch {
    return undefined;
  }
}
