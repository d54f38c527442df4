import type { Button, ChannelMessage, ChannelTools } from "../../src/domain/channel.ts";
import type { MessageRef, QuestionId } from "../../src/domain/ids.ts";
import { replyAddress } from "./address.ts";
import { delimiter } from "./delimiter.ts";
import { messageId, readTheirRef, refFor, threadId } from "./message-id.ts";
import { pageOf } from "./page.ts";

/** What the settings and the outbox know of a mail. */
export type Frame = {
  /** Our own address. */
  readonly from: string;
  /** The name beside it. */
  readonly name: string;
  /** The same for every attempt of one message. */
  readonly key: string;
};

/** One mail, as nodemailer takes it. */
export type Letter = {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: { readonly name: string; readonly address: string };
  readonly replyTo?: string;
  readonly subject: string;
  readonly messageId: string;
  readonly inReplyTo?: string;
  /** The root of the thread comes first. */
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
};

/** What one recipient gets. The same message, destination and key give the same mail. */
export function letterOf(
  destination: string,
  message: ChannelMessage,
  { from, name, key }: Frame,
  tools: ChannelTools,
): Letter {
  const to = destination.toLowerCase();
  const theirs = message.replyTo === undefined ? undefined : readTheirRef(message.replyTo);
  const question = message.question ?? theirs?.question;
  const ref = refFor({ from, to, key, question }, tools);
  // With the question and its recipient in the address, an answer needs neither a subject nor a thread.
  const answersTo = question && replyAddress(from, question, to, tools.sign);
  const linkOf = (button: Button): string =>
    mailtoLink(button, replyAddress(from, button.question, to, tools.sign));
  return {
    from: { name, address: from },
    to: { name: "", address: to },
    ...(answersTo === undefined ? {} : { replyTo: answersTo }),
    subject: subjectOf(message, theirs?.subject),
    messageId: messageId(ref),
    ...threadOf(ref, question, message.follows, theirs),
    headers: {
      // RFC 3834: no machine answers this.
      "Auto-Submitted": theirs ? "auto-replied" : "auto-generated",
      "X-Auto-Response-Suppress": "All",
    },
    text: message.plain.startsWith(delimiter) ? message.plain : `${delimiter}\n\n${message.plain}`,
    html: pageOf(message, linkOf),
  };
}

/**
 * A question opens a thread under an id that no mail has: where a server on the way gives the mail itself another
 * Message-ID, an answer still names the thread.
 */
function threadOf(
  ref: MessageRef,
  question: QuestionId | undefined,
  follows: MessageRef | undefined,
  theirs: { readonly id: string; readonly to?: MessageRef | undefined } | undefined,
): Pick<Letter, "inReplyTo" | "references"> {
  if (theirs) {
    const root = theirs.to === undefined ? [] : [threadId(theirs.to)];
    return { inReplyTo: theirs.id, references: [...root, theirs.id] };
  }
  if (follows !== undefined) {
    return { inReplyTo: messageId(follows), references: [threadId(follows), messageId(follows)] };
  }
  return { references: question ? [threadId(ref)] : [] };
}

/** Mail programs keep a thread together by its subject, too. */
function subjectOf({ headline, follows, thread }: ChannelMessage, theirs: string | undefined): string {
  if (theirs !== undefined && theirs.trim() !== "") return `Re: ${withoutRe(theirs)}`;
  if (follows !== undefined && thread !== undefined) return `Re: ${withoutRe(thread)}`;
  return headline;
}

const withoutRe = (subject: string): string => subject.trim().replace(/^(?:re\s*:\s*)+/i, "");

/** What some programs cut off; none of ours comes near it. */
const mostUri = 1_800;

/**
 * One tap opens a reply that only has to be sent. It is sent by hand: looking at the link does nothing. A `+` that is not
 * encoded becomes a blank on its way through some programs.
 */
export function mailtoLink({ question, action }: Button, address: string): string {
  const [local = "", domain = ""] = [
    address.slice(0, address.lastIndexOf("@")),
    address.slice(address.lastIndexOf("@") + 1),
  ];
  const answer = "key" in action ? action.key : verbs[action.verb];
  const hint = `Send this as it is: ${answer} for ${question}. A comment may stand above the line.`;
  const body = `${answer}\r\n\r\n\r\n${delimiter}\r\n${hint}\r\n`;
  const link = `mailto:${encodeURIComponent(local)}@${encodeURIComponent(domain)}?subject=${encodeURIComponent(`Re: [${question}]`)}&body=${encodeURIComponent(body)}`;
  if (link.length >= mostUri) throw new Error(`a button of ${question} is too long`);
  return link;
}

const verbs = { skip: "/skip", go: "go", more: "/help" } as const;
