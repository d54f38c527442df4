import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion, titleLine } from "../domain/question.ts";
import type { Report, ReportEntry, ReportSection, ReportView } from "../domain/report.ts";
import { oneLine } from "../domain/text.ts";
import { quarantineWords } from "./quarantine.ts";
import * as words from "./report-words.ts";
import { outcomeWords } from "./timeline.ts";
import { timelineView } from "./timeline-view.ts";
import { isPermission, keyChoice, notAllowed, standing, timeWords } from "./wording.ts";

type Line = ReportEntry["lines"][number];

/** The report in words, in the order in which it is to be read; a section in which nothing happened is left out. */
export function reportView(report: Report): ReportView {
  const sections: readonly ReportSection[] = [
    { ...section("again", "Asked again this morning", report.again.map(againEntry(report))), urgent: true },
    { ...section("waiting", "Waits for somebody", waitingEntries(report)), urgent: true },
    section("answered", "What was decided", report.answered.map(answeredEntry(report))),
    section("defaults", "Nobody answered, the default ran", report.defaulted.map(defaultEntry(report))),
    section("overrides", "Changed: was → is", report.overridden.map(overrideEntry(report))),
    section("steering", "Night-time steering you gave", report.steering.map(noteEntry(report))),
    section(
      "never-shown",
      "Held for the morning, never shown",
      report.neverShown.map(neverShownEntry(report)),
    ),
    section("cancelled", "Cancelled", report.cancelled.map(cancelledEntry)),
    section("late", "Replies that came too late", report.late.map(lateEntry(report))),
    section("refused", "Replies that were refused", refusedEntries(report)),
    section("quarantined", "Put aside: nobody knows who said it", quarantinedEntries(report)),
    section("delivery", "What could not be delivered", report.failures.map(failureEntry(report))),
    section("deaf", "When nobody could be heard", report.deaf.map(deafEntry(report))),
    section("results", "Tasks that came to an end", report.results.map(resultEntry)),
    section("aborted", "Runs that were stopped", report.aborted.map(abortedEntry(report))),
  ];
  return {
    type: "report",
    title: "Morning report",
    period: words.periodWords(report),
    summary: words.summaryWords(report),
    figures: figureLines(report),
    timeline: timelineView(report),
    sections: sections.filter(({ entries }) => entries.length > 0),
  };
}

function section(name: string, title: string, entries: readonly ReportEntry[]): ReportSection {
  return { name, title, entries };
}

function about({ question }: StoredQuestion): Pick<ReportEntry, "question" | "title"> {
  return { question: question.id, title: titleLine(question) };
}

function roads(stored: StoredQuestion, taken: string | undefined, label = "Road not taken"): readonly Line[] {
  return words.roadsNotTaken(stored.question, taken).map((text) => ({ label, text }));
}

function againEntry(report: Report) {
  return ({ stored, before }: Report["again"][number]): ReportEntry => {
    const asked = `asked again at ${time(stored.askedAt, stored, report)}: ${standing(stored, report.toAt)}`;
    const { again } = stored.question;
    if (!before || again === undefined)
      return { ...about(stored), standing: asked, lines: roads(stored, undefined) };
    const earlier: Line = { label: "In the night", text: standing(before, report.toAt), question: again };
    return {
      ...about(stored),
      standing: asked,
      lines: [earlier, ...roads(before, words.roadTaken(before)), ...howToAnswer(stored, report)],
    };
  };
}

function waitingEntries(report: Report): readonly ReportEntry[] {
  const entry = (stored: StoredQuestion): ReportEntry => {
    const { heldUntilAt, state, question } = stored;
    const text = isOpen(state)
      ? `${outcomeWords(stored, report.toAt)}; if nobody answers, ${words.willRunWords(stored)}`
      : `no answer by ${time(stored.deadlineAt, stored, report)}; ${words.willRunWords(stored)}`;
    const held: readonly Line[] =
      heldUntilAt !== undefined && isOpen(state)
        ? [{ label: "Deadline", text: time(stored.deadlineAt, stored, report) }]
        : [];
    const options = words.roadsNotTaken(question, undefined).map((road) => ({ label: "Option", text: road }));
    return { ...about(stored), standing: text, lines: [...held, ...options, ...howToAnswer(stored, report)] };
  };
  return [...report.parked, ...report.waiting].map(entry);
}

