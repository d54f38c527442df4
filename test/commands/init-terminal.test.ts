import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { afterwards, aHome } from "../homes.ts";
import { startBotApi } from "../telegram/bot-api.ts";
import { eric, group, otherToken, token } from "../telegram/phone.ts";
import { aTerminal, keys } from "./terminal.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

/** A home that is not there yet, a git repository, and a Bot API server that knows one bot. */
async function aPlace() {
  const folder = aHome();
  const home = join(folder, "home");
  const repository = join(folder, "night jar");
  mkdirSync(repository);
  spawnSync("git", ["init", "--quiet", repository]);
  const api = await startBotApi();
  afterwards(() => api.close());
  api.addBot(token, "owlpost_nightjar_bot");
  api.addPerson(eric, "Eric");
  api.addGroup(group, "nightjar ops");
  const env = { HOME: folder, OWLPOST_HOME: home, TZ: "Europe/Berlin" };
  return { folder, home, repository, api, env, file: join(home, "config.yaml") };
}

/** What `owlpost doctor` says. The Bot API server lives in this process, so it must not be blocked. */
async function examined(env: Readonly<Record<string, string>>): Promise<unknown[]> {
  const path = { PATH: process.env.PATH };
  const doctor = spawn(process.execPath, [cli, "doctor", "--json"], { env: { ...path, ...env } });
  let out = "";
  doctor.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  await new Promise((done) => doctor.on("close", done));
  return JSON.parse(out).checks;
}

test("a person at a terminal: a wrong token, the right one, the group, the repository, the file, and doctor agrees", async () => {
  const { home, repository, api, env, file } = await aPlace();
  const terminal = aTerminal(["init", "--telegram-api-root", api.url], { env, cwd: repository });
  await terminal.when("Which time zone", `Berln${keys.enter}`);
  await terminal.when("did you mean Europe/Berlin?", `${"\u007f".repeat(5)}${keys.enter}`);
  await terminal.when("ring a phone", keys.enter);
  await terminal.when("The bot's token", `nonsense${keys.enter}`);
  await terminal.when("as BotFather gives it", `${otherToken}${keys.enter}`);
  await terminal.when("ask BotFather for the present one");
  await terminal.when("Enter alone tries the same one again", `${token}${keys.enter}`);
  await terminal.when("valid: the bot is @owlpost_nightjar_bot");
  await terminal.when("Where does the token itself live?", `${keys.down}${keys.enter}`);
  await terminal.when("Where do questions go?", `${keys.down}${keys.enter}`);
  await terminal.when("The group's id", `${group}${keys.enter}`);
  await terminal.when("can be reached (supergroup)");
  await terminal.when("inside it", keys.enter);
  await terminal.when("What is the project called?", keys.enter);
  await terminal.when("Write this file?");
  expect(existsSync(home)).toBe(false);
  await terminal.when("", keys.enter);
  await terminal.when("Pair the phone", keys.enter);
  await terminal.when("owner called", `eric${keys.enter}`);
  await terminal.when("Waiting for eric");
  const [, code] = /\/start ([A-Z2-9]{8})/.exec(terminal.all()) ?? [];
  api.say(token, { chat: eric, from: eric, text: `/start ${code}` });
  await terminal.when(`eric is paired as owner (id ${eric})`);
  await terminal.when("Next: owlpost serve");
  const exit = await terminal.ended;
  expect(exit).toBe(0);

  for (const secret of [token, otherToken, "nonsense"]) expect(terminal.raw()).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, "secrets.env"), "utf8")).toBe(`TELEGRAM_BOT_TOKEN=${token}\n`);
  expect(readFileSync(join(repository, ".git/info/exclude"), "utf8")).toMatch(/\n\/\.owlpost\/\n$/);
  const checks = await examined(env);
  expect(checks).toContainEqual({
    about: "telegram token",
    level: "ok",
    text: "valid: the bot is @owlpost_nightjar_bot",
  });
  expect(checks).toContainEqual({
    about: `telegram chat ${group}`,
    level: "ok",
    text: "can be reached (supergroup)",
  });
  expect(readFileSync(file, "utf8")).toContain(`night-jar: ${repository}/.owlpost`);
}, 60_000);

test("Ctrl-C while the code is waited for: the file stands, nobody is paired, exit 2", async () => {
  const { folder, api, env, file } = await aPlace();
  const terminal = aTerminal(
    ["init", "--zone", "UTC", "--telegram-token-env", "OWL_TOKEN", "--telegram-api-root", api.url],
    {
      env: { ...env, OWL_TOKEN: token },
      cwd: folder,
    },
  );
  await terminal.when("Use the token that OWL_TOKEN holds?", keys.enter);
  await terminal.when("Where do questions go?", keys.enter);
  await terminal.when("Write this file?", keys.enter);
  await terminal.when("Pair the phone", keys.enter);
  await terminal.when("owner called", keys.enter);
  await terminal.when("Waiting for", keys.stop);
  expect(await terminal.ended).toBe(2);
  const last = terminal.all().trim().split("\n").at(-1);
  expect(last).toContain(
    `owlpost: Stopped; ${file} is written, and nobody was paired: owlpost pair --name NAME`,
  );
}, 60_000);

test("Ctrl-C in a question and in a spinner: one line, exit 2, nothing is there", async () => {
  const { home, folder, api, env } = await aPlace();
  for (const inSpinner of [false, true]) {
    api.fail({ method: "getMe", how: "hang", times: 1 });
    const terminal = aTerminal(["init", "--zone", "UTC", "--telegram-api-root", api.url], {
      env,
      cwd: folder,
    });
    await terminal.when("ring a phone", inSpinner ? keys.enter : keys.stop);
    if (inSpinner) {
      await terminal.when("The bot's token", `${token}${keys.enter}`);
      await terminal.when("Asking Telegram", keys.stop);
    }
    expect(await terminal.ended).toBe(2);
    expect(terminal.all().trim().split("\n").at(-1)).toBe("owlpost: Stopped; everything is as it was.");
    expect(existsSync(home)).toBe(false);
    // The cursor is given back.
    expect(terminal.raw().lastIndexOf("\u001b[?25h")).toBeGreaterThan(
      terminal.raw().lastIndexOf("\u001b[?25l"),
    );
  }
}, 60_000);

test("a terminal that does not know its width shows whole lines", async () => {
  const { env, folder, home } = await aPlace();
  const terminal = aTerminal(["init", "--claude-code"], { env, cwd: folder, columns: 0 });
  await terminal.when("Write it? Everything else in the file stays.", keys.stop);
  expect(terminal.all()).toContain('"matcher": "AskUserQuestion"');
  expect(await terminal.ended).toBe(2);
  expect(existsSync(home)).toBe(false);
}, 30_000);

test("no other command loads the prompts: the build asked questions, and V8 was never shown them", () => {
  const vendor = resolve(cli, "../vendor");
  expect(existsSync(join(vendor, "yaml.js.cache"))).toBe(true);
  expect(existsSync(join(vendor, "clack-prompts.js"))).toBe(true);
  expect(existsSync(join(vendor, "clack-prompts.js.cache"))).toBe(false);
});
