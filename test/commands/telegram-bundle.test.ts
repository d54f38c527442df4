import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { compileFunction } from "node:vm";
import { expect, test } from "vitest";
import { afterwards, aHome, until } from "../homes.ts";
import { aBotApi, eric, token } from "../telegram/phone.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");

test("the built service polls Telegram, posts what was asked, and stops cleanly", async () => {
  const { api } = await aBotApi();
  const home = aHome();
  const telegram = { token: "${OWL_TOKEN}", allow: [eric], api_root: api.url };
  writeFileSync(
    join(home, "config.yaml"),
    JSON.stringify({ deliver: ["telegram"], channels: { inbox: { port: 0 }, telegram } }),
  );
  const env = { ...process.env, OWL_TOKEN: token, OWLPOST_AS: "" };
  const run = (...args: string[]) => spawn(process.execPath, [cli, ...args, "--home", home], { env });
  const service = run("serve");
  let said = "";
  service.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((done) => service.on("exit", done));
  afterwards(() => void service.kill("SIGKILL"));
  await until(
    () => api.isPolled(token) || said.includes("ENOENT"),
    (held) => held,
  );
  const asked = run("ask", join(import.meta.dirname, "../../config/samples/first-question.yaml"));
  await new Promise((done) => asked.on("exit", done));
  await until(
    () => api.messages(eric).length,
    (count) => count === 1,
  );
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(said).not.toContain(token);
});

test("its client brings no second one along: what it would send with is never asked, and holds 3 MB", () => {
  const requireAtCli = createRequire(cli);
  const asked: string[] = [];
  const load = (id: string): unknown => {
    asked.push(id);
    return requireAtCli(id);
  };
  const source = readFileSync(join(dirname(cli), "vendor", "grammy.js"), "utf8");
  const module: { exports: { Api?: new (token: string, options: object) => object } } = { exports: {} };
  compileFunction(source, ["exports", "require", "module"])(module.exports, load, module);
  const { Api } = module.exports;
  expect(Api && new Api(token, { fetch: () => undefined })).toBeDefined();
  expect(asked.filter((id) => id.startsWith("./vendor/"))).toEqual([]);
});
