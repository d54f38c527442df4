import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderWords, ownMode, whyNotWritten } from "../report-file.ts";

export type WrittenLines =
  | { readonly ok: true; readonly lines: number }
  | { readonly ok: false; readonly message: string };

/** Written at once. */
const chunkLength = 65_536;

/**
 * Writes a file of lines whole, however many: until the last one is on disk, what stood there stays. What stands there must
 * be a plain file of ours, never a link. A full disk is thrown, in words.
 */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  told: (done: number) => void,
): Promise<WrittenLines> {
  const refused = await whyNotWritten(path);
  if (refused !== undefined) return { ok: false, message: refused };
  const temporary = join(dirname(path), `.owlpost-${randomBytes(8).toString("hex")}.tmp`);
  const file = await open(temporary, "wx", ownMode).catch((error: unknown) => folderWords(error, path));
  if (typeof file === "string") return { ok: false, message: file };
  try {
    let count = 0;
    let text = "";
    for await (const line of lines) {
      text += `${line}\n`;
      told(++count);
      if (text.length < chunkLength) continue;
      await file.write(text);
      text = "";
    }
    await file.write(text);
    await file.sync();
    await file.close();
    await rename(temporary, path);
    return { ok: true, lines: count };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new Error(
        `the disk is full (${code}): ${path} was not written, and what stood there stays. Free some space, then do the same again`,
      );
    throw error;
  }
}
