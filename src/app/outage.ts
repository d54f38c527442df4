import { awayNotices, outageOf, type Shown, touchUp } from "../core/outage.ts";
import type { AnswerChannel } from "../domain/channel.ts";
import type { Instant, QuestionId } from "../domain/ids.ts";
import type { Effect, Outage, Store } from "../domain/store.ts";
import type { Health } from "./health.ts";

export type OutageOptions = {
  readonly store: Store;
  readonly health: Pick<Health, "away">;
  readonly channel: Pick<AnswerChannel, "id" | "edit" | "edits">;
  /** How long the platform keeps a press that nobody fetches. */
  readonly pressMs: number | "unlimited";
  readonly zone: string;
  /** When something was received before this process began. */
  readonly lastReceiveAt: Instant | undefined;
  readonly now: () => Instant;
  readonly onCommit: () => void;
};

/** Questions of each kind that are touched up after one outage; more than anybody reads. */
const mostTouched = 200;
/** How long a platform may think about whether it can edit. */
const thinkMs = 5_000;

/**
 * Called after every reception, before it is noted: after an outage that was longer than presses are kept, each
 * question on that channel that may still be answered is touched up once; where messages cannot be edited, one notice names
 * them all. Killed in between, it is done again, which says the same.
 */
export function watchOutages(options: OutageOptions): () => Promise<void> {
  const { store, now, zone } = options;
  const channel = options.channel.id;
  let last = options.lastReceiveAt;

  async function edits(): Promise<boolean> {
    if (options.channel.edit === undefined) return false;
    // Where it does not say so, the edits will.
    const said = options.channel.edits?.(AbortSignal.timeout(thinkMs));
    return (await Promise.resolve(said).catch(() => undefined)) ?? true;
  }

  async function touched(): Promise<readonly QuestionId[]> {
    const open = await store.questions({ states: ["posted"], limit: mostTouched });
    const late = await store.questions({ states: ["expired"], newest: true, limit: mostTouched });
    return [...open, ...late].map(({ question }) => question.id);
  }

  async function editAll(ids: readonly QuestionId[], outage: Outage): Promise<number> {
    let count = 0;
    for (const id of ids) {
      count += await store.move(
        id,
        (stored, copies) => {
          const effects = touchUp(stored, copies, channel, outage);
          return { effects, value: effects.length > 0 ? 1 : 0 };
        },
        now(),
      );
    }
    return count;
  }

  async function shown(ids: readonly QuestionId[]): Promise<readonly Shown[]> {
    const all: Shown[] = [];
    for (const id of ids) {
      const stored = await store.question(id);
      if (stored) all.push({ stored, copies: await store.copies(id) });
    }
    return all;
  }

  return async () => {
    const outage = outageOf(last, now(), options.pressMs);
    if (outage) {
      // Every later edit of what stood there says it, too: the deadline may be swept at any moment.
      await options.health.away(channel, outage);
      const ids = await touched();
      const notices = (await edits())
        ? { effects: [], questions: await editAll(ids, outage) }
        : awayNotices(await shown(ids), channel, outage, zone);
      const data = { channel, from: outage.from, to: outage.to, questions: notices.questions };
      const away: Effect = { type: "log", event: { kind: "channel.away", data } };
      await store.append([...notices.effects, away], now());
      options.onCommit();
    }
    last = now();
  };
}
