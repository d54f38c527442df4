import { open as openEmail, type Settings, settings } from "../../channels/email.ts";
import type { AnswerChannel } from "../../src/domain/channel.ts";
import { aTools } from "../builders.ts";
import type { ImapFault } from "../mail/imap-session.ts";
import { authserv, eric, mara, owl, pass } from "../mail/phone.ts";
import type { SmtpFault } from "../mail/post-office.ts";
import { callPeer } from "../peer/peer-channel.ts";
import type { Steps } from "./telegram-line.ts";

export const readers: readonly string[] = [eric, mara];

/** What a person writes. */
export type Letter = {
  /** The same name again is the same mail. */
  readonly name: string;
  readonly from: string;
  /** The question whose mail it answers. */
  readonly to: string;
  /** An option's key or `/skip`: the button of that mail is tapped. */
  readonly tap?: string;
  readonly text?: string;
};
export type MailFault = { readonly smtp?: SmtpFault; readonly imap?: ImapFault; readonly kick?: true };
export type MailPorts = { readonly imap: number; readonly smtp: number };

/** The configuration of the real adapter against the servers behind the door. */
export async function mailSettings(door: string): Promise<Settings> {
  const { imap, smtp } = await callPeer<MailPorts>(`${door}/api`, "GET", undefined);
  const login = { host: "127.0.0.1", pass, insecure: true };
  return settings.parse({
    from: owl,
    to: readers,
    smtp: { ...login, port: smtp },
    imap: { ...login, port: imap },
    authserv_id: authserv,
  });
}

export function mailChannel(given: Settings, now: () => number): Promise<AnswerChannel> {
  return openEmail(given, aTools({ now }), { waitMs: 5_000, checkMs: 2_000, commandMs: 5_000 });
}

/** Those who read and write, and what befalls the servers. */
export function mailPeople(play: Steps, door: string) {
  const texts = (): Promise<string[][]> => callPeer(`${door}/texts`, "GET", undefined);
  const leave = (letter: Letter) =>
    play.step(`write ${letter.name}`, async () => {
      let uid: number | undefined;
      await play.until(`${letter.to} lies in the mailbox of ${letter.from}`, async () => {
        uid = (await callPeer<{ uid: number | undefined }>(`${door}/person/write`, "POST", letter)).uid;
        return uid !== undefined;
      });
      return uid;
    });
  return {
    /** While nothing runs. */
    leave,
    /** The service runs, so the mail is read before it goes on. */
    async write(letter: Letter): Promise<void> {
      const uid = await leave(letter);
      await play.until(`${letter.name} is read`, async () => {
        const { below } = await callPeer<{ below: number }>(`${door}/asked`, "GET", undefined);
        return uid !== undefined && below > uid;
      });
    },
    fault: (name: string, fault: MailFault) =>
      play.step(`fault ${name}`, () => callPeer(`${door}/person/fault`, "POST", fault)),
    /** A mail with these words lies in every mailbox. */
    seen: (...words: readonly string[]): Promise<void> =>
      play.until(`everybody reads ${words.join(" + ")}`, async () =>
        (await texts()).every((mails) => mails.some((text) => words.every((each) => text.includes(each)))),
      ),
  };
}
