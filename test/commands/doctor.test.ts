import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, token } from "../telegram/phone.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

async function configured(known: boolean) {
  const api = await startBotApi();
  if (known) api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  await desk.run(["pending"]);
  const telegram = { token, allow: [eric], api_root: api.url };
  writeFileSync(
    join(desk.home, "config.yaml"),
    JSON.stringify({ zone: "Europe/Berlin", channels: { inbox: { port: 0 }, telegram } }),
  );
  return api;
}

test("a line for each check; warnings alone are exit 0", async () => {
  const api = await configured(true);
  const { exit, out, err } = await desk.run(["doctor"]);
  await api.close();
  expect(exit).toBe(0);
  expect(out).toContain("ok    telegram token: valid: the bot is @owlpost_nightjar_bot\n");
  expect(out).toContain("warn  service: is not running");
  for (const line of out.trim().split("\n")) expect(line).toMatch(/^(ok {2}|warn|fail) {2}\S[^:]*: \S/);
  expect(err).toBe("Nothing is broken, 1 to look at.\n");
});

test("what failed makes exit 1, in JSON too, and no secret is told", async () => {
  const api = await configured(false);
  const { exit, out, err, json } = await desk.run(["doctor", "--json"]);
  const people = await desk.run(["doctor"]);
  await api.close();
  expect([exit, err, json.ok]).toEqual([1, "", false]);
  expect(json.checks).toContainEqual({
    about: "telegram token",
    level: "fail",
    text: expect.stringContaining("ask BotFather for the present one"),
  });
  expect([people.exit, people.err]).toEqual([1, "1 to mend, 1 to look at.\n"]);
  expect(out + people.out).not.toContain(token.slice(11));
});

test("a configuration that is refused is a failed check, not a refusal", async () => {
  await desk.run(["pending"]);
  writeFileSync(join(desk.home, "config.yaml"), "zoen: Europe/Berlin\n");
  const { exit, json } = await desk.run(["doctor", "--json"]);
  expect([exit, json.ok]).toEqual([1, false]);
  expect(JSON.stringify(json.checks)).toContain("did you mean zone?");
});
