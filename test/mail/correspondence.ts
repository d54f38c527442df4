import { expect } from "vitest";
import { open } from "../../channels/email.ts";
import { channelTools } from "../../src/app/tokens.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aConfig } from "../builders.ts";
import { conversing } from "../conversing.ts";
import { aClock, afterwards, aHome, aService, until } from "../homes.ts";
import { eric, tapped, type Written, writeMail } from "./phone.ts";
import { type TakenMail, withoutDelimiter } from "./post-office.ts";
import { aMailTown } from "./town.ts";

export type Correspondence = Awaited<ReturnType<typeof aCorrespondence>>;

/**
 * The real service with the real adapter between two servers on loopback, driven by what people write and what they find in
 * their mailboxes. The clock stands still until it is moved.
 */
export async function aCorrespondence(
  changes: Record<string, unknown> = {},
  config: Parameters<typeof aConfig>[0] = {},
) {
  const clock = aClock();
  const town = await aMailTown(changes, { now: clock.now });
  const { imap, smtp, settings } = town;
  const home = aHome();
  const start = async () => {
    // The tokens are the home's own, as the service has them.
    const store = await openStore(`${home}/owlpost.db`);
    const tools = await channelTools(store, clock.now);
    await store.close();
    const channel = await open(settings, tools, { waitMs: 2_000 });
    return aService({
      home,
      now: clock.now,
      config: aConfig({
        deliver: ["email"],
        channels: { inbox: { port: 0 }, email: settings },
        ...config,
      }),
      channels: new Map([["email", channel]]),
    });
  };
  let service = await start();
  const inbox = (of: string): readonly TakenMail[] => town.inbox(of);
  const reading = (of: string): readonly string[] =>
    inbox(of).map(({ mail }) => `${mail.subject}\n${withoutDelimiter(mail.text)}`);

  return {
    ...conversing(() => service, clock),
    clock,
    home,
    imap,
    smtp,
    settings,
    get service() {
      return service;
    },
    async sleeps(meanwhile: () => void | Promise<void>): Promise<void> {
      await service.close();
      await meanwhile();
      service = await start();
    },
    /** A mail with these words in it lies in that mailbox, now or soon. */
    async finds(of: string, ...words: readonly string[]): Promise<TakenMail> {
      const holds = (text: string): boolean => words.every((each) => text.includes(each));
      const all = await until(
        () => inbox(of),
        () => reading(of).some(holds),
      ).catch(() => {
        throw new Error(
          `no mail to ${of} holds ${words.join(" + ")}; there are:\n${reading(of).join("\n---\n")}`,
        );
      });
      const found = all[reading(of).findLastIndex(holds)];
      if (!found) throw new Error("it is gone");
      return found;
    },
    /** Somebody writes. Returns the raw mail. */
    writes(written: Written): string {
      const { raw } = writeMail({ at: clock.now(), ...written });
      imap.deliver(raw);
      return raw;
    },
    /** Somebody taps a button of that mail, and sends what their mail program has made of it. */
    taps({ mail }: TakenMail, key: string, from = eric): void {
      imap.deliver(writeMail({ from, at: clock.now(), ...tapped(mail, key) }).raw);
    },
    inbox,
    reading,
    /** Everything that came in is decided, and everything that goes out has gone. */
    async settles(): Promise<void> {
      await until(
        () => imap.mails().at(-1)?.uid ?? 0,
        (last) => imap.asked() > last,
      );
      await service.settle();
    },
    /** Nothing went to anybody since `before`. */
    async staysSilent(before: number): Promise<void> {
      await this.settles();
      expect(smtp.taken.slice(before).map(({ to, mail }) => `${to}: ${mail.subject}`)).toEqual([]);
    },
    afterwards,
  };
}
