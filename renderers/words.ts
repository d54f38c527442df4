import type { Capabilities } from "../src/domain/capabilities.ts";
import type { QuestionView } from "../src/domain/view.ts";

/** The fixed words of a question message. */

const headers: Readonly<Record<string, readonly [open: string, closed: string]>> = {
  decide: ["owlpost needs a decision", "owlpost asked for a decision"],
  blocked: ["owlpost: a task is blocked", "owlpost: a task was blocked"],
  stalled: ["owlpost: a task is stuck", "owlpost: a task was stuck"],
  approval: ["owlpost needs an approval", "owlpost asked for an approval"],
  fact: ["owlpost needs a fact", "owlpost asked for a fact"],
};

/** A message that nobody has to answer any more must not begin with a need. */
export function headerWords(kind: string, isAnswerable: boolean): string {
  const [open, closed] = headers[kind] ?? ["owlpost needs an answer", "owlpost asked for an answer"];
  return isAnswerable ? open : closed;
}

const notices: Readonly<Record<string, string>> = {
  "run-complete": "The run is complete",
  stalled: "A run has stalled",
  blocked: "A task is blocked",
  pairing: "Who may speak here",
  morning: "The morning report",
};

export function noticeWords(kind: string): string {
  return notices[kind] ?? kind;
}

export const lowFidelityWords =
  "The agent gave no options of its own; those below are the usual ones. Its last output:";
export const triedWords = "Tried:";
export const recommendedWords = "← recommended";

export function cutWords(view: QuestionView): string {
  return `✂ Shortened. In full: ${view.fullText}`;
}

/** How to answer without a button: every key, and the verbs with the row's mark. */
export function replyLine(
  view: QuestionView,
  row: Capabilities,
  { hasButtons, isBare }: { readonly hasButtons: boolean; readonly isBare: boolean },
): string {
  const { verbMark: mark, correlation } = row;
  const keys = view.options.map((option) => option.key).join(" / ");
  // Where no markup is written, nothing may look like a tag.
  const text = isBare ? "TEXT" : "<text>";
  const bare = `${keys} / ${mark}skip / ${mark}steer ${text}`;
  // The exact text to send stands there once; the other keys beside it.
  const [first, ...others] = view.options.map((option) => option.key);
  const chosen = `${view.id} ${first}${others.length === 0 ? "" : ` (or ${others.join(" / ")})`}`;
  const named = `${chosen} · ${mark}skip ${view.id} · ${mark}steer ${view.id} ${text}`;
  const what = correlation === "thread" ? bare : named;
  const or = (words: string): string =>
    hasButtons ? `Or ${words[0]?.toLowerCase()}${words.slice(1)}` : words;
  switch (row.freeText) {
    case "reply":
      return or(`Reply: ${what}`);
    case "thread":
      return or(`Reply in this thread: ${what}`);
    case "comment":
      return or(`Comment: ${what}`);
    case "compose":
      return or(`Send to the reply topic: ${what}`);
    case "page":
      return or(`Answer here: ${bare}`);
    default:
      return `Answer on another channel: ${named}`;
  }
}

/** For a channel that is too small even for what is never cut. */
export function elsewhereWords(view: QuestionView): string {
  return `The options do not fit here. See them and answer: ${view.fullText}, or the inbox.`;
}
