import { defaultAt, type NightRules } from "../core/night.ts";
import { isPermission } from "../core/wording.ts";
import type { Event } from "../domain/event.ts";
import type { Instant } from "../domain/ids.ts";
import { isOpen, type StoredQuestion } from "../domain/question.ts";
import type { PeopleReport, StatusReport } from "./api.ts";
import { type FactLines, factLines, type LinkLine, linkLines } from "./inbox-facts.ts";
import { type NightLines, nightLines } from "./inbox-night.ts";
import { type PeopleLines, peopleLines } from "./inbox-people.ts";
import { type BoardLines, type BoardSource, boardLines } from "./inbox-tasks.ts";
import { deadlineWords, type Verdict, verdictOf, type When, when } from "./inbox-verdict.ts";

/** What a press sends; named here because the page may know this file only. */
export type { LocalCommand } from "./api.ts";
export type { NightLines } from "./inbox-night.ts";
export type { MadeCode, PairedHere, PeopleLines } from "./inbox-people.ts";
export type { BoardLines, TaskLine } from "./inbox-tasks.ts";
export type { Verdict, When } from "./inbox-verdict.ts";

export type OptionLine = {
  readonly key: string;
  readonly label: string;
  readonly consequence: string;
  readonly recommended: boolean;
  readonly reversible: boolean;
};

/**
 * Where a card stands: `open` waits for an answer, `late` has passed its deadline and can still be answered,
 * `decided` can still be changed, `closed` is over.
 */
export type Place = "open" | "late" | "decided" | "closed";

export type QuestionCard = {
  readonly id: string;
  readonly place: Place;
  readonly state: StoredQuestion["state"];
  /** Rises with every move of the question. */
  readonly revision: number;
  readonly kind: string;
  readonly project: string;
  readonly task: string;
  readonly run: string;
  readonly iteration?: number;
  readonly progress?: string;
  readonly title: string;
  readonly context: string;
  readonly tried?: string;
  readonly options: readonly OptionLine[];
  readonly facts: FactLines;
  readonly links: readonly LinkLine[];
  readonly lowFidelity: boolean;
  /** An agent's own permission prompt. */
  readonly permission?: true;
  readonly asked: When;
  /** The words say what happens when nobody answers. */
  readonly deadline: When & { readonly words: string };
  /** How it stands at night, while it waits; absent by day. */
  readonly night?: NightLines;
  /** What was decided: absent while it is open. */
  readonly verdict?: Verdict;
};

export type NoticeLine = {
  readonly seq: number;
  readonly kind: string;
  readonly text: string;
  readonly at: When;
};

export type ChannelLine = {
  readonly id: string;
  readonly up: boolean;
  readonly rings: boolean;
  /** Absent when it was never up. */
  readonly since?: When;
  readonly lastReceived?: When;
  readonly detail?: string;
};

/** All that the page shows, as one JSON document. */
export type InboxState = {
  readonly zone: string;
  /** Open first by deadline, those that are held behind them; the rest newest first; at most 50 that are closed. */
  readonly cards: readonly QuestionCard[];
  /** The tasks that are not finished. */
  readonly boards: readonly BoardLines[];
  readonly notices: readonly NoticeLine[];
  readonly service: { readonly running: boolean; readonly since?: When };
  readonly channels: readonly ChannelLine[];
  readonly people: PeopleLines;
};

/** How many closed questions the page lists. */
export const recentLimit = 50;

/** What the page is made of. */
export type InboxSource = {
  readonly status: StatusReport;
  /** Questions that are over and no part of the status, newest first. */
  readonly closed: readonly StoredQuestion[];
  /** Events of kind `notice.queued`, oldest first. */
  readonly notices: readonly Event[];
  readonly people: PeopleReport;
  readonly boards: readonly BoardSource[];
};

