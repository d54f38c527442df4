import type { ChannelId, Instant, MessageRef, QuestionId, RunId } from "../domain/ids.ts";
import type { Binding } from "../domain/person.ts";
import type { Copy, StoredQuestion } from "../domain/question.ts";
import type { Effect, RunSnapshot, SenderCounter, TurnNeed, TurnSnapshot } from "../domain/store.ts";
import { placesOf, waitingAbortsOf } from "./aborts.ts";
import { copiesOf, questionOfCopy } from "./copies.ts";
import { findBinding, peopleAt } from "./people.ts";
import { askingAgain, findQuestions, oldestOpen, openOf, readQuestions } from "./questions.ts";
import type { Found } from "./rows.ts";
import { countersOf, rememberedReply } from "./senders.ts";
import type { Sql } from "./statements.ts";

export type OpenSnapshot = {
  snapshot(need: TurnNeed): TurnSnapshot;
  /** These were written: what they changed is read again for a later input. */
  written(effects: readonly Effect[]): void;
};

/**
 * What the inputs of one batch need to know. The questions of all of them are read at once: that costs a third of looking
 * for one after the other. Nothing is read that was not asked for, and nothing twice unless an input has changed it.
 */
export function openSnapshot(
  sql: Sql,
  channel: ChannelId,
  needs: readonly TurnNeed[],
  now: Instant,
): OpenSnapshot {
  const known = questionsOf(sql);
  const threads = new Map<MessageRef, QuestionId | undefined>();
  const bindings = new Map<string, Binding | undefined>();
  const counters = new Map<string, readonly SenderCounter[]>();
  const threadOf = (ref: MessageRef): QuestionId | undefined =>
    remembered(threads, ref, () => questionOfCopy(sql, channel, ref));

  function asked(need: TurnNeed): QuestionId[] {
    const thread = need.thread === undefined ? undefined : threadOf(need.thread);
    return thread === undefined ? [...need.questions] : [...need.questions, thread];
  }

  /** Read anew each time: stopping a run is rare, and another input of the batch may have stopped it. */
  function runSnapshot(run: RunId): RunSnapshot {
    return { ...placesOf(sql, run), open: known.openOf(run), aborts: waitingAbortsOf(sql, run) };
  }

  known.read(needs.flatMap(asked));
  return {
    snapshot(need) {
      const ids = asked(need);
      known.refresh(ids);
      const open = need.open ? known.open() : undefined;
      const runs = need.runs && new Map(need.runs.map((run) => [run, runSnapshot(run)]));
      const thread = need.thread === undefined ? undefined : threadOf(need.thread);
      const { sender, counted = sender, edited } = need;
      const binding =
        sender === undefined
          ? undefined
          : remembered(bindings, sender, () => findBinding(sql, channel, sender));
      const earlier = edited === undefined ? undefined : rememberedReply(sql, channel, edited);
      return {
        questions: known.questions,
        copies: known.copies,
        ...(thread === undefined ? {} : { thread }),
        ...(binding === undefined ? {} : { binding }),
        ...(counted === undefined
          ? {}
          : { counters: remembered(counters, counted, () => countersOf(sql, channel, counted)) }),
        ...(open === undefined ? {} : { open }),
        ...(earlier === undefined ? {} : { earlier }),
        ...(need.people ? { people: peopleAt(sql, now) } : {}),
        ...(runs === undefined ? {} : { runs }),
      };
    },
    written(effects) {
      for (const effect of effects) {
        switch (effect.type) {
          case "move-question":
          case "renew-question":
            known.changed(effect.id);
            break;
          case "insert-question":
            known.changed(effect.row.question.id);
            break;
          case "adopt-copy":
            known.changed(effect.question);
            threads.clear();
            break;
          case "bind":
          case "unbind":
            bindings.clear();
            break;
          case "count":
            counters.delete(effect.counter.sender);
            break;
        }
      }
    },
  };
}

function remembered<Key, Value>(values: Map<Key, Value>, key: Key, read: () => Value): Value {
  const value = values.get(key);
  if (value !== undefined || values.has(key)) return value as Value;
  const fresh = read();
  values.set(key, fresh);
  return fresh;
}

function questionsOf(sql: Sql) {
  const questions = new Map<QuestionId, StoredQuestion>();
  const copies = new Map<QuestionId, readonly Copy[]>();
  const changed = new Set<QuestionId>();
  /** By number, since that is how the open ones are listed. */
  const numbers = new Map<number, QuestionId>();
  let openNumbers: readonly number[] | undefined;
  /** What asks a question again, which a late answer to it closes. */
  const askedAgain = new Map<QuestionId, readonly QuestionId[]>();

  function keep(found: readonly Found[]): void {
    for (const { n, stored } of found) {
      questions.set(stored.question.id, stored);
      numbers.set(n, stored.question.id);
      changed.delete(stored.question.id);
    }
    for (const [id, each] of copiesOf(sql, found)) copies.set(id, each);
    for (const { n, stored } of found) {
      if (stored.state !== "expired" && stored.state !== "answered") continue;
      const later = askingAgain(sql, n);
      askedAgain.set(
        stored.question.id,
        later.map((each) => each.stored.question.id),
      );
      if (later.length > 0) keep(later);
    }
  }

  const isFresh = (n: number): boolean => {
    const id = numbers.get(n);
    return id !== undefined && !changed.has(id);
  };

  function list(wanted: readonly number[]): readonly StoredQuestion[] {
    keep(
      readQuestions(
        sql,
        wanted.filter((n) => !isFresh(n)),
      ),
    );
    return wanted.map((n) => questions.get(numbers.get(n) as QuestionId) as StoredQuestion);
  }

  return {
    questions: questions as ReadonlyMap<QuestionId, StoredQuestion>,
    copies: copies as ReadonlyMap<QuestionId, readonly Copy[]>,
    read(ids: readonly QuestionId[]): void {
      keep(findQuestions(sql, [...new Set(ids)]));
    },
    refresh(ids: readonly QuestionId[]): void {
      const again = ids
        .flatMap((id) => [id, ...(askedAgain.get(id) ?? [])])
        .filter((id) => changed.delete(id));
      if (again.length > 0) keep(findQuestions(sql, again));
    },
    /** The list is short and read anew after each change; only the rows that changed are. */
    open(): readonly StoredQuestion[] {
      openNumbers ??= oldestOpen(sql);
      return list(openNumbers);
    },
    openOf: (run: RunId): readonly StoredQuestion[] => list(openOf(sql, run)),
    /** What was known of it is taken away, so that nobody decides on it who did not ask for it. */
    changed(id: QuestionId): void {
      changed.add(id);
      questions.delete(id);
      copies.delete(id);
      openNumbers = undefined;
    },
  };
}
