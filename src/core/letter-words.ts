import type { Role } from "../domain/person.ts";
import { isOpen, type StoredQuestion, titleLine } from "../domain/question.ts";
import type { Said } from "./grammar.ts";
import { fitting, type ListReader, type Mark, pendingText, replyForms } from "./listing.ts";
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
  const { id } = stored.question;
  if (!isOpen(stored.state) && stored.state !== "expired")
    return `${did} Nothing waits for one either: ${id} is ${standing(stored, now)}.`;
  return [
    `${did} Reply to this mail with one of these alone on the first line, above everything that is quoted:`,
    `${takes(stored, { mark, now, night })}.`,
    "What stands under it is kept as a comment.",
  ].join("\n");
}

/** What a reply to a question's own mail may say: `1 / 2 or /skip, or /answer and your own words`. */
function takes({ question }: StoredQuestion, { mark, now, night }: Omit<ListReader, "role">): string {
  const form = formAt(question, night, now);
  const keys = question.options.map(({ key }) => key).join(" / ");
  const choice = form === "consent" ? "go" : form === "held" ? `${mark}retry` : keys;
  const own = form === undefined ? `, or ${mark}answer and your own words` : "";
  return `${choice} or ${mark}skip${own}`;
}

/** `pendingText` for whoever reads it in a mail, from which no other question than its own can be answered. */
export function pendingLetterText(open: readonly StoredQuestion[], reader: ListReader): string {
  if (open.length === 0 || reader.role === "viewer") return pendingText(open, reader);
  const lines = fitting(open, (stored) =>
    [
      `• [${stored.question.id}] ${shorten(titleLine(stored.question), 80)}`,
      `${standing(stored, reader.now)}. Takes: ${takes(stored, reader)}`,
    ].join("\n"),
  );
  const count = open.length === 1 ? "1 question is open." : `${open.length} questions are open.`;
  return [`${count} Reply to the mail of each, with the answer alone on the first line:`, ...lines].join(
    "\n",
  );
}

/** `helpText` for a letter: a question's own mail is its name, and no run is stopped by one. */
export function letterHelpText(role: Role, mark: Mark): string {
  const look = [
    `${mark}pending — what is open; ${mark}status — that, and which channels work`,
    `${mark}unpair — owlpost forgets this address`,
  ];
  if (role === "viewer") {
    return ["Here you may look; answering is for owners and members.", ...look].join("\n");
  }
  return [
    "Tap a button and send the mail that opens, or reply to a question's own mail with one of these alone on the first line:",
    ...replyForms(mark),
    `${mark}override q-a3f2-012-1 2 — change an answer that was not picked up yet`,
    "What stands under it is kept as a comment.",
    ...look,
  ].join("\n");
}

/** A letter that came to no question's own address: where to write instead. */
export function untokenedLetterText(open: readonly StoredQuestion[]): string {
  const did =
    "Nothing was changed: that mail did not come to the address that a question gives to each of its readers.";
  if (open.length === 0) return `${did} No question waits for you.`;
  const lines = fitting(open, ({ question }) => `• [${question.id}] ${shorten(titleLine(question), 80)}`);
  const which =
    open.length === 1 ? "the mail of the open question" : "the mail of the question that you mean";
  return [`${did} Reply to ${which}, with the answer alone on the first line:`, ...lines].join("\n");
}
