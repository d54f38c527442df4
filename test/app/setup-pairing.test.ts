import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { pairOwner } from "../../src/app/setup-pairing.ts";
import { afterwards, aHome, aService, until } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, token } from "../telegram/phone.ts";
import { aPerson, enter, type Step, stop } from "./setup-person.ts";

/** A home that is configured for Telegram, where nobody may answer yet. */
async function aPlace() {
  const home = aHome();
  const api = await startBotApi();
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  const telegram = { token: "${OWL_TOKEN}", api_root: api.url };
  writeFileSync(join(home, "config.yaml"), JSON.stringify({ channels: { inbox: { port: 0 }, telegram } }));
  const env = { OWL_TOKEN: token, USER: "eric" };
  const pair = async (script: readonly Step[], changed = false) => {
    const person = aPerson(script);
    const paired = await pairOwner({ home, env, prompts: person, changed });
    return { paired, person, shown: person.shown.join("\n") };
  };
  const people = async () => {
    const loaded = await loadConfig(home, env);
    if (!loaded.ok) throw new Error("no configuration");
    const owlpost = await openOwlpost({ home, config: loaded.config });
    const found = await owlpost.people();
    await owlpost.close();
    return { ...found, config: loaded.config };
  };
  return { home, api, pair, people };
}

const codeIn = (shown: readonly string[]): string =>
  /\/start ([A-Z2-9]{8})/.exec(shown.join("\n"))?.[1] ?? "no code";

test("without a service: received here, bound, welcomed, and the name is asked until it is one", async () => {
  const { home, api, pair, people } = await aPlace();
  const { paired, shown } = await pair([
    [/Until then nobody may answer/, enter],
    [/owner called/, "owner"],
    [/owner called/, enter],
    [
      /Waiting for eric/,
      (lines) => void api.say(token, { chat: eric, from: eric, text: `/start ${codeIn(lines)}` }),
    ],
  ]);
  expect(paired).toBe("done");
  expect(shown).toContain("that is a role");
  expect(shown).toContain("https://t.me/owlpost_nightjar_bot?start=");
  expect(shown).toContain(`eric is paired as owner (id ${eric})`);
  const { bindings, codes } = await people();
  expect(bindings).toMatchObject([
    { person: { name: "eric", role: "owner" }, channel: "telegram", address: String(eric) },
  ]);
  expect(codes).toEqual([]);
  expect(api.messages(eric).map(({ text }) => text)).toEqual([expect.stringContaining("Welcome, eric")]);
  const again = await pair([[/On Telegram eric may answer. Pair another owner/, enter]]);
  expect([again.paired, again.shown.includes("/start")]).toEqual(["later", false]);
  // Neither the code nor the token is anywhere in the log.
  const logs = readdirSync(join(home, "logs")).map((name) => readFileSync(join(home, "logs", name), "utf8"));
  expect(logs.join("")).not.toMatch(new RegExp(`${token.slice(11)}|${codeIn([shown])}`));
  expect(statSync(join(home, "owlpost.db")).mode & 0o077).toBe(0);
});

test("with a service that runs: it hears the code, and one with the configuration of before is named", async () => {
  const { home, api, pair, people } = await aPlace();
  const { config } = await people();
  await aService({ home, config });
  const { paired, shown } = await pair(
    [
      [/Pair the phone/, enter],
      [/owner called/, "Eric"],
      [
        /Waiting for Eric/,
        (lines) => void api.say(token, { chat: eric, from: eric, text: `/start ${codeIn(lines)}` }),
      ],
    ],
    true,
  );
  expect(paired).toBe("done");
  expect(shown).toContain("stop it and start it again");
  await until(
    () => api.messages(eric).length,
    (count) => count === 1,
  );
});

test("stopped while it waits: the code is worth nothing any more", async () => {
  const { api, pair, people } = await aPlace();
  const { paired, shown } = await pair([
    [/Pair the phone/, enter],
    [/owner called/, enter],
    [/Waiting/, stop],
  ]);
  expect([paired, (await people()).codes]).toEqual(["stopped", []]);
  await until(
    () => api.isPolled(token),
    (held) => !held,
  );
  expect(codeIn([shown])).toMatch(/^[A-Z2-9]{8}$/);
});
