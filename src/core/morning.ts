import type { Event } from "../domain/event.ts";

/**
 * What the morning says of the night, in a few words; undefined where nothing happened. `events` are those since the night
 * began.
 */
export function morningText(events: readonly Event[]): string | undefined {
  const count = (holds: (event: Event) => boolean): number => new Set(events.filter(holds).map(about)).size;
  const again = count(({ kind, data }) => kind === "question.asked" && data.again !== undefined);
  const released = count(({ kind }) => kind === "question.released");
  const answered = count(({ kind }) => kind === "question.answered");
  const expired = count(({ kind }) => kind === "question.expired");
  const unshown = count(({ kind, data }) => kind === "question.expired" && data.never_shown !== undefined);
  const lines = [
    again > 0 ? `${questions(again)} of the night ${again === 1 ? "is" : "are"} asked again above.` : "",
    released > 0 ? `${questions(released)} ${released === 1 ? "was" : "were"} held until now.` : "",
    answered > 0 ? `${questions(answered)} answered.` : "",
    expired > 0 ? `${questions(expired)} without an answer by the deadline.` : "",
    unshown > 0 ? `${unshown} of these never shown: held.` : "",
  ].filter((line) => line !== "");
  return lines.length === 0 ? undefined : ["The quiet hours are over.", ...lines].join("\n");
}

function about({ question, seq }: Event): string {
  return question ?? String(seq);
}

function questions(count: number): string {
  return count === 1 ? "1 question" : `${count} questions`;
}
