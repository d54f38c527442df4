import type { Instant } from "../domain/ids.ts";
import type { Decision, Effect, NightMark, NightNeed, NightSnapshot, NightState } from "../domain/store.ts";
import { askEndedAgain, type DaybreakSettings, decideMorning, showInFull } from "./daybreak.ts";
import { morningAfter, type NightRules } from "./night.ts";
import { decideNightfall } from "./nightfall.ts";
import { isNight, nextStartAt, type QuietHours } from "./quiet-hours.ts";

/** Questions that one transaction changes: few enough that nobody waits for it for long. */
const chunk = 50;
/** Endings are looked at more at a time: most of them need nothing. */
const endings = 200;

/**
 * `release`: a question that was asked in the last moment of a night, and stored when the morning had been made already,
 * is still held. `forget`: quiet hours were taken out of the configuration by day; should they come back, nothing of the
 * time between is asked again.
 */
export type NightChange = "nightfall" | "daybreak" | "release" | "forget";

export type NightChangeSettings = DaybreakSettings & {
  /** Can a copy on this channel be edited? */
  readonly edits: (channel: string) => boolean;
};

/**
 * What is to be done now: quiet hours have begun, they are over, or something is still held. Undefined while all is as it
 * should be.
 */
export function changeDue(
  { mark, heldUntilAt }: NightState,
  rules: NightRules | undefined,
  now: Instant,
): NightChange | undefined {
  const due = phaseDue(mark, rules, now);
  if (due) return due;
  const isDay = mark ? mark.phase === "day" : !rules;
  return isDay && heldUntilAt !== undefined && (heldUntilAt <= now || !rules) ? "release" : undefined;
}

function phaseDue(
  mark: NightMark | undefined,
  rules: NightRules | undefined,
  now: Instant,
): "nightfall" | "daybreak" | "forget" | undefined {
  if (!rules) {
    if (!mark) return undefined;
    return mark.phase === "day" && mark.stage === "done" ? "forget" : "daybreak";
  }
  const night = isNight(rules.hours, now);
  if (!mark) return night ? "nightfall" : "daybreak";
  const another = startedBetween(rules.hours, mark.begunAt, now);
  const same = mark.rules === rulesText(rules);
  if (night) {
    const settled = mark.phase === "night" && mark.stage === "done" && same && !another;
    return settled ? undefined : "nightfall";
  }
  if (mark.phase === "day") return another || mark.stage !== "done" ? "daybreak" : undefined;
  // Where clocks are set back over an end, the wall shows day in the middle of a night: one night has one morning.
  const pause = same && mark.begunAt <= now && mark.untilAt !== undefined && now < mark.untilAt;
  return pause ? undefined : "daybreak";
}

function startedBetween(hours: QuietHours, from: Instant, to: Instant): boolean {
  const start = nextStartAt(hours, from);
  return start !== undefined && start <= to;
}

/** When `changeDue` may next have something to say; undefined: not by itself. */
export function nextChangeAt(rules: NightRules | undefined, now: Instant): Instant | undefined {
  return rules && (morningAfter(rules, now) ?? nextStartAt(rules.hours, now));
}

/** What the next step reads. */
export function nightNeed(
  mark: NightMark | undefined,
  change: NightChange,
  { rules, now }: Pick<NightChangeSettings, "rules" | "now">,
): NightNeed {
  if (change === "release") return { held: { until: rules ? now : Number.MAX_SAFE_INTEGER, limit: chunk } };
  if (change === "forget") return {};
  const { stage, openQuestion, endedEvent } = begun(mark, change, rules, now, 0);
  if (stage === "ended") return { ended: { after: endedEvent, limit: endings } };
  return stage === "open" ? { open: { after: openQuestion, limit: chunk } } : {};
}

