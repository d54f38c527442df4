import type { ChannelId, Instant } from "../domain/ids.ts";
import type { Person } from "../domain/person.ts";
import type { Decision, PeopleSnapshot } from "../domain/store.ts";
import { notice } from "./notice.ts";
import { type PairRefusal, wantedPerson } from "./pairing-code.ts";
import { pairedNews, revoke } from "./pairing-effects.ts";
import { isAllowed, ownerRoutes, type Place } from "./people.ts";

export type LoginRequest = {
  readonly person: Person;
  readonly channel: ChannelId;
  /** The platform's own id, as it has told it for that login. */
  readonly address: string;
  /** For showing only. */
  readonly login: string;
};
export type LoginValue =
  | { readonly ok: true; readonly person: Person; readonly binding: number }
  | PairRefusal;

/**
 * Binds a person whom the platform itself has named. Every owner is told.
 *
 * @param nextId the number that the binding gets
 */
export function decideLogin(
  snapshot: PeopleSnapshot,
  request: LoginRequest,
  nextId: number,
  now: Instant,
  places: readonly Place[],
): Decision<LoginValue> {
  const wanted = wantedPerson(snapshot, request, now);
  if (!wanted.ok) return { effects: [], value: wanted };
  const { channel, address, login } = request;
  const { person, replaced } = wanted;
  // The configuration makes some ids owners, whatever they are paired as.
  const role = isAllowed(places, channel, address) ? "owner" : person.role;
  const news = pairedNews({ name: person.name, role }, channel, `${login}, id ${address}`, nextId);
  return {
    effects: [
      ...(replaced.length > 0 ? [revoke(replaced)] : []),
      { type: "bind", person, channel, address },
      {
        type: "log",
        event: { kind: "person.paired", data: { ...person, via: channel, binding: nextId, login } },
      },
      ...notice("pairing", news, ownerRoutes(places, snapshot.bindings)),
    ],
    value: { ok: true, person, binding: nextId },
  };
}
