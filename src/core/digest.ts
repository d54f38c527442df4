import { hash } from "node:crypto";
import type { Question } from "../domain/question.ts";
import { repairText } from "./text.ts";

/** What was asked: the parts of a question that its answer belongs to. */
export type Digested = Pick<
  Question,
  "kind" | "task" | "title" | "context" | "tried" | "options" | "default" | "auto_default" | "answerable_by"
>;

/**
 * SHA-256 over RFC 8785 JSON, as 64 lower-case hex digits. Texts are taken in NFC, a lone surrogate as U+FFFD; fields
 * that are absent are left out. The question is expected to be redacted already.
 *
 * For texts, booleans and lists `JSON.stringify` writes what RFC 8785 asks for, as long as the keys come sorted:
 * every literal here has them in that order. (A canonicalising library took a quarter of the whole contract check.)
 */
export function digestQuestion(question: Digested): string {
  const { kind, task, title, context, tried, auto_default, answerable_by } = question;
  const json = JSON.stringify({
    answerable_by: answerable_by?.map(repairText),
    auto_default,
    context: repairText(context),
    default: { action: repairText(question.default.action), at: repairText(question.default.at) },
    kind: repairText(kind),
    options: question.options.map((option) => ({
      consequence: repairText(option.consequence),
      key: repairText(option.key),
      label: repairText(option.label),
      recommended: option.recommended,
      reversible: option.reversible,
    })),
    task: repairText(task),
    title: repairText(title),
    tried: tried === undefined ? undefined : repairText(tried),
  });
  return hash("sha256", json, "hex");
}

/** Which take an event belongs to: 12 hex digits that lead from the claim to the mark and not back. */
export function takeMark(claim: string): string {
  return hash("sha256", claim, "hex").slice(0, 12);
}

/** The first eight hex digits of the SHA-256 of a text: enough to see that it has changed, and no proof of who wrote it. */
export function contentHash(text: string): string {
  return hash("sha256", text, "hex").slice(0, 8);
}
