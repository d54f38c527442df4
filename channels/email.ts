import { createHash } from "node:crypto";
import type { AnswerChannel, Batch, ChannelMessage, ChannelTools, Pairing } from "../src/domain/channel.ts";
import { ChannelError } from "../src/domain/channel.ts";
import { cursorOf, type Place, placeOf } from "./email/cursor.ts";
import { type Frame, type Letter, letterOf } from "./email/letter.ts";
import { type Mailbox, openMailbox, usualCommandMs } from "./email/mailbox.ts";
import { openOutgoing } from "./email/outgoing.ts";
import type { Resolver } from "./email/read.ts";
import { reading } from "./email/reading.ts";
import { addressTrouble, type Settings } from "./email/settings.ts";
import { openTokens } from "./email/tokens.ts";

export { checks } from "./email/checks.ts";
export { type Settings, settings } from "./email/settings.ts";

export const pairing = {
  by: "mail",
  say: (code) => code,
  trouble: addressTrouble,
} satisfies Pairing;

export const help = [
  "Give owlpost a mailbox of its own, with IMAP and SMTP: at Gmail, Fastmail and others that needs an app password.",
  "Put the password into MAIL_PASSWORD, and yourself into channels.email.to.",
  "Run owlpost doctor: it sends itself one mail and says what authserv_id should be.",
].join("\n");

/** What one recipient gets. */
export function encode(
  destination: string,
  message: ChannelMessage,
  tools: ChannelTools,
  frame: Frame,
): Letter {
  return letterOf(destination, message, frame, tools);
}

export type Ways = {
  /** How long a poll that has nothing to tell is held. */
  readonly waitMs: number;
  /** How often the server is asked although it told of nothing: a line may be dead for hours without anybody noticing. */
  readonly checkMs: number;
  /** How long the incoming server may take for an answer. */
  readonly commandMs: number;
  /** Absent: the system's DNS. */
  readonly resolver?: Resolver;
};
const usual: Ways = { waitMs: 28_000, checkMs: 110_000, commandMs: usualCommandMs };

/** A line that ended sooner than this was not worth making anew at once. */
const shortMs = 5_000;

export async function open(
  given: Settings,
  tools: ChannelTools,
  ways: Partial<Ways> = {},
): Promise<AnswerChannel> {
  const { waitMs, checkMs, commandMs, resolver } = { ...usual, ...ways };
  const tokens = given.oauth && openTokens(given.oauth, tools.now);
  const outgoing = openOutgoing(given, tokens);
  const account = accountOf(given);
  const { look } = reading({ settings: given, tools, account, resolver });
  const closing = new AbortController();
  let box: Mailbox | undefined;
  let caughtUp = false;
  let lookedAt = 0;
  /** The place behind which nothing was found. */
  let quiet: string | undefined;

  async function post(destination: string, message: ChannelMessage, key: string, signal: AbortSignal) {
    const frame = { from: given.from, name: given.name, key };
    const letter = encode(destination, message, tools, frame);
    await outgoing.send(letter, signal);
    return letter.messageId.slice(1, -1);
  }

  async function opened(signal: AbortSignal): Promise<Mailbox> {
    if (box?.isOpen()) return box;
    caughtUp = false;
    box = await openMailbox(given, tokens, signal, commandMs);
    return box;
  }

  async function poll(cursor: string | undefined, signal: AbortSignal): Promise<Batch> {
    if (closing.signal.aborted) throw new ChannelError("stopped", "Mail: listening was stopped");
    const line = await opened(signal);
    const place = placeOf(cursor, account);
    // What was found just now may not have been stored, so it is looked for once more.
    const mustLook =
      !caughtUp ||
      line.hasNews() ||
      cursor !== quiet ||
      place?.validity !== line.validity ||
      performance.now() - lookedAt >= checkMs ||
      place.waiting.some(({ at }) => at <= tools.now());
    const isHeld = caughtUp;
    const first: Batch = mustLook ? await found(line, place, cursor, signal) : { replies: [] };
    const isEmpty = first.replies.length === 0 && first.chats === undefined && !first.more;
    if (!isHeld || !isEmpty) return first;
    await line.wait(waitMs, signal);
    if (!line.isOpen()) return ended(line, first);
    return line.hasNews() || !line.tells ? found(line, place, cursor, signal) : first;
  }

  /** Servers end what was open for long: another line is made at once. But not again and again. */
  function ended({ openedAt }: Mailbox, batch: Batch): Batch {
    if (performance.now() - openedAt >= shortMs) return batch;
    throw new ChannelError("closed", "Mail: the incoming server ends the line again and again");
  }

  async function found(
    line: Mailbox,
    place: Place | undefined,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<Batch> {
    const { replies, chats, place: next, more } = await look(line, place, signal);
    caughtUp = !more;
    lookedAt = performance.now();
    const told = cursorOf(account, next);
    quiet = told === cursor ? cursor : undefined;
    return {
      replies,
      ...(told === cursor ? {} : { cursor: told }),
      ...(chats.length > 0 ? { chats } : {}),
      ...(more ? { more } : {}),
    };
  }

  return {
    id: "email",
    rings: true,
    destinations: given.to,
    post,
    poll,
    async close() {
      closing.abort();
      await box?.close();
    },
  };
}

/** Whose numbers a cursor holds. */
function accountOf({ imap, from }: Settings): string {
  const parts = [imap.host, imap.port ?? 993, imap.user ?? from, imap.mailbox];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
}
