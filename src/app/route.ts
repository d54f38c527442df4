import { rowOf } from "../../renderers/matrix.ts";
import { type Place, type Route, routesFor } from "../core/people.ts";
import type { Capabilities } from "../domain/capabilities.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Binding } from "../domain/person.ts";
import type { Store } from "../domain/store.ts";
import type { Elsewhere } from "../domain/view.ts";
import type { Config } from "./config.ts";

export type { Place, Route } from "../core/people.ts";

/** The queues that a message enters, in order; `answerableBy`: when only these may answer. */
export type Router = (answerableBy?: readonly string[]) => readonly Route[];

/** Every channel that questions go to, as its row and the configuration say: no channel is loaded for it. */
export function placesOf(config: Config): readonly Place[] {
  return config.deliver.map((channel) => placeOf(config, channel));
}

function placeOf(config: Config, channel: ChannelId): Place {
  const row = rowOf(channel);
  const { chat, channel: room, allow, to, name } = config.channels[channel] ?? {};
  const place = chat ?? room;
  // Whom mail goes to is who may answer it.
  const owners = allow ?? to;
  return {
    channel,
    chats: row.inbound === "page" ? "page" : row.chats,
    ...(place === undefined ? {} : { chat: String(place) }),
    allow: Array.isArray(owners) ? [...new Set(owners.map(String))] : [],
    mark: row.verbMark,
    isPublic: row.visibility === "public",
    ...(row.identity === "token" && row.chats === "one"
      ? { recipient: typeof name === "string" && name !== "" ? name : channel }
      : {}),
  };
}

/** The row of a channel, in the format that the configuration chooses. */
export function rowsOf(config: Config): (channel: ChannelId) => Capabilities {
  return (channel) => rowOf(channel, config.channels[channel]);
}

/** Where questions can be answered in words, for those who read them on a channel that hears nothing. */
export function elsewhereOf({ deliver }: Config): Elsewhere {
  const talking = deliver.filter((channel) => !["none", "page"].includes(rowOf(channel).freeText));
  // The one that swallows the usual mark understands only the other, and everybody understands both.
  const mark = talking.some((channel) => rowOf(channel).verbMark === "!") ? "!" : "/";
  return { channels: talking, mark };
}

/** One copy of every question, or of what answers to `answerableBy`, goes to each route. */
export function routesOf(
  config: Config,
  bindings: readonly Binding[] = [],
  answerableBy?: readonly string[],
): readonly Route[] {
  return routesFor(placesOf(config), bindings, answerableBy);
}

/** Where messages go now: who is paired is looked up only where that makes a difference. */
export async function routerOf(config: Config, store: Pick<Store, "bindings">): Promise<Router> {
  const places = placesOf(config);
  const asksWho = places.some(({ chats, chat }) => chats === "person" && chat === undefined);
  const bindings = asksWho ? await store.bindings() : [];
  return (answerableBy) => routesFor(places, bindings, answerableBy);
}
