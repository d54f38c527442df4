import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { rowOf } from "../../renderers/matrix.ts";
import { failuresOf, mostFailuresOfCode, mostFailuresOfSender, type Proof } from "../core/pairing.ts";
import type { Reply } from "../domain/channel.ts";
import type { ChannelId, Instant } from "../domain/ids.ts";
import type { Binding, PairingCode } from "../domain/person.ts";
import type { Store } from "../domain/store.ts";

/** Nothing that looks like something else: no I and O, no 0 and 1. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const codeCharacters = 8;
const tokenBytes = 16;
const saltBytes = 16;
const hashBytes = 32;
/**
 * About 10 ms and 4 MiB a hash. Whoever stole the store and tried a million codes a second would need days for the 2^40
 * that there are, and a code is worth nothing after ten minutes; more would only make those wait who tap behind a storm.
 */
const cost: ScryptOptions = { N: 4_096, r: 8, p: 1, maxmem: 32 * 1024 * 1024 };

/** Whoever taps behind a storm of codes waits for them: two processors are busy, and half of Node's threads stay free. */
const mostAtOnce = 2;

export type MadeCode = {
  /** Eight letters and digits, for typing. */
  readonly code: string;
  /** 128 bits in base64url, for the link. */
  readonly token: string;
  /** What is stored: the salt of both, and their hashes. */
  readonly stored: Pick<PairingCode, "salt" | "codeHash" | "linkHash">;
};

/** A fresh code. Its plain text is in what this returns and nowhere else. */
export async function makeCode(): Promise<MadeCode> {
  // 32 letters: five bits of a byte choose one, each as likely as any other.
  const code = [...randomBytes(codeCharacters)].map((byte) => alphabet[byte & 31]).join("");
  const token = randomBytes(tokenBytes).toString("base64url");
  const salt = randomBytes(saltBytes);
  const [codeHash, linkHash] = await Promise.all([hash(code, salt), hash(token, salt)]);
  return {
    code,
    token,
    stored: {
      salt: salt.toString("base64"),
      codeHash: codeHash.toString("base64"),
      linkHash: linkHash.toString("base64"),
    },
  };
}

/** The code as it was made: upper case, without the blanks and dashes that people put in. */
function typedForm(text: string): string | undefined {
  const typed = text.replace(/[\s\u2010-\u2015-]/g, "").toUpperCase();
  return /^[A-HJ-NP-Z2-9]{8}$/.test(typed) ? typed : undefined;
}

function linkForm(text: string): string | undefined {
  const token = text.trim();
  return /^[A-Za-z0-9_-]{22}$/.test(token) ? token : undefined;
}

/**
 * On a channel that knows nobody, a code was made for one address: whatever that address says alone in such a form is the
 * code, and need not be a command.
 */
export async function withCodes(
  store: Pick<Store, "codes">,
  channel: ChannelId,
  replies: readonly Reply[],
  now: Instant,
): Promise<readonly Reply[]> {
  const isBare = ({ press, quarantined, text = "" }: Reply): boolean =>
    press === undefined && quarantined === undefined && typedForm(text) !== undefined;
  if (rowOf(channel).identity !== "token" || !replies.some(isBare)) return replies;
  const codes = await store.codes(now);
  return replies.map((reply) => {
    const isAsked = codes.some((code) => code.channel === channel && code.address === reply.sender);
    return isAsked && isBare(reply) ? { ...reply, text: `/pair ${reply.text?.trim()}` } : reply;
  });
}

/** One code that was said. */
export type Claimed = {
  /** The reply's key: proofs are returned under it. */
  readonly key: string;
  readonly channel: ChannelId;
  readonly sender: string;
  readonly private: boolean;
  /** What stood behind `/pair` or `/start`. */
  readonly text: string;
};

type People = Pick<Store, "bindings" | "codes" | "counters">;

/**
 * Compares the codes that were said with those that are live; slow on purpose, so it runs before the transaction that
 * decides on them. No more are hashed than may still be wrong before the codes are revoked; none while no code is live,
 * none in private of a sender who is locked out or paired, none for a text that cannot be one. A proof that is missing is
 * `unchecked`.
 */
export async function proveCodes(
  store: People,
  attempts: readonly Claimed[],
  now: Instant,
): Promise<ReadonlyMap<string, Proof>> {
  const proofs = new Map<string, Proof>(attempts.map(({ key }) => [key, "unchecked"]));
  if (attempts.length === 0) return proofs;
  const live = (await store.codes(now)).filter((code) => code.expiresAt > now);
  if (live.length === 0) return proofs;
  const bindings = await store.bindings();
  const failures = new Map<string, number>();
  for (const channel of new Set(attempts.map((attempt) => attempt.channel))) {
    const codes = live.filter((code) => code.channel === channel);
    let left = mostFailuresOfCode - Math.max(0, ...codes.map((code) => code.failures));
    const said = attempts.filter((each) => each.channel === channel);
    let next = 0;
    while (codes.length > 0 && left > 0 && next < said.length) {
      // So many that every one of them would be looked at, even if those before it are wrong.
      const together: Claimed[] = [];
      for (; next < said.length && together.length < Math.min(left, mostAtOnce); next += 1) {
        const attempt = said[next] as Claimed;
        const { sender } = attempt;
        if (attempt.private && isBound(bindings, attempt)) continue;
        if (!failures.has(whoOf(attempt))) {
          failures.set(whoOf(attempt), failuresOf(await store.counters(channel, sender), now));
        }
        const before = failures.get(whoOf(attempt)) ?? 0;
        const undecided = together.filter((each) => each.sender === sender).length;
        // A code that a group has read is revoked, whoever said it.
        if (attempt.private && before >= mostFailuresOfSender) continue;
        if (attempt.private && before + undecided >= mostFailuresOfSender) break;
        together.push(attempt);
      }
      const found = await Promise.all(
        together.map(({ sender, text }) =>
          prove(
            text,
            codes.filter(({ address }) => address === undefined || address === sender),
          ),
        ),
      );
      for (const [index, proof] of found.entries()) {
        const attempt = together[index] as Claimed;
        proofs.set(attempt.key, proof);
        if (proof !== "wrong") continue;
        left -= 1;
        failures.set(whoOf(attempt), (failures.get(whoOf(attempt)) ?? 0) + 1);
      }
    }
  }
  return proofs;
}

const whoOf = ({ channel, sender }: Claimed): string => `${channel}\n${sender}`;

function isBound(bindings: readonly Binding[], { channel, sender }: Claimed): boolean {
  return bindings.some((each) => each.channel === channel && each.address === sender);
}

async function prove(text: string, codes: readonly PairingCode[]): Promise<Proof> {
  const link = linkForm(text);
  const said = link ?? typedForm(text);
  if (said === undefined) return "wrong";
  let proof: Proof = "wrong";
  // Every code is compared, so that the time says nothing about which one it was.
  for (const { id, salt, codeHash, linkHash } of codes) {
    const wanted = Buffer.from(link === undefined ? codeHash : linkHash, "base64");
    const given = await hash(said, Buffer.from(salt, "base64"));
    if (given.length === wanted.length && timingSafeEqual(given, wanted)) proof = id;
  }
  return proof;
}

function hash(text: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(text, salt, hashBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
