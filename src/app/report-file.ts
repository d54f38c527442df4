import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, refusalOf, refusalWords, writeWhole } from "./airlock/files.ts";

export type WrittenReport = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** For the owner's eyes: it holds what was asked and answered. */
export const ownMode = 0o600;

/** Writes the report whole, or says why not: what stands there must be a plain file of ours, never a link. A full disk is thrown. */
export async function writeReport(path: string, html: string): Promise<WrittenReport> {
  const refused = await whyNotWritten(path);
  if (refused !== undefined) return { ok: false, message: refused };
  try {
    await writeWhole(path, html, ownMode);
    return { ok: true };
  } catch (error) {
    return { ok: false, message: folderWords(error, path) };
  }
}

/** Why nothing is written there; undefined where nothing stands, or a plain file of ours. */
export async function whyNotWritten(path: string): Promise<string | undefined> {
  try {
    const reason = refusalOf(await lstat(path, { bigint: true }));
    return reason && `${path} is left alone: ${refusalWords[reason]}`;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTDIR") return `${dirname(path)} is no folder`;
    if (code !== "ENOENT") throw error;
    return undefined;
  }
}

/** What is wrong with the folder of that file; every other fault is thrown. */
export function folderWords(error: unknown, path: string): string {
  const code = codeOf(error);
  if (code === "ENOENT") return `there is no folder ${dirname(path)}`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return `${dirname(path)} may not be written to (${code})`;
  throw error;
}
