/**
 * A kind of case file. Every module of this folder that exports a `caseKind` is one: adding a kind is adding a file.
 * The runner and the tests both go through `run`.
 */
export type CaseFile = {
  /** Absolute path of the file and of its folder. */
  readonly path: string;
  readonly folder: string;
  /** The parsed JSON. */
  readonly content: unknown;
};

export type Verdict =
  | { readonly id: string; readonly ok: true }
  | { readonly id: string; readonly ok: false; readonly expected: string; readonly got: string };

export type CaseKind = {
  readonly name: string;
  /** Told by the shape of the cases, so that a file may have any name. */
  knows(file: CaseFile): boolean;
  run(file: CaseFile): readonly Verdict[] | Promise<readonly Verdict[]>;
};

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Is it a list of cases that each have an id and these fields? */
export function isCaseList(content: unknown, ...names: readonly string[]): content is readonly Fields[] {
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every(
      (each) => isFields(each) && typeof each.id === "string" && names.every((name) => name in each),
    )
  );
}

/** Compares as JSON; a case that throws has failed, and says so. */
export function judge(id: string, expected: unknown, actual: () => unknown): Verdict {
  const wanted = JSON.stringify(expected) ?? "nothing";
  let got: string;
  try {
    got = JSON.stringify(actual()) ?? "nothing";
  } catch (fault) {
    got = `threw ${fault instanceof Error ? fault.message : String(fault)}`;
  }
  return got === wanted ? { id, ok: true } : { id, ok: false, expected: wanted, got };
}
