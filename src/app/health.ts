import type { Instant } from "../domain/ids.ts";
import type { ChannelHealth, Store } from "../domain/store.ts";

/** What is known about each channel, kept in the store so that every command can show it. */
export type Health = {
  up(channel: string): Promise<void>;
  down(channel: string, detail: string): Promise<void>;
  received(channel: string): Promise<void>;
};

/** A busy channel receives many times a second; a commit for each would halve what it can take. */
const notedEveryMs = 5_000;

/** Writes and logs only changes: a channel that stays as it is costs nothing. */
export function trackHealth(
  store: Store,
  now: () => Instant,
  /** As an earlier process left it: what was received last is still true. */
  earlier: readonly ChannelHealth[] = [],
): Health {
  const known = new Map<string, ChannelHealth>();
  const received = new Map(earlier.map(({ channel, lastReceiveAt }) => [channel, lastReceiveAt]));

  async function set(channel: string, up: boolean, detail: string | undefined): Promise<void> {
    const before = known.get(channel);
    const lastReceiveAt = before ? before.lastReceiveAt : received.get(channel);
    if (before?.up === up && (up || before.detail === detail)) return;
    const health: ChannelHealth = {
      channel,
      up,
      since: before?.up === up ? before.since : now(),
      ...(lastReceiveAt === undefined ? {} : { lastReceiveAt }),
      ...(detail === undefined ? {} : { detail }),
    };
    known.set(channel, health);
    await store.setHealth(health);
    if (before?.up === up) return;
    const kind = up ? "channel.up" : "channel.down";
    await store.append(
      [{ type: "log", event: { kind, data: { channel, ...(detail === undefined ? {} : { detail }) } } }],
      now(),
    );
  }

  return {
    up: (channel) => set(channel, true, undefined),
    down: (channel, detail) => set(channel, false, detail),
    async received(channel) {
      await set(channel, true, undefined);
      const before = known.get(channel);
      const at = now();
      const age = at - (before?.lastReceiveAt ?? Number.NEGATIVE_INFINITY);
      if (!before || (age >= 0 && age < notedEveryMs)) return;
      const health = { ...before, lastReceiveAt: at };
      known.set(channel, health);
      await store.setHealth(health);
    },
  };
}
