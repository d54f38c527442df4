import type { ChannelId, Instant } from "./ids.ts";

/** `owner`: everything. `member`: answer, skip, retry, steer, status, override of their own answer. `viewer`: status, pending, help. */
export const roles = ["owner", "member", "viewer"] as const;
export type Role = (typeof roles)[number];

export type Person = { readonly name: string; readonly role: Role };

/**
 * One person on one channel. `address` is the platform's own id of them, never a display name; where the platform has
 * private chats it is also the destination of theirs.
 */
export type Binding = {
  readonly id: number;
  readonly person: Person;
  readonly channel: ChannelId;
  readonly address: string;
  readonly createdAt: Instant;
};

/** Who speaks on a channel: a paired person, or an id that the configuration allows (an owner without a name of their own). */
export type Speaker = {
  readonly name: string;
  readonly role: Role;
  /** Absent for an id of the `allow` list that nobody paired. */
  readonly binding?: number;
};

/** What may still be typed to become somebody. Neither the code nor the token of the link is kept, only their scrypt hashes. */
export type PairingCode = {
  readonly id: number;
  readonly person: Person;
  readonly channel: ChannelId;
  /** The only address that may use it, where the owner named one. */
  readonly address?: string;
  /** Base64, of both hashes. */
  readonly salt: string;
  readonly codeHash: string;
  readonly linkHash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  /** Wrong attempts on this channel since it was made. */
  readonly failures: number;
};
export type NewPairingCode = Omit<PairingCode, "id" | "failures" | "createdAt">;
