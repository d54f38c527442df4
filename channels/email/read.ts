import { createHash } from "node:crypto";
import { ChannelError, type ChannelTools, type Reply } from "../../src/domain/channel.ts";
import { type Instant, type QuestionId, questionId } from "../../src/domain/ids.ts";
import { isReplyAddress, readReplyAddress } from "./address.ts";
import { domainOf } from "./domain.ts";
import { addressesIn, authorOf, fieldOf, fieldsOf, type Head, hasDoubles, idsOf, readHead } from "./head.ts";
import { isForward, isReport, machineOf, subjectOf } from "./machine.ts";
import { type Content, readContent } from "./parts.ts";
import { writtenIn } from "./said.ts";
import { isSignedByAuthor, provableIn, type Resolver, type Signed } from "./signature.ts";
import { isProvenByServer } from "./verdict.ts";

export type { Resolver } from "./signature.ts";

export type MailFacts = {
  /** Our own address, which questions come from. */
  readonly ours: string;
  /** The receiving server whose topmost `Authentication-Results` count; absent: none do. */
  readonly authservId?: string | undefined;
  readonly sign: ChannelTools["sign"];
  /** Absent: the system's DNS. */
  readonly resolver?: Resolver | undefined;
  /** When the mail came into the mailbox: the same whenever it is fetched again. */
  readonly receivedAt: Instant;
  /** When it was read for the first time. Default: when it came in. */
  readonly firstReadAt?: Instant;
  readonly now: Instant;
};

/** Which signs point at a question. Only the address proves anything. */
export type Sign = "address" | "references" | "subject";

/**
 * What a mail says. `drop`: it gets no answer and leaves no trace but a log line; `why` is kebab-case. `bounceOf` is the
 * Message-ID of ours that could not be delivered, `failed` the address: true only where that Message-ID is known to be ours.
 */
export type MailRead =
  | {
      readonly kind: "drop";
      readonly why: string;
      readonly bounceOf?: string;
      readonly failed?: string;
    }
  | { readonly kind: "reply"; readonly reply: Reply; readonly signs: readonly Sign[] };

/** Attachments are hashed for the signature's sake; a mail that is larger answers nothing. */
const mostBytes = 48 * 1024 * 1024;
/** How long a name server may be out of order before a mail counts as not proven. */
const mostPatienceMs = 3_600_000;
const lookAgainMs = 60_000;
/** UTF-16 units that are kept of what nobody has proven. */
const mostUnproven = 1_000;

/**
 * What one raw mail says, and whether it is proven. Total but for one fault: a `ChannelError` named `dns-failed` (temporary,
 * with `retryAfterMs`), where the proof could not be looked up: read the mail again later, and go on with the others
 * meanwhile. From an hour after `firstReadAt` on, such a mail is quarantined instead.
 */
export async function readMail(raw: Uint8Array, facts: MailFacts): Promise<MailRead> {
  if (raw.length > mostBytes) return { kind: "drop", why: "too-large" };
  const head = readHead(raw);
  const machine = machineOf(head, facts.ours);
  if (machine !== undefined) {
    const { bounceOf, failed }: Partial<Content> = isReport(head) ? await readContent(raw) : {};
    return {
      kind: "drop",
      why: machine,
      ...(bounceOf === undefined ? {} : { bounceOf }),
      ...(failed === undefined ? {} : { failed }),
    };
  }
  const pointed = pointers(head, facts.ours);
  const author = authorOf(head);
  const tag = author ? tagIn(head, author.address, pointed, facts) : "none";
  const token = tag === "none" || tag === "wrong" ? null : tag;
  const signs: readonly Sign[] = [...(token === null ? [] : (["address"] as const)), ...pointed.signs];
  const about = pointed.about ?? token ?? undefined;
  const aside = async (reason: string): Promise<MailRead> => ({
    kind: "reply",
    reply: {
      key: `aside:${digest(raw)}`,
      sender: author?.address ?? shownAuthor(head),
      at: facts.receivedAt,
      private: true,
      token: null,
      quarantined: reason,
      text: writtenIn((await readContent(raw)).text, facts.ours).line.slice(0, mostUnproven),
      ...(about === undefined ? {} : { about }),
    },
    signs,
  });
  if (!author) return aside("not-one-author");
  if (head.odd || hasDoubles(head)) return aside("malformed");

  const proof = await proofOf(raw, head, author.address, facts);
  if (proof === "unknown" && facts.now - (facts.firstReadAt ?? facts.receivedAt) < mostPatienceMs) {
    throw new ChannelError(
      "dns-failed",
      "Email: the DNS did not say whether a mail is genuine; it is read again later",
      {
        retryAfterMs: lookAgainMs,
        delivered: "no",
      },
    );
  }
  if (proof === "no" || proof === "unknown") return aside("not-proven");

  if (tag === "wrong") return aside("wrong-token");
  const { text, speaks } = await readContent(raw);
  const written = writtenIn(text, facts.ours);
  if (token !== null && (speaks !== "person" || written.forwarded || isForward(head))) {
    return { kind: "drop", why: "not-an-answer" };
  }
  const message = idsOf(fieldOf(head, "message-id"))[0];
  const [to] = idsOf(fieldOf(head, "in-reply-to"));
  const reply: Reply = {
    key: keyOf(head, author.address, proof === "signed-without-id" ? undefined : message),
    sender: author.address,
    ...(author.name === undefined ? {} : { name: author.name }),
    at: facts.receivedAt,
    text: written.line,
    comment: written.comment,
    chat: author.address,
    private: true,
    token,
    ...(about === undefined ? {} : { about }),
    ...(to === undefined ? {} : { to }),
    ...(message === undefined ? {} : { message }),
  };
  return { kind: "reply", reply, signs };
}

