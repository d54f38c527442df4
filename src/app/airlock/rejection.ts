import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import type { BrokenRule } from "../../domain/command.ts";
import { codeOf, type FileRefusal, readOwned, refusalWords, utf8, writeWhole } from "./files.ts";
import type { Place } from "./place.ts";
import { yamlText } from "./yaml-text.ts";

/** Why a dropped file was not asked. */
export type Rejection =
  | { readonly error: "rejected"; readonly broken: readonly BrokenRule[] }
  | {
      readonly error: "unreadable";
      readonly message: string;
      readonly line?: number;
      readonly column?: number;
    }
  | { readonly error: "id-conflict"; readonly id: string; readonly message: string }
  | { readonly error: "refused"; readonly reason: FileRefusal };

/** What was rejected: the SHA-256 of its content, or for a file that was never read, which file it was. */
export type Fingerprint = string;

const longestNameBytes = 200;

/** The name of the file beside a dropped one that says why it was not asked. */
export function rejectionName(name: string): string {
  const stem = name.endsWith(".yaml") ? name.slice(0, -".yaml".length) : name;
  const short =
    Buffer.byteLength(stem) <= longestNameBytes
      ? stem
      : createHash("sha256").update(name).digest("hex").slice(0, 32);
  return `${short}.rejected.yaml`;
}

export function isRejectionName(name: string): boolean {
  return name.endsWith(".rejected.yaml");
}

/** Was exactly this rejected before, perhaps by another process? */
export async function wasRejected(place: Place, name: string, fingerprint: Fingerprint): Promise<boolean> {
  const read = await readOwned(pathOf(place, name));
  if (!read.ok) return false;
  return utf8(read.bytes)?.split("\n").includes(`fingerprint: "${fingerprint}"`) ?? false;
}

export async function writeRejection(
  place: Place,
  name: string,
  fingerprint: Fingerprint,
  rejection: Rejection,
  at: number,
): Promise<void> {
  const { error, ...more } = rejection;
  const words = "reason" in more ? { ...more, message: refusalWords[more.reason] } : more;
  const text = await yamlText({ file: name, error, fingerprint, at: new Date(at).toISOString(), ...words }, [
    `owlpost did not ask the question in ${JSON.stringify(name)}: mend that file and save it again.`,
    "Mend the file and it is asked; this note goes then. Delete both to give it up.",
  ]);
  await writeWhole(pathOf(place, name), text, place.fileMode);
}

export async function removeRejection(place: Place, name: string): Promise<void> {
  try {
    await unlink(pathOf(place, name));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function pathOf(place: Place, name: string): string {
  return join(place.dir, "questions", rejectionName(name));
}
