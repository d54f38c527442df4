import type { Instant } from "../domain/ids.ts";
import type { Role } from "../domain/person.ts";
import type { PeopleReport } from "./api.ts";
import { type When, when } from "./inbox-verdict.ts";

export type BindingLine = {
  readonly id: number;
  readonly channel: string;
  readonly address: string;
  readonly since: When;
};
export type PersonLine = {
  readonly name: string;
  readonly role: Role;
  readonly bindings: readonly BindingLine[];
};
export type CodeLine = {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  readonly channel: string;
  readonly until: When;
};

/** Who may speak on the channels, and the codes that can still be used; never their text. */
export type PeopleLines = {
  /** In the order of pairing. */
  readonly people: readonly PersonLine[];
  /** Owners by the configuration. */
  readonly allowed: PeopleReport["allowed"];
  readonly codes: readonly CodeLine[];
  /** Channels on which somebody can be paired, and by what. */
  readonly pairable: PeopleReport["pairable"];
};

/** A code that was made just now. It is shown once, and stands nowhere else. */
export type MadeCode = {
  readonly name: string;
  readonly role: Role;
  readonly channel: string;
  readonly code: string;
  readonly say: string;
  readonly bot?: string;
  readonly link?: string;
  /** Why there is no link. */
  readonly noLink?: string;
  /** The address that a mail went to: the code is the reply to that. */
  readonly mailedTo?: string;
  readonly until: When;
  /** The link as dark modules, `size` a side, quiet zone and all. */
  readonly qr?: { readonly size: number; readonly path: string };
};

/** Somebody who is known at once, in a sentence. */
export type PairedHere = { readonly paired: string };

export function peopleLines(report: PeopleReport, zone: string, now: Instant): PeopleLines {
  const people = new Map<string, PersonLine & { readonly bindings: BindingLine[] }>();
  for (const { id, person, channel, address, createdAt } of report.bindings) {
    const line = people.get(person.name) ?? { ...person, bindings: [] };
    line.bindings.push({ id, channel, address, since: when(createdAt, zone, now) });
    people.set(person.name, line);
  }
  return {
    people: [...people.values()],
    allowed: report.allowed,
    codes: report.codes.map(({ id, person, channel, expiresAt }) => ({
      id,
      ...person,
      channel,
      until: when(expiresAt, zone, now),
    })),
    pairable: report.pairable,
  };
}
