import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checks, neededScopes, settings } from "../../channels/slack.ts";
import { appToken, aSlack, botToken, eric, inTeam, nils, ops } from "../slack/phone.ts";

const given = (url: string, changes: Record<string, unknown> = {}) =>
  settings.parse({
    bot_token: botToken,
    app_token: appToken,
    channel: ops,
    allow: [inTeam(eric)],
    api_url: url,
    ...changes,
  });

describe("checks", () => {
  test("all is well: who the bot is, what it may do, and where; nothing is sent", async () => {
    const { slack } = await aSlack();
    const found = await checks(given(slack.url));
    expect(found.map(({ name, ok, warn }) => [name, ok, warn])).toEqual([
      ["bot token", true, undefined],
      ["scopes", true, undefined],
      ["app token", true, undefined],
      ["owners", true, undefined],
      [`channel ${ops}`, true, undefined],
    ]);
    expect(found[0]).toMatchObject({ bot: "owlpost", text: "valid: the bot is @owlpost in Nightjar" });
    expect(found[0]?.aheadMs).toBeLessThan(0);
    expect(slack.sockets.opened()).toBe(0);
    const methods = slack.calls.map(({ method }) => method);
    expect(methods).toEqual(["auth.test", "apps.connections.open", "conversations.history"]);
  });

  test.each(Object.keys(neededScopes))(
    "a missing scope (%s) is named, with what it is for",
    async (scope) => {
      const { slack } = await aSlack();
      slack.setScopes(
        botToken,
        Object.keys(neededScopes).filter((each) => each !== scope),
      );
      const found = (await checks(given(slack.url))).find(({ name }) => name === "scopes");
      expect(found?.text).toContain(`missing: ${scope} (`);
      expect(found?.text).toContain("slack-app.manifest.yaml");
      // Without names everything works.
      expect(found).toMatchObject(scope === "users:read" ? { ok: true, warn: true } : { ok: false });
    },
  );

  test("where questions go to private chats, what is for channels is only missed", async () => {
    const { slack } = await aSlack();
    slack.setScopes(botToken, ["chat:write", "im:write", "im:history", "users:read", "commands"]);
    const found = await checks(
      given(slack.url, { channel: undefined, allow: [inTeam(eric), inTeam("U0GONE")] }),
    );
    expect(found.map(({ name, ok, warn }) => [name, ok, warn])).toEqual([
      ["bot token", true, undefined],
      ["scopes", true, true],
      ["app token", true, undefined],
      ["owners", true, undefined],
      [`owner ${inTeam(eric)}`, true, undefined],
      [`owner ${inTeam("U0GONE")}`, false, undefined],
    ]);
  });

  test("somebody who left, and nobody at all", async () => {
    const { slack } = await aSlack();
    slack.workspace.person(nils).deleted = true;
    const left = await checks(given(slack.url, { channel: undefined, allow: [inTeam(nils)] }));
    expect(left.at(-1)).toMatchObject({ ok: false, text: expect.stringContaining("deactivated") });
    const none = await checks(given(slack.url, { allow: [] }));
    expect(none.find(({ name }) => name === "owners")).toMatchObject({
      ok: false,
      text: expect.stringContaining("owlpost pair"),
    });
  });

  test("a channel without the bot, an app token that may not connect, tokens in the wrong place: each says how to mend it", async () => {
    const { slack } = await aSlack();
    slack.addChannel("C0FAKEELSE", "elsewhere", [eric]);
    slack.setScopes(appToken, []);
    const found = await checks(given(slack.url, { channel: "C0FAKEELSE" }));
    expect(found.filter(({ ok }) => !ok)).toEqual([
      { name: "app token", ok: false, text: expect.stringContaining("App-Level Tokens") },
      { name: "channel C0FAKEELSE", ok: false, text: expect.stringContaining("/invite @owlpost") },
    ]);
    slack.addToken("xoxb-1-an-app-token-really", "app", ["connections:write"]);
    const swapped = await checks(given(slack.url, { bot_token: "xoxb-1-an-app-token-really" }));
    expect(swapped[0]).toMatchObject({ ok: false, text: expect.stringContaining("other kind of token") });
  });

  test("Socket Mode that is off, a token that is worth nothing, and a Slack that is not there", async () => {
    const { slack } = await aSlack();
    slack.sockets.disconnect("link_disabled");
    const off = await checks(given(slack.url));
    expect(off.find(({ name }) => name === "app token")).toMatchObject({
      ok: false,
      text: expect.stringContaining("Socket Mode is switched off"),
    });
    slack.revoke(botToken);
    const revoked = await checks(given(slack.url));
    expect(revoked[0]).toMatchObject({
      name: "bot token",
      ok: false,
      text: expect.stringContaining("not valid"),
    });
    await slack.down();
    const away = await checks(given(slack.url));
    expect(away.every(({ ok }) => !ok)).toBe(true);
    for (const { text } of [...off, ...revoked, ...away]) {
      expect(text).not.toContain(botToken);
      expect(text).not.toContain(appToken);
    }
  });
});

