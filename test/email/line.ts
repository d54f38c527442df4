import { replyAddress } from "../../channels/email/address.ts";
import { readMail } from "../../channels/email/read.ts";
import type { AnswerChannel, ChannelMessage, Reply } from "../../src/domain/channel.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import { aTools } from "../builders.ts";
import { aLetter, aResolver, signed, someFacts } from "./letters.ts";

const { sign } = aTools();

/** One mail on its way, as far as whoever answers it can see. */
export type Mail = {
  readonly from: string;
  readonly to: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
};

/** Everybody's mail goes through here and is signed by its sender's domain; nobody marks it as a machine's. */
export function aPostalService(names: Readonly<Record<string, "ed25519">> = {}) {
  const boxes = new Map<string, (mail: Mail) => Promise<void> | void>();
  const sent: Mail[] = [];
  return {
    sent,
    register: (address: string, take: (mail: Mail) => Promise<void> | void) => void boxes.set(address, take),
    async send(mail: Mail): Promise<void> {
      sent.push(mail);
      const address = mail.to.replace(/\+[^@]*@/, "@");
      await boxes.get(address)?.(mail);
    },
    resolver: aResolver(names),
  };
}
export type PostalService = ReturnType<typeof aPostalService>;

/** A line of mail between a service and that postal service, around the real reader. */
export function aMailLine(ours: string, post: PostalService): AnswerChannel {
  const waiting: Reply[] = [];
  let wake: () => void = () => undefined;
  let count = 0;
  let polled = false;
  post.register(ours, async (mail) => {
    const letter = aLetter({
      fields: { From: mail.from, To: mail.to, Subject: mail.subject, "In-Reply-To": undefined },
      body: `${mail.text}\r\n`,
    });
    const raw = await signed(letter, { domain: mail.from.split("@")[1] ?? "" });
    const read = await readMail(Buffer.from(raw), someFacts({ ours, resolver: post.resolver }));
    if (read.kind === "reply") waiting.push(read.reply);
    wake();
  });
  const addressFor = (to: string, question: QuestionId | undefined): string =>
    question === undefined ? ours : replyAddress(ours, question, to, sign);
  return {
    id: "email",
    rings: true,
    destinations: [],
    async post(to, message: ChannelMessage) {
      count += 1;
      const { question, headline, plain } = message;
      await post.send({ from: ours, to, replyTo: addressFor(to, question), subject: headline, text: plain });
      return `<${count}@${ours.split("@")[1]}>`;
    },
    async poll(_cursor, signal) {
      // The first one fetches what came before, and waits for nothing.
      if (waiting.length === 0 && polled) {
        await new Promise<void>((done) => {
          wake = done;
          signal.addEventListener("abort", () => done(), { once: true });
        });
      }
      polled = true;
      return { replies: waiting.splice(0) };
    },
    close: async () => wake(),
  };
}
