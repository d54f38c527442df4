import { ChannelError } from "../../src/domain/channel.ts";
import type { Settings } from "./settings.ts";

type OAuth = NonNullable<Settings["oauth"]>;

export type Tokens = {
  /** An access token that should still be good. Rejects with a `ChannelError`. */
  current(signal: AbortSignal): Promise<string>;
  /** A server refused that one: the next is fetched anew, where it can be. */
  refused(token: string): void;
};

/** Renewed so long before it runs out. */
const earlyMs = 60_000;
const defaultLifeMs = 50 * 60_000;
const fetchMs = 10_000;

const words =
  "the access token could not be renewed: look at channels.email.oauth, and give consent again where it was withdrawn";

/** Access tokens of OAuth2, for both servers: a fixed one, or one that is renewed by its refresh token. */
export function openTokens(given: OAuth, now: () => number): Tokens {
  const { access_token: fixed, client_id, client_secret, refresh_token, token_url } = given;
  const canRenew = client_id !== undefined && refresh_token !== undefined && token_url !== undefined;
  let held = fixed === undefined ? undefined : { token: fixed, untilAt: Number.POSITIVE_INFINITY };
  let renewing: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: client_id ?? "",
      refresh_token: refresh_token ?? "",
      ...(client_secret === undefined ? {} : { client_secret }),
    });
    const signal = AbortSignal.timeout(fetchMs);
    // Nobody knows what an error of the endpoint holds: only its status is told.
    const answer = await fetch(token_url ?? "", { method: "POST", body, signal }).catch(() => undefined);
    const told = (await answer?.json().catch(() => undefined)) as
      | { access_token?: unknown; expires_in?: unknown }
      | undefined;
    if (!answer?.ok || typeof told?.access_token !== "string") {
      const status = answer === undefined ? "no answer" : `status ${answer.status}`;
      throw new ChannelError("login-refused", `Mail: ${words} (${status})`, { delivered: "no" });
    }
    const lifeMs = typeof told.expires_in === "number" ? told.expires_in * 1_000 : defaultLifeMs;
    held = { token: told.access_token, untilAt: now() + Math.max(lifeMs - earlyMs, earlyMs) };
    return held.token;
  }

  return {
    async current(signal) {
      signal.throwIfAborted();
      if (held && now() < held.untilAt) return held.token;
      if (!canRenew) {
        if (fixed !== undefined) return fixed;
        throw new ChannelError("login-refused", `Mail: ${words}`, { delivered: "no" });
      }
      // Both servers ask at the same time.
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
    refused(token) {
      if (canRenew && held?.token === token) held = undefined;
    },
  };
}
