import type { MarkKind, Report, Timeline, TimelineRow, TimelineView } from "../domain/report.ts";
import { counted, deafName, deafWords, periodWords, spanWords } from "./report-words.ts";
import { localClock, localWeekday, wallHours } from "./time.ts";
import { timeWords } from "./wording.ts";

const hourMs = 3_600_000;
/** So many hours lie between two ticks: the smallest that makes no more than twelve of them. */
const steps = [1, 2, 3, 6, 12, 24] as const;

/** The timeline with its hours and labels as text. */
export function timelineView(report: Report): TimelineView {
  const { timeline, deaf, zone, toAt } = report;
  const { rows, drawn, quiet, fromAt } = timeline;
  const isFolded = drawn.length < rows.length;
  const outages = deaf.map((each) => ({
    name: deafName(each.channel),
    spans: each.spans,
    label: `${deafName(each.channel)}: ${deafWords(each, zone, toAt)}`,
  }));
  const alone = drawn.filter(({ question }) => question !== undefined).length;
  return {
    fromAt,
    toAt,
    title: `Timeline, ${periodWords(report)}`,
    description: [
      `${counted(rows.length, "question")}.`,
      ...quiet.map((span) => `Quiet hours ${spanWords(span, zone, toAt)}.`),
      ...outages.map(({ label }) => `Not heard: ${label}.`),
    ].join(" "),
    ticks: ticksOf(timeline),
    quiet: quiet.map((span) => ({ ...span, label: `quiet hours ${spanWords(span, zone, toAt)}` })),
    outages,
    rows: drawn,
    ...(isFolded
      ? {
          folded: `${rows.length} questions are too many for one picture: the ${alone} without an answer or with the longest wait stand alone, the others are gathered by the time of asking. The table has all.`,
        }
      : {}),
    table: {
      head: ["Question", "Asked", "Rung", "Decided", "Picked up", "Outcome"],
      rows: rows.map((row) => tableRow(row, zone, toAt)),
    },
  };
}

function ticksOf({ fromAt, toAt, zone }: Timeline): TimelineView["ticks"] {
  const hours = (toAt - fromAt) / hourMs;
  const step = steps.find((each) => hours / each <= 12) ?? 24;
  const ticks = wallHours(fromAt, toAt, zone, step);
  // A report over weeks keeps every so-many-th day.
  const every = Math.max(1, Math.ceil(ticks.length / 14));
  return ticks
    .filter((_, index) => index % every === 0)
    .map((at) => {
      const label = localClock(at, zone);
      return { at, label, ...(label === "00:00" ? { day: localWeekday(at, zone) } : {}) };
    });
}

function tableRow(
  { question, title, outcome, marks }: TimelineRow,
  zone: string,
  now: number,
): readonly string[] {
  const times = (...kinds: readonly MarkKind[]): string =>
    marks
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ at }) => timeWords(at, zone, now))
      .join(", ");
  return [
    `${title} (${question ?? ""})`,
    times("asked"),
    times("rung"),
    times("answered"),
    times("taken", "defaulted"),
    outcome,
  ];
}
