import type { AnswerChannel, ChannelTools, Check, Pairing } from "../domain/channel.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Binding } from "../domain/person.ts";
import type { Config } from "./config.ts";

/** What every file in `channels/` exports. */
type ChannelModule = {
  open(
    settings: Readonly<Record<string, unknown>>,
    tools: ChannelTools,
  ): Promise<AnswerChannel> | AnswerChannel;
  /** Absent where there is nothing outside this machine to ask. */
  checks?(settings: Readonly<Record<string, unknown>>): Promise<readonly Check[]>;
  /** Absent where nobody can become known. */
  readonly pairing?: Pairing;
};

/** Opens every channel that questions go to. A channel's key names its file, and only configured ones are loaded. */
export async function openChannels(config: Config, tools: ChannelTools): Promise<Map<string, AnswerChannel>> {
  const channels = new Map<string, AnswerChannel>();
  for (const id of config.deliver) {
    const module = (await import(`../../channels/${id}.ts`)) as ChannelModule;
    channels.set(id, await module.open(config.channels[id] ?? {}, tools));
  }
  return channels;
}

/** What a channel finds out about its own settings; nothing is sent to anybody. */
export async function checkChannel(config: Config, id: ChannelId): Promise<readonly Check[]> {
  const module = (await import(`../../channels/${id}.ts`)) as ChannelModule;
  return (await module.checks?.(config.channels[id] ?? {})) ?? [];
}

/** How a person becomes known on a channel; undefined where nobody does. */
export async function pairingOf(id: ChannelId): Promise<Pairing | undefined> {
  const module = (await import(`../../channels/${id}.ts`)) as ChannelModule;
  return module.pairing;
}

/** The settings of a channel with everybody who may answer there in its `allow` or `to`, configured or paired. */
export function withPeople(config: Config, id: ChannelId, bindings: readonly Binding[]): Config {
  const settings = config.channels[id];
  // Whom mail goes to is who may answer it.
  const key = settings?.allow === undefined ? "to" : "allow";
  const listed = settings?.[key];
  if (!Array.isArray(listed)) return config;
  const paired = bindings.filter(({ channel, person }) => channel === id && person.role !== "viewer");
  const all = new Set([...listed, ...paired.map(({ address }) => address)].map(String));
  return { ...config, channels: { ...config.channels, [id]: { ...settings, [key]: [...all] } } };
}
