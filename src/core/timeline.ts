import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion, titleLine } from "../domain/question.ts";
import type { Mark, MarkKind, ReportQuestion, Span, Timeline, TimelineRow } from "../domain/report.ts";
import { isAlwaysNight, isNight, nextStartAt, nightOf, type QuietHours } from "./quiet-hours.ts";
import { deafness } from "./report-events.ts";
import { localClock } from "./time.ts";
import { timeWords } from "./wording.ts";

export type TimelineFacts = {
  readonly questions: readonly ReportQuestion[];
  readonly events: readonly Event[];
  readonly ringing: readonly string[];
  readonly hours?: QuietHours | undefined;
};

/** More rows than these are no picture any more. */
const mostRows = 30;
/** Of many rows, so many stand alone: those that want a look. */
const mostAlone = 18;
const mostGroups = 12;

/** What is drawn of a night. Marks outside the span are left out. */
export function timelineOf(facts: TimelineFacts, span: Span, zone: string): Timeline {
  const moves = new Map<string, Event[]>();
  for (const event of facts.events) {
    if (event.question === undefined || eventMarks[event.kind] === undefined) continue;
    const known = moves.get(event.question);
    if (known) known.push(event);
    else moves.set(event.question, [event]);
  }
  const rows = facts.questions.map((each) => ({
    row: rowOf(each, moves.get(each.stored.question.id) ?? [], facts.ringing, span),
    stored: each.stored,
  }));
  return {
    ...span,
    zone,
    quiet: facts.hours ? quietSpans(facts.hours, span) : [],
    outages: deafness(facts.events, span.fromAt, span.toAt).flatMap(({ channel, spans }) =>
      spans.map((each) => ({ ...each, channel })),
    ),
    rows: rows.map(({ row }) => row),
    drawn: fold(rows, span, zone),
  };
}

/** The quiet hours inside a span, as the clocks on the wall had them. */
export function quietSpans(hours: QuietHours, { fromAt, toAt }: Span): readonly Span[] {
  if (isAlwaysNight(hours)) return [{ fromAt, toAt }];
  const spans: Span[] = [];
  let at: Instant | undefined = fromAt;
  while (at !== undefined && at < toAt) {
    if (!isNight(hours, at)) at = nextStartAt(hours, at);
    else {
      const endAt: Instant = nightOf(hours, at)?.endAt ?? toAt;
      spans.push({ fromAt: at, toAt: Math.min(endAt, toAt) });
      at = endAt;
    }
  }
  return spans;
}

const eventMarks: Readonly<Record<string, MarkKind>> = {
  "question.answered": "answered",
  "question.overridden": "answered",
  "question.applied": "taken",
  "question.expired": "expired",
  "question.default-applied": "defaulted",
  "question.cancelled": "cancelled",
};

function rowOf(
  { stored, copies }: ReportQuestion,
  moves: readonly Event[],
  ringing: readonly string[],
  span: Span,
): TimelineRow {
  const { id } = stored.question;
  const marks: Mark[] = [{ kind: "asked", at: stored.askedAt }];
  for (const copy of copies) {
    if (ringing.includes(copy.channel)) marks.push({ kind: "rung", at: copy.postedAt });
  }
  for (const event of moves) {
    const kind = eventMarks[event.kind];
    if (kind !== undefined) marks.push({ kind, at: event.at });
  }
  // One that no sweep has seen yet has no event.
  if (stored.state === "expired" && !marks.some(({ kind }) => kind === "expired")) {
    marks.push({ kind: "expired", at: stored.deadlineAt });
  }
  const decided = marks.filter(({ kind }) => kind !== "asked" && kind !== "rung" && kind !== "taken");
  const until = Math.min(...decided.map(({ at }) => at), span.toAt);
  const waited = { fromAt: Math.max(stored.askedAt, span.fromAt), toAt: Math.min(until, span.toAt) };
  return {
    question: id,
    title: titleLine(stored.question),
    outcome: outcomeWords(stored, span.toAt),
    marks: inside(marks, span),
    ...(waited.toAt >= waited.fromAt ? { waited } : {}),
  };
}

/** In the order of time, each instant of a kind once. */
function inside(marks: readonly Mark[], { fromAt, toAt }: Span): readonly Mark[] {
  return marks
    .filter(({ at }) => at >= fromAt && at <= toAt)
    .sort((a, b) => a.at - b.at)
    .filter((mark, index, all) => {
      const before = all[index - 1];
      return before?.kind !== mark.kind || before.at !== mark.at;
    });
}

/** `answered 02:14`, `no answer by 06:00`: never a word for what nobody did. */
export function outcomeWords(stored: StoredQuestion, now: Instant): string {
  const time = (at: Instant): string => timeWords(at, stored.zone, now);
  const { answer, state, deadlineAt } = stored;
  if (isOpen(state)) {
    return stored.heldUntilAt !== undefined && stored.heldUntilAt > now
      ? `held until ${time(stored.heldUntilAt)}`
      : `open until ${time(deadlineAt)}`;
  }
  if (state === "cancelled") return "cancelled";
  if (!answer) return `no answer by ${time(deadlineAt)}`;
  const what = {
    skipped: "skipped",
    retried: "sent back",
    overridden: answer.late ? "answered late" : "changed",
  };
  return `${what[answer.outcome as keyof typeof what] ?? "answered"} ${time(answer.at)}`;
}

type Row = { readonly row: TimelineRow; readonly stored: StoredQuestion };

/** Up to 30 stand as they are. Of more, those without an answer and the slowest stay; the others are gathered by time. */
function fold(rows: readonly Row[], span: Span, zone: string): readonly TimelineRow[] {
  if (rows.length <= mostRows) return rows.map(({ row }) => row);
  const wants = (each: Row): number => {
    const waited = each.row.waited ? each.row.waited.toAt - each.row.waited.fromAt : 0;
    return each.stored.answer ? waited : Number.MAX_SAFE_INTEGER / 2 + waited;
  };
  const alone = new Set(rows.toSorted((a, b) => wants(b) - wants(a)).slice(0, mostAlone));
  const others = rows.filter((each) => !alone.has(each));
  const size = Math.ceil(others.length / mostGroups);
  const groups: TimelineRow[] = [];
  for (let from = 0; from < others.length; from += size)
    groups.push(group(others.slice(from, from + size), span, zone));
  return [...rows.filter((each) => alone.has(each)).map(({ row }) => row), ...groups];
}

/** On the track of several questions, marks of a kind lie at least so far apart: a part of the whole time. */
const groupStep = 1 / 64;

function group(members: readonly Row[], { fromAt, toAt }: Span, zone: string): TimelineRow {
  const [first, last] = [members[0]?.stored.askedAt ?? 0, members.at(-1)?.stored.askedAt ?? 0];
  const [from, to] = [localClock(first, zone), localClock(last, zone)];
  const decided = members.filter(({ stored }) => stored.answer).length;
  const seen = new Set<string>();
  const marks = members
    .flatMap(({ row }) => row.marks)
    .sort((a, b) => a.at - b.at)
    .filter(({ kind, at }) => {
      const place = `${kind} ${Math.floor((at - fromAt) / Math.max(1, (toAt - fromAt) * groupStep))}`;
      return !seen.has(place) && seen.add(place);
    });
  return {
    title: `${members.length} asked ${from === to ? `at ${from}` : `${from}–${to}`}`,
    outcome: `${decided} of ${members.length} decided`,
    marks,
  };
}
