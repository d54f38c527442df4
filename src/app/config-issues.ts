import type * as z from "zod";
import { knownKeys } from "./config-schema.ts";
import { type ConfigText, type Path, pathText } from "./config-text.ts";
import { nearestKey } from "./nearest-key.ts";

export type Found = {
  readonly path: Path;
  readonly message: string;
  /** An unknown key below `path`: the error stands in its line. */
  readonly key?: string;
};

type Issue = z.core.$ZodIssue;

/** Says each issue of a schema in a sentence. Values below `channels` are never repeated: they may be secrets. */
export function configIssues(
  issues: readonly Issue[],
  schema: z.ZodType,
  base: Path,
  source: ConfigText,
): Found[] {
  return issues.flatMap((issue) => {
    const inner = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    const path: Path = [...base, ...inner];
    // The variable's absence is already told; its unreplaced text would only add noise.
    if (source.missing.some((gap) => pathText(gap.path) === pathText(path))) return [];
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(schema, inner) ?? [];
      return issue.keys.map((key) => ({ path: [...path, key], key, message: unknownKey(key, known) }));
    }
    const found = base.length === 0 ? foundText(source.written(path)) : "";
    return [{ path, message: sentence(issue, source.written(path) === undefined) + found }];
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestKey(key, known);
  return near
    ? `is not a known key: did you mean ${near}?`
    : `is not a known key; known: ${known.join(", ")}`;
}

function sentence(issue: Issue, absent: boolean): string {
  switch (issue.code) {
    case "invalid_type":
      if (absent) return "is missing";
      return issue.message.startsWith("Invalid input")
        ? `must be ${kindName(issue.expected)}`
        : issue.message;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}${lengthUnit(issue.origin)}`;
    case "too_big":
      return `must be at most ${issue.maximum}${lengthUnit(issue.origin)}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not allowed as a key";
    default:
      return issue.message.replace(/^Invalid/, "is an invalid");
  }
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a group of keys and values",
  record: "a group of keys and values",
};

function kindName(expected: string): string {
  return kindNames[expected] ?? `of another kind (${expected})`;
}

function lengthUnit(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " entries long" : "";
}

/** What stands there, for the end of a sentence. Not for values below `channels`. */
export function foundText(written: unknown): string {
  if (typeof written !== "string" && typeof written !== "number" && typeof written !== "boolean") return "";
  const text = String(written);
  return ` (found ${text.length > 40 ? `${text.slice(0, 40)}…` : text})`;
}
