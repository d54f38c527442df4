import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { aDocument } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.js");
const good = "zone: Europe/Berlin\nchannels: { inbox: { port: 0 } }\n";
const better = "zone: Asia/Kathmandu\nchannels: { inbox: { port: 0 } }\n";
const bad = "zone: Europe/Berlinn\n";

/** The built command against one home. */
function aCommand(home: string) {
  const env = { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" };
  const start = (...args: string[]) => spawn(process.execPath, [cli, ...args, "--home", home], { env });
  return {
    start,
    configure: (text: string): void => writeFileSync(join(home, "config.yaml"), text),
    async run(args: readonly string[], stdin = "") {
      const child = start(...args);
      let [out, err] = ["", ""];
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      child.stderr.on("data", (chunk) => {
        err += chunk;
      });
      child.stdin.end(stdin);
      const exit = await new Promise<number | null>((done) => child.on("close", done));
      return { exit, out, err };
    },
  };
}

test("field 59: a bad configuration refuses to start; a running instance keeps the last good one, on SIGHUP too", async () => {
  const home = aHome();
  const { start, run, configure } = aCommand(home);
  configure(bad);
  expect(await run(["serve", "--once"])).toMatchObject({
    exit: 2,
    err: expect.stringContaining("config.yaml:1: zone: must be an IANA time zone"),
  });

  configure(good);
  const service = start("serve");
  afterwards(() => void service.kill("SIGKILL"));
  let said = "";
  for (const stream of [service.stdout, service.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise<number | null>((done) => service.on("exit", done));
  await until(
    () => said,
    (text) => text.includes("Stop with Ctrl-C"),
  );
  const [, address = "", token = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/.exec(said) ?? [];
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${address}${path}`, { ...init, headers: { origin: address, ...init.headers } });
  const signIn = await call("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const { session } = (await signIn.json()) as { session: string };

  configure(bad);
  service.kill("SIGHUP");
  await until(
    () => said,
    (text) => text.includes("still runs with the earlier one"),
  );
  const refused =
    /^configuration: refused since \d\d:\d\d, still running with the earlier one: .*config\.yaml:1: zone: .*Berlinn/m;
  const status = await until(
    () => run(["status"]),
    ({ exit }) => exit === 0,
  );
  expect([status.exit, status.out, status.err]).toEqual([0, expect.stringMatching(refused), ""]);
  expect(status.out).toContain(`running (pid ${service.pid})`);
  const shown = JSON.parse((await run(["status", "--json"])).out);
  expect(shown).toMatchObject({
    zone: "Europe/Berlin",
    configuration: { errors: [expect.stringContaining("Berlinn")] },
  });
  expect((await run(["doctor"])).out).toMatch(/^warn {2}configuration in force: refused since \d\d:\d\d/m);
  // The loop goes on: a slip in the file stops no question.
  const asked = await run(["ask", "-", "--key", "k"], JSON.stringify(aDocument()));
  expect([asked.exit, asked.out]).toEqual([0, "q-a3f2-012-fix-auth-1\n"]);
  const pending = await run(["pending"]);
  expect([pending.exit, pending.err]).toEqual([0, expect.stringMatching(refused)]);
  // A second service, even so, is not started with it.
  expect((await run(["serve", "--once"])).exit).toBe(2);

  configure(better);
  service.kill("SIGHUP");
  await until(
    () => said,
    (text) => text.includes("The new configuration is in force."),
  );
  const after = JSON.parse((await run(["status", "--json"])).out);
  expect(after).toMatchObject({
    service: { running: true, pid: service.pid },
    zone: "Asia/Kathmandu",
    open: [{ id: "q-a3f2-012-fix-auth-1" }],
  });
  expect(after).not.toHaveProperty("configuration");
  // An open page goes on with its session, at the same address.
  const state = await call("/api/state", { headers: { authorization: `Bearer ${session}` } });
  expect(state.status).toBe(200);

  service.kill("SIGTERM");
  expect(await ended).toBe(0);
}, 60_000);
