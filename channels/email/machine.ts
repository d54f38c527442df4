import { decodeWords } from "postal-mime";
import { addressesIn, fieldOf, fieldsOf, type Head, withoutQuotes } from "./head.ts";
import { absenceWords, forwardWords } from "./tongues.ts";

/** Fields that robots set and nobody else. */
const robotFields = new Set([
  "list-id",
  "x-autoreply",
  "x-autoreply-from",
  "x-auto-reply",
  "x-autorespond",
  "x-autoresponder",
  "x-mail-autoreply",
  "x-failed-recipients",
]);

/**
 * Was it sent by a machine? Then the reason's name. `X-Auto-Response-Suppress` proves nothing: people's mail programs set
 * it, too.
 */
export function machineOf(head: Head, ours: string): string | undefined {
  const submitted = fieldsOf(head, "auto-submitted").map(withoutQuotes);
  if (submitted.some((value) => !/^\s*no\s*(?:;|$)/i.test(value))) return "auto-submitted";
  const precedence = fieldsOf(head, "precedence").join(" ");
  if (/\b(?:bulk|junk|list|auto[_-]reply)\b/i.test(precedence)) return "bulk";
  if (fieldsOf(head, "return-path").some((path) => /^<\s*>$/.test(path))) return "no-return-path";
  const field = head.fields.find(({ name, value }) => robotFields.has(name) && !/^no$/i.test(value));
  if (field) return field.name === "list-id" ? "list" : "auto-reply";
  if (isReport(head)) return "report";
  const authors = addressesIn(fieldsOf(head, "from"));
  if (authors.some((author) => /^(?:mailer-daemon|postmaster)@/.test(author))) return "daemon";
  if (authors.some((author) => isOurs(author, ours))) return "ourselves";
  return startsWith(subjectOf(head), absenceWords) ? "absence" : undefined;
}

/** Our own address, with or without what stands behind a `+`. */
function isOurs(address: string, ours: string): boolean {
  const [local = "", domain = ""] = ours.toLowerCase().split(/@(?=[^@]*$)/);
  const [own = "", at = ""] = address.split(/@(?=[^@]*$)/);
  return at === domain && (own === local || own.startsWith(`${local}+`));
}

/** A bounce, a read receipt, or another report about a mail. */
export function isReport(head: Head): boolean {
  return /^(?:multipart\/report|message\/(?:delivery-status|disposition-notification))$/.test(typeOf(head));
}

/** `text/plain`, in lower case and without parameters. */
function typeOf(head: Head): string {
  return (
    /^\s*([\w.+-]+\/[\w.+-]+)/.exec(withoutQuotes(fieldOf(head, "content-type") ?? "text/plain"))?.[1] ?? ""
  ).toLowerCase();
}

const mostSubjectUnits = 4_000;

export function subjectOf(head: Head): string {
  return decodeWords((fieldOf(head, "subject") ?? "").slice(0, mostSubjectUnits)).trim();
}

/** Was it passed on to somebody, by its subject? */
export function isForward(head: Head): boolean {
  return startsWith(subjectOf(head), forwardWords);
}

/** Begins with one of these words and a colon. */
function startsWith(subject: string, words: readonly string[]): boolean {
  const [before = ""] = subject.slice(0, 60).normalize("NFKC").toLowerCase().split(":", 1);
  return subject.length > before.length && words.includes(before.replace(/\s+/g, " ").trim());
}
