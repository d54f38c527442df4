import type { Ack } from "../domain/command.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { PairingCode, Person, Speaker } from "../domain/person.ts";
import type { Decision, Effect } from "../domain/store.ts";
import type { Place } from "./people.ts";

export function revoke(codes: readonly PairingCode[]): Effect {
  return { type: "revoke-codes", codes: codes.map(({ id }) => id) };
}

/** The codes leave, and the log says why. */
export function revoked(
  codes: readonly PairingCode[],
  channel: ChannelId,
  reason: string,
): readonly Effect[] {
  const names = codes.map(({ person }) => person.name);
  return [
    revoke(codes),
    { type: "log", event: { kind: "pairing.codes-revoked", data: { channel, reason, names } } },
  ];
}

/** What the owners read when somebody has come in, with the line that takes it back. `who` is what the platform calls them. */
export function pairedNews({ name, role }: Person, channel: ChannelId, who: string, binding: number): string {
  return `${name} is paired on ${channel} as ${role} (${who}). Not expected? On the machine: owlpost pairing revoke ${binding}`;
}

/** Who is known is told; a stranger hears nothing. */
export function told(
  speaker: Speaker | undefined,
  reason: "not-allowed" | "bad-command",
  text: string,
): Decision<Ack> {
  const value: Ack = speaker
    ? { accepted: false, reason, text }
    : { accepted: false, reason: "unknown-sender", text: "" };
  return { effects: [], value };
}

export function markOf(places: readonly Place[], channel: ChannelId): string {
  return places.find((place) => place.channel === channel)?.mark ?? "/";
}
