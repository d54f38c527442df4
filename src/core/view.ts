import type { Instant } from "../domain/ids.ts";
import {
  factsForPrograms,
  isOpen,
  type Question,
  type StoredQuestion,
  titleLine,
} from "../domain/question.ts";
import { countCharacters, oneLine, shorten } from "../domain/text.ts";
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
  const { facts = {}, links = {}, progress, iteration, tried } = question;
  const standing = standingLines(stored, now);
  const command = commandLine(facts.command, facts.exit_code);
  const diffStat = fact(facts.diff_stat);
  const branch = fact(facts.branch) ?? fact(links.branch);
  return {
    type: "question",
    id: question.id,
    kind: question.kind,
    task: question.task,
    ...(progress === undefined ? {} : { progress: shorten(oneLine(progress), maxProgress) }),
    ...(iteration === undefined ? {} : { iteration }),
    title: question.title,
    context: question.context,
    ...(tried === undefined ? {} : { tried }),
    lowFidelity: question.low_fidelity === true,
    ...(command === undefined ? {} : { command }),
    outputTail: outputLines(facts.output_tail),
    ...(diffStat === undefined ? {} : { diffStat }),
    ...(branch === undefined ? {} : { branch }),
    freeFacts: freeFacts(question),
    ...(hasLongFact(question) ? { factsCut: true as const } : {}),
    options: question.options,
    deadline: deadlineLine(stored, now),
    ...(standing === undefined ? {} : { standing }),
    answerable: mayBeAnswered(stored),
    fullText: `owlpost status ${question.id}`,
  };
}

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

/** `npm test → exit 1`; the exit code stays, whatever is cut. */
function commandLine(command: unknown, exitCode: unknown): string | undefined {
  const said = fact(command, Number.POSITIVE_INFINITY);
  if (said === undefined) return undefined;
  const code = fact(exitCode, maxExitCode);
  const end = code === undefined ? "" : ` → exit ${code}`;
  return `${shorten(said, maxCommand - countCharacters(end))}${end}`;
}

function outputLines(tail: unknown): readonly string[] {
  const lines = Array.isArray(tail) ? tail.map(String) : typeof tail === "string" ? [tail] : [];
  return lines
    .join("\n")
    .split(/\r\n|\r|\n/)
    .filter((line, at, all) => line.trim() !== "" || (at > 0 && at < all.length - 1))
    .slice(-10);
}

const named = new Set(["command", "exit_code", "output_tail", "diff_stat", "branch", "next_task"]);
/** Shown as last lines, or told by the deadline: what is left out of these is no cut. */
const alwaysShort = new Set([...factsForPrograms, "output_tail", "next_task"]);

function hasLongFact({ facts = {}, links = {} }: Question): boolean {
  const shown = Object.entries(facts).filter(([name]) => !alwaysShort.has(name));
  return [...shown, ...Object.entries(links)].some(
    ([, value]) => fact(value) !== fact(value, Number.POSITIVE_INFINITY),
  );
}

function freeFacts(question: Question): readonly string[] {
  const own = Object.entries(question.facts ?? {}).filter(
    ([name]) => !named.has(name) && !factsForPrograms.has(name),
  );
  const links = Object.entries(question.links ?? {}).filter(([name]) => name !== "branch");
  return [...own, ...links].flatMap(([name, value]) => {
    const said = fact(value);
    return said === undefined ? [] : [`${shorten(oneLine(name), 40)}: ${said}`];
  });
}

/** A fact in one line; nothing for what holds nothing. */
function fact(value: unknown, most: number = maxFact): string | undefined {
  if (value === undefined || value === null) return undefined;
  const line = oneLine(typeof value === "object" ? JSON.stringify(value) : String(value));
  return line === "" ? undefined : shorten(line, most);
}
