import type { BrokenRule } from "../../domain/command.ts";
import { redact, redactDeep } from "../redact.ts";
import { cleanText, shorten } from "../text.ts";

/** The document: a map whose values nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** YAML and JSON both have a way to write a field down and leave it empty. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A text, or a number that can only have been meant as that text: `key: 1`, `run: 4711`. */
export function textOrInteger(value: unknown): unknown {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : value;
}

/** Gathers what a document breaks, hides and loses while it is read. */
export class Findings {
  readonly broken: BrokenRule[] = [];
  readonly redactedFields: string[] = [];
  readonly droppedFields: string[] = [];

  /** `found` as it is to be shown, at most `most` characters of it: see `show` for values of the document. */
  breaks(rule: string, field: string, found: string, mend: string, most = 80): void {
    this.broken.push({ rule, field, found: shorten(found, most), mend });
  }

  /** The text as it will be stored: see `cleanText`, with every credential replaced. */
  keepText(field: string, text: string): string {
    const redacted = redact(cleanText(text));
    if (redacted.found > 0) this.redactedFields.push(field);
    return redacted.text;
  }

  /** The same for a JSON-like value whose texts are clean. */
  keepValue(field: string, value: unknown): unknown {
    const redacted = redactDeep(value);
    if (redacted.found > 0) this.redactedFields.push(field);
    return redacted.value;
  }

  /** A field that must be true or false where it is there. */
  flag(fields: Fields, name: string, field: string): boolean | undefined {
    const value = fields[name];
    if (isAbsent(value)) return undefined;
    if (typeof value === "boolean") return value;
    this.breaks("field-invalid", field, show(value), `Set \`${name}\` to true or false, without quotes.`);
    return undefined;
  }
}

/** A field's name as it may be told: at most 64 characters, and no credential that somebody wrote there. */
export function fieldName(name: string): string {
  const text = shorten(cleanText(name), 64);
  return text.length < 12 ? text : redact(text).text;
}

/** What stands there, in at most 80 characters of one line and without credentials. */
export function show(value: unknown): string {
  if (isAbsent(value)) return "nothing";
  if (typeof value === "string") {
    // Far more than will be shown, so that a credential is seen as one.
    const text = redact(cleanText(value.slice(0, 2048))).text.replace(/[\n\x85\u2028\u2029]/g, "⏎");
    return `"${shorten(text, 78)}"`;
  }
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "number":
      return `the number ${value}`;
    case "boolean":
      return `${value}`;
    case "object":
      return isDate(value) ? "a date" : "a map";
    default:
      return `a ${typeof value}`;
  }
}

export function isDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Date]";
}
