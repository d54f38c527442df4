import type { ChannelId, Instant } from "../domain/ids.ts";
import type { ChannelHealth, Outage, RefusedPlace, Store } from "../domain/store.ts";

/**
 * What is known about each channel, kept in the store so that every command can show it: whether its platform can be
 * talked to, and, apart from that, which destinations take no messages.
 */
export type Health = {
  up(channel: string): Promise<void>;
  down(channel: string, detail: string): Promise<void>;
  received(channel: string): Promise<void>;
  /** A destination was refused for good. */
  refused(channel: string, destination: string, detail: string): Promise<void>;
  /** It takes messages again. */
  reopened(channel: string, destination: string): Promise<void>;
  /** The destinations in that chat which are refused: the chat itself, and its topics. */
  refusedAt(channel: string, chat: string): readonly string[];
  away(channel: string, outage: Outage): Promise<void>;
  /** The latest that was longer than presses are kept. */
  outage(channel: string): Outage | undefined;
};

/** A busy channel receives many times a second; a commit for each would halve what it can take. */
const notedEveryMs = 5_000;

/** Writes and logs only changes: a channel that stays as it is costs nothing. */
export function trackHealth(
  store: Store,
  now: () => Instant,
  /** As an earlier process left it: all but whether it is up is still true. */
  earlier: readonly ChannelHealth[] = [],
): Health {
  const known = new Map<ChannelId, ChannelHealth>();
  const before = new Map(earlier.map((health) => [health.channel, health]));
  const lastKnown = (channel: ChannelId): ChannelHealth | undefined =>
    known.get(channel) ?? before.get(channel);

  async function set(channel: ChannelId, up: boolean, detail: string | undefined): Promise<void> {
    const { up: was, since, detail: said } = known.get(channel) ?? {};
    if (was === up && (up || said === detail)) return;
    const { detail: _said, ...kept } = lastKnown(channel) ?? {};
    const health: ChannelHealth = {
      ...kept,
      channel,
      up,
      since: was === up && since !== undefined ? since : now(),
      ...(detail === undefined ? {} : { detail }),
    };
    known.set(channel, health);
    await store.setHealth(health);
    if (was === up) return;
    await log(up ? "channel.up" : "channel.down", { channel, ...(detail === undefined ? {} : { detail }) });
  }

  /** Beside whether it is up, which a starting service does not know yet. */
  async function note(channel: ChannelId, change: Partial<ChannelHealth>): Promise<void> {
    const last = lastKnown(channel) ?? { channel, up: true, since: now() };
    const health = { ...last, ...change };
    (known.has(channel) ? known : before).set(channel, health);
    await store.setHealth(health);
  }

  async function log(
    kind: "channel.up" | "channel.down" | "channel.refused" | "channel.reopened",
    data: Readonly<Record<string, string>>,
  ): Promise<void> {
    await store.append([{ type: "log", event: { kind, data } }], now());
  }

  const refusedOf = (channel: ChannelId): readonly RefusedPlace[] => lastKnown(channel)?.refused ?? [];

  return {
    up: (channel) => set(channel, true, undefined),
    down: (channel, detail) => set(channel, false, detail),
    async received(channel) {
      await set(channel, true, undefined);
      const at = now();
      const health = known.get(channel);
      const age = at - (health?.lastReceiveAt ?? Number.NEGATIVE_INFINITY);
      if (!health || (age >= 0 && age < notedEveryMs)) return;
      await note(channel, { lastReceiveAt: at });
    },
    async refused(channel, destination, detail) {
      const others = refusedOf(channel);
      if (others.some((each) => each.destination === destination && each.detail === detail)) return;
      const since = others.find((each) => each.destination === destination)?.since ?? now();
      const rest = others.filter((each) => each.destination !== destination);
      await note(channel, { refused: [...rest, { destination, since, detail }] });
      await log("channel.refused", { channel, destination, detail });
    },
    async reopened(channel, destination) {
      const all = refusedOf(channel);
      const rest = all.filter((each) => each.destination !== destination);
      if (rest.length === all.length) return;
      await note(channel, { refused: rest });
      await log("channel.reopened", { channel, destination });
    },
    refusedAt: (channel, chat) =>
      refusedOf(channel)
        .map(({ destination }) => destination)
        .filter((destination) => destination === chat || destination.startsWith(`${chat}/`)),
    away: (channel, outage) => note(channel, { outage }),
    outage: (channel) => lastKnown(channel)?.outage,
  };
}
