import { ChannelError } from "../../src/domain/channel.ts";

/** What nodemailer adds to an error. */
type SmtpError = {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The enhanced code of RFC 3463, such as 5.1.1. */
const enhanced = (response: string): string =>
  /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? "";

const authWords =
  "the outgoing server refused the user or the password: Gmail and others want an app password. Correct channels.email.smtp";
const tlsWords =
  "no encrypted line to the outgoing server could be made: look at smtp.port and smtp.secure, and at smtp.ca where the server signed its own certificate";

/** Reasons that need no answer of the server, by nodemailer's code. `unsent`: nothing has left this machine. */
const byCode: Readonly<Record<string, readonly [reason: string, words: string, unsent?: true]>> = {
  EAUTH: ["login-refused", authWords, true],
  ENOAUTH: ["login-refused", authWords, true],
  EOAUTH2: ["login-refused", "the outgoing server refused the access token", true],
  ETLS: ["no-encryption", tlsWords, true],
  EREQUIRETLS: ["no-encryption", tlsWords, true],
  EDNS: ["unreachable", "the outgoing server's name is not known (DNS)", true],
  ETIMEDOUT: ["no-answer", "the outgoing server did not answer in time"],
  EPROTOCOL: ["unavailable", "what answered is no mail server, or one out of order"],
};

/**
 * A failure of the outgoing server, named. Its own words are kept only where they are about the recipient or the mail, and
 * only as far as they hold none of `secrets`; the error itself is never kept.
 */
export function smtpFailure(error: unknown, stopped: boolean, secrets: readonly string[]): ChannelError {
  if (error instanceof ChannelError) return error;
  const { name, code, originalCode, command, responseCode, response } = error as SmtpError;
  if (stopped || code === "EABORT" || name === "AbortError") {
    return new ChannelError("stopped", "sending a mail was stopped");
  }
  const status = typeof responseCode === "number" ? responseCode : 0;
  if (code === "EAUTH" && status >= 400 && status < 500) {
    return failure("login-later", `the outgoing server takes no login at present (${status})`, {
      delivered: "no",
    });
  }
  const known = byCode[text(code)];
  if (known && !(code === "EPROTOCOL" && status > 0)) {
    const [reason, words, unsent] = known;
    return failure(reason, words, unsent ? { delivered: "no" } : {});
  }
  if (isUntrusted(originalCode)) return failure("no-encryption", tlsWords, { delivered: "no" });
  if (status >= 400) return refusal(status, text(response), text(command), secrets);
  const why = [text(originalCode), text(code)].find((each) => /^E[A-Z_]+$/.test(each)) ?? "";
  const isUnsent = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(why);
  return failure("unreachable", `the outgoing server cannot be reached${why === "" ? "" : ` (${why})`}`, {
    ...(isUnsent ? { delivered: "no" as const } : {}),
  });
}

/** Codes with which Node refuses a certificate or a handshake, before anything of a login was said. */
export function isUntrusted(code: unknown): boolean {
  return /^(?:DEPTH_ZERO|SELF_SIGNED|CERT_|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(text(code));
}

type More = ConstructorParameters<typeof ChannelError>[2];

const failure = (reason: string, words: string, more: More = {}): ChannelError =>
  new ChannelError(reason, `Mail: ${words}`, more);

/** The server has answered: it takes the mail later, or never, or nothing at all for that recipient. */
function refusal(
  status: number,
  response: string,
  command: string,
  secrets: readonly string[],
): ChannelError {
  const code = enhanced(response);
  const said = `(${[status, code].filter((each) => each !== "").join(" ")}${quoted(response, secrets)})`;
  const delivered = "no";
  if (status < 500) {
    const retryAfterMs = pauseIn(response);
    return failure("later", `the outgoing server asks to try again later ${said}`, {
      delivered,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  if (code === "5.3.4" || code === "5.2.3" || (status === 552 && !code.startsWith("5.2."))) {
    return failure("too-long", `the mail is larger than the server takes ${said}`, {
      delivered,
      permanent: true,
    });
  }
  if (status === 530) {
    return failure(
      "login-refused",
      `the outgoing server wants a login ${said}: give smtp.user and smtp.pass`,
      {
        delivered,
      },
    );
  }
  // Whom a server does not serve is told by its own words alone: the code is the one of every policy.
  if (command === "RCPT TO" && /relay/i.test(response)) {
    return failure(
      "no-relay",
      `the outgoing server carries no mail to other servers for us ${said}: it wants a login, or another port`,
      { delivered },
    );
  }
  if (command === "RCPT TO") {
    return failure("refused", `no mail is taken for this address ${said}`, { delivered, closed: true });
  }
  if (command === "MAIL FROM") {
    return failure(
      "sender-refused",
      `the outgoing server lets us not write as this address ${said}: correct channels.email.from`,
      { delivered },
    );
  }
  return failure("refused", `the mail was refused ${said}`, { delivered, permanent: true });
}

/** What the server says in words, in one short line; nothing where it repeats what nobody may read. */
function quoted(response: string, secrets: readonly string[]): string {
  const line = response
    .replace(/^\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3})?\s*/, "")
    .replace(/\n\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3})?\s*/g, " ")
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim();
  const hidden = secrets.flatMap((each) => [each, Buffer.from(each).toString("base64").replace(/=+$/, "")]);
  if (line === "" || hidden.some((each) => response.includes(each))) return "";
  return `: ${line.length > 120 ? `${line.slice(0, 119)}…` : line}`;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Greylisting tells its pause in words, such as `try again in 300 seconds`. */
function pauseIn(response: string): number | undefined {
  const [, number, unit = ""] =
    /\b(?:in|after|for)\s+(\d{1,5})\s*(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:ours?)?)\b/i.exec(
      response,
    ) ?? [];
  return number === undefined
    ? undefined
    : Number(number) * (unitMs[unit.slice(0, 1).toLowerCase()] ?? 1_000);
}
