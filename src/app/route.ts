import { rowOf } from "../../renderers/matrix.ts";
import type { Config } from "./config.ts";

/** One copy of every question goes to each route, in this order. */
export type Route = { readonly channel: string; readonly destination: string };

/**
 * The queues that a message to everybody enters. Destinations come from the configuration alone,
 * so that an ask needs to load no channel.
 */
export function routesOf(config: Config): readonly Route[] {
  return config.deliver.flatMap((channel) =>
    destinationsOf(config, channel).map((destination) => ({ channel, destination })),
  );
}

/** The configured chat, or else the private chat of everybody who is allowed. */
function destinationsOf(config: Config, channel: string): readonly string[] {
  // A page is in one place: on this machine.
  if (rowOf(channel).inbound === "page") return ["local"];
  const { chat, allow } = config.channels[channel] ?? {};
  if (chat !== undefined) return [String(chat)];
  const people = Array.isArray(allow) ? [...new Set(allow.map(String))] : [];
  return people.length > 0 ? people : ["default"];
}
