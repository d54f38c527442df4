import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { SlackServer } from "./slack-server.ts";
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

type Manifest = {
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: { readonly event_subscriptions: { readonly bot_events: readonly string[] } };
};

/** The app as its manifest makes it: no test passes with more than it asks for. */
export function readManifest(): { readonly scopes: readonly string[]; readonly events: readonly string[] } {
  const path = join(import.meta.dirname, "../../config/slack-app.manifest.yaml");
  const { oauth_config: oauth, settings } = parse(readFileSync(path, "utf8")) as Manifest;
  return { scopes: oauth.scopes.bot, events: settings.event_subscriptions.bot_events };
}

/** The app, the people and the rooms. */
export function settle(slack: SlackServer): void {
  const { scopes, events } = readManifest();
  slack.addToken(botToken, "bot", scopes);
  slack.subscribe(events);
  slack.addToken(appToken, "app", ["connections:write"]);
  slack.addPerson(eric, "eric", { shown: "Eric", realName: "Eric Fake" });
  slack.addPerson(mara, "mara", { shown: "Mara", realName: "Mara Fake" });
  slack.addPerson(nils, "nils", { shown: "", realName: "Nils Fake" });
  slack.addChannel(ops, "nightjar-ops", [eric, mara, nils, botUser]);
}
