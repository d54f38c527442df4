import type { ChannelId, Instant } from "../domain/ids.ts";
import { type PairingCode, type Person, type Role, roles } from "../domain/person.ts";
import type { Decision, Effect, PeopleSnapshot } from "../domain/store.ts";
import { revoke } from "./pairing-effects.ts";
import { hasUnseen, mostNameCharacters } from "./people.ts";
import { foldText, isBlank, isLongerThan, isMultiline, repairText } from "./text.ts";

/** How long a code may be used. */
export const codeMs = 10 * 60_000;
/** As long as the path of a mail may be. */
const mostAddressCharacters = 254;

export type CodeRequest = {
  readonly person: Person;
  readonly channel: ChannelId;
  readonly address?: string;
  /** A message goes to that address, and the code comes back as the reply to it. */
  readonly invite?: true;
  readonly salt: string;
  readonly codeHash: string;
  readonly linkHash: string;
};
export type PairRefusal = {
  readonly ok: false;
  readonly error: "bad-usage" | "conflict";
  readonly message: string;
};
export type CodeValue =
  | { readonly ok: true; readonly person: Person; readonly expiresAt: Instant }
  | PairRefusal;

/** The owner makes a code. The newest for one name on one channel is the only one that counts. */
export function decideCode(
  snapshot: PeopleSnapshot,
  request: CodeRequest,
  now: Instant,
): Decision<CodeValue> {
  const { channel, address, salt, codeHash, linkHash } = request;
  const wanted = wantedPerson(snapshot, request, now);
  if (!wanted.ok) return { effects: [], value: wanted };
  const { person, replaced } = wanted;
  const expiresAt = now + codeMs;
  return {
    effects: [
      ...(replaced.length > 0 ? [revoke(replaced)] : []),
      {
        type: "insert-code",
        code: {
          person,
          channel,
          ...(address === undefined ? {} : { address }),
          salt,
          codeHash,
          linkHash,
          expiresAt,
        },
      },
      { type: "log", event: { kind: "pairing.code-made", data: { ...person, channel } } },
      ...(request.invite && address !== undefined ? [invitation(channel, address, person)] : []),
    ],
    value: { ok: true, person, expiresAt },
  };
}

/** It does not hold the code: whoever reads somebody's mail must not become them. Asked for just now, so it may ring. */
function invitation(channel: ChannelId, destination: string, { name, role }: Person): Effect {
  const text = [
    `owlpost wants to know this address as ${name}, ${aRole(role)}. Not expected? Then nothing has to be done: without the code nothing happens.`,
    // The last line is the headline.
    "To agree, reply to this mail with the pairing code alone on the first line, within ten minutes.",
  ].join("\n");
  return { type: "send", job: { channel, destination, kind: "receipt", notice: { kind: "receipt", text } } };
}

export type Wanted =
  /** `replaced`: codes of the same name on that channel, which count no more. */
  { readonly ok: true; readonly person: Person; readonly replaced: readonly PairingCode[] } | PairRefusal;

/** Who somebody becomes on a channel, as they are spelled already where they are known; or why they cannot. */
export function wantedPerson(
  snapshot: PeopleSnapshot,
  request: Pick<CodeRequest, "person" | "channel" | "address">,
  now: Instant,
): Wanted {
  const { channel, address } = request;
  const wrong =
    nameTrouble(request.person.name) ?? (address === undefined ? undefined : addressTrouble(address));
  if (wrong !== undefined) return refusal("bad-usage", wrong);
  const { role } = request.person;
  const live = snapshot.codes.filter((code) => code.expiresAt > now);
  const wanted = foldText(request.person.name);
  const isSame = ({ person }: { readonly person: Person }): boolean => foldText(person.name) === wanted;
  const replaced = live.filter((code) => code.channel === channel && isSame(code));
  const known = [...snapshot.bindings, ...live.filter((code) => !replaced.includes(code))].filter(isSame);
  const other = known.find(({ person }) => person.role !== role);
  if (other) {
    const { name, role: is } = other.person;
    return refusal(
      "conflict",
      `${name} is ${aRole(is)} already, and a person has one role: take another name, or revoke what ${name} has first (owlpost pairing list)`,
    );
  }
  const here = snapshot.bindings.find((each) => each.channel === channel && isSame(each));
  if (here) {
    return refusal(
      "conflict",
      `${here.person.name} is paired on ${channel} already; to pair another account there, first: owlpost pairing revoke ${here.id}`,
    );
  }
  const owner = snapshot.bindings.find((each) => each.channel === channel && each.address === address);
  if (owner) {
    return refusal("conflict", `${address} is paired on ${channel} already, as ${owner.person.name}`);
  }
  // The spelling of who is known already stays.
  const person = known[0]?.person ?? { name: repairText(request.person.name).trim(), role };
  return { ok: true, person, replaced };
}

function refusal(error: PairRefusal["error"], message: string): PairRefusal {
  return { ok: false, error, message };
}

function nameTrouble(name: string): string | undefined {
  if (isBlank(name)) return "a name is missing";
  if (isMultiline(name) || hasUnseen(name)) {
    return "the name must be one line without control characters";
  }
  if (isLongerThan(name.trim(), mostNameCharacters)) {
    return `the name must have at most ${mostNameCharacters} characters`;
  }
  // In `answerable_by` a role and a name stand side by side.
  const folded = foldText(name);
  return roles.some((role) => role === folded) ? `the name may not be ${folded}: that is a role` : undefined;
}

function addressTrouble(address: string): string | undefined {
  const fits = !/\s/.test(address) && !hasUnseen(address) && !isLongerThan(address, mostAddressCharacters);
  return fits && address !== ""
    ? undefined
    : `the address must be the platform's own id of that person, such as 42: no blanks, at most ${mostAddressCharacters} characters`;
}

function aRole(role: Role): string {
  return role === "owner" ? "an owner" : `a ${role}`;
}
