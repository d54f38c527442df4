import { isOpen, type StoredQuestion } from "../domain/question.ts";
import { oneLine } from "../domain/text.ts";
import type { Said } from "./grammar.ts";
import { fitting, type ListReader } from "./listing.ts";
import { formAt } from "./night.ts";
import { shorten, standing } from "./wording.ts";

/** Is the reply a whole letter, of which only the first line says what it means? */
export function isLetter({ comment }: Pick<Said, "comment">): boolean {
  return comment !== undefined;
}

/** A letter whose first line says nothing that is understood: what it takes, and where. */
export function unmatchedLetterText(
  stored: StoredQuestion | undefined,
  { role, mark, now, night }: ListReader,
): string {
  const did = "Nothing was recorded: the first line of that mail is no answer that I know.";
  if (role === "viewer") return `${did} Here you may look: ${mark}pending, ${mark}status or ${mark}help.`;
  if (!stored) return `${did} ${mark}help, alone on the first line, shows what there is.`;
  const { id, options } = stored.question;
  if (!isOpen(stored.state) && stored.state !== "expired")
    return `${did} Nothing waits for one either: ${id} is ${standing(stored, now)}.`;
  const form = formAt(stored.question, night, now);
  const keys = options.map(({ key }) => key).join(" / ");
  const choice = form === "consent" ? "go" : form === "held" ? `${mark}retry` : keys;
  const own = form === undefined ? `, or ${mark}answer and your own words` : "";
  return [
    `${did} Reply to this mail with one of these alone on the first line, above everything that is quoted:`,
    `${choice} or ${mark}skip${own}.`,
    "What stands under it is kept as a comment.",
  ].join("\n");
}

/** A letter that came to no question's own address: where to write instead. */
export function untokenedLetterText(open: readonly StoredQuestion[]): string {
  const did =
    "Nothing was changed: that mail did not come to the address that a question gives to each of its readers.";
  if (open.length === 0) return `${did} No question waits for you.`;
  const lines = fitting(open, ({ question }) => `• [${question.id}] ${shorten(oneLine(question.title), 80)}`);
  const which =
    open.length === 1 ? "the mail of the open question" : "the mail of the question that you mean";
  return [`${did} Reply to ${which}, with the answer alone on the first line:`, ...lines].join("\n");
}
