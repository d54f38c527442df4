import type { Scalar } from "yaml";

/** Words that YAML 1.1 readers take for booleans or null. */
const plainKey = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z_][a-z0-9_]*$/i;

/** Inside double quotes these are written as escapes: invisible, or not allowed by stricter readers. */
const hidden = /[\p{DI}\p{Zl}\p{Zp}\p{NChar}\uFFF9-\uFFFB]|(?![\n\t])\p{Cc}/u;
const everyHidden = new RegExp(hidden, "gu");

/**
 * A value as YAML that every reader understands alike: texts are quoted, so that no reader of YAML 1.1 takes `06:00`
 * for a number or `no` for a boolean. Characters that cannot be seen are escapes. `undefined` fields are left out.
 *
 * @param comment lines for people, written above the document
 */
export async function yamlText(value: unknown, comment: readonly string[]): Promise<string> {
  const { Document, isScalar, visit } = await import("yaml");
  const document = new Document(wellFormed(value), { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(key, node) {
      if (!isScalar(node) || typeof node.value !== "string") return;
      node.type = key === "key" ? keyStyle(node.value) : textStyle(node.value);
    },
  });
  const text = document.toString({
    lineWidth: 0,
    blockQuote: "literal",
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  const above = comment.map((line) => `# ${line}\n`).join("");
  return above + text.replace(everyHidden, yamlEscape);
}

/** One JSON value on one line; characters that cannot be seen are escapes. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(wellFormed(value)).replace(everyHidden, jsonEscape);
}

function keyStyle(text: string): Scalar.Type {
  return plainKey.test(text) ? "PLAIN" : "QUOTE_DOUBLE";
}

function textStyle(text: string): Scalar.Type {
  const block = text.includes("\n") && /^\S/.test(text) && !hidden.test(text);
  return block ? "BLOCK_LITERAL" : "QUOTE_DOUBLE";
}

function yamlEscape(found: string): string {
  const hex = (found.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}

function jsonEscape(found: string): string {
  return Array.from(
    { length: found.length },
    (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}

/** Lone surrogates have no UTF-8: they become U+FFFD. Fields without a value go. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\p{Cs}/gu, "\uFFFD");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key.replace(/\p{Cs}/gu, "\uFFFD"), wellFormed(each)]),
  );
}
