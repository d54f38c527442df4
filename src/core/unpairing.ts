import type { Ack } from "../domain/command.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Binding, Person, Speaker } from "../domain/person.ts";
import type { Decision, Effect, PeopleSnapshot } from "../domain/store.ts";
import { revoked, told } from "./pairing-effects.ts";
import { isAllowed, type Place } from "./people.ts";

export type Leaver = {
  readonly channel: ChannelId;
  readonly sender: string;
  readonly speaker?: Speaker;
};

/** Somebody unpairs themselves on a channel. The last owner stays, so that the home is never without one by a slip in a chat. */
export function decideUnpair(
  snapshot: PeopleSnapshot,
  { channel, sender, speaker }: Leaver,
  places: readonly Place[],
): Decision<Ack> {
  const binding = snapshot.bindings.find((each) => each.channel === channel && each.address === sender);
  if (!binding) {
    const text = "Nothing to undo: this id stands in the allow list of the configuration, and is not paired.";
    return told(speaker, "bad-command", text);
  }
  if (isLastOwner(snapshot, binding, places)) {
    const text = `${binding.person.name} is the last owner, and the last one cannot leave from a chat. On the machine: owlpost pairing revoke ${binding.id}`;
    return told(speaker, "not-allowed", text);
  }
  const stays = isAllowed(places, channel, sender)
    ? " This id still stands in the allow list of the configuration, and so remains an owner."
    : "";
  return {
    effects: unbound(binding, channel, places),
    value: {
      accepted: true,
      state: "unpaired",
      text: `Unpaired: ${binding.person.name} is not known on ${channel} any more.${stays}`,
    },
  };
}

export type RevokeValue =
  | {
      readonly ok: true;
      /** What was taken away: a binding, or a code that nobody has used yet. */
      readonly was: "binding" | "code";
      readonly person: Person;
      readonly channel: ChannelId;
      /** Nobody is an owner on any channel now. */
      readonly lastOwner: boolean;
      /** The configuration still makes that id an owner. */
      readonly stillAllowed: boolean;
    }
  | { readonly ok: false };

/** From the machine itself anybody may be revoked. Bindings and codes share their numbers. */
export function decideRevoke(
  snapshot: PeopleSnapshot,
  id: number,
  places: readonly Place[],
  via: "cli" | "inbox",
): Decision<RevokeValue> {
  const binding = snapshot.bindings.find((each) => each.id === id);
  if (binding) {
    const { person, channel, address } = binding;
    const lastOwner = isLastOwner(snapshot, binding, places);
    const stillAllowed = isAllowed(places, channel, address);
    return {
      effects: unbound(binding, via, places),
      value: { ok: true, was: "binding", person, channel, lastOwner, stillAllowed },
    };
  }
  const code = snapshot.codes.find((each) => each.id === id);
  if (!code) return { effects: [], value: { ok: false } };
  const { person, channel } = code;
  return {
    effects: revoked([code], channel, "revoked-by-the-owner"),
    value: { ok: true, was: "code", person, channel, lastOwner: false, stillAllowed: false },
  };
}

/** With the binding goes what waits for their private chat, unless the configuration sends it there. */
function unbound(
  { id, person, channel, address }: Binding,
  via: string,
  places: readonly Place[],
): readonly Effect[] {
  const isChat = places.some((place) => place.channel === channel && place.chat === address);
  const reads = isChat || isAllowed(places, channel, address);
  return [
    { type: "unbind", binding: id },
    ...(reads ? [] : [{ type: "drop-posts", channel, destination: address } as const]),
    { type: "log", event: { kind: "person.unpaired", data: { ...person, channel, binding: id, via } } },
  ];
}

function isLastOwner(snapshot: PeopleSnapshot, binding: Binding, places: readonly Place[]): boolean {
  if (binding.person.role !== "owner") return false;
  const others = snapshot.bindings.some((each) => each.id !== binding.id && each.person.role === "owner");
  return !others && places.every((place) => place.allow.length === 0);
}
