import type { ChannelTools, Reply } from "../../src/domain/channel.ts";
import type { Instant } from "../../src/domain/ids.ts";

/** Asks the DNS: as `dns.promises.resolve`, whose error codes it uses. */
export type Resolver = (name: string, type: string) => Promise<readonly (string | readonly string[])[]>;

export type MailFacts = {
  /** Our own address, which questions come from. */
  readonly ours: string;
  /** The receiving server whose topmost `Authentication-Results` count; absent: none do. */
  readonly authservId?: string;
  readonly sign: ChannelTools["sign"];
  /** Absent: the system's DNS. */
  readonly resolver?: Resolver;
  /** When the mail came into the mailbox. */
  readonly receivedAt: Instant;
  readonly now: Instant;
};

/** Which signs point at a question. Only the address proves anything. */
export type Sign = "address" | "references" | "subject";

/** What a mail says. `bounceOf`: the Message-ID of our own that could not be delivered. */
export type MailRead =
  | {
      readonly kind: "drop";
      readonly why: string;
      readonly bounceOf?: string;
      /** The address that took no mail. */
      readonly failed?: string;
    }
  | { readonly kind: "reply"; readonly reply: Reply; readonly signs: readonly Sign[] };

/**
 * What one raw mail says, and whether it is proven. Total but for one fault: a `ChannelError` named `dns-failed`, where the
 * proof could not be looked up and the mail should be read again later; an hour after `receivedAt` it is quarantined instead.
 */
export async function readMail(_raw: Uint8Array, _facts: MailFacts): Promise<MailRead> {
  return { kind: "drop", why: "not-read-yet" };
}
