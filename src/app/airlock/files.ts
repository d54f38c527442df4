import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The largest file that is read from an airlock. */
export const mostFileBytes = 1024 * 1024;

/** Which file it is and whether it was touched since: `<inode>:<size>:<mtime in ns>`. */
export type Look = string;

/** Why a file in an airlock is left alone. */
export type FileRefusal =
  | "missing"
  | "link"
  | "not-a-file"
  | "foreign"
  | "hard-link"
  | "too-large"
  | "unreadable";

/** How long a folder counts as just changed. */
export const freshMs = 50;

export type OwnedFile =
  | { readonly ok: true; readonly bytes: Buffer; readonly look: Look }
  | { readonly ok: false; readonly reason: FileRefusal };

type FileStat = {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly nlink: bigint;
  readonly uid: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
};

/** A folder or file of an airlock is not what it must be. `message` says what to do. */
export class AirlockFault extends Error {
  override readonly name = "AirlockFault";
  readonly reason: FileRefusal;
  constructor(reason: FileRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** In words, for files that are refused. */
export const refusalWords: Readonly<Record<FileRefusal, string>> = {
  missing: "there is no such file",
  link: "it is a symbolic link; put the file itself there",
  "not-a-file": "it is not a regular file",
  foreign: "it belongs to another account",
  "hard-link": "it has a second name (a hard link); put a copy there",
  "too-large": `it is larger than ${mostFileBytes} bytes`,
  unreadable: "it cannot be read; check its permissions",
};

export function lookOf(stat: Pick<FileStat, "ino" | "size" | "mtimeNs">): Look {
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/**
 * Did this folder change so lately that one more change may leave its time as it is? Kernels count in ticks of a few ms;
 * what was listed in such a moment must be listed again.
 */
export function isFresh(stat: Pick<FileStat, "mtimeNs">): boolean {
  return Date.now() - Number(stat.mtimeNs / 1_000_000n) < freshMs;
}

/** What forbids touching this file; undefined for a regular file of ours with one name. */
export function refusalOf(stat: FileStat, uid = ownUid()): FileRefusal | undefined {
  if (stat.isSymbolicLink()) return "link";
  if (!stat.isFile()) return "not-a-file";
  if (uid !== undefined && stat.uid !== BigInt(uid)) return "foreign";
  return stat.nlink === 1n ? undefined : "hard-link";
}

/**
 * Reads a file only when it is regular, ours, no link of either kind and not too large. The checks are made on the
 * opened file, so that nothing can be swapped in between.
 */
export async function readOwned(path: string, maxBytes = mostFileBytes, uid = ownUid()): Promise<OwnedFile> {
  let file: FileHandle;
  try {
    // Non-blocking: opening a pipe must not wait for its writer.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
  try {
    const stat = await file.stat({ bigint: true });
    const reason = refusalOf(stat, uid);
    if (reason) return { ok: false, reason };
    if (stat.size > BigInt(maxBytes)) return { ok: false, reason: "too-large" };
    const bytes = await readUpTo(file, maxBytes + 1);
    if (bytes.length > maxBytes) return { ok: false, reason: "too-large" };
    return { ok: true, bytes, look: lookOf(stat) };
  } catch {
    return { ok: false, reason: "unreadable" };
  } finally {
    await file.close();
  }
}

async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const chunk = Buffer.alloc(Math.min(65_536, most - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks, length);
}

/** The text of a file, without a byte order mark; undefined when it is not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const temporaryName = /^\.owlpost-[0-9a-f]{16}\.tmp$/;

/**
 * Writes a file whole: a temporary file in the same folder, fsync, rename, fsync of the folder. A link that stands
 * at `path` is replaced, never followed. After a kill there is the old file or the new one, nothing in between.
 */
export async function writeWhole(path: string, content: string | Uint8Array, mode: number): Promise<Look> {
  const look = await placeWhole(path, content, mode);
  await syncFolder(dirname(path));
  return look;
}

/** The same, but a power cut may bring back the old file until its folder is synced: once for many files. */
export async function placeWhole(path: string, content: string | Uint8Array, mode: number): Promise<Look> {
  const folder = dirname(path);
  const temporary = join(folder, `.owlpost-${randomBytes(8).toString("hex")}.tmp`);
  let look: Look;
  try {
    const file = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
    try {
      await file.writeFile(content);
      await file.sync();
      look = lookOf(await file.stat({ bigint: true }));
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  return look;
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder, or checks one that is there: a folder of ours, not a link to one.
 *
 * @throws AirlockFault when something else stands there
 */
export async function ensureFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
    return;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") {
      throw new AirlockFault(
        "missing",
        `${dirname(path)} is not there: make it, or mend the path of the airlock`,
      );
    }
    if (code !== "EEXIST") throw error;
  }
  const stat = await lstat(path, { bigint: true });
  const uid = ownUid();
  if (stat.isSymbolicLink()) {
    throw new AirlockFault("link", `${path} is a symbolic link: put a folder there, links are not followed`);
  }
  if (!stat.isDirectory()) {
    throw new AirlockFault("not-a-file", `${path} is not a folder: move it away, a folder is made there`);
  }
  if (uid !== undefined && stat.uid !== BigInt(uid)) {
    throw new AirlockFault(
      "foreign",
      `${path} belongs to another account: give it to this one or move it away`,
    );
  }
}

/** Removes temporary files that a killed process left behind. */
export async function sweepTemporary(folder: string, olderThanMs: number, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!temporaryName.test(name)) continue;
    const path = join(folder, name);
    const stat = await lstat(path).catch(() => undefined);
    if (stat && now - stat.mtimeMs > olderThanMs) await unlink(path).catch(() => undefined);
  }
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "unknown error";
}

function ownUid(): number | undefined {
  return process.getuid?.();
}

function reasonOf(error: unknown): FileRefusal {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return "missing";
  if (code === "ELOOP" || code === "EMLINK") return "link";
  // A socket or a device without a driver behind it.
  return code === "ENXIO" || code === "ENODEV" ? "not-a-file" : "unreadable";
}
