import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** One thing that the asker or the loop was told. What stands here was acknowledged; the rest may or may not have happened. */
export type Entry = { readonly name: string; readonly value: unknown };

/** A question as its asker knows it, under `ask <task>`. */
export type AskedEntry = { readonly id: string; readonly digest: string };

/** What the loop was given, under `take …`, or read from a file, under `read …`. */
export type GivenEntry = {
  readonly claim: string;
  readonly given: readonly { id: string; outcome: string; option?: string; text?: string; digest: string }[];
};

/** A pairing code as its maker was told it, under `pair <name>`. */
export type CodeEntry = { readonly code: string; readonly token: string };

/** Written with plain synchronous calls: what was written survives the process. */
export type Ledger = {
  readonly entries: ReadonlyMap<string, unknown>;
  add(name: string, value: unknown): void;
};

export function readLedger(path: string): Entry[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}

export function openLedger(path: string): Ledger {
  const entries = new Map(readLedger(path).map(({ name, value }) => [name, value]));
  return {
    entries,
    add(name, value) {
      appendFileSync(path, `${JSON.stringify({ name, value: value ?? null })}\n`);
      entries.set(name, value);
    },
  };
}
