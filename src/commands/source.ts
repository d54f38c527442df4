import { closeSync, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "./verb.ts";

export type Source =
  | { readonly ok: true; readonly text: string; readonly origin: string }
  | { readonly ok: false; readonly message: string };

const maxBytes = 1_048_576;
/** An agent's output says what counts at its end. */
const mostOutputBytes = 4 * 1_048_576;

/**
 * The text of a file, or of standard input for `-`: UTF-8, at most 1 MiB. `hearsOut`: whoever writes too much into standard
 * input can write it to its end all the same.
 */
export async function readSource(
  name: string,
  io: Io,
  { hearsOut = false }: { readonly hearsOut?: boolean } = {},
): Promise<Source> {
  const origin = name === "-" ? "standard input" : name;
  let bytes: Buffer | undefined;
  try {
    bytes = name === "-" ? await readStream(io, hearsOut) : readFile(resolve(io.cwd, name));
  } catch (error) {
    return { ok: false, message: `${origin} cannot be read (${reason(error)})` };
  }
  if (!bytes) return { ok: false, message: `${origin} is larger than 1 MiB` };
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), origin };
  } catch {
    return { ok: false, message: `${origin} is not UTF-8 text: save it as UTF-8` };
  }
}

/** The end of an agent's output, at most 4 MiB, from the start of a line where lines are not endless; bytes that are no UTF-8 are shown as such. */
export async function readOutput(name: string, io: Io): Promise<Source> {
  const origin = name === "-" ? "standard input" : name;
  try {
    const stream = name === "-" ? io.stdin : createReadStream(resolve(io.cwd, name));
    let kept: Buffer[] = [];
    let bytes = 0;
    let cut = false;
    for await (const chunk of stream) {
      const part = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
      kept.push(part);
      bytes += part.length;
      if (bytes <= 2 * mostOutputBytes) continue;
      const end = Buffer.concat(kept).subarray(-mostOutputBytes);
      kept = [end];
      bytes = end.length;
      cut = true;
    }
    const all = Buffer.concat(kept);
    const end = all.subarray(-mostOutputBytes);
    const line = cut || end.length < all.length ? end.indexOf(10) + 1 : 0;
    // What moves a progress bar, and a log in JSON, may be one line of any length: what counts stands at its end.
    const start = line > end.length / 2 ? 0 : line;
    return { ok: true, text: end.subarray(start).toString("utf8"), origin };
  } catch (error) {
    return { ok: false, message: `${origin} cannot be read (${reason(error)})` };
  }
}

function readFile(path: string): Buffer | undefined {
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size > maxBytes) return undefined;
    // A pipe or a device has no size before it was read.
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return length > maxBytes ? undefined : bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

async function readStream(io: Io, hearsOut: boolean): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const part = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
    bytes += part.length;
    if (bytes <= maxBytes) chunks.push(part);
    else if (hearsOut) chunks = [];
    else return undefined;
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks);
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "permission denied";
  return code ?? "unknown error";
}
