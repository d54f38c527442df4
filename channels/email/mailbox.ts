import type { FetchMessageObject, ImapFlow } from "imapflow";
import { ChannelError } from "../../src/domain/channel.ts";
import type { Instant } from "../../src/domain/ids.ts";
import { imapFailure } from "./imap-errors.ts";
import { imapOptions } from "./servers.ts";
import type { Settings } from "./settings.ts";
import type { Tokens } from "./tokens.ts";

/** One mail as the server gives it. */
export type FoundMail = {
  readonly uid: number;
  /** When it came into the mailbox: the server's own time. */
  readonly at: Instant;
  /** Whole, or its beginning where it is larger than was asked for. */
  readonly raw: Uint8Array;
  readonly from: string;
  readonly subject: string;
  readonly messageId: string | undefined;
};

export type Cover = { readonly sizeBytes: number; readonly at: Instant };

export type Mailbox = {
  /** UIDs count anew where it changes. */
  readonly validity: string;
  /** Does the server tell of new mail by itself? */
  readonly tells: boolean;
  /** By the clock of this process that never jumps. */
  readonly openedAt: number;
  isOpen(): boolean;
  /** May there be news since the last `list`? */
  hasNews(): boolean;
  /** UIDs above `after` of what came at that day or later, the oldest first. */
  list(after: number, since: Instant, signal: AbortSignal): Promise<readonly number[]>;
  /** What a look into its cover tells of each that is still there. */
  covers(uids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, Cover>>;
  /** Undefined where it is gone. */
  fetch(uid: number, mostBytes: number, signal: AbortSignal): Promise<FoundMail | undefined>;
  /** Resolves when there is news, when the line has ended, or after that time. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** A line on which the server says nothing for so long is dead, whatever TCP thinks. */
export const usualCommandMs = 20_000;
const goodbyeMs = 500;

/**
 * Opens the folder for reading alone: whoever else reads there sees no flag of ours. A line that ended is never used again:
 * another one is opened. Rejects with a `ChannelError`, as all of it does.
 */
export async function openMailbox(
  given: Settings,
  tokens: Tokens | undefined,
  signal: AbortSignal,
  commandMs = usualCommandMs,
): Promise<Mailbox> {
  const { client, command } = await connect(given, tokens, signal, commandMs);
  const box = await command(signal, () => client.mailboxOpen(given.imap.mailbox, { readOnly: true })).catch(
    (error: unknown) => {
      client.close();
      throw error;
    },
  );
  let news = true;
  const wakes = new Set<() => void>();
  const wake = (): void => {
    for (const each of [...wakes]) each();
  };
  client.on("exists", () => {
    news = true;
    wake();
  });
  client.on("close", wake);
  const validity = String(box.uidValidity);

  return {
    validity,
    tells: client.capabilities.has("IDLE"),
    openedAt: performance.now(),
    isOpen: () => client.usable,
    hasNews: () => news,
    async list(after, since, stop) {
      news = false;
      const day = new Date(since - 86_400_000);
      const found = await command(stop, () =>
        client.search({ uid: `${after + 1}:*`, since: day }, { uid: true }),
      );
      if (!Array.isArray(found)) {
        throw new ChannelError("refused", "Mail: the incoming server refused to look for new mail");
      }
      // `n:*` names the newest mail, even where its UID is below n.
      return found.filter((uid) => uid > after).sort((a, b) => a - b);
    },
    async covers(uids, stop) {
      if (uids.length === 0) return new Map();
      const query = { uid: true, size: true, internalDate: true };
      const rows = await command(stop, () => client.fetchAll(uids.join(","), query, { uid: true }));
      return new Map(rows.map((row) => [row.uid, { sizeBytes: row.size ?? 0, at: timeOf(row) }]));
    },
    async fetch(uid, mostBytes, stop) {
      const query = {
        uid: true,
        envelope: true,
        internalDate: true,
        source: { start: 0, maxLength: mostBytes },
      };
      const row = await command(stop, () => client.fetchOne(String(uid), query, { uid: true }));
      return row ? foundMail(row) : undefined;
    },
    async wait(ms, stop) {
      if (news || !client.usable) return;
      if (stop.aborted) throw imapFailure(undefined, true);
      // It ends with the next command, or with the line.
      if (client.capabilities.has("IDLE") && !client.idling) client.idle().catch(() => undefined);
      await new Promise<void>((done) => {
        const end = (): void => {
          clearTimeout(timer);
          wakes.delete(end);
          stop.removeEventListener("abort", end);
          done();
        };
        const timer = setTimeout(end, ms);
        wakes.add(end);
        stop.addEventListener("abort", end, { once: true });
      });
      if (stop.aborted) throw imapFailure(undefined, true);
    },
    async close() {
      if (!client.usable) return client.close();
      const goodbye = client.logout().catch(() => undefined);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((done) => {
        timer = setTimeout(done, goodbyeMs);
      });
      await Promise.race([goodbye, late]);
      clearTimeout(timer);
      client.close();
    },
  };
}

type Command = <Value>(signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>;

/** A line that is logged in. A command that is stopped, or gets no answer, ends the line: what it said is not known. */
export async function connect(
  given: Settings,
  tokens: Tokens | undefined,
  signal: AbortSignal,
  commandMs = usualCommandMs,
): Promise<{ readonly client: ImapFlow; readonly command: Command }> {
  let token: string | undefined;
  try {
    signal.throwIfAborted();
    token = await tokens?.current(signal);
    const { ImapFlow: Client } = await import("imapflow");
    const client = new Client(await imapOptions(given, tokens, signal));
    // Whatever happens to the line shows in the command that waits, or in `usable`.
    client.on("error", () => undefined);
    const command: Command = (stop, work) => limited(client, commandMs, stop, work);
    await command(signal, () => client.connect());
    return { client, command };
  } catch (error) {
    const failure = imapFailure(error, signal.aborted);
    if (failure.reason === "login-refused" && token !== undefined) tokens?.refused(token);
    throw failure;
  }
}

async function limited<Value>(
  client: ImapFlow,
  ms: number,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    signal.throwIfAborted();
    const ended = new Promise<never>((_done, fail) => {
      timer = setTimeout(() => {
        fail(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
        client.close();
      }, ms);
      stop = () => {
        fail(new Error("stopped"));
        client.close();
      };
      signal.addEventListener("abort", stop, { once: true });
    });
    return await Promise.race([work(), ended]);
  } catch (error) {
    throw imapFailure(error, signal.aborted);
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener("abort", stop);
  }
}

function foundMail(row: FetchMessageObject): FoundMail | undefined {
  const { uid, source, envelope } = row;
  if (!source) return undefined;
  return {
    uid,
    at: timeOf(row),
    raw: source,
    from: envelope?.from?.[0]?.address?.toLowerCase() ?? "",
    subject: envelope?.subject ?? "",
    messageId: envelope?.messageId,
  };
}

function timeOf({ internalDate }: FetchMessageObject): Instant {
  const at = new Date(internalDate ?? Number.NaN).getTime();
  return Number.isNaN(at) ? 0 : at;
}
