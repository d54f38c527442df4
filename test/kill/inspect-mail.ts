import type { Email } from "postal-mime";
import { readMail } from "../../channels/email/read.ts";
import { isOpen } from "../../src/domain/question.ts";
import { aTools } from "../builders.ts";
import { authserv, inboxOf, owl } from "../mail/phone.ts";
import { withoutDelimiter } from "../mail/post-office.ts";
import { isPostOf, type MailDesk } from "./mail-desk.ts";
import { readers } from "./mail-line.ts";
import type { Remains } from "./remains.ts";

type Night = Remains & { readonly mail: MailDesk };

/**
 * A mail program knows a mail again by its Message-ID, so nothing may stand twice in a mailbox; every letter is stored,
 * decided once, and answered once; and nothing else was sent to anybody.
 */
export async function inspectMail(night: Night): Promise<string[]> {
  const found = await Promise.all(readers.map((of) => inspectMailbox(night, of)));
  const known = new Set(readers);
  const strangers = night.mail.smtp.taken.flatMap(({ to }) => to.filter((each) => !known.has(each)));
  return [...found.flat(), ...strangers.map((each) => `somebody else got a mail: ${each}`)];
}

async function inspectMailbox(
  { mail: desk, questions, copies, inbox }: Night,
  of: string,
): Promise<string[]> {
  const wrong: string[] = [];
  const left = new Set(inboxOf(desk.smtp.taken, of).map((each) => each.mail));
  const takeAway = (mails: readonly Email[]): void => {
    for (const each of mails) left.delete(each);
  };
  for (const stored of questions) {
    const { id } = stored.question;
    const posts = [...left].filter((each) => isPostOf(each, id));
    const [post] = posts;
    takeAway(posts);
    if (posts.length !== 1) wrong.push(`${of} was asked ${posts.length} times about ${id}`);
    const copy = copies.get(id)?.find(({ destination }) => destination === of);
    if (post && `<${copy?.ref}>` !== post.messageId)
      wrong.push(`the copy of ${id} is ${copy?.ref}, ${of} has ${post.messageId}`);
    const followUps = [...left].filter(({ inReplyTo }) => post !== undefined && inReplyTo === post.messageId);
    takeAway(followUps);
    const texts = followUps.map(({ text }) => withoutDelimiter(text));
    if (new Set(texts).size < texts.length) wrong.push(`${of} was told the same of ${id} twice`);
    if (isOpen(stored.state) && texts.length > 0)
      wrong.push(`${of} was told of ${id} that nothing has happened`);
    if (!isOpen(stored.state) && !texts.some((text) => text.includes("▶ Picked up")))
      wrong.push(`${of} was never told that ${id} was picked up: ${texts.join(" / ")}`);
  }
  for (const { letter, id, raw } of desk.letters.values()) {
    if (letter.from !== of) continue;
    const ack = inbox.get(`email ${await keyOf(raw)}`);
    if (!ack) wrong.push(`“${letter.name}” is lost`);
    const receipts = [...left].filter(({ inReplyTo }) => inReplyTo === id);
    takeAway(receipts);
    const wanted = ack && ack.text !== "" ? 1 : 0;
    if (receipts.length !== wanted) wrong.push(`“${letter.name}” was answered ${receipts.length} times`);
    for (const { text = "" } of receipts)
      if (ack && !text.includes(ack.text.split("\n", 1)[0] ?? ""))
        wrong.push(`“${letter.name}” got an untrue receipt: ${text}`);
  }
  for (const { subject, text } of left) wrong.push(`${of} got what nobody has decided: ${subject}: ${text}`);
  return wrong;
}

/** Under which a letter is stored. */
async function keyOf(raw: string): Promise<string> {
  const { sign } = aTools();
  const facts = { ours: owl, authservId: authserv, sign, receivedAt: 0, now: 0 };
  const read = await readMail(Buffer.from(raw), facts);
  return read.kind === "reply" ? read.reply.key : `(${read.why})`;
}
