import type { ImapFlow } from "imapflow";
import { ChannelError } from "../../src/domain/channel.ts";
import { domainOf } from "./domain.ts";
import type { Letter } from "./letter.ts";
import type { Settings } from "./settings.ts";

/** A mail to ourselves that has come back. */
export type Trial = {
  /** The address with a `+` that it went to. */
  readonly address: string;
  /** Its header lines. */
  readonly head: string;
  readonly tookMs: number;
  /** How far the server's clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** The folder that it landed in, where that is not the one that is read. */
  readonly where?: string;
};

const lookEveryMs = 500;

/** Sends a mail to our own address with a `+`, waits for it, and deletes it. Rejects with a `ChannelError`. */
export async function trialMail(
  given: Settings,
  line: ImapFlow,
  send: (letter: Letter, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  { name, withinMs }: { readonly name: string; readonly withinMs: number },
): Promise<Trial> {
  const domain = domainOf(given.from);
  const address = `${given.from.slice(0, -domain.length - 1)}+${name}@${domain}`;
  const id = `<${name}@${domain}>`;
  const sentAt = Date.now();
  await send(trialLetter(given, address, id), signal);
  const seen = await awaited(line, id, given.imap.mailbox, sentAt + withinMs, signal);
  if (!seen) {
    throw new ChannelError(
      "no-round-trip",
      `a mail to ${address} did not come back within ${Math.round(withinMs / 1_000)} s: either the server is slow, or it does not deliver addresses with a + (answers would be lost), or it filed the mail elsewhere`,
    );
  }
  const { uid, folder } = seen;
  const seenAt = Date.now();
  const found = await line.fetchOne(String(uid), { headers: true, internalDate: true }, { uid: true });
  const row = found === false ? undefined : found;
  const receivedAt = row?.internalDate ? new Date(row.internalDate).getTime() : sentAt;
  // Where it may not be deleted, it stays.
  await line.messageDelete(String(uid), { uid: true }).catch(() => false);
  if (folder !== given.imap.mailbox) await line.mailboxOpen(given.imap.mailbox);
  return {
    address,
    head: row?.headers?.toString("latin1") ?? "",
    tookMs: seenAt - sentAt,
    // The server tells whole seconds.
    aheadMs: receivedAt > seenAt + 1_000 ? receivedAt - seenAt : Math.min(0, receivedAt + 1_000 - sentAt),
    ...(folder === given.imap.mailbox ? {} : { where: folder }),
  };
}

type Seen = { readonly uid: number; readonly folder: string };

async function awaited(
  line: ImapFlow,
  id: string,
  mailbox: string,
  until: number,
  signal: AbortSignal,
): Promise<Seen | undefined> {
  while (Date.now() < until && !signal.aborted) {
    await line.noop();
    const uid = await uidOf(line, id);
    if (uid !== undefined) return { uid, folder: mailbox };
    await new Promise((next) => setTimeout(next, lookEveryMs));
  }
  const junk = (await line.list()).find(({ specialUse }) => specialUse === "\\Junk");
  if (!junk || junk.path === mailbox) return undefined;
  await line.mailboxOpen(junk.path);
  const uid = await uidOf(line, id);
  return uid === undefined ? undefined : { uid, folder: junk.path };
}

async function uidOf(line: ImapFlow, id: string): Promise<number | undefined> {
  const found = await line.search({ header: { "message-id": id } }, { uid: true });
  return Array.isArray(found) ? found[0] : undefined;
}

function trialLetter({ from, name }: Settings, address: string, id: string): Letter {
  const text = "owlpost doctor looks whether mail to this address arrives. This mail deletes itself.\n";
  return {
    from: { name, address: from },
    to: { name: "", address },
    subject: "owlpost doctor: does this come back?",
    messageId: id,
    references: [],
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    text,
    html: `<p>${text}</p>`,
  };
}

/** Header lines with each field on one line. */
export function unfolded(head: string): string {
  return head.replace(/\r?\n[ \t]+/g, " ");
}
