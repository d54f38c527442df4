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

/** Two servers on loopback, and the settings of a channel that uses them. */
export async function aMailTown(
  changes: Record<string, unknown> = {},
  ways: { readonly now?: () => number; readonly idle?: boolean; readonly mostText?: number } = {},
): Promise<MailTown> {
  const tokens = new Set<string>();
  const { mostText, ...imapWays } = ways;
  const imap = await startImapServer({ user: owl, pass, tokens, ...imapWays });
  const smtp = await startPostOffice({
    user: owl,
    pass,
    tokens,
    ...(mostText === undefined ? {} : { mostText }),
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
