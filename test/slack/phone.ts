import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { aClock, afterwards } from "../homes.ts";
import { type SlackServer, startSlack } from "./slack-server.ts";
import { botUser, team } from "./workspace.ts";

export const botToken = "xoxb-7000000001-TEST-only-not-a-token";
export const appToken = "xapp-1-A0FAKEOWL1-TEST-only-not-a-token";
export const eric = "U0FAKEERIC";
export const mara = "U0FAKEMARA";
/** Somebody of the team whom nobody has paired. */
export const nils = "U0FAKENILS";
export const ops = "C0FAKEOPS1";
/** As the configuration names a person. */
export const inTeam = (user: string): string => `${team}/${user}`;

/** The app as its manifest makes it: no test passes with more than it asks for. */
const manifest = parse(
  readFileSync(join(import.meta.dirname, "../../config/slack-app.manifest.yaml"), "utf8"),
) as {
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: { readonly event_subscriptions: { readonly bot_events: readonly string[] } };
};
export const scopes = manifest.oauth_config.scopes.bot;

/** A team with the app installed, three people, and a channel where all of them and the bot are. */
export async function aSlack(
  options: Omit<NonNullable<Parameters<typeof startSlack>[0]>, "now"> = {},
): Promise<{ readonly slack: SlackServer; readonly clock: ReturnType<typeof aClock> }> {
  const clock = aClock(Date.parse("2025-11-29T19:45:08Z"));
  const slack = await startSlack({ ...options, now: clock.now });
  afterwards(() => slack.close());
  settle(slack);
  return { slack, clock };
}

/** The people and the rooms. */
export function settle(slack: SlackServer): void {
  slack.addToken(botToken, "bot", scopes);
  slack.subscribe(manifest.settings.event_subscriptions.bot_events);
  slack.addToken(appToken, "app", ["connections:write"]);
  slack.addPerson(eric, "eric", { shown: "Eric", realName: "Eric Fake" });
  slack.addPerson(mara, "mara", { shown: "Mara", realName: "Mara Fake" });
  slack.addPerson(nils, "nils", { shown: "", realName: "Nils Fake" });
  slack.addChannel(ops, "nightjar-ops", [eric, mara, nils, botUser]);
}
