import type { Sender } from "../domain/command.ts";
import type { Instant } from "../domain/ids.ts";
import type { DefaultAction } from "../domain/question.ts";
import { visibleForm } from "../domain/text.ts";
import { localClock } from "./time.ts";

/** What one note is about; the first that is there is named. */
export type NoteAbout = { readonly question?: string; readonly task?: string; readonly run?: string };

export type HumanNote = NoteAbout & {
  readonly sender: Sender;
  readonly at: Instant;
  /** IANA zone of the clock time in the first line. */
  readonly zone: string;
  /** Exactly as it was sent. */
  readonly text: string;
};

/**
 * A person's text for a steering file: one line that says who, from where and when, then the text as data inside a
 * Markdown fence that nothing in it can close. Ends in a line feed. `readableText` says which characters are shown
 * in a visible form.
 */
export function steeringNote(note: HumanNote): string {
  const text = readableText(note.text);
  const fence = fenceFor(text);
  const body = text.endsWith("\n") ? text : `${text}\n`;
  return `${attribution(note)}\n${fence}\n${body}${fence}\n`;
}

/** `Human reply via telegram @ 02:14 by eric (q-…):` — a name stands there only for a person who is known by one. */
function attribution(note: HumanNote): string {
  const { sender } = note;
  const clock = localClock(note.at, note.zone);
  const about = aboutWords(note);
  const where = about === undefined ? "" : ` (${about})`;
  if (sender.via === "cli")
    return `Human reply from the command line on ${hostWords(sender)} @ ${clock}${where}:`;
  if (sender.via === "inbox")
    return `Human reply in the local inbox on ${hostWords(sender)} @ ${clock}${where}:`;
  const by = sender.by === undefined ? "" : ` by ${oneLine(sender.by)}`;
  return `Human reply via ${oneLine(sender.via)} @ ${clock}${by}${where}:`;
}

function aboutWords(about: NoteAbout): string | undefined {
  if (about.question !== undefined) return oneLine(about.question);
  if (about.task !== undefined) return `task ${oneLine(about.task)}`;
  return about.run === undefined ? undefined : `run ${oneLine(about.run)}`;
}

function hostWords(sender: Sender): string {
  return sender.host === undefined ? "this machine" : oneLine(sender.host);
}

/** Our own line for a deadline that nobody beat: no fence, because no person said anything. */
export function noAnswerNote(about: {
  readonly question: string;
  readonly deadlineAt: Instant;
  readonly zone: string;
  readonly action: DefaultAction;
  /** The option that a default took. */
  readonly option?: string;
}): string {
  const done =
    about.action === "take_recommended"
      ? `option ${about.option === undefined ? "" : `${oneLine(about.option)} `}taken, as recommended`
      : about.action === "skip_spec"
        ? "spec skipped"
        : "the task stays parked";
  return `No answer to ${oneLine(about.question)} by ${localClock(about.deadlineAt, about.zone)}: ${done}.\n`;
}

/**
 * The same text with nothing hidden in it. Line ends become line feeds and lone surrogates U+FFFD; control, bidi,
 * zero-width and other invisible characters become `⟨U+202E⟩`. Joiners and variation selectors of emoji and
 * ideographs stay. A text that spells such a form itself keeps it apart (`⟨U+27E8⟩U+202E⟩`), so that the text can be read back.
 */
export function readableText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(unreadable, (found, kept: string | undefined) => kept ?? visibleForm(found));
}

/** First what may stay (group 1), then what is shown: each match is one character. */
const unreadable = new RegExp(
  [
    "(",
    "(?<=\\p{ExtPict}[\\uFE0F\\u{1F3FB}-\\u{1F3FF}]?)\\u200D(?=\\p{ExtPict})",
    "|(?<=[\\p{ExtPict}0-9#*])[\\uFE0E\\uFE0F]",
    "|(?<=[\\p{Script=Han}\\p{Sm}])[\\uFE00-\\uFE0D\\u{E0100}-\\u{E01EF}]",
    "|(?<=\\p{Script=Mongolian})[\\u180B-\\u180D\\u180F]",
    ")",
    "|(?![\\n\\t])\\p{Cc}",
    "|[\\p{DI}\\p{Zl}\\p{Zp}\\uFFF9-\\uFFFB]",
    "|\\p{NChar}",
    "|\\u27E8(?=U\\+[0-9A-F]{4,6}\\u27E9)",
  ].join(""),
  "gu",
);

/** Longer than every run of backticks in the text, wherever it stands. */
function fenceFor(text: string): string {
  let longest = 2;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** Names and ids inside a line of ours: one line, nothing hidden, at most 80 code points. */
function oneLine(text: string): string {
  const line = readableText(text).replace(/\s+/g, " ").trim();
  return [...line].slice(0, 80).join("");
}
