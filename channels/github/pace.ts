import { setTimeout as sleep } from "node:timers/promises";
import { ChannelError } from "../../src/domain/channel.ts";

/** GitHub takes 80 comments a minute and 500 an hour of one account; others may write under it, too. */
const limits = [
  { withinMs: 60_000, most: 60 },
  { withinMs: 3_600_000, most: 450 },
] as const;
/** A write that would wait longer than this is handed back, for the outbox to wait. */
const longestMs = 6_000;

/** When the next write may go out, in milliseconds of a clock that only goes forward. */
export function pacing(gapMs: number) {
  let slots: number[] = [];
  return {
    /** The time of the next write, which is taken by asking for it; or how long to wait before asking again. */
    take(now: number): { readonly at: number } | { readonly againInMs: number } {
      slots = slots.filter((slot) => slot > now - 3_600_000);
      const last = slots.at(-1);
      const free = limits.map(({ withinMs, most }) => {
        const first = slots.at(-most);
        return first === undefined ? now : first + withinMs;
      });
      const at = Math.max(now, last === undefined ? now : last + gapMs, ...free);
      if (at - now > longestMs) return { againInMs: at - now };
      slots.push(at);
      return { at };
    },
  };
}

/** Resolves when it is this write's turn. Rejects with a `ChannelError` where that is too far away. */
export async function takeTurn(pace: ReturnType<typeof pacing>, signal: AbortSignal): Promise<void> {
  const now = performance.now();
  const turn = pace.take(now);
  if ("againInMs" in turn) {
    throw new ChannelError("paced", "GitHub: it takes a limited number of comments an hour; the rest waits", {
      delivered: "no",
      retryAfterMs: Math.ceil(turn.againInMs),
    });
  }
  await rest(turn.at - now, signal);
  if (signal.aborted)
    throw new ChannelError("stopped", "the call to GitHub was stopped", { delivered: "no" });
}

/** Waits, at most until the signal aborts; never rejects. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
