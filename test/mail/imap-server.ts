import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { type Boxes, type ImapFault, ImapSession } from "./imap-session.ts";
import type { StoredMail } from "./imap-text.ts";

export type { ImapFault } from "./imap-session.ts";

export type ImapServer = {
  readonly port: number;
  /** Every command that was read, without its tag; passwords are stars. */
  readonly commands: readonly string[];
  mails(mailbox?: string): readonly StoredMail[];
  /** A mail arrives; whoever listens is told. */
  deliver(raw: Buffer | string, ways?: { readonly at?: number; readonly mailbox?: string }): number;
  remove(uid: number, mailbox?: string): void;
  /** UIDs count anew, as after a restored backup. Whoever is connected is thrown out. */
  renumber(mailbox?: string): void;
  /** Ends every line with a word of farewell, or without. */
  kick(how?: "bye" | "reset"): void;
  fail(fault: ImapFault, times?: number): void;
  /** From now on it tells nobody of new mail. */
  silence(): void;
  /** Nobody is let in, and whoever is in is thrown out, until `open`. */
  shut(): void;
  open(): void;
  lines(): number;
  /** Is somebody in IDLE? */
  isIdling(): boolean;
  /** What stood below the last look was read and kept. */
  asked(): number;
  close(): Promise<void>;
};

export type ImapOptions = {
  readonly user: string;
  readonly pass: string;
  /** Access tokens that XOAUTH2 lets in. */
  readonly tokens?: Set<string>;
  readonly now?: () => number;
  /** Without it the server never tells of new mail. */
  readonly idle?: boolean;
};

/**
 * A strict IMAP4rev1 server on loopback, in the test and so alive whatever is killed: it refuses what a real one refuses
 * (commands out of their state, unknown ones, changes to a folder that was opened for reading alone), and shows what was
 * asked.
 */
export async function startImapServer(options: ImapOptions): Promise<ImapServer> {
  const { now = Date.now } = options;
  const boxes: Boxes = new Map([
    ["INBOX", { validity: 1_700_000_000, next: 1, mails: [] }],
    ["Junk", { validity: 1_700_000_001, next: 1, mails: [] }],
  ]);
  const commands: string[] = [];
  const faults: ImapFault[] = [];
  const sessions = new Set<ImapSession>();
  let isShut = false;
  let asked = 0;
  let isSilent = false;

  const box = (name = "INBOX") => {
    const found = boxes.get(name);
    if (!found) throw new Error(`no mailbox ${name}`);
    return found;
  };

  function accept(socket: Socket): void {
    if (isShut) {
      socket.destroy();
      return;
    }
    const session = new ImapSession(socket, {
      ...options,
      boxes,
      note: (command) => commands.push(command),
      asked: (uid) => {
        asked = uid;
      },
      fault: (command) => {
        const at = faults.findIndex(({ on }) => command.startsWith(on));
        return at < 0 ? undefined : faults.splice(at, 1)[0];
      },
    });
    sessions.add(session);
    socket.on("close", () => sessions.delete(session));
  }

  const server: Server = createServer(accept);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const kick = (how: "bye" | "reset" = "reset"): void => {
    for (const session of [...sessions]) session.end(how);
  };

  return {
    port,
    commands,
    mails: (mailbox) => box(mailbox).mails,
    deliver(raw, { at = now(), mailbox } = {}) {
      const into = box(mailbox);
      const uid = into.next;
      into.next += 1;
      into.mails.push({ uid, raw: Buffer.from(raw), at, flags: [] });
      if (!isSilent) for (const session of sessions) session.changed(into);
      return uid;
    },
    remove(uid, mailbox) {
      const from = box(mailbox);
      const index = from.mails.findIndex((mail) => mail.uid === uid);
      if (index >= 0) from.mails.splice(index, 1);
      for (const session of sessions) session.expunged(from, index + 1);
    },
    renumber(mailbox) {
      kick();
      const of = box(mailbox);
      of.validity += 1;
      of.mails.forEach((mail, index) => {
        of.mails[index] = { ...mail, uid: index + 1 };
      });
      of.next = of.mails.length + 1;
    },
    kick,
    fail(fault, times = 1) {
      for (let left = times; left > 0; left -= 1) faults.push(fault);
    },
    silence() {
      isSilent = true;
    },
    shut() {
      isShut = true;
      kick();
    },
    open() {
      isShut = false;
    },
    lines: () => sessions.size,
    isIdling: () => [...sessions].some((session) => session.isIdling()),
    asked: () => asked,
    close: () =>
      new Promise<void>((closed) => {
        kick();
        server.close(() => closed());
      }),
  };
}
