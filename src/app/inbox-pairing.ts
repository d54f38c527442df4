import type { Context } from "hono";
import { z } from "zod";
import type { Instant } from "../domain/ids.ts";
import type { Owlpost } from "./api.ts";
import { refuse } from "./inbox-guard.ts";
import type { MadeCode, PairedHere } from "./inbox-people.ts";
import { when } from "./inbox-verdict.ts";
import { qrPath } from "./qr.ts";

const request = z.strictObject({
  name: z.string().max(200),
  role: z.string().max(20),
  channel: z.string().max(64),
  /** The login or the address, where people are paired by that. */
  address: z.string().max(200).optional(),
});
const revocation = z.strictObject({ id: z.int().positive() });

type People = Pick<Owlpost, "pair" | "revoke">;

/** Pairs somebody, or makes a code, for the form of the page; its text goes into this answer and nowhere else. */
export async function answerPair(
  c: Context,
  body: unknown,
  owlpost: People,
  zone: string,
  now: () => Instant,
): Promise<Response> {
  const asked = request.safeParse(body);
  if (!asked.success) return refuse(c, 400, "bad-request", "That is no name, role and channel.");
  const { address: typed, ...who } = asked.data;
  const made = await owlpost.pair({ ...who, ...(typed === undefined ? {} : { address: typed }) });
  if (!made.ok) return refuse(c, 400, made.error, sentence(made.message));
  if (made.by === "login") {
    const { name, role, channel, login, address } = made;
    const paired: PairedHere = {
      paired: `${name} is paired on ${channel} as ${role}: ${login}, id ${address}.`,
    };
    return c.json(paired);
  }
  const { name, role, channel, code, say, bot, link, noLink, mailedTo, expiresAt } = made;
  const answer: MadeCode = {
    name,
    role,
    channel,
    code,
    say,
    ...(bot === undefined ? {} : { bot }),
    ...(link === undefined ? {} : { link, qr: await qrPath(link) }),
    ...(noLink === undefined ? {} : { noLink: sentence(noLink) }),
    ...(mailedTo === undefined ? {} : { mailedTo }),
    until: when(expiresAt, zone, now()),
  };
  return c.json(answer);
}

/** Takes away a binding or a code; `text` says what is so now. */
export async function answerRevoke(c: Context, body: unknown, owlpost: People): Promise<Response> {
  const asked = revocation.safeParse(body);
  if (!asked.success) return refuse(c, 400, "bad-request", "That is no number of a binding or a code.");
  const revoked = await owlpost.revoke(asked.data.id, "inbox");
  if (!revoked.ok) return refuse(c, 404, "no-such-binding", "That was revoked or used up already.");
  const { was, person, channel, lastOwner, stillAllowed } = revoked;
  const text = [
    was === "code"
      ? `The code for ${person.name} on ${channel} can no longer be used.`
      : `${person.name} is not known on ${channel} any more.`,
    stillAllowed && "That id still stands in the allow list of the configuration, and so remains an owner.",
    lastOwner && "That was the last owner: nobody may decide everything from a channel now.",
  ];
  return c.json({ text: text.filter(Boolean).join(" ") });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