async function proofOf(raw: Uint8Array, head: Head, author: string, facts: MailFacts): Promise<Signed> {
  const domain = domainOf(author);
  if (domain === "") return "no";
  const told = isProvenByServer(head, facts.authservId, domain) ? provableIn(head, domain) : "no";
  if (told !== "no") return told;
  const { receivedAt, resolver } = facts;
  return isSignedByAuthor(raw, head, { domain, receivedAt, resolver });
}

/** What points at a question and can be written by anybody. */
type Pointers = {
  readonly about?: QuestionId;
  readonly signs: readonly Exclude<Sign, "address">[];
  readonly questions: readonly QuestionId[];
};

function pointers(head: Head, ours: string): Pointers {
  const threaded = [
    ...idsOf(fieldOf(head, "in-reply-to")),
    ...idsOf(fieldOf(head, "references")).toReversed(),
  ]
    .map((id) => questionInId(id, ours))
    .filter((id) => id !== undefined);
  const named = questionId(/\[(q-[a-z0-9-]{1,60})\]/i.exec(subjectOf(head))?.[1]?.toLowerCase() ?? "");
  const questions = [...new Set([...threaded, ...(named ? [named] : [])])];
  return {
    questions,
    ...(questions[0] === undefined ? {} : { about: questions[0] }),
    signs: [
      ...(threaded.length > 0 ? (["references"] as const) : []),
      ...(named ? (["subject"] as const) : []),
    ],
  };
}

/** Our own Message-IDs begin with the id of their question: `<q-a3f2-012-1.1.h7k2mq9d@bot.example.org>`. */
function questionInId(id: string, ours: string): QuestionId | undefined {
  const [, question = "", domain = ""] = /^<(q-[a-z0-9-]{1,60})\.[^@>]*@([^@>]+)>$/i.exec(id) ?? [];
  return domainOf(domain) === domainOf(ours) ? questionId(question.toLowerCase()) : undefined;
}

/** Where the address may stand that a mail was sent to; the last ones are told by the receiving server. */
const places = [
  "to",
  "cc",
  "delivered-to",
  "x-original-to",
  "x-delivered-to",
  "envelope-to",
  "x-envelope-to",
];
const mostTags = 20;

/** The question whose reply address of this very author a mail was sent to. Two of them are none: which one is meant? */
function tagIn(
  head: Head,
  author: string,
  { questions }: Pointers,
  { ours, sign }: MailFacts,
): QuestionId | "wrong" | "none" {
  const addresses = new Set(addressesIn(places.flatMap((name) => fieldsOf(head, name))));
  const found = new Set<QuestionId>();
  let tagged = 0;
  for (const address of addresses) {
    const tag = readReplyAddress(address, ours);
    if (!tag) continue;
    tagged += 1;
    if (tagged > mostTags) break;
    for (const question of tag.question ? [tag.question] : questions) {
      if (isReplyAddress(address, ours, question, author, sign)) found.add(question);
    }
  }
  const [only, ...others] = found;
  if (only !== undefined) return others.length === 0 ? only : "none";
  return tagged > 0 ? "wrong" : "none";
}

/** What tells two mails of one author apart: the Message-ID, or what is signed beside it. */
function keyOf(head: Head, author: string, message: string | undefined): string {
  const signed = ["date", "subject"].map((name) => fieldOf(head, name)?.replace(/\s+/g, " ") ?? "");
  return `mail:${digest([author, ...(message === undefined ? signed : [message])].join("\n"))}`;
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 40);
}

/** Whoever claims to have written it, for showing only. */
function shownAuthor(head: Head): string {
  return fieldsOf(head, "from").join(", ").slice(0, 200);
}