describe("settings", () => {
  const refusedBy = (changes: Record<string, unknown>) =>
    settings.safeParse({ bot_token: botToken, app_token: appToken, ...changes }).error?.issues[0]?.message;

  test.each([
    [{ bot_token: appToken }, "begins with xoxb-"],
    [{ app_token: botToken }, "begins with xapp-"],
    [{ channel: "#ops" }, "such as C0123"],
    [{ allow: ["U0FAKEERIC"] }, "such as T0123/U0456"],
    [{ api_url: "slack" }, "a URL"],
  ])("%o", (changes, words) => {
    expect(refusedBy(changes)).toContain(words);
  });

  test("a channel, a thread in it, and a rotated token are good", () => {
    for (const channel of ["C0123", "G0123", "C0123/1764445268.000200"])
      expect(refusedBy({ channel })).toBeUndefined();
    expect(refusedBy({ bot_token: "xoxe.xoxb-1-abcdefgh" })).toBeUndefined();
  });
});

describe("the app's manifest", () => {
  const path = join(import.meta.dirname, "../../config/slack-app.manifest.yaml");
  const manifest = parse(readFileSync(path, "utf8"));

  test("asks for just the scopes that are checked", () => {
    expect([...manifest.oauth_config.scopes.bot].sort()).toEqual(Object.keys(neededScopes).sort());
    expect(Object.keys(manifest.oauth_config.scopes)).toEqual(["bot"]);
  });

  test("subscribes to just the events that are read, each with its scope", () => {
    const scopeOf: Record<string, string> = {
      app_mention: "app_mentions:read",
      "message.channels": "channels:history",
      "message.groups": "groups:history",
      "message.im": "im:history",
    };
    const { bot_events: events } = manifest.settings.event_subscriptions;
    expect([...events].sort()).toEqual(Object.keys(scopeOf).sort());
    for (const event of events) expect(neededScopes).toHaveProperty([scopeOf[event] ?? ""]);
  });

  test("has what Socket Mode, forms, commands and private chats need, within Slack's lengths", () => {
    expect(manifest.settings).toMatchObject({
      socket_mode_enabled: true,
      interactivity: { is_enabled: true },
      token_rotation_enabled: false,
    });
    expect(manifest.features.app_home).toEqual({
      home_tab_enabled: false,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
    const [command] = manifest.features.slash_commands;
    expect(command.command).toBe("/owlpost");
    expect(manifest.features.slash_commands).toHaveLength(1);
    expect(manifest.display_information.name.length).toBeLessThanOrEqual(35);
    expect(manifest.display_information.description.length).toBeLessThanOrEqual(140);
    expect(manifest.features.bot_user.display_name.length).toBeLessThanOrEqual(80);
  });
});
