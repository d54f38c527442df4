import type { ChannelTools } from "../../src/domain/channel.ts";
import { type MessageRef, type QuestionId, questionId } from "../../src/domain/ids.ts";
import { domainOf } from "./domain.ts";

type Tools = Pick<ChannelTools, "sign" | "isSigned">;

/** 60 bits: no two mails of one home have the same. */
const nonceCharacters = 12;
const idForm = /^((?:q-[a-z0-9-]+|note)\.([a-z2-7]{12})\.([a-z2-7]{26}))(?:\.thread)?@(.+)$/;

export type OwnMail = {
  /** Our own address. */
  readonly from: string;
  /** The recipient. */
  readonly to: string;
  /** The same for every attempt of one message. */
  readonly key: string;
  readonly question?: QuestionId | undefined;
};

/**
 * What we call a mail of ours: its Message-ID without the brackets. Made of the key and the recipient, so that a mail that
 * is sent again is the same mail; and it tells whose it was, so that a report of a failure can be believed.
 */
export function refFor({ from, to, key, question }: OwnMail, { sign }: Tools): MessageRef {
  const nonce = sign("mail", key, to).slice(0, nonceCharacters);
  return `${question ?? "note"}.${nonce}.${sign("message-id", nonce, to)}@${domainOf(from)}`;
}

/** What a thread hangs on: no mail has this Message-ID, and so no server on the way can write another in its place. */
export const threadId = (ref: MessageRef): string => `<${ref.replace(/@(?=[^@]*$)/, ".thread@")}>`;
export const messageId = (ref: MessageRef): string => `<${ref}>`;

/** The mail of ours that one of these Message-IDs names: the first, where a thread begins. Proves nothing. */
export function refAmong(ids: readonly string[], from: string): MessageRef | undefined {
  for (const id of ids) {
    const [, local, , , domain] = idForm.exec(id.replace(/^<|>$/g, "").toLowerCase()) ?? [];
    if (local !== undefined && domain === domainOf(from)) return `${local}@${domain}`;
  }
  return undefined;
}

/** Is that a mail of this home to that recipient? */
export function isOwnMail(id: string, to: string, from: string, { isSigned }: Tools): boolean {
  const [, nonce = "", mac = ""] = idForm.exec(refAmong([id], from) ?? "")?.slice(1) ?? [];
  return nonce !== "" && isSigned(mac, "message-id", nonce, to);
}

/** A mail of theirs, and what its receipt needs, whenever that is sent. */
export type Theirs = {
  /** Its Message-ID, with the brackets. */
  readonly id: string;
  /** The mail of ours that it answers. */
  readonly to?: MessageRef | undefined;
  /** The question that its token was for. */
  readonly question?: QuestionId | undefined;
  readonly subject: string;
};

/** Code points of a subject that are kept: more than anybody reads of one. */
const mostSubject = 200;

/** No blank stands in a Message-ID, and the subject comes last. */
export function theirRef({ id, to, question, subject }: Theirs): MessageRef {
  const kept = subject.length > mostSubject ? [...subject].slice(0, mostSubject).join("") : subject;
  return `${id.replace(/\s/g, "")} ${to ?? "-"} ${question ?? "-"} ${kept}`;
}

export function readTheirRef(ref: MessageRef): Theirs {
  const [id = "", to = "-", question = "-", ...subject] = ref.split(" ");
  return {
    id,
    ...(to === "-" ? {} : { to }),
    question: questionId(question),
    subject: subject.join(" "),
  };
}
