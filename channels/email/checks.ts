import { randomBytes } from "node:crypto";
import { Resolver as SystemResolver } from "node:dns/promises";
import type { ImapFlow } from "imapflow";
import { ChannelError, type Check } from "../../src/domain/channel.ts";
import { domainOf } from "./domain.ts";
import { connect } from "./mailbox.ts";
import { openOutgoing } from "./outgoing.ts";
import type { Resolver } from "./read.ts";
import type { Settings } from "./settings.ts";
import { openTokens } from "./tokens.ts";
import { type Trial, trialMail, unfolded } from "./trial.ts";

const checkMs = 45_000;
const dnsMs = 2_000;
/** So many of the newest mails are looked at for the name of the receiving server. */
const newestMails = 20;

const nobodyText =
  "nobody may answer: put addresses of owners into channels.email.to, such as [eric@example.org], or pair somebody (owlpost pair --name NAME --role owner --channel email --address ADDRESS)";

/**
 * Which settings are right. One mail is sent, to this mailbox itself, and deleted when it has come; nothing goes to anybody
 * else.
 */
export async function checks(
  given: Settings,
  ways: { readonly resolver?: Resolver; readonly trialMs?: number } = {},
): Promise<readonly Check[]> {
  const found: Check[] = [];
  const check = async (name: string, look: () => Promise<Omit<Check, "name" | "ok"> & { ok?: boolean }>) => {
    try {
      found.push({ name, ok: true, ...(await look()) });
      return true;
    } catch (error) {
      const text = error instanceof ChannelError ? error.message : "an unexpected error";
      found.push({ name, ok: false, text });
      return false;
    }
  };
  const signal = AbortSignal.timeout(checkMs);
  const tokens = given.oauth && openTokens(given.oauth, Date.now);
  const outgoing = openOutgoing(given, tokens);
  const sends = await check("smtp", async () => {
    await outgoing.verify(signal);
    return withLine(`logged in to ${given.smtp.host}`, given.smtp.insecure);
  });
  let client: ImapFlow | undefined;
  try {
    const reads = await check("imap", async () => {
      const line = await connect(given, tokens, signal);
      client = line.client;
      const box = await line.command(signal, () => line.client.mailboxOpen(given.imap.mailbox));
      const text = `logged in to ${given.imap.host}; ${given.imap.mailbox} holds ${box.exists} mails`;
      return withLine(text, given.imap.insecure);
    });
    await check("owners", async () => {
      if (given.to.length === 0) throw new ChannelError("nobody-allowed", nobodyText);
      return { text: `${given.to.length} may answer` };
    });
    if (!client || !reads) return found;
    const line = client;
    await check("push", async () =>
      line.capabilities.has("IDLE")
        ? { text: "IDLE: new mail is told of at once" }
        : { warn: true, text: "the server has no IDLE: it is asked for new mail twice a minute" },
    );
    await check("folder", async () =>
      line.mailbox && line.mailbox.readOnly === true
        ? { warn: true, text: `${given.imap.mailbox} may only be read: trial mails stay in it` }
        : { text: `${given.imap.mailbox} may be written` },
    );
    const trial = sends ? await tried(given, line, outgoing.send, signal, check, ways.trialMs) : undefined;
    await check("authserv_id", () => receiving(given, line, trial));
    await check("sender", () => sendingDomain(given, trial, ways.resolver ?? systemResolver()));
    return found;
  } finally {
    await client?.logout().catch(() => client?.close());
  }
}

function withLine(text: string, insecure: boolean | undefined): Omit<Check, "name" | "ok"> {
  if (insecure !== true) return { text };
  return { warn: true, text: `${text}. insecure: true lets password and questions go unencrypted` };
}

type Reporter = (
  name: string,
  look: () => Promise<Omit<Check, "name" | "ok"> & { ok?: boolean }>,
) => Promise<boolean>;

async function tried(
  given: Settings,
  line: ImapFlow,
  send: ReturnType<typeof openOutgoing>["send"],
  signal: AbortSignal,
  check: Reporter,
  trialMs = 20_000,
): Promise<Trial | undefined> {
  let trial: Trial | undefined;
  await check("round trip", async () => {
    trial = await trialMail(given, line, send, signal, {
      name: `doctor.${randomBytes(10).toString("hex")}`,
      withinMs: trialMs,
    });
    const { where, tookMs, aheadMs } = trial;
    const took = `${(tookMs / 1_000).toFixed(1)} s`;
    if (where !== undefined) {
      return {
        warn: true,
        aheadMs,
        text: `a mail to ${trial.address} came back after ${took}, but into ${where}: tell the provider that mail from ${given.from} is no junk, or answers are never seen`,
      };
    }
    return { aheadMs, text: `a mail to ${given.from} with a + in its address came back after ${took}` };
  });
  return trial;
}

