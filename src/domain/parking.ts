import type { TaskChange } from "./board.ts";
import type { EventKind } from "./event.ts";
import type { Claim, Instant, QuestionId } from "./ids.ts";
import type { Answer, DefaultAction, Outcome, State } from "./question.ts";
import type { TaskClaim, TaskStatus } from "./task.ts";

/** A question for which a task stands still, and where it stands itself. */
export type Awaited = {
  readonly id: QuestionId;
  readonly state: State;
  readonly outcome: Outcome | undefined;
  readonly answer: Answer | undefined;
  readonly defaultAction: DefaultAction;
  /** The deadline in the question's own zone, `2026-12-01 06:00`. */
  readonly deadline: string;
};

/** A task and the question that has moved. */
export type Parking = {
  readonly status: TaskStatus;
  readonly claim: TaskClaim | null;
  readonly question: QuestionId;
  /** All for which it stands still, that one among them, in the order in which they were asked. */
  readonly awaited: readonly Awaited[];
  /** Why an earlier question has left it Blocked; that is still to be looked at by somebody. */
  readonly left?: string;
};

/** What became of the question. */
export type QuestionMove = {
  readonly to: State;
  readonly outcome: Outcome | undefined;
  readonly answer: Answer | undefined;
  readonly defaultAction: DefaultAction;
  readonly deadline: string;
  readonly why: string | undefined;
  /** The token of the take. */
  readonly take: Claim | undefined;
  /** Under which claim of the task its taker works; `asker`: the one who asked has waited for it and goes on. */
  readonly works: Claim | "asker" | undefined;
};

export type ParkingStep = {
  /** `over`: the task stands still for it no more; `left`: it has left the task Blocked. */
  readonly parking: "stays" | "over" | "left";
  readonly change: TaskChange;
  readonly event?: { readonly kind: EventKind; readonly data: Readonly<Record<string, unknown>> };
};

/** What an ask does to its task: In Progress becomes Blocked, the clock of its lease stands still, and its message names the question. */
export function park(
  status: TaskStatus,
  claim: TaskClaim | null,
  awaited: readonly Awaited[],
  now: Instant,
): TaskChange {
  return {
    ...(status === "In Progress" ? { status: "Blocked" as const } : {}),
    errorMessage: awaitedWords(awaited),
    ...(claim === null ? {} : { claim: paused(claim, now) }),
  };
}

/** What a move of the question does to its task. Skip and the default leave it Blocked, and only what was taken lets it go on. */
export function parkingStep(parking: Parking, moved: QuestionMove, now: Instant): ParkingStep | undefined {
  const { question } = parking;
  const stays: ParkingStep = { parking: "stays", change: { errorMessage: awaitedWords(parking.awaited) } };
  switch (moved.to) {
    case "answered":
      return moved.outcome === "retried" ? freed(parking, moved, now, "retried") : stays;
    case "expired":
      return moved.defaultAction === "skip_spec" ? stays : undefined;
    case "applied":
      return moved.outcome === "skipped"
        ? leaves(parking, skippedWords(question, moved.answer))
        : freed(parking, moved, now, moved.outcome ?? "answered");
    case "default_applied":
      return moved.defaultAction === "take_recommended"
        ? freed(parking, moved, now, "defaulted")
        : leaves(parking, silenceWords(question, moved.deadline));
    case "cancelled":
      return leaves(parking, `${question} was cancelled: ${moved.why ?? "no reason was given"}`);
    default:
      return undefined;
  }
}

function othersOf({ question, awaited }: Parking): readonly Awaited[] {
  return awaited.filter(({ id }) => id !== question);
}

function leaves(parking: Parking, why: string): ParkingStep {
  const { question } = parking;
  const others = othersOf(parking);
  const waits = others.length > 0;
  return {
    parking: "left",
    change: waits ? { errorMessage: awaitedWords(others) } : { errorMessage: why, claim: null },
    ...(waits ? {} : { event: { kind: "task.left-blocked", data: { question, why } } }),
  };
}

function freed(parking: Parking, { take, works }: QuestionMove, now: Instant, outcome: string): ParkingStep {
  const { status, claim, question, left } = parking;
  const others = othersOf(parking);
  if (others.length > 0) return { parking: "over", change: { errorMessage: awaitedWords(others) } };
  if (left !== undefined) return { parking: "over", change: { errorMessage: left, claim: null } };
  const held = claim !== null && (works === claim.token || take === claim.token);
  const goesOn = outcome !== "retried" && (held || works === "asker");
  const to = goesOn ? "In Progress" : "Ready";
  return {
    parking: "over",
    change: {
      status: to,
      errorMessage: "",
      ...(goesOn
        ? claim === null
          ? {}
          : { claim: resumed(claim, now) }
        : { claim: null, dispatchedAt: null, sessionReference: "" }),
    },
    event: { kind: "task.freed", data: { from: status, to, question, outcome } },
  };
}

/** What a parked task says: every question that it waits for is named, and where each stands. */
export function awaitedWords(awaited: readonly Awaited[]): string {
  const waiting: QuestionId[] = [];
  const decided: string[] = [];
  for (const each of awaited) {
    const words = decidedWords(each);
    if (words === undefined) waiting.push(each.id);
    else decided.push(words);
  }
  const first = waiting.length === 0 ? [] : [`Waiting for an answer: ${waiting.join(", ")}`];
  return [...first, ...decided].join("; ");
}

/** Undefined while an answer is waited for. */
function decidedWords({ id, state, outcome, answer, defaultAction, deadline }: Awaited): string | undefined {
  if (state === "answered")
    return outcome === "skipped" ? skippedWords(id, answer) : `Answered, and not taken yet: ${id}`;
  return state === "expired" && defaultAction === "skip_spec" ? silenceWords(id, deadline) : undefined;
}

function skippedWords(question: QuestionId, answer: Answer | undefined): string {
  return `skipped ${doer(answer)}: ${question}`;
}

function silenceWords(question: QuestionId, deadline: string): string {
  return `no answer by ${deadline}: ${question}`;
}

/** Why an earlier question has left it Blocked: its message, unless that tells of those it waits for now. */
export function leftWords(
  message: string,
  parking: Omit<Parking, "left">,
  left: readonly QuestionId[],
): string {
  const asWas = (state: State): string =>
    awaitedWords(parking.awaited.map((each) => (each.id === parking.question ? { ...each, state } : each)));
  const own = (["posted", "answered", "expired"] as const).map(asWas);
  return own.includes(message) ? `An earlier question left it Blocked: ${left.join(", ")}` : message;
}

function doer(answer: Answer | undefined): string {
  if (answer?.by !== undefined) return `by ${answer.by}`;
  if (answer?.via === "inbox") return "in the inbox";
  if (answer?.via === "cli")
    return `from the command line${answer.host === undefined ? "" : ` on ${answer.host}`}`;
  return answer === undefined ? "without a reply" : `via ${answer.via}`;
}

/** The clock of the lease stands still. */
export function paused(claim: TaskClaim, now: Instant): TaskClaim {
  const { leaseUntilAt, leaseMs, leftMs } = claim;
  const left = leaseUntilAt === null ? leftMs : Math.min(Math.max(leaseUntilAt - now, 0), leaseMs);
  return { ...claim, leaseUntilAt: null, leftMs: left };
}

/** It goes on with what was left. */
export function resumed(claim: TaskClaim, now: Instant): TaskClaim {
  const { leaseUntilAt, leaseMs, leftMs } = claim;
  if (leaseUntilAt !== null) return claim;
  return { ...claim, leaseUntilAt: now + (leftMs ?? leaseMs), leftMs: null };
}
