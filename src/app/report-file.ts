import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, refusalOf, refusalWords, writeWhole } from "./airlock/files.ts";

export type WrittenReport = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** For the owner's eyes: it holds what was asked and answered. */
const mode = 0o600;

/** Writes the report whole, or says why not: what stands there must be a plain file of ours, never a link. A full disk is thrown. */
export async function writeReport(path: string, html: string): Promise<WrittenReport> {
  try {
    const reason = refusalOf(await lstat(path, { bigint: true }));
    if (reason) return { ok: false, message: `${path} is left alone: ${refusalWords[reason]}` };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTDIR") return { ok: false, message: `${dirname(path)} is no folder` };
    if (code !== "ENOENT") throw error;
  }
  try {
    await writeWhole(path, html, mode);
    return { ok: true };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { ok: false, message: `there is no folder ${dirname(path)}` };
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
      return { ok: false, message: `${dirname(path)} may not be written to (${code})` };
    }
    throw error;
  }
}