/** What the page shows, with its times in the words of `zone`. */
export function inboxState(source: InboxSource, zone: string, now: Instant): InboxState {
  const { status, notices } = source;
  const known = new Map<string, StoredQuestion>();
  // The page says which zone its times are in, whatever zone was set when a question was asked.
  for (const stored of [...status.open, ...status.decided, ...source.closed])
    known.set(stored.question.id, { ...stored, zone });
  const all = [...known.values()];
  const waiting = all
    .filter((stored) => isOpen(stored.state))
    .sort((a, b) => a.deadlineAt - b.deadlineAt || a.askedAt - b.askedAt);
  const isHeld = (card: QuestionCard): boolean => card.night?.form === "held";
  const open = waiting.map((stored) => questionCard(stored, now, status.night));
  const rest = all.filter((stored) => !isOpen(stored.state)).sort((a, b) => movedAt(b) - movedAt(a));
  const closed = rest.filter((stored) => placeOf(stored) === "closed").slice(0, recentLimit);
  const undecided = rest.filter((stored) => placeOf(stored) !== "closed");
  return {
    zone,
    cards: [
      // What is held waits for the morning anyway.
      ...open.filter((card) => !isHeld(card)),
      ...open.filter(isHeld),
      ...[...undecided, ...closed].map((stored) => questionCard(stored, now, status.night)),
    ],
    boards: boardLines(source.boards, zone, now),
    notices: notices.toReversed().map((event) => noticeLine(event, zone, now)),
    service: {
      running: status.service.running,
      ...(status.service.since === undefined ? {} : { since: when(status.service.since, zone, now) }),
    },
    channels: status.channels.map((channel) => ({
      id: channel.channel,
      up: channel.up,
      rings: channel.rings,
      ...(channel.since > 0 ? { since: when(channel.since, zone, now) } : {}),
      ...(channel.lastReceiveAt === undefined
        ? {}
        : { lastReceived: when(channel.lastReceiveAt, zone, now) }),
      ...(channel.detail ? { detail: channel.detail } : {}),
    })),
    people: peopleLines(source.people, zone, now),
  };
}

function placeOf(stored: StoredQuestion): Place {
  if (isOpen(stored.state)) return "open";
  // Nobody waits for a permission after its deadline.
  if (stored.state === "expired") return isPermission(stored.question) ? "closed" : "late";
  return stored.state === "answered" ? "decided" : "closed";
}

function movedAt(stored: StoredQuestion): Instant {
  return Math.max(
    stored.answer?.at ?? 0,
    stored.claim?.takenAt ?? 0,
    stored.state === "cancelled" ? stored.askedAt : 0,
    stored.answer || stored.state === "cancelled" ? 0 : stored.deadlineAt,
  );
}

export function questionCard(stored: StoredQuestion, now: Instant, rules?: NightRules): QuestionCard {
  const { question, zone } = stored;
  const night = nightLines(stored, rules, now);
  const will = isOpen(stored.state) ? { ...stored, defaultAction: defaultAt(stored, rules) } : stored;
  const deadline = when(stored.deadlineAt, zone, now);
  const verdict = verdictOf(stored, now);
  return {
    id: question.id,
    place: placeOf(stored),
    state: stored.state,
    revision: stored.revision,
    kind: question.kind,
    project: question.project,
    task: question.task,
    run: question.run,
    ...(question.iteration === undefined ? {} : { iteration: question.iteration }),
    ...(question.progress === undefined ? {} : { progress: question.progress }),
    title: question.title,
    context: question.context,
    ...(question.tried === undefined ? {} : { tried: question.tried }),
    options: question.options.map(({ key, label, consequence, recommended, reversible }) => ({
      key,
      label,
      consequence,
      recommended: recommended === true,
      reversible: reversible === true,
    })),
    facts: factLines(question.facts ?? {}),
    links: linkLines(question.links ?? {}),
    lowFidelity: question.low_fidelity === true,
    ...(isPermission(question) ? { permission: true as const } : {}),
    asked: when(stored.askedAt, zone, now),
    deadline: { ...deadline, words: deadlineWords(will, deadline.text) },
    ...(night ? { night } : {}),
    ...(verdict ? { verdict } : {}),
  };
}

function noticeLine(event: Event, zone: string, now: Instant): NoticeLine {
  const { kind, text } = event.data;
  return {
    seq: event.seq,
    kind: typeof kind === "string" ? kind : "notice",
    text: typeof text === "string" ? text : "",
    at: when(event.at, zone, now),
  };
}
