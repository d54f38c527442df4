import { takeMark } from "../../src/core/digest.ts";
import type { Event } from "../../src/domain/event.ts";
import type { StoredQuestion } from "../../src/domain/question.ts";
import type { GivenEntry } from "./ledger.ts";
import type { Remains } from "./remains.ts";

/** What the loop was given is what the store says was taken, and nothing was given under two confirmed claims. */
export function inspectLoop({ ledger, questions, events }: Remains): string[] {
  const wrong: string[] = [];
  const given = ledger
    .filter(({ name }) => name.startsWith("take ") || name.startsWith("read "))
    .map(({ name, value }) => ({ name, ...(value as GivenEntry) }));
  for (const { name, claim, given: answers } of given) {
    for (const answer of answers) {
      const stored = questions.find((each) => each.question.id === answer.id);
      const took = events.some(
        (event) =>
          event.question === answer.id &&
          (event.kind === "question.applied" || event.kind === "question.default-applied") &&
          (claim === "file" ? isFileTake(event, stored) : event.data.take === takeMark(claim)),
      );
      if (!stored || !took) wrong.push(`${name} gave ${answer.id}, and the store knows of no such take`);
      else if (answer.digest !== stored.digest) wrong.push(`${name} gave ${answer.id} with another digest`);
    }
  }
  for (const event of events) {
    if (event.kind !== "question.confirmed") continue;
    const { take } = event.data;
    const stored = questions.find((each) => each.question.id === event.question);
    const holders = given.filter(
      (each) =>
        (each.claim === "file" ? isFileTake(event, stored) : takeMark(each.claim) === take) &&
        each.given.some((answer) => answer.id === event.question),
    );
    if (holders.length !== 1) {
      wrong.push(
        `${event.question} was confirmed for take ${take} and handed out ${holders.length} times under it`,
      );
      continue;
    }
    const answer = holders[0]?.given.find((each) => each.id === event.question);
    if (answer && stored) {
      if (answer.outcome !== stored.outcome)
        wrong.push(`${event.question}: ${answer.outcome} was handed out`);
      if (stored.answer && answer.option !== stored.answer.option) {
        wrong.push(
          `${event.question}: option ${answer.option} was handed out, ${stored.answer.option} is stored`,
        );
      }
    }
  }
  return wrong;
}

/** Does this event belong to a take by file? Its claim stands in the row, the event holds only its mark. */
export function isFileTake(event: Event, stored: StoredQuestion | undefined): boolean {
  const claim = stored?.claim?.claim;
  return claim?.startsWith("file:") === true && event.data.take === takeMark(claim);
}
