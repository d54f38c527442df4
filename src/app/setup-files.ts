import { lstatSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { readOwned, utf8, writeWhole } from "./airlock/files.ts";
import { openHome } from "./home.ts";
import { secretsPath, withSecret } from "./secrets-file.ts";
import { excludeLine, type WorkTree } from "./setup-airlock.ts";

const mostBytes = 1_048_576;

/** The present `config.yaml`; `text` is undefined where there is none. */
export type Present =
  | { readonly ok: true; readonly file: string; readonly text?: string }
  | { readonly ok: false; readonly file: string; readonly message: string };

export function readPresent(home: string): Present {
  const named = join(home, "config.yaml");
  try {
    const file = lstatSync(named).isSymbolicLink() ? realpathSync(named) : named;
    const bytes = readFileSync(file);
    const text = bytes.length > mostBytes ? undefined : utf8(bytes);
    if (text === undefined) return { ok: false, file, message: "is larger than 1 MiB or not UTF-8" };
    return { ok: true, file, text };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT") return { ok: true, file: named };
    return { ok: false, file: named, message: `cannot be read (${code})` };
  }
}

export type Writing = {
  readonly home: string;
  readonly present: Extract<Present, { ok: true }>;
  readonly text: string;
  readonly secret?: { readonly name: string; readonly value: string };
  readonly exclude?: { readonly tree: WorkTree; readonly airlock: string };
};

export type Written =
  /** `changed` is false where every byte stood there already. */
  | { readonly ok: true; readonly changed: boolean; readonly backup?: string }
  | { readonly ok: false; readonly message: string };

/** Writes everything, each file whole; `config.yaml` comes last, so that it never names what is not there yet. */
export async function writeSetup({ home, present, text, secret, exclude }: Writing): Promise<Written> {
  const opened = openHome(home);
  if (!opened.ok) return { ok: false, message: opened.message };
  const { file, text: before } = present;
  const now = readPresent(home);
  if (!now.ok || now.text !== before) {
    return { ok: false, message: `${file} was changed meanwhile: start owlpost init again` };
  }
  if (secret) {
    const path = secretsPath(home);
    const kept = await readOwned(path);
    if (!kept.ok && kept.reason !== "missing") return { ok: false, message: `${path} cannot be replaced` };
    const lines = kept.ok ? (utf8(kept.bytes) ?? "") : "";
    await writeWhole(path, withSecret(lines, secret.name, secret.value), 0o600);
  }
  if (exclude) await addExclude(exclude.tree, exclude.airlock);
  if (before === text) return { ok: true, changed: false };
  const backup = before === undefined ? undefined : `${file}.bak`;
  if (backup !== undefined) await writeWhole(backup, before ?? "", 0o600);
  await writeWhole(file, text, 0o600);
  return { ok: true, changed: true, ...(backup === undefined ? {} : { backup }) };
}

async function addExclude(tree: WorkTree, airlock: string): Promise<void> {
  let present = "";
  let mode = 0o644;
  try {
    mode = lstatSync(tree.exclude).mode & 0o777;
    present = readFileSync(tree.exclude, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(tree.exclude), { recursive: true });
  }
  const end = present === "" || present.endsWith("\n") ? "" : "\n";
  await writeWhole(tree.exclude, `${present}${end}${excludeLine(tree, airlock)}\n`, mode);
}
