import PostalMime, { type Email } from "postal-mime";
import type { TakenMail } from "./post-office.ts";

export const owl = "owl@owl.example";
export const eric = "eric@example.org";
export const mara = "mara@example.net";
export const pass = "TEST-only-not-a-password";
/** The receiving server whose verdicts count. */
export const authserv = "mx.owl.example";

export function inboxOf(taken: readonly TakenMail[], of: string): readonly TakenMail[] {
  const ids = new Set<string>();
  return taken.filter(({ to, mail }) => {
    if (!to.includes(of) || ids.has(mail.messageId ?? "")) return false;
    ids.add(mail.messageId ?? "");
    return true;
  });
}

export type Written = {
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly text: string;
  /** The mail that it answers. */
  readonly answers?: Email;
  /** What the receiving server found out. `pass` where it is left out. */
  readonly verdict?: "pass" | "fail" | "none";
  readonly id?: string;
  readonly at?: number;
  readonly headers?: readonly string[];
};

let written = 0;

/** A mail as it arrives at our server, which writes its verdict on top. Returns its Message-ID, too. */
export function writeMail(given: Written): { readonly raw: string; readonly id: string } {
  const { from = eric, answers, verdict = "pass", text } = given;
  written += 1;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const id = given.id ?? `<m${written}.${process.pid}@${domain}>`;
  const to = given.to ?? answers?.replyTo?.[0]?.address ?? owl;
  const subject = given.subject ?? (answers ? `Re: ${answers.subject}` : "");
  const thread = answers
    ? [
        `In-Reply-To: ${answers.messageId}`,
        `References: ${[answers.references, answers.messageId].filter((each) => each).join(" ")}`,
      ]
    : [];
  const quoted = answers ? ["", ...(answers.text ?? "").split("\n").map((line) => `> ${line}`)] : [];
  const lines = [
    `Return-Path: <${from}>`,
    `Authentication-Results: ${authserv}; dkim=${verdict} header.d=${domain} header.i=@${domain}; dmarc=${verdict} header.from=${domain}`,
    `Received: from mail.${domain} by ${authserv} with ESMTPS; Mon, 6 Jul 2026 21:00:00 +0000`,
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: ${encoded(subject)}`,
    `Message-ID: ${id}`,
    ...thread,
    `Date: ${new Date(given.at ?? Date.now()).toUTCString().replace("GMT", "+0000")}`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    ...(given.headers ?? []),
    "",
    ...text.split("\n"),
    ...quoted,
    "",
  ];
  return { raw: lines.join("\r\n"), id };
}

const encoded = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;

/** What a mail program makes of a tap on one of our buttons: a new mail, which only has to be sent. */
export function tapped(mail: Email, key: string): Pick<Written, "to" | "subject" | "text"> {
  const links = [...(mail.html ?? "").matchAll(/href="(mailto:[^"]*)"/g)].map(([, link = ""]) =>
    readMailto(link.replaceAll("&amp;", "&")),
  );
  const found = links.find(({ text }) => text.split(/\r?\n/, 1)[0] === key);
  if (!found) throw new Error(`no button ${key} in ${mail.subject}`);
  return found;
}

/** RFC 6068. A `+` that is not encoded becomes a blank, as some programs have it. */
export function readMailto(link: string): {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
} {
  const [, to = "", query = ""] = /^mailto:([^?]*)\?(.*)$/.exec(link) ?? [];
  const decoded = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));
  const fields = new Map(
    query
      .split("&")
      .map((pair): [string, string] => [
        pair.split("=", 1)[0] ?? "",
        decoded(pair.slice(pair.indexOf("=") + 1)),
      ]),
  );
  return { to: decoded(to), subject: fields.get("subject") ?? "", text: fields.get("body") ?? "" };
}

export const parseMail = (raw: Buffer | string): Promise<Email> => PostalMime.parse(raw);
