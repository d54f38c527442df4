import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { afterwards } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, group, otherToken, token } from "../telegram/phone.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const config = (): string => readFileSync(join(desk.home, "config.yaml"), "utf8");

async function aBot() {
  const api = await startBotApi();
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(group, "nightjar ops");
  return api;
}

test("without a terminal and without --yes it is refused, and the flags are named", async () => {
  for (const line of [["init"], ["init", "--json"], ["init", "--zone", "UTC"]]) {
    const { exit, out, err } = await desk.run(line, { tty: line.includes("--json") });
    expect(exit).toBe(2);
    for (const flag of ["--zone", "--telegram-token-env", "--chat", "--airlock", "--project", "--yes"]) {
      expect(out + err).toContain(flag);
    }
  }
  expect(existsSync(desk.home)).toBe(false);
});

test("an agent sets nothing up", async () => {
  const { exit, json } = await desk.run(["init", "--yes", "--json"], { env: { OWLPOST_AS: "agent" } });
  expect([exit, json.reason, existsSync(desk.home)]).toEqual([3, "not-allowed", false]);
});

test("by flags alone: everything is tested, then written; doing it again writes nothing", async () => {
  const api = await aBot();
  const repository = join(desk.folder, "nightjar");
  mkdirSync(repository);
  spawnSync("git", ["init", "--quiet", repository]);
  const flags = [
    "--zone",
    "Europe/Berlin",
    "--telegram-token-env",
    "OWL_TOKEN",
    "--telegram-api-root",
    api.url,
  ];
  const line = ["init", ...flags, "--chat", String(group), "--airlock", "nightjar", "--yes"];
  const env = { OWL_TOKEN: token, PATH: process.env.PATH ?? "" };
  const { exit, json, err } = await desk.run([...line, "--json"], { env });
  const file = join(desk.home, "config.yaml");
  const airlock = join(repository, ".owlpost");
  expect([exit, err, json]).toEqual([
    0,
    "",
    { config: file, written: true, airlock, next: expect.stringMatching(/^owlpost /) },
  ]);
  expect(config()).toContain('token: "${OWL_TOKEN}"');
  expect(config()).toContain(`nightjar: ${airlock}`);
  expect(readFileSync(join(repository, ".git/info/exclude"), "utf8")).toContain("/.owlpost/\n");
  const before = config();
  const again = await desk.run(line, { env });
  expect([again.exit, again.out, config() === before, existsSync(`${file}.bak`)]).toEqual([
    0,
    "",
    true,
    false,
  ]);
  expect(again.err).toContain("stands there already");
});

test("a variable that is not set yet is named, and not tested", async () => {
  const { exit, json } = await desk.run(["init", "--telegram-token-env", "OWL_TOKEN", "--yes", "--json"]);
  expect([exit, json.written, json.next]).toEqual([0, true, "export OWL_TOKEN=…"]);
});

test.each([
  [["--zone", "Europe/Berln"], "did you mean Europe/Berlin?"],
  [["--zone", "berlin"], "did you mean Europe/Berlin?"],
  [["--zone", "new york"], "did you mean America/New_York?"],
  [["--zone", "europe/berlin"], "did you mean Europe/Berlin?"],
  [["--zone", ""], "such as Europe/Berlin"],
  [["--telegram-token-env", token], "never the token itself"],
  [["--telegram-token-env", "OWL_TOKEN", "--chat", "the barn"], "must be a chat's id"],
  [["--telegram-token-env", "OWL_TOKEN", "--telegram-api-root", "here"], "must be a URL"],
  [["--chat", "-1001"], "need --telegram-token-env"],
  [["--project", "nightjar"], "--airlock"],
  [["--airlock", "barn", "--project", "../barn"], "letters, digits"],
  [["--airlock", "home"], "meets the home"],
])("refused as written, and nothing is there: %j", async (flags, reason) => {
  const { exit, out, err } = await desk.run(["init", ...flags, "--yes"]);
  expect([exit, out, err]).toEqual([2, "", expect.stringContaining(reason)]);
  expect(err).not.toContain(token);
  expect(existsSync(desk.home)).toBe(false);
});

test("a token that Telegram refuses, and a chat that is not there, write nothing and are told in its words", async () => {
  const api = await aBot();
  const flags = ["--telegram-token-env", "OWL_TOKEN", "--telegram-api-root", api.url, "--yes"];
  const wrong = await desk.run(["init", ...flags], { env: { OWL_TOKEN: otherToken } });
  const chat = await desk.run(["init", ...flags, "--chat", "-1001"], { env: { OWL_TOKEN: token } });
  expect([wrong.exit, chat.exit, existsSync(desk.home)]).toEqual([2, 2, false]);
  expect(wrong.err).toContain("ask BotFather for the present one");
  expect(chat.err).toContain("there is no such chat");
  expect(wrong.err + chat.err).not.toMatch(/TEST-only/);
});

test("what the flags do not name stays, and two projects do not share an airlock", async () => {
  const kept = "zone: Asia/Tokyo # home\nlease: 5m\nairlocks: { barn: ~/barn/.owlpost }\n";
  mkdirSync(desk.home, { mode: 0o700 });
  writeFileSync(join(desk.home, "config.yaml"), kept);
  const place = ["--airlock", "barn/.owlpost"];
  const twin = await desk.run(["init", ...place, "--project", "shed", "--yes"]);
  expect([twin.exit, twin.err]).toEqual([
    2,
    expect.stringContaining("is the airlock of the project barn already"),
  ]);
  const { exit } = await desk.run(["init", "--airlock", "shed/.owlpost", "--yes"]);
  expect([exit, config()]).toEqual([
    0,
    kept.replace("owlpost }", `owlpost, shed: ${join(desk.folder, "shed", ".owlpost")} }`),
  ]);
});
