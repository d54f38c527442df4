import type { ChannelId } from "../domain/ids.ts";
import { type Binding, type Role, roles, type Speaker } from "../domain/person.ts";
import type { Answer, Question } from "../domain/question.ts";
import { oneLine, shorten } from "../domain/text.ts";
import { foldText, isBlank, repairText } from "./text.ts";

/** How a channel that questions go to reaches people: what its row and the configuration say. */
export type Place = {
  readonly channel: ChannelId;
  /** `person`: everybody has a chat of their own; `one`: one place for all; `page`: on this machine. */
  readonly chats: "person" | "one" | "page";
  /** The configured chat or channel, which gets every question instead of the private chats. */
  readonly chat?: string;
  /** Ids that the configuration makes owners. */
  readonly allow: readonly string[];
  /** Who reads there, where the channel knows nobody: a valid token speaks as them, a member. */
  readonly recipient?: string;
  /** The mark before a verb there. */
  readonly mark: "/" | "!";
  /** May strangers read along? */
  readonly isPublic: boolean;
};

export type Route = { readonly channel: ChannelId; readonly destination: string };

/** How long the name of a person may be, in characters. */
export const mostNameCharacters = 40;

/**
 * Who speaks; undefined for a stranger. An id that the configuration allows is an owner whatever its binding says, and a
 * binding gives the name. What a platform calls somebody is only shown, and always with the id that it was said of.
 */
export function speakerOf(
  binding: Binding | undefined,
  allowed: boolean,
  sender: string,
  name?: string,
): Speaker | undefined {
  if (binding) {
    const { person, id } = binding;
    return { name: person.name, role: allowed ? "owner" : person.role, binding: id };
  }
  if (!allowed) return undefined;
  const shown = shownName(name ?? "");
  return { name: shown === "" ? sender : `${shown} (${sender})`, role: "owner" };
}

/** Whom a valid token speaks for, where a channel knows nobody; undefined where it knows people. */
export function recipientAt(places: readonly Place[], channel: ChannelId): Speaker | undefined {
  const name = places.find((place) => place.channel === channel)?.recipient;
  return name === undefined ? undefined : { name, role: "member" };
}

/** Characters that nobody sees and that turn or hide those beside them. */
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

function shownName(name: string): string {
  const line = shorten(oneLine(repairText(name).replace(unseen, " ")), mostNameCharacters);
  return isBlank(line) ? "" : line;
}

export function hasUnseen(text: string): boolean {
  return text.search(unseen) >= 0;
}

/** Who wants something changed. Without a `role`: the owner of this machine, who may do everything. */
export type Doer = { readonly role?: Role; readonly name?: string };

/**
 * May they answer a question with this `answerable_by`, skip it, or send it back? Roles or names of people, and without any
 * every owner and member. A name that is spelled like a role is that role's alone.
 */
export function mayAnswer({ role, name }: Doer, answerableBy: readonly string[] | undefined): boolean {
  if (role === undefined) return true;
  if (role === "viewer") return false;
  if (answerableBy === undefined || answerableBy.length === 0) return true;
  const folded = name === undefined ? undefined : foldText(name);
  return answerableBy.map(foldText).some((each) => (isRole(each) ? each === role : each === folded));
}

/** May they change the answer that stands? A member only their own. */
export function mayOverride(
  doer: Doer,
  { answerable_by: answerableBy }: Pick<Question, "answerable_by">,
  answer: Answer | undefined,
): boolean {
  if (!mayAnswer(doer, answerableBy)) return false;
  return doer.role !== "member" || !answer || (answer.by !== undefined && answer.by === doer.name);
}

/** `an owner or mara`: who may answer. */
export function whoMayAnswer({ answerable_by: named = [] }: Pick<Question, "answerable_by">): string {
  const who = named.length === 0 ? ["owner", "member"] : named;
  return who
    .map((each) =>
      foldText(each) === "owner" ? "an owner" : isRole(foldText(each)) ? `a ${foldText(each)}` : each,
    )
    .join(" or ");
}

function isRole(text: string): text is Role {
  return roles.some((role) => role === text);
}

/**
 * Where a question rings, one copy each, in the order of the channels. A configured chat stands for everybody; without it
 * every owner who may answer is rung in private, and members only where they are named. A channel on which that is
 * nobody gives no route.
 */
export function routesFor(
  places: readonly Place[],
  bindings: readonly Binding[],
  answerableBy?: readonly string[],
): readonly Route[] {
  const named = (answerableBy?.length ?? 0) > 0;
  return places.flatMap((place) => {
    if (place.chats === "page") return [{ channel: place.channel, destination: "local" }];
    if (place.chat !== undefined) return [{ channel: place.channel, destination: place.chat }];
    if (place.chats === "one") return [{ channel: place.channel, destination: "default" }];
    return privateRoutes(
      place,
      bindings,
      (speaker) => (speaker.role === "owner" || named) && mayAnswer(speaker, answerableBy),
    );
  });
}

/**
 * Where owners are told what concerns them alone: their private chats, the local inbox, and what is one place for all
 * unless strangers read it.
 */
export function ownerRoutes(places: readonly Place[], bindings: readonly Binding[]): readonly Route[] {
  return places.flatMap((place) => {
    const { channel } = place;
    if (place.chats === "page") return [{ channel, destination: "local" }];
    if (place.chats === "person") return privateRoutes(place, bindings, ({ role }) => role === "owner");
    return place.isPublic ? [] : [{ channel, destination: place.chat ?? "default" }];
  });
}

/** Is this id an owner by the configuration? */
export function isAllowed(places: readonly Place[], channel: ChannelId, sender: string): boolean {
  return places.some((place) => place.channel === channel && place.allow.includes(sender));
}

function privateRoutes(
  place: Place,
  bindings: readonly Binding[],
  rings: (speaker: Speaker) => boolean,
): readonly Route[] {
  const { channel, allow } = place;
  const bound = new Map(
    bindings.filter((each) => each.channel === channel).map((each) => [each.address, each]),
  );
  return [...new Set([...allow, ...bound.keys()])].flatMap((address) => {
    const speaker = speakerOf(bound.get(address), allow.includes(address), address);
    return speaker && rings(speaker) ? [{ channel, destination: address }] : [];
  });
}
