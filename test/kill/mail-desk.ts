import type { Email } from "postal-mime";
import { type ImapServer, startImapServer } from "../mail/imap-server.ts";
import { inboxOf, owl, pass, tapped, type Written, writeMail } from "../mail/phone.ts";
import { type PostOffice, startPostOffice } from "../mail/post-office.ts";
import { openDoor } from "./door.ts";
import { type Letter, type MailFault, type MailPorts, readers } from "./mail-line.ts";

export type MailDesk = {
  readonly url: string;
  readonly imap: ImapServer;
  readonly smtp: PostOffice;
  /** Everything that was written, with its Message-ID and how it lies in our mailbox. */
  readonly letters: ReadonlyMap<
    string,
    { readonly letter: Letter; readonly id: string; readonly raw: string; readonly uid: number }
  >;
  close(): Promise<void>;
};

/**
 * Both servers and the people who read and write, in the process that survives every kill, with a door through which the
 * child plays them.
 */
export async function startMailDesk(): Promise<MailDesk> {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const imap = await startImapServer({ user: owl, pass, now });
  const smtp = await startPostOffice({ user: owl, pass });
  const letters = new Map<
    string,
    { readonly letter: Letter; readonly id: string; readonly raw: string; readonly uid: number }
  >();

  function write(letter: Letter): { readonly uid: number | undefined } {
    const known = letters.get(letter.name);
    if (known) return { uid: known.uid };
    const { from, to, tap, text = "" } = letter;
    const answers = inboxOf(smtp.taken, from).find(({ mail }) => isPostOf(mail, to))?.mail;
    if (!answers) return { uid: undefined };
    const written: Written = tap === undefined ? { text, answers } : tapped(answers, tap);
    const { raw, id } = writeMail({
      ...written,
      from,
      at: now(),
      id: `<${letter.name.replace(/\W/g, "-")}@people.example>`,
    });
    const uid = imap.deliver(raw);
    letters.set(letter.name, { letter, id, raw, uid });
    return { uid };
  }

  const door = await openDoor((path, body) => {
    switch (path) {
      case "/api":
        return { imap: imap.port, smtp: smtp.port } satisfies MailPorts;
      case "/person/clock":
        aheadMs = (body as { readonly ms: number }).ms;
        return {};
      case "/person/write":
        return write(body as Letter);
      case "/person/fault": {
        const fault = body as MailFault;
        if (fault.smtp) smtp.fail(fault.smtp);
        if (fault.imap) imap.fail(fault.imap);
        if (fault.kick) imap.kick();
        return {};
      }
      case "/asked":
        return { below: imap.asked() };
      case "/texts":
        return readers.map((of) =>
          inboxOf(smtp.taken, of).map(({ mail }) => `${mail.subject}\n${mail.text}`),
        );
      default:
        throw new Error(`no door ${path}`);
    }
  });

  return {
    url: door.url,
    imap,
    smtp,
    letters,
    async close() {
      await door.close();
      await Promise.all([imap.close(), smtp.close()]);
    },
  };
}

/** The mail that asks: what follows it answers another one. */
export function isPostOf({ subject = "", inReplyTo }: Email, question: string): boolean {
  return inReplyTo === undefined && subject.includes(`[${question}]`);
}
