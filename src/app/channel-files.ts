import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { ChannelId } from "../domain/ids.ts";

/** Set by the build, where the files of `channels/` are inside the bundle. */
declare const OWLPOST_CHANNELS: readonly string[] | undefined;

/** The channels that exist: one file each in `channels/`. */
export function channelIds(): readonly ChannelId[] {
  if (typeof OWLPOST_CHANNELS !== "undefined") return OWLPOST_CHANNELS;
  return readdirSync(join(import.meta.dirname, "..", "..", "channels"))
    .map((name) => /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(name)?.[1])
    .filter((id) => id !== undefined)
    .sort();
}

/** The schema of `channels.<id>` in `config.yaml`; unknown keys are refused whatever the channel's file says. */
export async function channelSettings(id: ChannelId): Promise<z.ZodType> {
  const channel: { settings?: unknown } = await import(`../../channels/${id}.ts`);
  const { settings } = channel;
  if (!(settings instanceof z.ZodType)) throw new Error(`channels/${id}.ts exports no settings`);
  return settings instanceof z.ZodObject ? settings.strict() : settings;
}
