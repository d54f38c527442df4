import { countCharacters, isBlank, isLargerThan, isLongerThan, isMultiline, utf8Bytes } from "../text.ts";
import { type Fields, type Findings, isAbsent, show } from "./findings.ts";

export const maxTextBytes = 65_536;
const maxTitle = 120;
const maxContext = 600;

/** Undefined where it is no text at all, which is told already. */
export function readTitle(fields: Fields, findings: Findings): string | undefined {
  const value = fields.title;
  if (!isAbsent(value) && typeof value !== "string") {
    findings.breaks("field-invalid", "title", show(value), "Write the title as a text in quotes.");
    return undefined;
  }
  const title = isAbsent(value) ? "" : findings.keepText("title", value);
  if (isBlank(title)) {
    findings.breaks(
      "title-missing",
      "title",
      show(value),
      "Give the question a title: one line that asks it.",
    );
    return title;
  }
  if (isMultiline(title))
    findings.breaks(
      "title-multiline",
      "title",
      show(title),
      "Put the title on one line, without a line break at its end.",
    );
  if (isLongerThan(title, maxTitle))
    findings.breaks(
      "title-too-long",
      "title",
      `${countCharacters(title)} characters`,
      `Shorten the title to ${maxTitle} characters and move the rest into the context.`,
    );
  return title;
}

export function readContext(fields: Fields, findings: Findings): string | undefined {
  const value = fields.context;
  if (!isAbsent(value) && typeof value !== "string") {
    findings.breaks("field-invalid", "context", show(value), "Write the context as one text in quotes.");
    return undefined;
  }
  const context = isAbsent(value) ? "" : findings.keepText("context", value);
  if (isBlank(context))
    findings.breaks(
      "context-missing",
      "context",
      show(value),
      "Say in the context what somebody must know to decide, in at most 600 characters.",
    );
  else if (isLongerThan(context, maxContext))
    findings.breaks(
      "context-too-long",
      "context",
      `${countCharacters(context)} characters`,
      `Shorten the context to ${maxContext} characters; what was tried belongs into \`tried\`.`,
    );
  return context;
}

/** `ok: false`: it is there, but not as a text. */
export function readTried(fields: Fields, findings: Findings): { ok: boolean; text?: string } {
  const value = fields.tried;
  if (isAbsent(value)) return { ok: true };
  if (typeof value !== "string") {
    findings.breaks(
      "field-invalid",
      "tried",
      show(value),
      "Write `tried` as one text; a list becomes lines in it.",
    );
    return { ok: false };
  }
  if (isBlank(value)) return { ok: true };
  if (isLargerThan(value, maxTextBytes)) {
    findings.breaks(
      "field-invalid",
      "tried",
      `${utf8Bytes(value)} bytes`,
      `Shorten \`tried\` to ${maxTextBytes} bytes of UTF-8; its end matters most.`,
    );
    return { ok: true, text: value.slice(0, maxTextBytes) };
  }
  return { ok: true, text: findings.keepText("tried", value) };
}

/** A token that holds `/`, `::` or `_` beside something else, a span in backticks, `#` and a digit. */
const artifact = /[^\s/]\/|\/[^\s/]|[^\s:]::|::[^\s:]|[^\s_]_|_[^\s_]|`\s*[^`\s][^`]*`|#[0-9]/;
/** `name.ext`; one letter on both sides of the stop is an abbreviation (`e.g.`). */
const fileName =
  /(?:[A-Za-z0-9_\u0080-\uffff-]{2}\.(?:[a-z][a-z0-9]{0,7}|[A-Z][A-Z0-9]{0,7})|[A-Za-z0-9_\u0080-\uffff-]\.(?:[a-z][a-z0-9]{1,7}|[A-Z][A-Z0-9]{1,7}))(?![A-Za-z0-9])/;

/** Does the text hold something that can be looked up? `values` are those of facts and links. */
export function namesSomething(text: string, task: string | undefined, values: readonly unknown[]): boolean {
  if (artifact.test(text) || fileName.test(text)) return true;
  if (task !== undefined) {
    const folded = text.toLowerCase();
    if (holdsToken(folded, task) || holdsToken(folded, task.replace(/^[0-9]+-/, ""))) return true;
  }
  return leaves(values).some((leaf) => holdsToken(text, leaf));
}

/** Texts and numbers anywhere in the values, line by line. */
function leaves(values: readonly unknown[]): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (found.length >= 200) return;
    if (typeof value === "string") found.push(...value.split("\n", 50).map((line) => line.trim()));
    else if (typeof value === "number") found.push(String(value));
    else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  values.forEach(visit);
  return found;
}

const wordCharacter = /[\p{L}\p{N}]/u;

/** Is `token` there as a word of its own, not as a part of another? */
function holdsToken(text: string, token: string): boolean {
  if (token === "") return false;
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) {
    const before = text.slice(Math.max(0, at - 1), at);
    const after = text.slice(at + token.length, at + token.length + 1);
    if (!wordCharacter.test(before) && !wordCharacter.test(after)) return true;
  }
  return false;
}