function howToAnswer({ question, state }: StoredQuestion, { forms }: Report): readonly Line[] {
  if (!isOpen(state) && state !== "expired") return [];
  const { id, options } = question;
  const form = forms.get(id);
  // What waits for the morning takes no choice before.
  if (form === "held") return [{ label: "Works now", text: `owlpost skip ${id}, or owlpost retry ${id}` }];
  if (form === "consent") {
    return [{ label: "To answer", text: `owlpost answer ${id} go, or owlpost skip ${id}` }];
  }
  const recommended = options.find((option) => option.recommended === true);
  // Where nothing is recommended, no key stands for all.
  const key = recommended?.key ?? keyChoice(options.map((option) => option.key));
  return key === "" ? [] : [{ label: "To answer", text: `owlpost answer ${id} ${key}` }];
}

function answeredEntry(report: Report) {
  return (stored: StoredQuestion): ReportEntry => {
    const { answer } = stored;
    const quote = answer?.text;
    return {
      ...about(stored),
      standing: decisionWords(stored, report),
      lines: [
        { label: "Then", text: words.takenWords(stored, report.toAt) },
        ...roads(
          stored,
          answer?.option,
          answer?.option === undefined ? "Option not taken" : "Road not taken",
        ),
      ],
      ...(quote === undefined ? {} : { quote }),
    };
  };
}

function decisionWords(stored: StoredQuestion, report: Report): string {
  const { answer, question } = stored;
  if (!answer) return standing(stored, report.toAt);
  const who = `${words.whoWords(answer)} at ${time(answer.at, stored, report)}`;
  const late = answer.late ? " after the deadline" : "";
  if (answer.outcome === "skipped")
    return `Skipped${late} ${who}; ${isPermission(question) ? notAllowed : "the spec stays blocked"}`;
  if (answer.outcome === "retried")
    return isPermission(question)
      ? `Sent back${late} ${who}; ${notAllowed}`
      : `Sent back for another run${late} ${who}`;
  const verb = answer.outcome === "overridden" && !answer.late ? "Changed to" : `Answered${late}:`;
  const what = answer.option === undefined ? "in words" : words.saidWords(question, answer);
  return `${verb} ${what}, ${who}`;
}

function defaultEntry(report: Report) {
  return (stored: StoredQuestion): ReportEntry => ({
    ...about(stored),
    standing: `No answer by ${time(stored.deadlineAt, stored, report)}${isPermission(stored.question) ? ", so" : ":"} ${words.ranWords(stored)}`,
    lines: [
      { label: "Then", text: words.takenWords(stored, report.toAt) },
      // What silence does to a permission is no road: nobody refused, and nothing is allowed.
      ...(isPermission(stored.question) ? [] : roads(stored, words.roadTaken(stored))),
    ],
  });
}

function overrideEntry(report: Report) {
  return ({ stored, at, was, is }: Report["overridden"][number]): ReportEntry => {
    const before = was
      ? `${words.saidWords(stored.question, was)}, ${words.whoWords(was)}`
      : `no answer by ${time(stored.deadlineAt, stored, report)}: ${words.wouldHaveRunWords(stored)}`;
    return {
      ...about(stored),
      lines: [
        { label: "Was", text: before },
        {
          label: "Is",
          text: `${words.saidWords(stored.question, is)}, ${words.whoWords(is)} at ${time(at, stored, report)}`,
        },
      ],
    };
  };
}

