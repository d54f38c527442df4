import type { Abort } from "../domain/abort.ts";
import type { Ack, Sender } from "../domain/command.ts";
import type { Claim, Instant, QuestionId, RunId } from "../domain/ids.ts";
import type { Role } from "../domain/person.ts";
import type { ClaimRecord, Copy, StoredQuestion } from "../domain/question.ts";
import type { Decision, Effect, RunSnapshot } from "../domain/store.ts";
import { takeMark } from "./digest.ts";
import { move } from "./moves.ts";
import { expire } from "./sweep.ts";
import { senderWords, timeWords } from "./wording.ts";

/** A run that asked within this time may still be steered or stopped. */
export const aliveMs = 24 * 3_600_000;

const mostNamed = 10;

export type AbortSettings = {
  readonly sender: Sender;
  /** Absent for the owner of this machine. */
  readonly role?: Role;
  readonly now: Instant;
  /** When the platform says it was sent; absent: now. */
  readonly sentAt?: Instant;
  readonly copies: ReadonlyMap<QuestionId, readonly Copy[]>;
};

/** `run a3f2 was stopped by eric`: why its questions are cancelled. */
export function stoppedWords(run: RunId, sender: Sender): string {
  return `run ${run} was stopped ${senderWords(sender)}`;
}

/**
 * Stops a run that is alive: an order to its loop in every project in which it has asked, and every open question of it is
 * cancelled. The hour makes no difference, and only an owner may. Where orders wait in all of its projects nothing is added.
 */
export function decideAbort(run: RunId, snapshot: RunSnapshot, settings: AbortSettings): Decision<Ack> {
  const { sender, role, now, sentAt, copies } = settings;
  if (role !== undefined && role !== "owner")
    return refused("not-allowed", "Only an owner may stop a run.", sender);
  const { open, projects, aborts } = snapshot;
  if (projects.length === 0) {
    return refused("bad-command", `Nothing was stopped: run ${run} has never asked anything.`, sender);
  }
  const why = stoppedWords(run, sender);
  const effects: Effect[] = [];
  const cancelled: QuestionId[] = [];
  for (const stored of open) {
    const its = copies.get(stored.question.id) ?? [];
    // A deadline that nobody has swept yet has come all the same.
    const over = stored.deadlineAt <= now ? expire(stored, its) : undefined;
    const moved = over ?? move(stored, "cancel", {}, { why }, its, { why });
    if (!moved) continue;
    effects.push(...moved.effects);
    if (!over) cancelled.push(stored.question.id);
  }
  const fresh = projects.filter((project) => !aborts.some((abort) => abort.project === project));
  for (const project of fresh) {
    effects.push({ type: "insert-abort", abort: { run, project, sender, at: sentAt ?? now } });
    effects.push({
      type: "log",
      event: { kind: "run.aborted", project, data: { run, ...sender, cancelled: cancelled.length } },
    });
  }
  const [first] = aborts;
  const repeated = fresh.length === 0 && first !== undefined;
  const said = repeated
    ? `Already recorded: ${waitingWords(first, snapshot, now)}.`
    : `Recorded: run ${run} is to stop; its loop learns of it at its next stop. Until then a new question of it is cancelled and rings nobody.`;
  return {
    effects,
    value: {
      accepted: true,
      state: "aborted",
      text: `${said} ${cancelledWords(cancelled, repeated)}`.trim(),
      ...(repeated ? { repeated } : {}),
    },
  };
}

function waitingWords(
  { run, sender, at, claim }: Abort,
  { zone = "UTC" }: RunSnapshot,
  now: Instant,
): string {
  const told = claim
    ? `its loop was told at ${timeWords(claim.takenAt, zone, now)} and has not confirmed it`
    : "its loop has not come by yet";
  return `${stoppedWords(run, sender)} at ${timeWords(at, zone, now)}, and ${told}`;
}

function cancelledWords(ids: readonly QuestionId[], repeated: boolean): string {
  if (ids.length === 0) return repeated ? "" : "No question of it was open.";
  const more = ids.length - mostNamed;
  const named = ids.slice(0, mostNamed).join(", ");
  return `Cancelled: ${named}${more > 0 ? ` and ${more} more` : ""}.`;
}

function refused(reason: "not-allowed" | "bad-command", text: string, { via }: Sender): Decision<Ack> {
  const event = { kind: "reply.refused", data: { reason, verb: "abort", via } } as const;
  return { effects: [{ type: "log", event }], value: { accepted: false, reason, text } };
}

/** A question of a run that was stopped while its loop does not know it yet: stored, cancelled at once, and sent to nobody. */
export function cancelStopped(
  stored: StoredQuestion,
  { run, sender }: Abort,
): { readonly effects: readonly Effect[]; readonly after: StoredQuestion } | undefined {
  const why = stoppedWords(run, sender);
  return move(stored, "cancel", {}, { why }, [], { why });
}

export type ClaimSettings = {
  readonly claim: Claim;
  readonly run?: string;
  readonly now: Instant;
  readonly leaseMs: number;
};

export type TakenAborts = { readonly effects: readonly Effect[]; readonly taken: readonly Abort[] };

/** Under one claim, those that nobody holds; one that was taken and not confirmed in time is free again. */
export function takeAborts(aborts: readonly Abort[], settings: ClaimSettings): TakenAborts {
  const { now, leaseMs, claim, run } = settings;
  const record: ClaimRecord = {
    claim,
    takenAt: now,
    leaseUntilAt: now + leaseMs,
    ...(run === undefined ? {} : { run }),
  };
  const free = aborts.filter((abort) => !abort.claim || abort.claim.leaseUntilAt <= now);
  return {
    effects: free.flatMap(({ id, run: stopped, project }): Effect[] => [
      { type: "claim-abort", id, claim: record },
      {
        type: "log",
        event: { kind: "run.abort-taken", project, data: { run: stopped, take: takeMark(claim) } },
      },
    ]),
    taken: free.map((abort) => ({ ...abort, claim: record })),
  };
}

/** The same take once more: what it holds already, with a new lease where the old one ran out. */
export function retakeAborts(held: readonly Abort[], settings: ClaimSettings): TakenAborts {
  const again = takeAborts(held, settings);
  const renewed = new Map(again.taken.map((abort) => [abort.id, abort]));
  return { effects: again.effects, taken: held.map((abort) => renewed.get(abort.id) ?? abort) };
}
