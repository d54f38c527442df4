import type { Instant, QuestionId } from "../domain/ids.ts";
import { type Copy, isOpen, type StoredQuestion } from "../domain/question.ts";
import type { ChannelHealth, Effect } from "../domain/store.ts";
import type { Route } from "./people.ts";

/**
 * How a channel stands for whoever asks now: it is up while its platform can be talked to and at least one of the
 * destinations takes messages. What is refused is said in any case.
 *
 * @param routes where a question goes, on every channel
 */
export function reached(health: ChannelHealth, routes: readonly Route[]): ChannelHealth {
  const theirs = routes.filter(({ channel }) => channel === health.channel);
  const refused = (health.refused ?? []).filter((each) =>
    theirs.some(({ destination }) => destination === each.destination),
  );
  if (refused.length === 0 || !health.up) return health;
  const takes = theirs.length > refused.length;
  const said = refused.map(({ destination, detail }) => `nothing arrives at ${destination}: ${detail}`);
  const since = Math.max(health.since, ...refused.map((each) => each.since));
  return { ...health, detail: said.join("; "), ...(takes ? {} : { up: false, since }) };
}

/** A post of each open question that rings there and has no copy there. */
export function postsFor(
  { channel, destination }: Route,
  open: readonly StoredQuestion[],
  copies: ReadonlyMap<QuestionId, readonly Copy[]>,
  routes: (answerableBy?: readonly string[]) => readonly Route[],
  now: Instant,
): readonly Effect[] {
  const isHere = (each: Route): boolean => each.channel === channel && each.destination === destination;
  return open
    .filter(({ state, deadlineAt, question }) => {
      if (!isOpen(state) || deadlineAt <= now || copies.get(question.id)?.some(isHere)) return false;
      return routes(question.answerable_by).some(isHere);
    })
    .map(({ question }) => ({
      type: "send",
      job: { channel, destination, kind: "post", question: question.id },
    }));
}

/** An edit where a copy there shows less than what is known: it was refused while nothing arrived. */
export function editsFor(
  { channel, destination }: Route,
  { question, revision }: StoredQuestion,
  copies: readonly Copy[],
): readonly Effect[] {
  const isBehind = copies.some(
    (each) => each.channel === channel && each.destination === destination && each.revision < revision,
  );
  if (!isBehind) return [];
  return [{ type: "send", job: { channel, destination, kind: "edit", question: question.id } }];
}
