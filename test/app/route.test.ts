import { expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { placesOf, routesOf } from "../../src/app/route.ts";
import { aConfig } from "../builders.ts";
import { afterwards, aHome } from "../homes.ts";

const telegram = (settings: object) =>
  routesOf(aConfig({ deliver: ["telegram"], channels: { inbox: { port: 0 }, telegram: { ...settings } } }));

test("a page is in one place; a chat goes before the private chats of the owners, each once", () => {
  expect(routesOf(aConfig({ deliver: ["inbox"] }))).toEqual([{ channel: "inbox", destination: "local" }]);
  expect(telegram({ allow: [42, "43", 42] }).map(({ destination }) => destination)).toEqual(["42", "43"]);
  expect(telegram({ allow: [42], chat: "-1001234/44" })).toEqual([
    { channel: "telegram", destination: "-1001234/44" },
  ]);
});

test("where nobody is known, the place has a named recipient", () => {
  const place = (ntfy: Record<string, unknown>) =>
    placesOf(
      aConfig({ deliver: ["ntfy", "telegram"], channels: { ntfy, telegram: { name: "no setting" } } }),
    );
  expect(place({}).map(({ recipient }) => recipient)).toEqual(["ntfy", undefined]);
  expect(place({ name: "eric" })[0]).toMatchObject({
    channel: "ntfy",
    chats: "one",
    recipient: "eric",
    allow: [],
  });
});

test("whether a channel rings is what its row says", async () => {
  const config = aConfig({
    deliver: ["telegram", "inbox"],
    channels: { inbox: { port: 0 }, telegram: { allow: [42] } },
  });
  const owlpost = await openOwlpost({ home: aHome(), config });
  afterwards(() => owlpost.close());
  const { channels } = await owlpost.status();
  expect(channels.map(({ channel, rings }) => [channel, rings])).toEqual([
    ["telegram", true],
    ["inbox", false],
  ]);
});
