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
  const listed = join(home, "read");
  const service = spawn(
    process.execPath,
    ["--require", listReads(home, listed), cli, "serve", "--home", home],
    {
      env,
    },
  );
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
  // What else it reads, it holds in memory for good.
  expect(codeIn(listed)).toEqual([
    "channel-inbox.js",
    "channel-telegram.js",
    "cli.js",
    "owlpost.js",
    "vendor/better-sqlite3.js",
    "vendor/grammy.js",
    "vendor/luxon.js",
    "vendor/pino.js",
    "vendor/yaml.js",
    "vendor/zod.js",
  ]);
});

/** A file that makes a process list what it reads. */
function listReads(folder: string, listed: string): string {
  const file = join(folder, "list-reads.cjs");
  writeFileSync(
    file,
    `const fs = require("node:fs");
const read = fs.readFileSync;
fs.readFileSync = (...given) => {
  fs.appendFileSync(${JSON.stringify(listed)}, given[0] + "\\n");
  return read(...given);
};`,
  );
  return file;
}

/** The files of dist/ among them that are code, in the order of their names. */
function codeIn(listed: string): readonly string[] {
  const dist = `${dirname(cli)}/`;
  const read = readFileSync(listed, "utf8").split("\n");
  const code = read.filter((path) => path.startsWith(dist) && path.endsWith(".js"));
  return [...new Set(code)].map((path) => path.slice(dist.length)).sort();
}

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
