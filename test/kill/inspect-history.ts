import { takeMark } from "../../src/core/digest.ts";
import { type Given, type Trigger, transition } from "../../src/core/lifecycle.ts";
import type { Event, EventKind } from "../../src/domain/event.ts";
import type { State, StoredQuestion } from "../../src/domain/question.ts";
import type { Remains } from "./remains.ts";

const triggers: Partial<Record<EventKind, Trigger>> = {
  "question.posted": "post",
  "question.answered": "reply",
  "question.overridden": "override",
  "question.expired": "deadline",
  "question.applied": "consume",
  "question.default-applied": "consume",
  "question.lapsed": "lapse",
  "question.resolved": "outcome",
  "question.cancelled": "cancel",
};

/** The log of every question is a path that the table allows, and it ends where the row stands. */
export function inspectHistory({ questions, events }: Remains): string[] {
  const wrong: string[] = [];
  events.forEach((event, index) => {
    if (event.seq !== index + 1) wrong.push(`event ${index + 1} has the number ${event.seq}`);
  });
  for (const stored of questions) {
    // What it did to its task is the board's log.
    const own = events.filter(
      ({ question, kind }) => question === stored.question.id && !kind.startsWith("task."),
    );
    for (const fault of replay(stored, own)) wrong.push(`${stored.question.id}: ${fault}`);
  }
  return wrong;
}

function replay(stored: StoredQuestion, events: readonly Event[]): string[] {
  const wrong: string[] = [];
  let state: State = "pending";
  let moves = 0;
  let confirmed = false;
  let take: unknown;
  const times = (kind: EventKind): number => events.filter((event) => event.kind === kind).length;
  if (times("question.asked") !== 1) wrong.push(`question.asked ${times("question.asked")} times`);
  if (events[0]?.kind !== "question.asked") wrong.push(`its log begins with ${events[0]?.kind}`);
  if (times("question.answered") > 1) wrong.push(`answered ${times("question.answered")} times`);
  for (const event of events) {
    if (event.kind === "question.confirmed") {
      if (confirmed) wrong.push("confirmed twice");
      if (event.data.take !== take) wrong.push(`confirmed for ${event.data.take}, taken by ${take}`);
      confirmed = true;
    }
    const trigger = triggers[event.kind];
    if (!trigger) continue;
    const given: Given = {
      confirmed,
      default_action: stored.defaultAction,
      ...(event.data.outcome === "skipped" ? { verb: "skip" } : {}),
      ...(event.data.outcome === "retried" ? { verb: "retry" } : {}),
      ...(event.data.outcome === "answered" ? { sent: "before-deadline" } : {}),
    };
    const next = transition(state, trigger, given);
    if (!next.ok || next.event !== event.kind) {
      wrong.push(`${event.kind} (${event.seq}) is no move from ${state}`);
      break;
    }
    if (event.data.outcome !== undefined && next.outcome !== event.data.outcome) {
      wrong.push(`${event.kind} (${event.seq}) says ${event.data.outcome}, the table says ${next.outcome}`);
    }
    if (trigger === "consume") take = event.data.take;
    if (trigger === "lapse") {
      if (event.data.take !== take) wrong.push(`the take ${event.data.take} lapsed, ${take} held it`);
      take = undefined;
    }
    state = next.state;
    moves += 1;
  }
  if (state !== stored.state) wrong.push(`its log ends in ${state}, its row is ${stored.state}`);
  if (stored.revision !== moves + 1) wrong.push(`${moves} moves, but revision ${stored.revision}`);
  const held = stored.claim && takeMark(stored.claim.claim);
  if (take !== held) wrong.push(`its log ends with take ${take}, its row with ${held}`);
  if (confirmed !== (stored.claim?.confirmedAt !== undefined))
    wrong.push("its confirmation is not in its row");
  return wrong;
}
