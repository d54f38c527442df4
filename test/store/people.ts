import type { NewPairingCode, Person } from "../../src/domain/person.ts";
import type { Effect } from "../../src/domain/store.ts";
import { minute, now } from "./rows.ts";

export const eric: Person = { name: "eric", role: "owner" };
export const mara: Person = { name: "mara", role: "member" };

export function aCode(more: Partial<NewPairingCode> = {}): NewPairingCode {
  return {
    person: eric,
    channel: "telegram",
    salt: "c2FsdA==",
    codeHash: "Y29kZQ==",
    linkHash: "bGluaw==",
    expiresAt: now + 10 * minute,
    ...more,
  };
}

type Bind = Extract<Effect, { type: "bind" }>;

export function bindOf(person: Person, address: string, more: Partial<Bind> = {}): Bind {
  return { type: "bind", person, channel: "telegram", address, ...more };
}
