import { rowOf } from "../../renderers/matrix.ts";
import { isAlwaysNight, isNight, nightOf, type QuietHours } from "../core/quiet-hours.ts";
import { type ReportFacts, reportOf } from "../core/report.ts";
import { morningDigest } from "../core/report-text.ts";
import { resolveSince } from "../core/time.ts";
import type { Event } from "../domain/event.ts";
import { type Instant, type QuestionId, questionId } from "../domain/ids.ts";
import type { Report, ReportQuestion } from "../domain/report.ts";
import type { Note, Store } from "../domain/store.ts";
import type { ReportOutcome, ReportRequest } from "./api.ts";
import type { Config } from "./config.ts";
import type { Desk } from "./desk.ts";

const hourMs = 3_600_000;
/** Without quiet hours a report reaches so far back. */
const usualMs = 12 * hourMs;
/** For the state of each channel at the beginning, the log is read from so far before it. */
const beforeMs = 7 * 24 * hourMs;
/** And no more than so many of its lines. */
const mostBefore = 20_000;
const page = 2_000;
const mostWaiting = 1_000;

type Reading = Pick<Store, "events" | "notes" | "question" | "questions" | "copies">;

/** The morning report. Looking at it changes nothing in the store. */
export function reporting(desk: Desk) {
  const { config, store, now } = desk;
  return {
    async report({ since, until }: ReportRequest = {}): Promise<ReportOutcome> {
      const toAt = until ?? now();
      const fromAt = since === undefined ? lastNightAt(config, toAt) : sinceOf(since, toAt, config.zone);
      if (fromAt === undefined || fromAt >= toAt) return { ok: false, error: "bad-since" };
      const report = await reportBetween(store, config, fromAt, toAt);
      return { ok: true, report, digest: morningDigest(report) };
    },
  };
}

function sinceOf(since: string | Instant, until: Instant, zone: string): Instant | undefined {
  return typeof since === "number" ? since : resolveSince(since, until, zone);
}

/** The report of `since` to `until`: for whoever has a store at hand, such as the service when a night is over. */
export async function reportBetween(
  store: Reading,
  config: Pick<Config, "zone" | "night" | "deliver">,
  since: Instant,
  until: Instant,
): Promise<Report> {
  const facts = await gatherReport(store, config, since, until);
  return reportOf(facts, since, until, config.zone);
}

/** The first instant of the night that is now, or that was last; 12 hours back where there are no quiet hours. */
export function lastNightAt({ night }: Pick<Config, "night">, now: Instant): Instant {
  const usual = now - usualMs;
  if (!night || isAlwaysNight(night.hours)) return usual;
  return nightStart(night.hours, now) ?? usual;
}

function nightStart(hours: QuietHours, now: Instant): Instant | undefined {
  // No window is shorter than a minute; by quarters of an hour none but the very shortest is missed, and those by minutes.
  for (const stepMs of [hourMs / 4, hourMs / 60]) {
    for (let at = now; at > now - 26 * hourMs; at -= stepMs) {
      if (isNight(hours, at)) return nightOf(hours, at)?.startAt;
    }
  }
  return undefined;
}

async function gatherReport(
  store: Reading,
  config: Pick<Config, "night" | "deliver">,
  since: Instant,
  until: Instant,
): Promise<ReportFacts> {
  const anEvent = (from: number): Promise<readonly Event[]> => store.events(from, 1);
  const firstEvent = Math.max(
    await placeOf(anEvent, since - beforeMs),
    (await placeOf(anEvent, since)) - mostBefore,
  );
  const events = await readAll<Event>(
    (from) => store.events(from, page),
    ({ seq }) => seq,
    firstEvent,
  );
  const firstNote = await placeOf((from) => store.notes(from, 1), since);
  const notes = await readAll<Note>(
    (from) => store.notes(from, page),
    ({ id }) => id,
    firstNote,
  );
  const ids = new Set<string>();
  for (const { at, question } of events) {
    if (question !== undefined && at >= since && at <= until) ids.add(question);
  }
  const waiting = await store.questions({ states: ["pending", "posted", "expired"], limit: mostWaiting });
  for (const { question, askedAt } of waiting) if (askedAt <= until) ids.add(question.id);
  return {
    questions: await readQuestions(store, ids),
    events: events.filter(({ at }) => at <= until),
    notes,
    ringing: config.deliver.filter((channel) => rowOf(channel).rings),
    ...(config.night ? { hours: config.night.hours, isolated: config.night.isolated } : {}),
  };
}

async function readQuestions(store: Reading, ids: Set<string>): Promise<readonly ReportQuestion[]> {
  const found = new Map<QuestionId, ReportQuestion>();
  const read = async (id: string | undefined): Promise<string | undefined> => {
    const known = id === undefined ? undefined : questionId(id);
    if (!known || found.has(known)) return undefined;
    const stored = await store.question(known);
    if (stored) found.set(known, { stored, copies: await store.copies(known) });
    return stored?.question.again;
  };
  for (const id of ids) {
    // The one of the night, of which this one asks again.
    await read(await read(id));
  }
  return [...found.values()];
}

/**
 * The number after which the rows at or after `since` come. They lie in the order of time, but for clocks that were set
 * back: then a few too many or too few are read.
 */
async function placeOf(
  next: (from: number) => Promise<readonly { readonly at: Instant }[]>,
  since: Instant,
): Promise<number> {
  const isEarly = async (from: number): Promise<boolean> => {
    const [row] = await next(from);
    return row !== undefined && row.at < since;
  };
  let low = 0;
  let high = 1;
  while (await isEarly(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isEarly(middle)) low = middle;
    else high = middle;
  }
  return low;
}

async function readAll<Row>(
  read: (from: number) => Promise<readonly Row[]>,
  numberOf: (row: Row) => number,
  first: number,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  let from = first;
  for (;;) {
    const rows = await read(from);
    all.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return all;
    from = numberOf(last);
  }
}
