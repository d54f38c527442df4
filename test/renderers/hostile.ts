import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Limits, Pattern } from "./rules.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../cases/render", name), "utf8"));

export const hostile = (
  read("hostile.json") as { strings: readonly { readonly id: string; readonly text: string }[] }
).strings;
export const limits = read("limits.json") as {
  readonly channels: Readonly<Record<string, Limits>>;
  readonly neverAnywhere: readonly Pattern[];
};
