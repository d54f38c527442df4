import type { Instant } from "../domain/ids.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Effect, NightSnapshot } from "../domain/store.ts";
import { log } from "./moves.ts";
import { defaultAt, formAt, morningAfter, type NightRules } from "./night.ts";

export type NightfallSettings = {
  readonly now: Instant;
  /** Can a copy on this channel be edited? */
  readonly edits: (channel: string) => boolean;
};

/**
 * Until when a question is held that may not be sent at `now`. Where quiet hours have no end, that is its deadline: it is
 * never sent.
 */
export function heldUntil(rules: NightRules, now: Instant, deadlineAt: Instant): Instant {
  return morningAfter(rules, now) ?? deadlineAt;
}

/** Quiet hours begin: every open question takes its night form. What has not gone out yet takes it when it goes out. */
export function decideNightfall(
  { open, copies }: NightSnapshot,
  rules: NightRules,
  { now, edits }: NightfallSettings,
  begunAt: Instant = now,
): readonly Effect[] {
  return (open?.items ?? []).flatMap((stored) => {
    const { question, state, deadlineAt, defaultAction } = stored;
    // The sweep comes for it.
    if (deadlineAt <= now) return [];
    const held = formAt(question, rules, now) === "held";
    const heldUntilAt = held ? heldUntil(rules, now, deadlineAt) : undefined;
    const action = defaultAt(stored, rules);
    // What was asked since then went out in its night form.
    const known = stored.askedAt < begunAt ? (copies.get(question.id) ?? []) : [];
    const shown = known.filter(({ channel }) => edits(channel));
    const same = heldUntilAt === stored.heldUntilAt && action === defaultAction;
    if (same && shown.length === 0) return [];
    return [
      {
        type: "renew-question",
        id: question.id,
        from: state,
        heldUntilAt: heldUntilAt ?? null,
        ...(action === defaultAction ? {} : { defaultAction: action }),
      },
      ...(heldUntilAt === undefined || heldUntilAt === stored.heldUntilAt
        ? []
        : [log(stored, "question.held", { until: heldUntilAt })]),
      ...editsOf(stored, shown),
    ] satisfies Effect[];
  });
}

/** One edit for each queue in which a copy stands. */
export function editsOf({ question }: StoredQuestion, copies: readonly Copy[]): readonly Effect[] {
  const queues = new Map(copies.map((copy) => [`${copy.channel}\n${copy.destination}`, copy]));
  return [...queues.values()].map(({ channel, destination }) => ({
    type: "send",
    job: { channel, destination, kind: "edit", question: question.id },
  }));
}