/** One step, in one transaction: whoever is killed before it does it again, and the mark tells who is killed after it. */
export function decideNightChange(
  snapshot: NightSnapshot,
  change: NightChange,
  settings: NightChangeSettings,
): Decision<void> {
  const { rules, now } = settings;
  if (change === "release") return { effects: showInFull(snapshot, settings, () => false), value: undefined };
  if (change === "forget") return { effects: [{ type: "mark-night", mark: null }], value: undefined };
  const mark = begun(snapshot.mark, change, rules, now, snapshot.lastEvent);
  const began = isBegun(snapshot.mark, change, rules, now) ? [] : beginning(change, mark, snapshot.mark);
  const { effects, next } = step(snapshot, mark, settings);
  return { effects: [...began, ...effects, { type: "mark-night", mark: next }], value: undefined };
}

type Step = { readonly effects: readonly Effect[]; readonly next: NightMark | null };

function step(snapshot: NightSnapshot, mark: NightMark, settings: NightChangeSettings): Step {
  const { rules, edits } = settings;
  const { ended, open } = snapshot;
  if (mark.stage === "morning") {
    return { effects: decideMorning(settings), next: rules ? { ...mark, stage: "done" } : null };
  }
  if (mark.stage === "ended") {
    return {
      effects: askEndedAgain(ended?.items ?? [], nightRulesOf(mark), settings),
      next: {
        ...mark,
        endedEvent: ended?.upTo ?? mark.endedEvent,
        stage: ended?.all === false ? "ended" : "open",
      },
    };
  }
  const more = open?.all === false;
  const next = { ...mark, openQuestion: open?.upTo ?? mark.openQuestion };
  if (mark.phase === "day") {
    return {
      effects: showInFull(snapshot, settings, edits, mark.begunAt),
      next: { ...next, stage: more ? "open" : "morning" },
    };
  }
  return {
    effects: rules ? decideNightfall(snapshot, rules, settings, mark.begunAt) : [],
    next: { ...next, stage: more ? "open" : "done" },
  };
}

/** Is the mark that of this very change, half done? */
function isBegun(
  mark: NightMark | undefined,
  change: NightChange,
  rules: NightRules | undefined,
  now: Instant,
): boolean {
  if (!mark || mark.stage === "done" || mark.phase !== phaseOf(change)) return false;
  if (rules && startedBetween(rules.hours, mark.begunAt, now)) return false;
  return change === "daybreak" || mark.rules === rulesText(rules);
}

/** The mark of this change: the one that is half done, or that of its beginning. */
function begun(
  mark: NightMark | undefined,
  change: NightChange,
  rules: NightRules | undefined,
  now: Instant,
  lastEvent: number,
): NightMark {
  if (mark && isBegun(mark, change, rules, now)) return mark;
  const phase = phaseOf(change);
  const untilAt = phase === "night" ? morningAfter(rules, now) : undefined;
  const endedEvent = mark?.endedEvent ?? lastEvent;
  return {
    phase,
    // Without a mark nobody knows of an earlier night: what is long past is not asked again.
    stage: phase === "day" && mark ? "ended" : "open",
    // Which hours were night is known to the mark of that night.
    rules: phase === "day" && mark?.phase === "night" ? mark.rules : rulesText(rules),
    begunAt: now,
    ...(untilAt === undefined ? {} : { untilAt }),
    nightEvent: mark?.phase === "night" ? mark.nightEvent : phase === "night" ? lastEvent : endedEvent,
    endedEvent,
    openQuestion: 0,
  };
}

function phaseOf(change: NightChange): NightMark["phase"] {
  return change === "nightfall" ? "night" : "day";
}

function beginning(change: NightChange, mark: NightMark, before: NightMark | undefined): readonly Effect[] {
  // The first look at a home, by day: no night has ended.
  if (change === "daybreak" && !before) return [];
  const kind = change === "nightfall" ? "night.began" : "night.ended";
  const data = mark.untilAt === undefined ? {} : { until: mark.untilAt };
  return [{ type: "log", event: { kind, data } }];
}

export function rulesText(rules: NightRules | undefined): string {
  return JSON.stringify(rules ?? null);
}

/** Of this store's own making. */
function nightRulesOf({ rules }: NightMark): NightRules | undefined {
  return (JSON.parse(rules) as NightRules | null) ?? undefined;
}
