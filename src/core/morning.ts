import type { Event } from "../domain/event.ts";

/** What a morning is told of; a night in which nothing of it happened ends without a word. */
const worthTelling: readonly Event["kind"][] = [
  "question.asked",
  "question.released",
  "question.answered",
  "question.overridden",
  "question.expired",
  "question.cancelled",
  "question.post-failed",
  "steering.noted",
];

/** Is there anything to say of a night with these events? */
export function isWorthTelling(events: readonly Event[]): boolean {
  return events.some(({ kind }) => worthTelling.includes(kind));
}
