import type { Facts } from "../../domain/question.ts";
import { cleanText, isBlank, isLargerThan, utf8Bytes } from "../text.ts";
import {
  type Fields,
  type Findings,
  fieldName,
  isAbsent,
  isDate,
  isFields,
  show,
  textOrInteger,
} from "./findings.ts";
import { maxTextBytes } from "./texts.ts";

/** What only the engine may say; from an agent these are dropped. */
export const engineFields = [
  "facts",
  "answerable_by",
  "auto_default",
  "run",
  "iteration",
  "progress",
] as const;

const tailLines = 10;

export function readFacts(fields: Fields, findings: Findings): Facts | undefined {
  const value = fields.facts;
  if (isAbsent(value)) return undefined;
  if (!isFields(value)) {
    findings.breaks(
      "field-invalid",
      "facts",
      show(value),
      "Write the facts as a map, such as `facts: { command: make test }`.",
    );
    return undefined;
  }
  const facts: [string, unknown][] = [];
  const reader = new PlainReader();
  for (const [name, raw] of Object.entries(value)) {
    const field = `facts.${fieldName(name)}`;
    const plain = reader.read(name === "output_tail" ? lastLines(raw) : raw);
    if (reader.exhausted) {
      findings.breaks(
        "field-invalid",
        field,
        show(raw),
        "Keep facts flat and short: at most 32 levels and 20,000 values in all.",
      );
      return undefined;
    }
    if (plain === undefined) continue;
    const json = JSON.stringify(plain);
    if (isLargerThan(json, maxTextBytes)) {
      findings.breaks(
        "field-invalid",
        field,
        `${utf8Bytes(json)} bytes`,
        `Shorten this fact to ${maxTextBytes} bytes of UTF-8.`,
      );
      continue;
    }
    // Together with its name, since `password: …` is known by it.
    for (const entry of Object.entries(findings.keepValue(field, { [cleanText(name)]: plain }) as Fields))
      facts.push(entry);
  }
  return facts.length === 0 ? undefined : Object.fromEntries(facts);
}

/** The last lines of a text, or of a list of texts. */
function lastLines(value: unknown): unknown {
  if (typeof value === "string") return cut(value).join("\n");
  if (!Array.isArray(value)) return value;
  const end: readonly unknown[] = value.slice(-tailLines);
  if (!end.every((line) => typeof line === "string")) return end;
  return cut(end.join("\n"));
}

function cut(text: string): readonly string[] {
  const lines = text.replace(/(?:\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/);
  return lines.slice(-tailLines);
}

/** Reads a value as JSON would write it, but never without end: documents handed over in memory may hold cycles. */
class PlainReader {
  exhausted = false;
  #left = 20_000;

  read(value: unknown, depth = 0): unknown {
    this.#left -= 1;
    if (this.#left < 0 || depth > 32) this.exhausted = true;
    if (this.exhausted) return undefined;
    switch (typeof value) {
      case "string":
        return cleanText(value);
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "bigint":
        return String(value);
      case "object":
        if (value === null || isDate(value)) return JSON.parse(JSON.stringify(value)) as unknown;
        return Array.isArray(value) ? this.#list(value, depth) : this.#map(value, depth);
      default:
        return undefined;
    }
  }

  #list(list: readonly unknown[], depth: number): unknown {
    if (list.length > this.#left) this.exhausted = true;
    return this.exhausted ? undefined : Array.from(list, (item) => this.read(item, depth + 1) ?? null);
  }

  #map(map: object, depth: number): unknown {
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(map)) {
      const plain = this.read(item, depth + 1);
      if (this.exhausted) return undefined;
      if (plain !== undefined) entries.push([cleanText(key), plain]);
    }
    return Object.fromEntries(entries);
  }
}

export function readLinks(fields: Fields, findings: Findings): Readonly<Record<string, string>> | undefined {
  const value = fields.links;
  if (isAbsent(value)) return undefined;
  if (!isFields(value)) {
    findings.breaks(
      "field-invalid",
      "links",
      show(value),
      "Write the links as a map, such as `links: { branch: owl/a3f2 }`.",
    );
    return undefined;
  }
  const links: [string, string][] = [];
  for (const [name, raw] of Object.entries(value)) {
    if (isAbsent(raw)) continue;
    const field = `links.${name.slice(0, 64)}`;
    const text = textOrInteger(raw);
    if (typeof text !== "string" || isLargerThan(text, maxTextBytes))
      findings.breaks("field-invalid", field, show(raw), "Write each link as a text in quotes.");
    else links.push([cleanText(name), findings.keepText(field, text)]);
  }
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

export function readAnswerableBy(fields: Fields, findings: Findings): readonly string[] | undefined {
  const value = fields.answerable_by;
  if (isAbsent(value)) return undefined;
  const names = Array.isArray(value)
    ? Array.from(value, (name: unknown) =>
        typeof name === "string" ? findings.keepText("answerable_by", name) : "",
      )
    : [""];
  if (names.some((name) => isBlank(name) || isLargerThan(name, 256))) {
    findings.breaks(
      "field-invalid",
      "answerable_by",
      show(value),
      "Write `answerable_by` as a list of roles or names of people, such as `[owner, mara]`.",
    );
    return undefined;
  }
  return names.length === 0 ? undefined : names;
}

export function readIteration(fields: Fields, findings: Findings): number | undefined {
  const value = fields.iteration;
  if (isAbsent(value)) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  findings.breaks("field-invalid", "iteration", show(value), "Write the iteration as a whole number.");
  return undefined;
}

export function readProgress(fields: Fields, findings: Findings): string | undefined {
  const value = fields.progress;
  if (isAbsent(value)) return undefined;
  if (typeof value === "string" && !isLargerThan(value, maxTextBytes))
    return isBlank(value) ? undefined : findings.keepText("progress", value);
  findings.breaks(
    "field-invalid",
    "progress",
    show(value),
    'Write the progress as a short text, such as "2 of 5 specs done".',
  );
  return undefined;
}
