import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { afterwards, aHome, until } from "../homes.ts";
import { appToken, aSlack, botToken, eric, inTeam, ops } from "../slack/phone.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

test("the built owlpost checks Slack, serves it, posts what was asked, hears the answer, and stops cleanly", async () => {
  const { slack } = await aSlack({ patient: true });
  const home = aHome();
  const settings = {
    bot_token: "${OWL_BOT}",
    app_token: "${OWL_APP}",
    channel: ops,
    allow: [inTeam(eric)],
    api_url: slack.url,
  };
  writeFileSync(
    join(home, "config.yaml"),
    JSON.stringify({ deliver: ["slack"], channels: { inbox: { port: 0 }, slack: settings } }),
  );
  const env = { ...process.env, OWL_BOT: botToken, OWL_APP: appToken, OWLPOST_AS: "" };
  let said = "";
  const run = (...args: string[]) => {
    const child = spawn(process.execPath, [cli, ...args, "--home", home], { env });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
    afterwards(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((done) => child.on("exit", done));
    return { child, ended };
  };

  await run("doctor").ended;
  expect(said).toContain("valid: the bot is @owlpost in Nightjar");
  expect(said).toContain("Socket Mode gives a line");
  expect(said).toContain("can be read: the bot is in it");
  const { child, ended } = run("serve");
  await until(slack.sockets.live, (lines) => lines === 1);
  const sample = join(import.meta.dirname, "../../config/samples/first-question.yaml");
  await run("ask", sample).ended;
  const room = slack.workspace.room(ops);
  const [question] = await until(
    () => room.messages,
    ({ length }) => length === 1,
  );
  if (!question) throw new Error("no question");
  slack.people.taps(eric, question, ({ value }) => value.endsWith("|1"));
  await until(
    () => question.versions.at(-1) ?? "",
    (text) => text.includes("✅ Answered: 1"),
  );
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(slack.misuses()).toEqual([]);
  expect(said).not.toContain(botToken);
  expect(said).not.toContain(appToken);
});
