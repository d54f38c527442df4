import { generateKeyPairSync, type KeyPairKeyObjectResult } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { replyAddress } from "../../channels/email/address.ts";
import { delimiter } from "../../channels/email/delimiter.ts";
import type { MailFacts, Resolver } from "../../channels/email/read.ts";
import { aQuestionId, aTools, evening } from "../builders.ts";

/** Raw mails as people's programs and their servers make them, with a DNS that is a table. */

export const ours = "owlpost@bot.example.org";
export const eric = "eric@example.org";
const { sign } = aTools();
export const ericsAddress = replyAddress(ours, aQuestionId, eric, sign);

/** In the order in which they stand there; a value of `undefined` leaves a field out. */
export type Letter = {
  readonly fields?: Readonly<Record<string, string | undefined>>;
  /** Before everything else, as a server adds it; after the signature. */
  readonly above?: readonly string[];
  readonly body?: string;
};

let count = 0;

/** A reply of Eric's to the question, as a simple program writes it. */
export function aLetter({ fields = {}, body = "1\r\n" }: Letter = {}): string {
  count += 1;
  const all: Readonly<Record<string, string | undefined>> = {
    From: `Eric Vogel <${eric}>`,
    To: `owlpost <${ericsAddress}>`,
    Subject: `Re: [${aQuestionId}] Token refresh strategy for the auth middleware?`,
    Date: "Mon, 06 Jul 2026 23:00:00 +0200",
    "Message-ID": `<letter-${count}@example.org>`,
    "In-Reply-To": `<${aQuestionId}.1.h7k2mq9d@bot.example.org>`,
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    ...fields,
  };
  const head = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** The question's own mail below an answer, as most programs quote it. */
export function quoted(answer: string): string {
  const mail = [
    delimiter,
    "",
    `[${aQuestionId}] owlpost needs a decision`,
    "1) Refresh-token rotation",
    "2) Extend the TTL",
  ];
  const lines = mail.map((line) => `> ${line}`);
  return [answer, "", `On Mon, 6 Jul 2026 at 23:00, owlpost <${ours}> wrote:`, ...lines, ""].join("\r\n");
}

export type KeyName = "ed25519" | "rsa" | "weak" | "other";

const made = new Map<KeyName, KeyPairKeyObjectResult>();

function keysOf(name: KeyName): KeyPairKeyObjectResult {
  const known = made.get(name);
  if (known) return known;
  const fresh =
    name === "rsa" || name === "weak"
      ? generateKeyPairSync("rsa", { modulusLength: name === "rsa" ? 2048 : 512 })
      : generateKeyPairSync("ed25519");
  made.set(name, fresh);
  return fresh;
}

export type Signature = {
  readonly domain?: string;
  readonly selector?: string;
  readonly key?: KeyName;
  /** Names of the fields that are covered, with colons between them. */
  readonly headers?: string;
  readonly canonicalization?: string;
  readonly signedAt?: number;
  readonly expiresAt?: number;
  readonly wholeBody?: boolean;
};

export const usualHeaders = "From:To:Subject:Date:Message-ID:In-Reply-To:MIME-Version:Content-Type";

/** The mail under a DKIM signature. */
export async function signed(letter: string, signature: Signature = {}): Promise<string> {
  const { domain = "example.org", key = "ed25519", headers = usualHeaders, wholeBody = true } = signature;
  const { signatures, errors } = await dkimSign(letter, {
    canonicalization: signature.canonicalization ?? "relaxed/relaxed",
    signTime: new Date(signature.signedAt ?? evening),
    ...(signature.expiresAt === undefined ? {} : { expires: new Date(signature.expiresAt) }),
    signatureData: [
      {
        signingDomain: domain,
        selector: signature.selector ?? "s1",
        privateKey: keysOf(key).privateKey.export({ type: "pkcs8", format: "pem" }) as string,
        algorithm: key === "ed25519" || key === "other" ? "ed25519-sha256" : "rsa-sha256",
        ...(wholeBody ? {} : { maxBodyLength: letter.length - letter.indexOf("\r\n\r\n") - 4 }),
      },
    ],
    headerList: headers,
  } as never);
  if (errors && errors.length > 0) throw new Error(JSON.stringify(errors));
  return `${String(signatures)}${letter}`;
}

function record(key: KeyName): readonly string[][] {
  const isSmall = key === "ed25519" || key === "other";
  const der = keysOf(key).publicKey.export({ type: "spki", format: "der" });
  const bytes = isSmall ? der.subarray(-32) : der;
  const text = `v=DKIM1; k=${isSmall ? "ed25519" : "rsa"}; p=${bytes.toString("base64")}`;
  // A record is cut into strings of at most 255 bytes.
  return [text.match(/.{1,255}/g) ?? []];
}

/** Every name that has a key; all the others are not there. */
export function aResolver(names: Readonly<Record<string, KeyName>> = {}): Resolver {
  const table: Readonly<Record<string, KeyName>> = { "s1._domainkey.example.org": "ed25519", ...names };
  return async (name) => {
    const key = table[name.toLowerCase()];
    if (key === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return record(key);
  };
}

/** A name server that says nothing. */
export const noAnswer: Resolver = () =>
  Promise.reject(Object.assign(new Error("no answer"), { code: "ETIMEOUT" }));

export function someFacts(changes: Partial<MailFacts> = {}): MailFacts {
  return { ours, sign, resolver: aResolver(), receivedAt: evening, now: evening, ...changes };
}
