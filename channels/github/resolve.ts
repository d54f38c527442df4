import { ChannelError } from "../../src/domain/channel.ts";
import { type Access, connect } from "./line.ts";
import type { Account } from "./rest.ts";

/** Why a login names nobody who could answer. */
const refused = (reason: string, text: string): ChannelError =>
  new ChannelError(reason, `GitHub: ${text}`, { permanent: true, delivered: "no" });

/**
 * Whose name that is: the number of the account, which stays when the name is given up and taken by somebody else, and the
 * name as GitHub spells it. Rejects with a `ChannelError` where it is no person's.
 */
export async function resolveLogin(given: Access, typed: string) {
  const username = typed.trim().replace(/^@/, "");
  if (/^\d+$/.test(username)) {
    throw refused(
      "bad-login",
      `${username} looks like an account's number: give the login, as in github.com/LOGIN (a number goes into channels.github.allow)`,
    );
  }
  if (!/^[A-Za-z0-9][\w-]{0,99}$/.test(username)) {
    throw refused("bad-login", "that is no login: letters, digits and dashes, as in github.com/LOGIN");
  }
  const line = await connect(given, Date.now);
  try {
    const { data } = await line.call(AbortSignal.timeout(30_000), (api, until) =>
      api.request<Account>("GET /users/{username}", { username, ...until }),
    );
    if (data.type !== "User") {
      const what = data.type === "Organization" ? "an organization" : "a bot";
      throw refused("not-a-person", `${data.login} is ${what}, and only a person can be paired`);
    }
    return { address: String(data.id), login: data.login };
  } catch (error) {
    if (!(error instanceof ChannelError && error.reason === "not-found")) throw error;
    throw refused("no-such-login", `there is no account ${username}`);
  } finally {
    line.close();
  }
}
