import { timingSafeEqual } from "node:crypto";
import type { ChannelTools } from "../../src/domain/channel.ts";
import { type QuestionId, questionId } from "../../src/domain/ids.ts";

/** RFC 5321: longer local parts are refused on the way. */
const mostLocalBytes = 64;
/** 80 bits, the least that a token may be cut to. */
const leastTokenCharacters = 16;

type Sign = ChannelTools["sign"];

/**
 * Where the reply of one recipient to one question goes: `<local>+<question>.<token>@<domain>`. The token is cut to no less
 * than 80 bits, and then the question's id is left out, where the local part would be longer than 64 bytes.
 */
export function replyAddress(ours: string, question: QuestionId, recipient: string, sign: Sign): string {
  const { local, domain } = partsOf(ours);
  const token = sign("reply", question, recipient.toLowerCase());
  const before = `${local}+${question}.`;
  const room = mostLocalBytes - before.length;
  const tail = room >= leastTokenCharacters ? `${question}.${token.slice(0, room)}` : token;
  return `${local}+${tail}@${domain}`;
}

/** What stands behind the `+` of our own address. `question` is absent where the address had no room for it. */
export type Tagged = { readonly question?: QuestionId; readonly token: string };

/** Reads what `replyAddress` wrote, in any case; undefined for every other address. Proves nothing. */
export function readReplyAddress(address: string, ours: string): Tagged | undefined {
  const { local, domain } = partsOf(ours.toLowerCase());
  const folded = address.toLowerCase();
  if (!folded.startsWith(`${local}+`) || !folded.endsWith(`@${domain}`)) return undefined;
  const tag = folded.slice(local.length + 1, -domain.length - 1);
  const [, id, token] = /^(?:(q-[a-z0-9-]{1,60})\.)?([a-z2-7]{16,64})$/.exec(tag) ?? [];
  if (token === undefined) return undefined;
  const question = questionId(id ?? "");
  return id !== undefined && !question ? undefined : { ...(question ? { question } : {}), token };
}

/** Is this the very address that we gave to that recipient for that question? Compared in constant time. */
export function isReplyAddress(
  address: string,
  ours: string,
  question: QuestionId,
  recipient: string,
  sign: Sign,
): boolean {
  const given = Buffer.from(address.toLowerCase());
  const wanted = Buffer.from(replyAddress(ours, question, recipient, sign).toLowerCase());
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function partsOf(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf("@");
  return { local: address.slice(0, at), domain: address.slice(at + 1) };
}
