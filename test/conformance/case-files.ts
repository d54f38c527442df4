import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { CaseFile, CaseKind, Verdict } from "./case-kind.ts";
import { isCaseList, isFields } from "./case-kind.ts";

/** Every kind that a module of this folder exports. */
export async function loadKinds(): Promise<readonly CaseKind[]> {
  const kinds: CaseKind[] = [];
  for (const name of readdirSync(import.meta.dirname).sort()) {
    // `run.ts` is the program itself: it exports nothing and runs when it is loaded.
    if (!name.endsWith(".ts") || name.endsWith(".test.ts") || name === "run.ts") continue;
    const module = (await import(new URL(name, import.meta.url).href)) as { caseKind?: CaseKind };
    if (module.caseKind) kinds.push(module.caseKind);
  }
  return kinds;
}

export function readCaseFile(path: string): CaseFile {
  const whole = resolve(path);
  return { path: whole, folder: dirname(whole), content: JSON.parse(readFileSync(whole, "utf8")) as unknown };
}

export type Found = { readonly files: readonly CaseFile[]; readonly unreadable: readonly string[] };

/** The case files below a folder: lists of cases with ids, and files named `expect.json`. Inputs beside the latter are none. */
export function findCaseFiles(folder: string): Found {
  const files: CaseFile[] = [];
  const unreadable: string[] = [];
  const visit = (at: string, inputs: boolean): void => {
    const entries = readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    const holdsInputs = inputs || entries.some((entry) => entry.name === "expect.json");
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        visit(path, holdsInputs);
      } else if (entry.name.endsWith(".json") && (!holdsInputs || entry.name === "expect.json")) {
        try {
          files.push(readCaseFile(path));
        } catch (fault) {
          unreadable.push(`${path}: ${fault instanceof Error ? fault.message : String(fault)}`);
        }
      }
    }
  };
  visit(resolve(folder), false);
  return { files, unreadable };
}

/** Does a file that no kind knows hold cases? Tables without ids (limits, worlds) are read by the cases of others. */
export function holdsCases(file: CaseFile): boolean {
  return isCaseList(file.content) || (basename(file.path) === "expect.json" && isFields(file.content));
}

export async function runFile(
  file: CaseFile,
  kinds: readonly CaseKind[],
): Promise<readonly Verdict[] | undefined> {
  return kinds.find((kind) => kind.knows(file))?.run(file);
}
