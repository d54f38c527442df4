import { resolve } from "node:dns/promises";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { z } from "zod";
import { isAligned } from "./domain.ts";
import type { Field, Head } from "./head.ts";

/** Asks the DNS: as `dns.promises.resolve`, whose error codes it uses. */
export type Resolver = (name: string, type: string) => Promise<readonly (string | readonly string[])[]>;

/** `signed-without-id`: its Message-ID may be anybody's. `unknown`: the DNS did not answer, so that nobody can say now. */
export type Signed = "signed" | "signed-without-id" | "no" | "unknown";

export type SignatureFacts = {
  /** Of the author's address. */
  readonly domain: string;
  /** When the mail came, epoch milliseconds: what had expired by then counts for nothing. */
  readonly receivedAt: number;
  /** Absent: the system's DNS. */
  readonly resolver?: Resolver | undefined;
};

/** Signatures that are looked at; each costs a look-up and a hash of the whole mail. */
const mostSignatures = 3;
const mostLookUpMs = 10_000;
/** A signer's clock may be ahead by so much. */
const clocksApartMs = 10 * 60_000;

/**
 * Is it signed by its author's domain, over what makes it this mail? A signature counts when it covers the author, the
 * subject, the date, and To or the Message-ID (Exchange signs no To, Yahoo no Message-ID), and the whole body.
 */
export async function isSignedByAuthor(raw: Uint8Array, head: Head, facts: SignatureFacts): Promise<Signed> {
  const usable = head.fields.filter((field) => isUsable(field, facts)).slice(0, mostSignatures);
  if (usable.length === 0) return "no";
  const { results } = await dkimVerify(withOnly(raw, head, usable), {
    resolver: limited(facts.resolver ?? (resolve as Resolver)) as never,
    curTime: new Date(facts.receivedAt),
  }).catch(() => unverifiable);
  // What was looked at is judged by what the verifier says that it looked at, not by our own reading of it.
  const passed = results.map((result) => verified.safeParse(result)).filter(({ success }) => success);
  const covered = passed.flatMap(({ data }) => {
    if (!data || !isAligned(data.signingDomain, facts.domain)) return [];
    const names = data.signingHeaders.keys.toLowerCase().split(/\s*:\s*/);
    return covers(names) ? [names] : [];
  });
  if (covered.some((names) => names.includes("message-id"))) return "signed";
  if (covered.length > 0) return "signed-without-id";
  return results.some(({ status }) => status.result === "temperror") ? "unknown" : "no";
}

/**
 * What a server can have proven that says no more than that the author's domain has signed: of a signature that leaves open
 * what matters it says so, too. `signed` where there is none: then the server knew by other means.
 */
export function provableIn({ fields }: Head, domain: string): Exclude<Signed, "unknown"> {
  let proof: "signed" | "signed-without-id" = "signed";
  for (const { name, value } of fields) {
    if (name !== "dkim-signature") continue;
    const tags = tagsOf(value);
    if (tags && !isAligned(tags.get("d") ?? "", domain)) continue;
    const names = (tags?.get("h") ?? "").toLowerCase().split(":");
    if (!tags || tags.has("l") || !covers(names)) return "no";
    if (!names.includes("message-id")) proof = "signed-without-id";
  }
  return proof;
}

/** A result that counts. A body that was changed on the way gives `neutral`; mailauth's own types do not name the rest. */
const verified = z.object({
  status: z.object({ result: z.literal("pass") }),
  signingDomain: z.string(),
  algo: z.string().regex(/^(?:rsa|ed25519)-sha256$/i),
  canonBodyLengthLimited: z.literal(false),
  signingHeaders: z.object({ keys: z.string() }),
});

function covers(names: readonly string[]): boolean {
  const has = (name: string): boolean => names.includes(name);
  return has("from") && has("subject") && has("date") && (has("to") || has("message-id"));
}

/** What the verifier stumbles over is no signature. */
const unverifiable: Pick<Awaited<ReturnType<typeof dkimVerify>>, "results"> = { results: [] };

/** What its own text rules out costs no look-up. */
function isUsable({ name, value }: Field, { domain, receivedAt }: SignatureFacts): boolean {
  const tags = name === "dkim-signature" ? tagsOf(value) : undefined;
  if (!tags) return false;
  const expiresAt = Number(tags.get("x") ?? Number.POSITIVE_INFINITY) * 1_000;
  const signedAt = Number(tags.get("t") ?? 0) * 1_000;
  return (
    tags.get("v") === "1" &&
    // Whoever leaves out the end of a mail signs any end.
    !tags.has("l") &&
    /^(?:rsa|ed25519)-sha256$/i.test(tags.get("a") ?? "") &&
    /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/i.test(tags.get("s") ?? "") &&
    isAligned(tags.get("d") ?? "", domain) &&
    covers((tags.get("h") ?? "").toLowerCase().split(":")) &&
    receivedAt < expiresAt &&
    signedAt <= receivedAt + clocksApartMs
  );
}

const mostTagUnits = 8_000;

/** The tags of a signature without any white space; undefined where one is given twice or is none. */
function tagsOf(value: string): ReadonlyMap<string, string> | undefined {
  if (value.length > mostTagUnits) return undefined;
  const tags = new Map<string, string>();
  for (const part of value.replace(/\s+/g, "").replace(/;$/, "").split(";")) {
    const [, name, text] = /^([a-z][a-z0-9_]*)=(.*)$/i.exec(part) ?? [];
    if (name === undefined || text === undefined || tags.has(name)) return undefined;
    tags.set(name, text);
  }
  return tags;
}

/** The mail with no other signature and no seal of a relay: what is not looked at must cost nothing. */
function withOnly(raw: Uint8Array, { fields, end }: Head, usable: readonly Field[]): Buffer {
  const kept = fields.filter(
    (field) => !/^(?:dkim-signature|arc-.*)$/.test(field.name) || usable.includes(field),
  );
  return withFullEnds(
    Buffer.concat([
      ...kept.map(({ from, to }) => raw.subarray(from, to)),
      Buffer.from("\r\n"),
      raw.subarray(end),
    ]),
  );
}

/** A line that ends in LF alone is signed as one that ends in CRLF; the verifier would take each of them on its own. */
function withFullEnds(mail: Buffer): Buffer {
  for (let at = mail.indexOf(10); at >= 0; at = mail.indexOf(10, at + 1)) {
    if (at > 0 && mail[at - 1] === 13) continue;
    return Buffer.from(mail.toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1");
  }
  return mail;
}

/** A name server that never answers must not hold up the mail behind. */
function limited(resolver: Resolver): Resolver {
  return (name, type) =>
    new Promise((done, failed) => {
      const timer = setTimeout(
        () => failed(Object.assign(new Error("no answer from the DNS"), { code: "ETIMEOUT" })),
        mostLookUpMs,
      );
      resolver(name, type)
        .then(done, failed)
        .finally(() => clearTimeout(timer));
    });
}
