import { readTheirRef, refAmong, theirRef } from "../../channels/email/message-id.ts";
import { open } from "../../channels/email.ts";
import { matrix } from "../../renderers/matrix.ts";
import { questionId } from "../../src/domain/ids.ts";
import { aTools } from "../builders.ts";
import { eric, owl, pass, tapped, type Written, writeMail } from "../mail/phone.ts";
import { type SmtpFault, withoutDelimiter } from "../mail/post-office.ts";
import { aMailTown } from "../mail/town.ts";
import { answerChannelContract } from "./answer-channel.ts";

const postFaults: Readonly<Record<string, SmtpFault>> = {
  busy: { on: "to", how: { code: 451, text: "4.7.1 Greylisted, try again in 3 seconds" } },
  forbidden: { on: "to", how: { code: 550, text: "5.1.1 no such user" } },
  swallow: { on: "data", how: "swallow" },
  reset: { on: "to", how: "reset" },
  broken: { on: "connect", how: "garbage" },
};
const pollFaults = { reset: "reset", broken: "bad", busy: "busy" } as const;

answerChannelContract("email", async () => {
  const { imap, smtp, settings, inbox } = await aMailTown({}, { mostText: matrix.email.body.max });
  const tools = aTools({ now: Date.now });
  /** Mails of theirs that still lie in their own mailbox, by Message-ID. */
  const kept = new Map<string, string>();
  const messages = () => inbox(eric);

  function send(written: Written): string {
    const { raw, id } = writeMail(written);
    imap.deliver(raw);
    const { answers } = written;
    const to = answers && refAmong([answers.references ?? ""], owl);
    const ref = theirRef({
      id,
      to,
      question: questionId(/^(q-[a-z0-9-]+)\./.exec(to ?? "")?.[1] ?? ""),
      subject: written.subject ?? (answers ? `Re: ${answers.subject}` : ""),
    });
    kept.set(id, ref);
    return ref;
  }

  return {
    row: matrix.email,
    destination: eric,
    sender: eric,
    secrets: [pass, Buffer.from(pass).toString("base64")],
    idempotent: true,
    open: () => open(settings, tools, { waitMs: 20_000 }),
    messages: () =>
      messages().map(({ mail }) => {
        const replyTo = kept.get(mail.inReplyTo ?? "");
        return {
          text: withoutDelimiter(mail.text),
          versions: 1,
          buttons: mail.html?.match(/href="mailto:/g)?.length ?? 0,
          ...(replyTo === undefined ? {} : { replyTo }),
        };
      }),
    tap(key) {
      const latest = messages().at(-1)?.mail;
      if (latest) send(tapped(latest, key));
    },
    typed: {
      say(text, { to } = {}) {
        const answers = to && messages().at(-1)?.mail;
        return send({ text, ...(answers ? { answers } : {}) });
      },
      echo: (text) => void send({ from: owl, text }),
      forget: (ref) => void kept.delete(readTheirRef(ref).id),
    },
    toasts: () => [],
    unconfirmed: () => imap.mails().filter(({ uid }) => uid >= imap.asked()).length,
    isPolled: () => imap.isIdling(),
    fail(on, how) {
      const fault = postFaults[how];
      if (on === "post" && fault) smtp.fail(fault);
      if (on === "poll" && how in pollFaults) {
        imap.fail({ on: "UID SEARCH", how: pollFaults[how as keyof typeof pollFaults] });
      }
    },
  };
});
