import type { Capabilities } from "../src/domain/capabilities.ts";
import type { AskedView, NightView, QuestionView } from "../src/domain/view.ts";

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
  channel: "A channel wants a look",
  "last-word": "owlpost has not been heard from",
  away: "I was away",
};

export function noticeWords(kind: string): string {
  return notices[kind] ?? kind;
}

export const lowFidelityWords =
  "The agent gave no options of its own; those below are the usual ones. Its last output:";
export const moreMark = "⋯";
export const triedWords = "Tried:";
export const recommendedWords = "← recommended";
export const stuckLabel = "Stuck on:";
export const recommendedLabel = "Recommended:";

export function cutWords(view: QuestionView): string {
  return `✂ Shortened. In full: ${view.fullText}`;
}

/** How a question is answered: where, with which mark before a verb, and what stands before its id. */
type Road = { readonly where: string; readonly mark: string; readonly answer: string };

function roadOf({ elsewhere }: AskedView, { freeText, verbMark }: Capabilities): Road {
  const road = { where: "on another channel", mark: verbMark, answer: "" };
  if (freeText !== "none" || !elsewhere) return road;
  const { channels, mark } = elsewhere;
  const last = channels.at(-1);
  if (last === undefined)
    return { where: "in the inbox or on the command line", mark: "owlpost ", answer: "owlpost answer " };
  const others = channels.slice(0, -1).join(", ");
  const where = others === "" ? `on ${last} or in the inbox` : `on ${others} or ${last}, or in the inbox`;
  return { ...road, where, mark };
}

/** How to answer without a button: every key, and the verbs with the row's mark. */
export function replyLine(
  view: QuestionView,
  row: Capabilities,
  { hasButtons, isBare }: { readonly hasButtons: boolean; readonly isBare: boolean },
): string {
  const { correlation } = row;
  const { where, mark, answer } = roadOf(view, row);
  const keys = view.options.map((option) => option.key);
  // Where no markup is written, nothing may look like a tag.
  const text = isBare ? "TEXT" : "<text>";
  const bare = (): string => `${keys.join(" / ")} / ${mark}skip / ${mark}steer ${text}`;
  // The exact text to send stands there once; the other keys beside it.
  const named = (): string => {
    const others = keys.slice(1).join(" / ");
    const chosen = `${answer}${view.id} ${keys[0]}${others === "" ? "" : ` (or ${others})`}`;
    return `${chosen} · ${mark}skip ${view.id} · ${mark}steer ${view.id} ${text}`;
  };
  const what = (): string => (correlation === "thread" ? bare() : named());
  const how = howToSend(row, { where, what, bare, named });
  if (hasButtons) return `Or ${how}`;
  const hasMore = row.freeText === "none" && row.buttons !== "none" && keys.length > row.buttons.max;
  return hasMore ? `${moreMark} More brings the buttons of the others. Or ${how}` : raised(how);
}

const raised = (words: string): string => `${words[0]?.toUpperCase()}${words.slice(1)}`;

type ToSend = {
  readonly where: string;
  readonly what: () => string;
  readonly bare: () => string;
  readonly named: () => string;
};

/** Inside of a sentence. Only the line that is shown is put together. */
function howToSend(row: Capabilities, { where, what, bare, named }: ToSend): string {
  switch (row.freeText) {
    case "reply":
      return `reply: ${what()}`;
    case "thread":
      return `reply in this thread: ${what()}`;
    case "comment":
      return `comment: ${what()}`;
    case "page":
      return `answer here: ${bare()}`;
    default:
      return `answer ${where}: ${named()}`;
  }
}

const placesToSend: Readonly<Record<Exclude<Capabilities["freeText"], "none">, string>> = {
  reply: "",
  thread: " in this thread",
  comment: " as a comment",
  page: "",
};

/** The two actions of a consent question in words, or what a held question takes before the morning. */
export function nightReplyLine(
  view: NightView,
  row: Capabilities,
  { hasButtons, isBare }: { readonly hasButtons: boolean; readonly isBare: boolean },
): string {
  const { where, mark, answer } = roadOf(view, row);
  const { id } = view;
  const isConsent = view.type === "consent";
  const text = isBare ? "TEXT" : "<text>";
  let bare = `${mark}skip / ${mark}retry / ${mark}steer ${text}`;
  let named = `${mark}skip ${id} · ${mark}retry ${id} · ${mark}steer ${id} ${text}`;
  if (isConsent) {
    // Where there are no buttons, and it is said there, `skip` is as good a word as `go`.
    const plain = row.buttons === "none" && row.freeText !== "none";
    bare = plain ? "go / skip" : `go / ${mark}skip`;
    named = plain ? `${id} go · ${id} skip` : `${answer}${id} go · ${mark}skip ${id}`;
  }
  const what = row.correlation === "thread" ? bare : named;
  if (!isConsent)
    return `Works now${row.freeText === "none" ? ` ${where}` : placesToSend[row.freeText]}: ${what}`;
  const how = howToSend(row, { where, what: () => what, bare: () => bare, named: () => named });
  return hasButtons ? `Or ${how}` : raised(how);
}

/** For a channel that is too small even for what is never cut. */
export function elsewhereWords(view: AskedView): string {
  const what = view.type === "question" ? "The options do" : "All of it does";
  return `${what} not fit here. See ${view.type === "question" ? "them" : "it"} and answer: ${view.fullText}, or the inbox.`;
}
