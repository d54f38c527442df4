import type { Instant } from "../domain/ids.ts";
import type { ChannelHealth, Store } from "../domain/store.ts";

/** What is known about each channel, kept in the store so that every command can show it. */
export type Health = {
  up(channel: string): Promise<void>;
  down(channel: string, detail: string): Promise<void>;
  received(channel: string): Promise<void>;
};

/** Writes and logs only changes: a channel that stays as it is costs nothing. */
export function trackHealth(store: Store, now: () => Instant): Health {
  const known = new Map<string, ChannelHealth>();

  async function set(channel: string, up: boolean, detail: string | undefined): Promise<void> {
    const before = known.get(channel);
    if (before?.up === up && (up || before.detail === detail)) return;
    const health: ChannelHealth = {
      channel,
      up,
      since: before?.up === up ? before.since : now(),
      ...(before?.lastReceiveAt === undefined ? {} : { lastReceiveAt: before.lastReceiveAt }),
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
      // Once a minute is exact enough to show, and a busy channel does not wait for the disk with every poll.
      if (!before || now() - (before.lastReceiveAt ?? 0) < 60_000) return;
      const health = { ...before, lastReceiveAt: now() };
      known.set(channel, health);
      await store.setHealth(health);
    },
  };
}
