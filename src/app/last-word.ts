import { hostname } from "node:os";
import { rowOf } from "../../renderers/matrix.ts";
import { render } from "../../renderers/render.ts";
import { lastWordText } from "../core/last-word.ts";
import type { NightRules } from "../core/night.ts";
import { isNight } from "../core/quiet-hours.ts";
import { noticeView } from "../core/view.ts";
import type { AnswerChannel, ChannelMessage, LastWord } from "../domain/channel.ts";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";
import { limitOf } from "./limit.ts";
import type { Log } from "./log.ts";

export type LastWordsOptions = {
  readonly store: Pick<Store, "counts">;
  readonly channels: ReadonlyMap<string, AnswerChannel>;
  readonly log: Log;
  readonly now: () => Instant;
  /** IANA, of the times that are told. */
  readonly zone: string;
  /** Absent: no quiet hours. */
  readonly night?: NightRules | undefined;
  /** How often it is looked whether one is to be set, in milliseconds. */
  readonly lookMs?: number;
};

export type LastWords = {
  /** Looks now; never rejects. */
  look(): Promise<void>;
  /** A clean stop: nothing will be said. */
  close(): Promise<void>;
};

const usualLookMs = 60_000;
/** A pass that ends at once sets none. */
const firstLookMs = 10_000;
/** How long one that failed is left alone. */
const restMs = 5 * 60_000;
const callMs = 20_000;
/** How long a stop waits for them to be taken back. */
const takeBackMs = 3_000;

/** What one channel will say by itself. */
type Mouth = {
  readonly channel: AnswerChannel;
  readonly lastWord: LastWord;
  /**
   * When it was set last, and for when at the earliest: a call whose answer was lost may have set it or not. `unknown`: an
   * earlier life may have set one.
   */
  state: "unknown" | "silent" | { readonly setAt: Instant; readonly at: Instant };
  restsUntil: Instant;
};

/**
 * While questions are open, each channel whose platform can speak by itself holds a message that says that owlpost was not
 * heard from. It is pushed forward as long as the service runs, so it is read only where that has died or lost its line.
 */
export function startLastWords(options: LastWordsOptions): LastWords {
  const { store, channels, log, now, lookMs = usualLookMs } = options;
  const stop = new AbortController();
  const mouths = [...channels.values()].flatMap((channel): Mouth[] =>
    channel.lastWord ? [{ channel, lastWord: channel.lastWord, state: "unknown", restsUntil: 0 }] : [],
  );
  let looking = Promise.resolve();

  async function within<Value>(ms: number, act: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const limit = limitOf(ms === takeBackMs ? new AbortController().signal : stop.signal, ms);
    try {
      return await act(limit.signal);
    } finally {
      limit.clear();
    }
  }

  async function lookAt(mouth: Mouth, open: number): Promise<void> {
    const { lastWord, state } = mouth;
    // What an earlier life has left, and what was said while this one could not speak.
    const isSaid = typeof state === "object" && state.at <= now();
    if (state === "unknown" || isSaid || (open === 0 && state !== "silent")) {
      await within(callMs, lastWord.takeBack);
      mouth.state = "silent";
    }
    if (open === 0) return;
    const pace = await within(callMs, lastWord.pace);
    const setAt = now();
    const since = typeof mouth.state === "object" ? setAt - mouth.state.setAt : Number.POSITIVE_INFINITY;
    if (!pace || (since >= 0 && since < pace.everyMs)) return;
    const at = setAt + pace.aheadMs;
    const before = typeof mouth.state === "object" ? mouth.state.at : at;
    mouth.state = { setAt: Number.NEGATIVE_INFINITY, at: Math.min(before, at) };
    await within(callMs, (signal) => lastWord.set(message(mouth.channel, setAt, at, open), at, signal));
    mouth.state = { setAt, at };
  }

  /** Silent where it would be read in quiet hours. */
  function message({ id }: AnswerChannel, setAt: Instant, at: Instant, open: number): ChannelMessage {
    const { zone, night } = options;
    const row = rowOf(id);
    const facts = { host: hostname(), now: setAt, zone, open, pressMs: row.retention.pressMs };
    const rendered = render(noticeView("last-word", lastWordText(facts)), row);
    return night && isNight(night.hours, at) ? { ...rendered, silent: true } : rendered;
  }

  async function look(): Promise<void> {
    if (mouths.length === 0 || stop.signal.aborted) return;
    const { pending, posted } = await store.counts();
    for (const mouth of mouths.filter(({ restsUntil }) => restsUntil <= now())) {
      await lookAt(mouth, pending + posted).catch((error: unknown) => {
        if (stop.signal.aborted) return;
        mouth.restsUntil = now() + restMs;
        log.warn({ channel: mouth.channel.id, err: error }, "a last word could not be set");
      });
    }
  }

  const lookNow = (): Promise<void> => {
    looking = looking
      .then(look)
      .catch((error: unknown) => log.warn({ err: error }, "no last word could be looked at"));
    return looking;
  };
  const first = setTimeout(() => void lookNow(), Math.min(lookMs, firstLookMs));
  const timer = setInterval(() => void lookNow(), lookMs);
  first.unref();
  timer.unref();

  return {
    look: lookNow,
    async close(): Promise<void> {
      clearTimeout(first);
      clearInterval(timer);
      stop.abort();
      await looking;
      const set = mouths.filter(({ state }) => state !== "silent");
      await Promise.allSettled(set.map(({ lastWord }) => within(takeBackMs, lastWord.takeBack)));
    },
  };
}
