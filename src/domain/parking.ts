import type { TaskChange } from "./board.ts";
import type { EventKind } from "./event.ts";
import type { Claim, Instant, QuestionId } from "./ids.ts";
import type { Answer, DefaultAction, Outcome, State } from "./question.ts";
import type { TaskClaim, TaskStatus } from "./task.ts";

/** A task and the question that it stands still for. */
export type Parking = {
  readonly status: TaskStatus;
  readonly claim: TaskClaim | null;
  readonly question: QuestionId;
  /** Other questions for which it stands still as well. */
  readonly others: readonly QuestionId[];
  /** Why an earlier question has left it Blocked; that is still to be looked at by somebody. */
  readonly left?: string;
};

/** What became of the question. */
export type QuestionMove = {
  readonly to: State;
  readonly outcome: Outcome | undefined;
  readonly answer: Answer | undefined;
  readonly defaultAction: DefaultAction;
  /** The deadline in the question's own zone, `2026-12-01 06:00`. */
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
  questions: readonly QuestionId[],
  now: Instant,
): TaskChange {
  return {
    ...(status === "In Progress" ? { status: "Blocked" as const } : {}),
    errorMessage: waitingWords(questions),
    ...(claim === null ? {} : { claim: paused(claim, now) }),
  };
}

/** What a move of the question does to its task. Skip and the default leave it Blocked, and only what was taken lets it go on. */
export function parkingStep(parking: Parking, moved: QuestionMove, now: Instant): ParkingStep | undefined {
  const { question, others } = parking;
  const says = (words: string): ParkingStep => saidOf(`${words}: ${question}`, others);
  switch (moved.to) {
    case "answered":
      if (moved.outcome === "retried") return freed(parking, moved, now, "retried");
      if (moved.outcome === "skipped") return says(`skipped ${doer(moved.answer)}`);
      return says("Answered, and not taken yet");
    case "expired":
      return moved.defaultAction === "skip_spec" ? says(`no answer by ${moved.deadline}`) : undefined;
    case "applied":
      return moved.outcome === "skipped"
        ? leaves(parking, `skipped ${doer(moved.answer)}: ${question}`)
        : freed(parking, moved, now, moved.outcome ?? "answered");
    case "default_applied":
      return moved.defaultAction === "take_recommended"
        ? freed(parking, moved, now, "defaulted")
        : leaves(parking, `no answer by ${moved.deadline}: ${question}`);
    case "cancelled":
      return leaves(parking, `${question} was cancelled: ${moved.why ?? "no reason was given"}`);
    default:
      return undefined;
  }
}

/** The others may be open or decided by now. */
function saidOf(words: string, others: readonly QuestionId[]): ParkingStep {
  const errorMessage = others.length === 0 ? words : `${words}. It waits for ${others.join(", ")}, too`;
  return { parking: "stays", change: { errorMessage } };
}

function leaves({ question, others }: Parking, why: string): ParkingStep {
  const waits = others.length > 0;
  return {
    parking: "left",
    change: waits ? { errorMessage: waitingWords(others) } : { errorMessage: why, claim: null },
    ...(waits ? {} : { event: { kind: "task.left-blocked", data: { question, why } } }),
  };
}

function freed(
  { status, claim, question, others, left }: Parking,
  { take, works }: QuestionMove,
  now: Instant,
  outcome: string,
): ParkingStep {
  if (others.length > 0) return { parking: "over", change: { errorMessage: waitingWords(others) } };
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

export function waitingWords(questions: readonly QuestionId[]): string {
  return `Waiting for an answer: ${questions.join(", ")}`;
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
