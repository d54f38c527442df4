import { ChannelError, type Check } from "../../src/domain/channel.ts";
import { placeOf } from "./places.ts";
import { SlackRefusal } from "./refusals.ts";
import { connect, type Tokens } from "./web.ts";

/** What the app must be allowed to do, and what for: `config/slack-app.manifest.yaml` asks for just these. */
export const neededScopes = {
  "chat:write": "to post and edit questions",
  "im:write": "to open a private chat with each owner",
  "im:history": "to hear what is written to the bot in private",
  "channels:history": "to hear replies in the threads of public channels",
  "groups:history": "to hear replies in the threads of private channels",
  "app_mentions:read": "to hear who mentions the bot",
  "users:read": "to show who answered by name",
  commands: "for /owlpost",
} as const;

/** Only where questions go to a channel. */
const channelScopes: ReadonlySet<string> = new Set([
  "channels:history",
  "groups:history",
  "app_mentions:read",
]);

export type CheckedSettings = Tokens & {
  readonly channel?: string | undefined;
  readonly allow: readonly string[];
};

const withinMs = 15_000;
const checkMs = 30_000;
const nobodyText =
  "nobody may answer: pair somebody (owlpost pair --name NAME --role owner --channel slack), or put Slack ids of owners into channels.slack.allow, such as [T0123/U0456]";

/** Which settings are right, as far as Slack can tell; nothing is changed and nothing is sent to anybody. */
export async function checks(given: CheckedSettings): Promise<readonly Check[]> {
  let aheadMs = Number.NaN;
  const web = await connect(given, (date) => {
    aheadMs = Date.parse(date) - Date.now();
  });
  const options = { signal: AbortSignal.timeout(checkMs), withinMs };
  const found: Check[] = [];
  const check = async (name: string, look: () => Promise<Omit<Check, "name" | "ok">>): Promise<boolean> => {
    try {
      found.push({ name, ok: true, ...(await look()) });
      return true;
    } catch (error) {
      const text = error instanceof ChannelError ? error.message : "an unexpected error";
      found.push({ name, ok: false, text });
      return false;
    }
  };
  try {
    let scopes: readonly string[] | undefined;
    const known = await check("bot token", async () => {
      const me = await web.call<{ user?: string; team?: string }>("auth.test", {}, options);
      scopes = me.response_metadata?.scopes;
      const { user = "", team = "" } = me;
      return {
        text: `valid: the bot is @${user} in ${team}`,
        bot: user,
        ...(Number.isNaN(aheadMs) ? {} : { aheadMs }),
      };
    });
    if (known && scopes) {
      const granted = new Set(scopes);
      await check("scopes", async () => scopesText(granted, given.channel !== undefined));
    }
    await check("app token", async () => {
      await web.connectUrl(options);
      return { text: "valid: Socket Mode gives a line" };
    });
    if (!known) return found;
    await check("owners", async () => {
      if (given.allow.length === 0) throw new ChannelError("nobody-allowed", nobodyText);
      return { text: `${given.allow.length} may answer` };
    });
    const { channel } = given.channel === undefined ? {} : placeOf(given.channel);
    if (channel !== undefined) {
      await check(`channel ${channel}`, async () => {
        await web.call("conversations.history", { channel, limit: 1 }, options);
        return { text: "can be read: the bot is in it" };
      });
      return found;
    }
    for (const address of given.allow) {
      await check(`owner ${address}`, async () => personText(await person(address)));
    }
    return found;
  } finally {
    await web.close();
  }

  async function person(address: string): Promise<Person | undefined> {
    const { person: user = "" } = placeOf(address);
    try {
      return (await web.call<{ user?: Person }>("users.info", { user }, options)).user ?? {};
    } catch (error) {
      // Without users:read nobody can be looked up, and questions arrive all the same.
      if (error instanceof SlackRefusal && error.reason === "missing-scope") return undefined;
      throw error;
    }
  }
}

type Person = { readonly name?: string; readonly deleted?: boolean; readonly is_bot?: boolean };

function personText(person: Person | undefined): Omit<Check, "name" | "ok"> {
  if (!person) return { warn: true, text: "cannot be looked up without the scope users:read" };
  if (person.deleted) throw new ChannelError("no-such-person", "Slack: that account is deactivated");
  if (person.is_bot) throw new ChannelError("no-such-person", "Slack: that is a bot; only people answer");
  return { text: person.name === undefined ? "known" : `known as ${person.name}` };
}

function scopesText(granted: ReadonlySet<string>, inChannel: boolean): Omit<Check, "name" | "ok"> {
  const missing = Object.entries(neededScopes).filter(([scope]) => !granted.has(scope));
  const isOptional = (scope: string): boolean =>
    scope === "users:read" || (!inChannel && channelScopes.has(scope));
  if (missing.length === 0) return { text: "all that are needed" };
  const list = missing.map(([scope, why]) => `${scope} (${why})`).join(", ");
  const text = `missing: ${list}. Paste config/slack-app.manifest.yaml into the app's settings, then install it again`;
  if (missing.every(([scope]) => isOptional(scope))) return { warn: true, text };
  throw new ChannelError("missing-scope", text);
}
