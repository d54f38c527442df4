import { readFile } from "node:fs/promises";
import type { ImapFlowOptions } from "imapflow";
import type { SMTPTransportOptions } from "nodemailer";
import { ChannelError } from "../../src/domain/channel.ts";
import { domainOf } from "./domain.ts";
import type { Server, Settings } from "./settings.ts";
import type { Tokens } from "./tokens.ts";

/** How long a server may take for one step. The sender gives a whole mail 30 s. */
const connectMs = 12_000;
const silentMs = 25_000;

/** Encrypted from the first byte on: as it is set, or as the port is known for. */
const isSecure = ({ secure, insecure, port }: Server, usual: number, fallback: number): boolean =>
  insecure !== true && (secure ?? (port ?? fallback) === usual);

/** A file that the settings name. Rejects with a `ChannelError` that says which setting. */
async function fileOf(path: string, setting: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    const why = error.code ?? "it cannot be read";
    throw new ChannelError("no-such-file", `Mail: channels.email.${setting}: ${path} (${why})`, {
      delivered: "no",
    });
  });
}

async function tlsOf({ ca }: Server, setting: string): Promise<{ readonly tls?: { readonly ca: string } }> {
  return ca === undefined ? {} : { tls: { ca: await fileOf(ca, setting) } };
}

/** How nodemailer reaches the outgoing server, one connection a mail: what idles is cut by servers anyway. */
export async function smtpOptions(
  given: Settings,
  tokens: Tokens | undefined,
  signal: AbortSignal,
): Promise<SMTPTransportOptions> {
  const { smtp, dkim, from } = given;
  const secure = isSecure(smtp, 465, 587);
  const user = smtp.user ?? from;
  const login = tokens
    ? { auth: { type: "OAuth2", user, accessToken: await tokens.current(signal) } }
    : smtp.pass === undefined
      ? {}
      : { auth: { user, pass: smtp.pass } };
  const signing = dkim && {
    dkim: {
      domainName: dkim.domain ?? domainOf(from),
      keySelector: dkim.selector,
      privateKey: await fileOf(dkim.key, "dkim.key"),
    },
  };
  return {
    host: smtp.host,
    port: smtp.port ?? (secure ? 465 : 587),
    secure,
    ...(smtp.insecure === true ? { ignoreTLS: true } : secure ? {} : { requireTLS: true }),
    ...login,
    ...signing,
    ...(await tlsOf(smtp, "smtp.ca")),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silentMs,
    // Whatever a mail says, nothing is read from this machine's files or fetched for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const mostLiteralBytes = 32 * 1_048_576;

/** How imapflow reaches the incoming server. */
export async function imapOptions(
  given: Settings,
  tokens: Tokens | undefined,
  signal: AbortSignal,
): Promise<ImapFlowOptions> {
  const { imap, from } = given;
  const secure = isSecure(imap, 993, 993);
  const user = imap.user ?? from;
  return {
    host: imap.host,
    port: imap.port ?? 993,
    secure,
    ...(imap.insecure === true ? { doSTARTTLS: false } : secure ? {} : { doSTARTTLS: true }),
    auth: tokens ? { user, accessToken: await tokens.current(signal) } : { user, pass: imap.pass ?? "" },
    ...(await tlsOf(imap, "imap.ca")),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    logger: false,
    disableAutoIdle: true,
    clientInfo: { name: "owlpost", version: false, vendor: false, "support-url": false },
    maxLiteralSize: mostLiteralBytes,
    maxResponseSize: 2 * mostLiteralBytes,
    maxLineLength: mostLiteralBytes,
  };
}
