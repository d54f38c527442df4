import type { ChannelTools } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";

/**
 * The hidden line at the top of a comment of ours. It is the same for every attempt of one message, so that a comment whose
 * reply was lost is found again, and only this home can make it: another home that counts its messages alike, or whoever
 * writes a line that looks so, is not taken for us.
 */
export function markFor(key: string, tools: Pick<ChannelTools, "sign">): string {
  return `<!-- owlpost:${key.replace(/[^\w/-]/g, "_")}:${tools.sign("github", key)} -->`;
}

/** Is it a comment of owlpost's, of this home or of another? Such text is never a person's word. */
export function isMarked(body: string): boolean {
  return /^\s*<!-- owlpost:/.test(body);
}

/** The first line, where the mark stands. */
export function markIn(body: string): string {
  return (/^[^\r\n]*/.exec(body)?.[0] ?? "").trimEnd();
}

/** The question that a comment of ours shows: renderers put its id into a hidden line of its own. */
export function questionIn(body: string): QuestionId | undefined {
  return questionId(/^<!-- owlpost:question:([a-z0-9-]{1,40}) -->/m.exec(body.slice(0, 400))?.[1] ?? "");
}
