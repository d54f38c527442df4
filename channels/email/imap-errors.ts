import { ChannelError } from "../../src/domain/channel.ts";
import { isUntrusted } from "./smtp-errors.ts";

/** What imapflow adds to an error. */
type ImapError = {
  readonly code?: unknown;
  readonly authenticationFailed?: unknown;
  readonly responseStatus?: unknown;
  readonly serverResponseCode?: unknown;
  readonly mailboxMissing?: unknown;
  readonly tlsFailed?: unknown;
};

const loginWords =
  "the incoming server refused the user or the password: Gmail and others want an app password. Correct channels.email.imap";
const tlsWords =
  "no encrypted line to the incoming server could be made: look at imap.port and imap.secure, and at imap.ca where the server signed its own certificate";

/** Response codes of RFC 5530 that pass. */
const passing = new Set(["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "THROTTLED"]);

/** A failure of the incoming server, named; neither the error nor the server's words are kept. Nothing is lost by it. */
export function imapFailure(error: unknown, stopped: boolean): ChannelError {
  if (error instanceof ChannelError) return error;
  const failure = (reason: string, words: string): ChannelError =>
    new ChannelError(reason, `Mail: ${words}`, { delivered: "no" });
  if (stopped) return failure("stopped", "listening for mail was stopped");
  const { code, authenticationFailed, responseStatus, serverResponseCode, mailboxMissing, tlsFailed } =
    error as ImapError;
  const told =
    typeof serverResponseCode === "string" && /^[A-Z-]+$/.test(serverResponseCode) ? serverResponseCode : "";
  if (passing.has(told)) return failure("busy", `the incoming server is busy (${told})`);
  if (authenticationFailed === true) return failure("login-refused", loginWords);
  if (tlsFailed === true) return failure("no-encryption", tlsWords);
  if (mailboxMissing === true || told === "NONEXISTENT") {
    return failure("no-such-mailbox", "there is no such folder: correct channels.email.imap.mailbox");
  }
  if (responseStatus === "NO" || responseStatus === "BAD") {
    return failure("refused", `the incoming server refused a command${told === "" ? "" : ` (${told})`}`);
  }
  const why = typeof code === "string" && /^E[A-Z_]+$/.test(code) ? code : "";
  if (isUntrusted(code)) return failure("no-encryption", tlsWords);
  if (
    code === "CONNECT_TIMEOUT" ||
    code === "GREETING_TIMEOUT" ||
    code === "ETIMEOUT" ||
    why === "ETIMEDOUT"
  ) {
    return failure("no-answer", "the incoming server did not answer in time; the line is made anew");
  }
  return failure("unreachable", `the incoming server cannot be reached${why === "" ? "" : ` (${why})`}`);
}
