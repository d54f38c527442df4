import type { Settings } from "../../channels/email.ts";
import { settings } from "../../channels/email.ts";
import { afterwards } from "../homes.ts";
import { type ImapServer, startImapServer } from "./imap-server.ts";
import { authserv, eric, inboxOf, owl, pass } from "./phone.ts";
import { type PostOffice, startPostOffice, type TakenMail } from "./post-office.ts";

export type MailTown = {
  readonly imap: ImapServer;
  readonly smtp: PostOffice;
  readonly settings: Settings;
  /** Access tokens that both servers let in. */
  readonly tokens: Set<string>;
  /** What stands in a person's mailbox: a mail that came twice is one there, as mail programs have it. */
  inbox(of: string): readonly TakenMail[];
};

export type TownWays = {
  readonly now?: () => number;
  readonly idle?: boolean;
  readonly mostText?: number;
  /** What becomes of mail to our own address. Absent: it is taken and goes nowhere. */
  readonly delivers?: (raw: Buffer, imap: ImapServer) => void;
};

/** Two servers on loopback, and the settings of a channel that uses them. */
export async function aMailTown(
  changes: Record<string, unknown> = {},
  ways: TownWays = {},
): Promise<MailTown> {
  const tokens = new Set<string>();
  const { mostText, delivers, ...imapWays } = ways;
  const imap = await startImapServer({ user: owl, pass, tokens, ...imapWays });
  const smtp = await startPostOffice({
    user: owl,
    pass,
    tokens,
    ...(mostText === undefined ? {} : { mostText }),
    onMail({ to, raw }) {
      if (!delivers || !to.some((each) => /^owl(?:\+[^@]*)?@owl\.example$/.test(each))) return;
      delivers(raw, imap);
    },
  });
  afterwards(async () => {
    await Promise.all([imap.close(), smtp.close()]);
  });
  return {
    imap,
    smtp,
    tokens,
    settings: settings.parse(mailSettings(imap, smtp, changes)),
    inbox: (of) => inboxOf(smtp.taken, of),
  };
}

export function mailSettings(
  imap: Pick<ImapServer, "port">,
  smtp: Pick<PostOffice, "port">,
  changes: Record<string, unknown> = {},
) {
  const login = { host: "127.0.0.1", pass, insecure: true };
  return {
    from: owl,
    to: [eric],
    smtp: { ...login, port: smtp.port },
    imap: { ...login, port: imap.port },
    authserv_id: authserv,
    ...changes,
  };
}