/** The name that the receiving server signs its verdicts with, as the mail here shows it. */
async function receiving(
  { authserv_id: wanted }: Settings,
  line: ImapFlow,
  trial: Trial | undefined,
): Promise<Omit<Check, "name" | "ok">> {
  const names = await topmostNames(line);
  const own = trial && topmost(trial.head);
  // One name on nearly all of them was written by the server itself: strangers would have to agree on it.
  const usual = [...new Set(names)].find(
    (name) => names.length >= 3 && names.filter((each) => each === name).length >= names.length * 0.8,
  );
  const seen = own ?? usual;
  if (wanted === undefined) {
    return seen === undefined
      ? { text: "not set: DKIM is checked here alone" }
      : {
          text: `not set: DKIM is checked here alone. The server here seems to be ${seen}; where its verdict is to count, write authserv_id: ${seen}`,
        };
  }
  if (own === wanted || names.includes(wanted)) return { text: `mail here bears the verdicts of ${wanted}` };
  const instead = seen === undefined ? "" : `; the newest bears those of ${seen}`;
  return {
    warn: true,
    text: `no mail here bears a verdict of ${wanted}${instead}. Correct authserv_id, or take it away: DKIM is then checked here alone`,
  };
}

async function topmostNames(line: ImapFlow): Promise<readonly string[]> {
  const exists = line.mailbox ? line.mailbox.exists : 0;
  if (exists === 0) return [];
  const range = `${Math.max(1, exists - newestMails + 1)}:${exists}`;
  const rows = await line.fetchAll(range, { headers: ["authentication-results"] });
  return rows.flatMap(({ headers }) => topmost(headers?.toString("latin1") ?? "") ?? []);
}

function topmost(head: string): string | undefined {
  const value = /^authentication-results:\s*([^\s;]+)/im.exec(head.replace(/\r?\n[ \t]+/g, " "))?.[1];
  return value?.toLowerCase();
}

/** What other servers find out about our mail. Nobody has to be told of a DNS that is slow: it is a hint. */
async function sendingDomain(
  { from, dkim }: Settings,
  trial: Trial | undefined,
  resolver: Resolver,
): Promise<Omit<Check, "name" | "ok">> {
  const domain = domainOf(from);
  const texts = async (name: string): Promise<readonly string[] | undefined> => {
    try {
      const rows = await resolver(name, "TXT");
      return rows.map((row) => (typeof row === "string" ? row : row.join("")));
    } catch (error) {
      const { code } = error as { code?: unknown };
      return code === "ENOTFOUND" || code === "ENODATA" ? [] : undefined;
    }
  };
  const [own, policy] = await Promise.all([texts(domain), texts(`_dmarc.${domain}`)]);
  if (own === undefined || policy === undefined) {
    return { warn: true, text: `what the DNS says of ${domain} could not be looked up` };
  }
  const signedBy =
    trial && /^dkim-signature:.*?[;\s]d=([^;\s]+)/im.exec(unfolded(trial.head))?.[1]?.toLowerCase();
  const isSigned = signedBy !== undefined && (domain === signedBy || domain.endsWith(`.${signedBy}`));
  const lacks = [
    ...(own.some((each) => /^v=spf1\b/i.test(each)) ? [] : ["SPF"]),
    ...(policy.some((each) => /^v=DMARC1\b/i.test(each)) ? [] : ["DMARC"]),
    ...(trial === undefined || isSigned || dkim ? [] : ["a DKIM signature on the mail that came back"]),
  ];
  return lacks.length === 0
    ? { text: `${domain} has SPF and DMARC${isSigned ? ", and its mail is signed" : ""}` }
    : {
        warn: true,
        text: `${domain} lacks ${lacks.join(", ")}: other servers may take its mail for junk. Its provider tells how to add it`,
      };
}

function systemResolver(): Resolver {
  const resolver = new SystemResolver({ timeout: dnsMs, tries: 1 });
  return async (name, type) => (type === "TXT" ? resolver.resolveTxt(name) : []);
}
