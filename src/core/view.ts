import type { Instant } from "../domain/ids.ts";
import {
  factsForPrograms,
  isOpen,
  type Question,
  type StoredQuestion,
  titleLine,
} from "../domain/question.ts";
import { countCharacters, isLongerThan, oneLine, shorten } from "../domain/text.ts";
import type { AskedView, NoticeView, QuestionView, ReceiptView } from "../domain/view.ts";
import { deadlineLine, standingLines } from "./standing.ts";
import { isPermission } from "./wording.ts";

const maxCommand = 160;
const maxExitCode = 40;
const maxFact = 160;
const maxProgress = 80;

/** What is to be said about a question as it stands: times are text already. */
export function questionView(stored: StoredQuestion, now: Instant): QuestionView {
  const { question } = stored;
  const { progress, iteration, tried } = question;
  const standing = standingLines(stored, now);
  const { command, diffStat, branch, freeFacts, factsCut } = shownFacts(question);
  const view: Writable<QuestionView> = {
    type: "question",
    id: question.id,
    kind: question.kind,
    task: question.task,
    title: question.title,
    context: question.context,
    lowFidelity: question.low_fidelity === true,
    outputTail: outputLines(question.facts?.output_tail),
    freeFacts,
    options: question.options,
    deadline: deadlineLine(stored, now),
    answerable: mayBeAnswered(stored),
    fullText: `owlpost status ${question.id}`,
  };
  if (progress !== undefined) view.progress = shorten(oneLine(progress), maxProgress);
  if (iteration !== undefined) view.iteration = iteration;
  if (tried !== undefined) view.tried = tried;
  if (command !== "") view.command = command;
  if (diffStat !== "") view.diffStat = diffStat;
  if (branch !== "") view.branch = branch;
  if (factsCut) view.factsCut = true;
  if (standing !== undefined) view.standing = standing;
  return view;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** What expired can still be answered; but nobody waits for a permission after its deadline. */
export function mayBeAnswered({ state, question }: StoredQuestion): boolean {
  return isOpen(state) || (state === "expired" && !isPermission(question));
}

/**
 * What became of a question, where its message cannot be edited: the same words as a message of their own. `asked`: how it
 * would be shown now.
 */
export function followUpView(
  stored: StoredQuestion,
  now: Instant,
  asked: AskedView = questionView(stored, now),
): ReceiptView {
  return {
    type: "receipt",
    text: `[${asked.id}] ${titleLine(stored.question)}\n${asked.standing ?? asked.deadline}`,
    question: asked.id,
    asked,
    silent: true,
  };
}

/**
 * A receipt that brings buttons: those of the question as it stands below `said`, or, where a part is named, those of its
 * options that had none.
 */
export function offerView(asked: AskedView, said: string | number): ReceiptView {
  const title = `[${asked.id}] ${oneLine(asked.title)}`;
  if (typeof said === "string" || asked.type !== "question" || !asked.answerable) {
    const where = asked.standing ?? asked.deadline;
    const text = typeof said === "string" ? `${said}\n${title}` : `${title}\n${where}`;
    return { type: "receipt", text, question: asked.id, offer: { asked } };
  }
  return { type: "receipt", text: title, question: asked.id, offer: { asked, part: said } };
}

export function noticeView(kind: string, text: string): NoticeView {
  return { type: "notice", kind, text };
}

/** The last ten lines; an empty one at either end is none. */
function outputLines(tail: unknown): readonly string[] {
  const text = Array.isArray(tail) ? tail.map(String).join("\n") : typeof tail === "string" ? tail : "";
  const lines = (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text).split("\n");
  const from = lines[0]?.trim() === "" ? 1 : 0;
  const to = lines.length - (lines.at(-1)?.trim() === "" ? 1 : 0);
  return lines.slice(Math.max(from, to - 10), Math.max(to, 0));
}

/** Those that stand in places of their own, or nowhere. */
const notFree = new Set([
  ...["command", "exit_code", "output_tail", "diff_stat", "branch", "next_task"],
  ...factsForPrograms,
]);

/** Lines of facts and links, empty where there is nothing to show. */
type ShownFacts = Pick<QuestionView, "freeFacts"> & {
  readonly command: string;
  readonly diffStat: string;
  readonly branch: string;
  /** Is one of them longer than its line? */
  readonly factsCut: boolean;
};

function shownFacts({ facts = {}, links = {} }: Question): ShownFacts {
  let factsCut = false;
  const whole = (value: unknown): string => {
    const line = factLine(value);
    factsCut ||= isLongerThan(line, maxFact);
    return line;
  };
  const shown = (value: unknown): string => shorten(whole(value), maxFact);
  const freeFacts: string[] = [];
  const addFree = (name: string, value: unknown): void => {
    const said = shown(value);
    if (said !== "") freeFacts.push(`${shorten(oneLine(name), 40)}: ${said}`);
  };
  const command = commandLine(whole(facts.command), whole(facts.exit_code));
  const diffStat = shown(facts.diff_stat);
  const linked = shown(links.branch);
  const branch = shown(facts.branch) || linked;
  for (const name of Object.keys(facts)) if (!notFree.has(name)) addFree(name, facts[name]);
  for (const name of Object.keys(links)) if (name !== "branch") addFree(name, links[name]);
  return { command, diffStat, branch, freeFacts, factsCut };
}

/** `npm test → exit 1`; the exit code stays, whatever is cut. */
function commandLine(command: string, exitCode: string): string {
  if (command === "") return "";
  const end = exitCode === "" ? "" : ` → exit ${shorten(exitCode, maxExitCode)}`;
  return `${shorten(command, maxCommand - countCharacters(end))}${end}`;
}

/** A fact in one line; empty for what holds nothing. */
function factLine(value: unknown): string {
  if (value === undefined || value === null) return "";
  return oneLine(typeof value === "object" ? JSON.stringify(value) : String(value));
}
