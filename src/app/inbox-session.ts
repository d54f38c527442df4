import { createHash, randomBytes } from "node:crypto";
import type { Instant } from "../domain/ids.ts";
import type { Store } from "../domain/store.ts";

const linkMs = 10 * 60_000;
const sessionMs = 30 * 24 * 3_600_000;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** How many wrong tokens a minute are looked at; further ones are turned away unread. */
export const wrongTokensPerMinute = 20;

type Tokens = Pick<Store, "addToken" | "useLink" | "hasSession">;

/** Of a token only this is stored. */
function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function mintToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * A fresh link to the local inbox: it opens one session, once, within 10 minutes. The token stands in the fragment,
 * which no browser sends to a server.
 */
export async function newLink(store: Tokens, port: number, now: Instant): Promise<string> {
  const token = mintToken();
  await store.addToken(hashToken(token), "link", now + linkMs);
  return `http://127.0.0.1:${port}/#token=${token}`;
}

export type Exchange =
  | { readonly ok: true; readonly session: string }
  | { readonly ok: false; readonly reason: "wrong" | "too-many" };

export type Sessions = {
  /** Uses up a link token for a session of 30 days. */
  exchange(link: unknown): Promise<Exchange>;
  /** Is this the value of an `Authorization` header that carries a living session? */
  admit(authorization: string | undefined): Promise<"yes" | "wrong" | "too-many">;
};

export function openSessions(store: Tokens, clock: () => Instant): Sessions {
  const wrong = wrongTokenCounter(clock);
  return {
    async exchange(link) {
      // Looked up before the counter is asked: nobody's wrong guesses may lock out a good link.
      const known =
        typeof link === "string" &&
        tokenPattern.test(link) &&
        (await store.useLink(hashToken(link), clock()));
      if (!known) {
        if (wrong.isFull()) return { ok: false, reason: "too-many" };
        wrong.count();
        return { ok: false, reason: "wrong" };
      }
      const session = mintToken();
      await store.addToken(hashToken(session), "session", clock() + sessionMs);
      return { ok: true, session };
    },
    async admit(authorization) {
      if (authorization === undefined) return "wrong";
      const token = /^Bearer ([A-Za-z0-9_-]{43})$/.exec(authorization)?.[1];
      // Looked up before the counter is asked: nobody's wrong guesses may lock out a living session.
      if (token !== undefined && (await store.hasSession(hashToken(token), clock()))) return "yes";
      if (wrong.isFull()) return "too-many";
      wrong.count();
      return "wrong";
    },
  };
}

function wrongTokenCounter(clock: () => Instant): { isFull(): boolean; count(): void } {
  let times: Instant[] = [];
  return {
    isFull() {
      const from = clock() - 60_000;
      times = times.filter((at) => at > from);
      return times.length >= wrongTokensPerMinute;
    },
    count() {
      times.push(clock());
    },
  };
}
