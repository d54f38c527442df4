import type { EventKind } from "../domain/event.ts";
import type { DefaultAction, Outcome, State } from "../domain/question.ts";

export const triggers = [
  "post",
  "reply",
  "deadline",
  "consume",
  "outcome",
  "cancel",
  "override",
  "lapse",
] as const;
export type Trigger = (typeof triggers)[number];

/** What is known about a trigger. Everything is optional; what is absent is as in the usual case. */
export type Given = {
  /** How many channels took the post. */
  readonly accepted?: number;
  readonly channels?: number;
  /** Did the reply pass validation? */
  readonly valid?: boolean;
  readonly via?: string;
  readonly verb?: "skip" | "retry";
  readonly night_action?: "go" | "skip";
  /** The platform says that the reply was sent before the deadline. */
  readonly sent?: "before-deadline";
  readonly default_action?: DefaultAction;
  /** The claim that takes: the one that holds the question already, or another. */
  readonly token?: "same" | "another";
  readonly confirmed?: boolean;
};

export type Transition =
  | {
      readonly ok: true;
      readonly state: State;
      /** Absent: as before. */
      readonly outcome?: Outcome;
      /** Absent: nothing changed, so there is nothing to log. */
      readonly event?: EventKind;
    }
  | { readonly ok: false };

type Row = {
  readonly from: State;
  readonly on: Trigger;
  readonly to: State;
  readonly event?: EventKind;
  readonly outcome?: Outcome | ((given: Given) => Outcome);
  readonly when?: (given: Given) => boolean;
};

const accepted = (given: Given): boolean => (given.accepted ?? 1) > 0;
const valid = (given: Given): boolean => given.valid !== false;
const unconfirmed = (given: Given): boolean => given.confirmed !== true;
const sameClaim = (given: Given): boolean => given.token === "same";
const hasDefault = (given: Given): boolean => given.default_action !== "stay_parked";

function replyOutcome(given: Given): Outcome {
  if (given.verb === "skip" || given.night_action === "skip") return "skipped";
  if (given.verb === "retry") return "retried";
  return "answered";
}

/** A choice that comes after the deadline overrides the default; a late skip or retry keeps its own outcome. */
function lateOutcome(given: Given): Outcome {
  const outcome = replyOutcome(given);
  return outcome === "answered" && given.sent !== "before-deadline" ? "overridden" : outcome;
}

/** Every move that exists. What is not listed is refused. */
const table: readonly Row[] = [
  { from: "pending", on: "post", to: "posted", event: "question.posted", when: accepted },
  {
    from: "pending",
    on: "reply",
    to: "answered",
    event: "question.answered",
    outcome: replyOutcome,
    when: valid,
  },
  {
    from: "posted",
    on: "reply",
    to: "answered",
    event: "question.answered",
    outcome: replyOutcome,
    when: valid,
  },
  { from: "pending", on: "deadline", to: "expired", event: "question.expired", outcome: "expired" },
  { from: "posted", on: "deadline", to: "expired", event: "question.expired", outcome: "expired" },
  {
    from: "expired",
    on: "reply",
    to: "answered",
    event: "question.answered",
    outcome: lateOutcome,
    when: valid,
  },
  {
    from: "answered",
    on: "override",
    to: "answered",
    event: "question.overridden",
    outcome: "overridden",
    when: valid,
  },
  { from: "answered", on: "consume", to: "applied", event: "question.applied" },
  { from: "applied", on: "consume", to: "applied", when: sameClaim },
  {
    from: "expired",
    on: "consume",
    to: "default_applied",
    event: "question.default-applied",
    outcome: "defaulted",
    when: hasDefault,
  },
  { from: "default_applied", on: "consume", to: "default_applied", when: sameClaim },
  { from: "applied", on: "lapse", to: "answered", event: "question.lapsed", when: unconfirmed },
  {
    from: "default_applied",
    on: "lapse",
    to: "expired",
    event: "question.lapsed",
    outcome: "expired",
    when: unconfirmed,
  },
  { from: "applied", on: "outcome", to: "resolved", event: "question.resolved" },
  { from: "default_applied", on: "outcome", to: "resolved", event: "question.resolved" },
  { from: "pending", on: "cancel", to: "cancelled", event: "question.cancelled", outcome: "cancelled" },
  { from: "posted", on: "cancel", to: "cancelled", event: "question.cancelled", outcome: "cancelled" },
];

/** The next state of a question, or a refusal: then it stays as it is and nothing is recorded. */
export function transition(state: State, trigger: Trigger, given: Given = {}): Transition {
  const row = table.find(
    (each) => each.from === state && each.on === trigger && (each.when?.(given) ?? true),
  );
  if (!row) return { ok: false };
  const outcome = typeof row.outcome === "function" ? row.outcome(given) : row.outcome;
  return {
    ok: true,
    state: row.to,
    ...(outcome === undefined ? {} : { outcome }),
    ...(row.event === undefined ? {} : { event: row.event }),
  };
}
