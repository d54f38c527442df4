import { type StoredQuestion, titleLine } from "../domain/question.ts";
import type { Report, ReportEntry, ReportView } from "../domain/report.ts";
import { oneLine } from "../domain/text.ts";
import { serviceName } from "./report-events.ts";
import { reportView } from "./report-view.ts";
import { counted, deafName, lengthWords, periodWords, summaryWords } from "./report-words.ts";
import { readableText } from "./steering.ts";
import { outcomeWords } from "./timeline.ts";
import { shorten } from "./wording.ts";

/** The whole report as text for a terminal: nothing hidden in it, and no line of others begins at the margin. */
export function reportText(report: Report): string {
  const view = reportView(report);
  const head = [`🦉 ${view.title}`, view.period, "", view.summary];
  const figures = view.figures.map(
    ({ name, value, question }) => `  ${name}: ${value}${question === undefined ? "" : ` [${question}]`}`,
  );
  return `${[
    ...head,
    ...view.sections.flatMap(({ title, entries }) => [
      "",
      `${title} (${entries.length})`,
      ...entries.flatMap(entryLines),
    ]),
    ...timelineLines(view),
    ...(figures.length === 0 ? [] : ["", "In numbers", ...figures]),
  ].join("\n")}\n`;
}

function entryLines({ question, title, standing, lines, quote }: ReportEntry): readonly string[] {
  const name = [title, question === undefined ? undefined : `[${question}]`].filter(
    (part) => part !== undefined,
  );
  const head = name.length > 0 ? name.join(" ") : standing;
  const told = [
    ...(name.length > 0 && standing !== undefined ? [standing] : []),
    ...lines.map(({ label, text }) => (label === undefined ? text : `${label}: ${text}`)),
  ];
  return [
    `  • ${line(head ?? "")}`,
    ...told.map((each) => `      ${line(each)}`),
    ...(quote === undefined ? [] : quoted(quote)),
  ];
}

function quoted(text: string): readonly string[] {
  return readableText(text)
    .split("\n")
    .map((each) => `      > ${each}`);
}

function line(text: string): string {
  return readableText(oneLine(text)).replaceAll("\n", " ");
}

/** For a terminal the picture is the table of its times. */
function timelineLines({ timeline }: ReportView): readonly string[] {
  if (timeline.table.rows.length === 0) return [];
  const rows = timeline.table.rows.map(
    ([title = "", asked = "", , decided = "", picked = "", outcome = ""]) => {
      const steps = [
        `asked ${asked}`,
        decided === "" ? "" : `decided ${decided}`,
        picked === "" ? "" : `picked up ${picked}`,
      ].filter((step) => step !== "");
      return `  ${line(title)}: ${steps.join(" → ")} (${outcome})`;
    },
  );
  return ["", "In the order of asking", ...rows];
}

const mostListed = 5;

/** A few lines for a phone: what needs somebody, and where the whole report is. At most about 1,500 characters. */
export function digestText(report: Report): string {
  const waiting = [...report.parked, ...report.waiting];
  const deafest = report.deaf[0];
  return [
    periodWords(report),
    summaryWords(report),
    ...listed(
      "Asked again",
      report.again.map(({ stored }) => stored),
      report,
    ),
    ...listed("Waits for somebody", waiting, report),
    ...(report.neverShown.length === 0
      ? []
      : [
          `${counted(report.neverShown.length, "question")} held for the morning, and past the deadline by then.`,
        ]),
    ...(report.steering.length === 0
      ? []
      : [`${counted(report.steering.length, "note")} for the next iteration.`]),
    ...(report.aborted.length === 0
      ? []
      : [`Stopped: ${report.aborted.map(({ run }) => `run ${run}`).join(", ")}.`]),
    ...(deafest ? [deafestLine(deafest)] : []),
    ...(report.failures.length === 0
      ? []
      : [`${counted(total(report.failures), "message")} could not be delivered.`]),
    "The whole report: owlpost report, or the local inbox.",
  ].join("\n");
}

function deafestLine({ channel, totalMs }: Report["deaf"][number]): string {
  const length = lengthWords(totalMs);
  return channel === serviceName
    ? `${deafName(channel)} for ${length}.`
    : `Not heard: ${channel} for ${length}.`;
}

function listed(title: string, questions: readonly StoredQuestion[], { toAt }: Report): readonly string[] {
  if (questions.length === 0) return [];
  const rest = questions.length - mostListed;
  return [
    `${title} (${questions.length}):`,
    ...questions
      .slice(0, mostListed)
      .map(
        (stored) =>
          `• ${shorten(titleLine(stored.question), 80)} [${stored.question.id}], ${outcomeWords(stored, toAt)}`,
      ),
    ...(rest > 0 ? [`… and ${rest} more.`] : []),
  ];
}

function total(failures: Report["failures"]): number {
  return failures.reduce((sum, { count }) => sum + count, 0);
}

/** What goes to every channel when the night is over. */
export function morningDigest(report: Report): { readonly kind: "morning"; readonly text: string } {
  return { kind: "morning", text: digestText(report) };
}
