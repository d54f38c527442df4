import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { bot, eric, furnish, issue, repository, shown, token } from "../github/desk.ts";
import { startGitHub } from "../github/server.ts";
import { afterwards, aHome, until } from "../homes.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

test("the built service pairs by a login, reads the comments, answers in them, and stops cleanly", async () => {
  const api = await startGitHub();
  afterwards(() => api.close());
  furnish(api);
  const home = aHome();
  const github = { token: "${OWL_TOKEN}", repository, issue, api_url: api.url };
  writeFileSync(
    join(home, "config.yaml"),
    JSON.stringify({ deliver: ["github"], channels: { inbox: { port: 0 }, github } }),
  );
  const env = { ...process.env, OWL_TOKEN: token, OWLPOST_AS: "" };
  const start = (...args: string[]) => spawn(process.execPath, [cli, ...args, "--home", home], { env });
  const run = async (...args: string[]): Promise<string> => {
    const command = start(...args);
    let said = "";
    for (const stream of [command.stdout, command.stderr]) {
      stream.on("data", (chunk) => {
        said += chunk;
      });
    }
    await new Promise((done) => command.on("close", done));
    return said;
  };
  const paired = await run(
    "pair",
    "--name",
    "eric",
    "--role",
    "owner",
    "--channel",
    "github",
    "--address",
    eric.login,
  );
  expect(paired).toContain("eric (owner) is paired on github: eric-gh, id 583231");
  const checked = await run("doctor");
  for (const words of [
    "a fine-grained token of owlpost-bot",
    "is private",
    "eric-gh (583231, admin) may answer",
  ]) {
    expect(checked).toContain(words);
  }
  const sample = join(import.meta.dirname, "../../config/samples/first-question.yaml");
  const { id } = JSON.parse(await run("ask", sample, "--json"));
  api.say(repository, issue, eric.login, `${id} 1`);
  const service = start("serve");
  let said = "";
  service.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((done) => service.on("exit", done));
  afterwards(() => void service.kill("SIGKILL"));
  await until(
    () =>
      api.comments(repository, issue).filter(({ login, body }) => login === bot.login && body.includes("↪")),
    ([receipt]) => receipt !== undefined && shown(receipt.body).includes("Answered: 1"),
  );
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(`${paired}${checked}${said}`).not.toContain(token);
});