function noteEntry(report: Report) {
  return ({ sender, at, task, run, question, text }: Report["steering"][number]): ReportEntry => {
    const target = task === undefined ? `run ${run ?? ""}` : task;
    return {
      standing: `${words.whoWords(sender)} at ${timeWords(at, report.zone, report.toAt)}, for ${target}`,
      lines: question === undefined ? [] : [{ label: "About", text: question, question }],
      quote: text,
    };
  };
}

function neverShownEntry(report: Report) {
  return (stored: StoredQuestion): ReportEntry => ({
    ...about(stored),
    standing: `never shown: held until ${time(stored.heldUntilAt ?? 0, stored, report)}, and its deadline was ${time(stored.deadlineAt, stored, report)}`,
    lines: words.roadsNotTaken(stored.question, undefined).map((text) => ({ label: "Option", text })),
  });
}

function cancelledEntry(stored: StoredQuestion): ReportEntry {
  const why = stored.why === undefined ? "" : `: ${oneLine(stored.why)}`;
  return { ...about(stored), standing: `Cancelled${why}`, lines: [] };
}

function lateEntry(report: Report) {
  return ({ stored, at, said }: Report["late"][number]): ReportEntry => ({
    ...about(stored),
    standing: `${words.saidWords(stored.question, said)}, ${words.whoWords(said)} at ${time(at, stored, report)}`,
    lines: [{ label: "It stayed", text: oneLine(standing(stored, report.toAt)) }],
  });
}

function refusedEntries({ refused }: Report): readonly ReportEntry[] {
  return refused.map(({ reason, count }) => ({ standing: words.refusedWords(reason, count), lines: [] }));
}

function quarantinedEntries({ quarantined }: Report): readonly ReportEntry[] {
  return quarantined.map(({ channel, reason, count }) => ({
    standing: oneLine(`${channel}: ${quarantineWords(reason, count)}`),
    lines: [],
  }));
}

function failureEntry({ zone, toAt }: Report) {
  return (failure: Report["failures"][number]): ReportEntry => {
    const { channel, message, reason, count, firstAt, lastAt } = failure;
    const when =
      firstAt === lastAt
        ? `at ${timeWords(firstAt, zone, toAt)}`
        : words.spanWords({ fromAt: firstAt, toAt: lastAt }, zone, toAt);
    return {
      standing: oneLine(`${channel}: ${words.counted(count, message)} given up, ${when}`),
      lines: [{ label: "Reason", text: oneLine(reason) }],
    };
  };
}

function deafEntry({ zone, toAt }: Report) {
  return (deaf: Report["deaf"][number]): ReportEntry => ({
    standing: oneLine(`${words.deafName(deaf.channel)}: ${words.deafWords(deaf, zone, toAt)}`),
    lines: [],
  });
}

function resultEntry({ task, project, result, question }: Report["results"][number]): ReportEntry {
  const where = project === "default" ? "" : ` (${project})`;
  return { standing: `${task}${where}: ${result}`, lines: [{ label: "Question", text: question, question }] };
}

function abortedEntry({ zone, toAt }: Report) {
  return (each: Report["aborted"][number]): ReportEntry => ({
    standing: `Run ${each.run} was stopped ${words.whoWords(each)} at ${timeWords(each.at, zone, toAt)}`,
    lines: [],
  });
}

function figureLines({ figures }: Report): ReportView["figures"] {
  const { questions, outcomes, medianMs, slowest } = figures;
  const share = (count: number): string =>
    `${count} (${Math.round((count / Math.max(1, questions)) * 100)} %)`;
  return [
    ...outcomes.map(({ outcome, count }) => ({ name: words.outcomeName(outcome), value: share(count) })),
    ...(medianMs === undefined
      ? []
      : [{ name: "time to answer, median", value: words.lengthWords(medianMs) }]),
    ...(slowest === undefined
      ? []
      : [{ name: "slowest answer", value: words.lengthWords(slowest.ms), question: slowest.question }]),
  ];
}

function time(at: Instant, { zone }: StoredQuestion, { toAt }: Report): string {
  return timeWords(at, zone, toAt);
}
