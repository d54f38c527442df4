import type { Config } from "./config.ts";

/** One copy of every question goes to each route, in this order. */
export type Route = { readonly channel: string; readonly destination: string };

/**
 * The queues that a message to everybody enters. Destinations come from the configuration alone,
 * so that an ask needs to load no channel.
 */
export function routesOf(config: Config): readonly Route[] {
  return config.deliver.map((channel) => ({ channel, destination: destinationOf(config, channel) }));
}

function destinationOf(config: Config, channel: string): string {
  if (channel === "inbox") return "local";
  const settings = config.channels[channel];
  const chat =
    typeof settings === "object" && settings !== null && "chat" in settings ? settings.chat : undefined;
  return chat === undefined ? "default" : String(chat);
}
