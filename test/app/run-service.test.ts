import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Config, loadConfig } from "../../src/app/config.ts";
import { readRefusal } from "../../src/app/config-refusal.ts";
import { examine } from "../../src/app/doctor.ts";
import { refusalPath } from "../../src/app/home.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { runService } from "../../src/app/run-service.ts";
import { askService } from "../../src/app/service-client.ts";
import { aConfig, aDocument } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";

type Running = {
  readonly home: string;
  readonly lines: readonly string[];
  /** Writes `config.yaml`, whole. */
  configure(text: string): void;
  port(): Promise<number | undefined>;
  /** The zone that the service gives to a question which is handed to it; undefined while it starts. */
  zone(): Promise<string | undefined>;
  starts(): Promise<number>;
  log(): string;
};

let count = 0;

/** The service as `owlpost serve` runs it, in this process, until the test is over. */
async function running(first: string): Promise<Running> {
  const home = aHome();
  const assets = join(home, "page");
  mkdirSync(assets);
  for (const name of ["index.html", "inbox.js", "inbox.css"]) writeFileSync(join(assets, name), "");
  const configure = (text: string): void => writeFileSync(join(home, "config.yaml"), text);
  configure(first);
  const config = await configOf(home);
  const lines: string[] = [];
  const ended = runService({
    home,
    config,
    sample: false,
    once: false,
    takeOver: false,
    env: {},
    assets,
    print: (line) => void lines.push(line),
  });
  const owlpost = await openOwlpost({ home, config: aConfig() });
  afterwards(async () => {
    process.emit("SIGTERM", "SIGTERM");
    await ended;
    await owlpost.close();
    expect(existsSync(refusalPath(home))).toBe(false);
  });
  await until(
    () => lines.length,
    (count) => count > 0,
  );
  return {
    home,
    lines,
    configure,
    port: async () => (await owlpost.store.service())?.port,
    async zone() {
      count += 1;
      const asked = await askService(home, {
        document: aDocument({ task: `t-${count}` }),
        key: `${count}`,
      });
      return asked?.ok ? (await owlpost.question(asked.id))?.zone : undefined;
    },
    async starts() {
      return (await owlpost.events(0, 1_000)).filter(({ kind }) => kind === "service.started").length;
    },
    log: () => readFileSync(join(home, "logs", "owlpost.log"), "utf8"),
  };
}

async function configOf(home: string): Promise<Config> {
  const loaded = await loadConfig(home, {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}

const berlin = "zone: Europe/Berlin\nchannels: { inbox: { port: 0 } }\n";
const kathmandu = "zone: Asia/Kathmandu\nchannels: { inbox: { port: 0 } }\n";
const is = (wanted: string) => (zone: string | undefined) => zone === wanted;

function hangUp(): void {
  process.emit("SIGHUP", "SIGHUP");
}

test("a new configuration is taken up on SIGHUP, in place: same port, nothing lost", async () => {
  const service = await running(berlin);
  expect(await service.zone()).toBe("Europe/Berlin");
  const port = await service.port();
  service.configure(kathmandu);
  hangUp();
  await until(service.zone, is("Asia/Kathmandu"));
  expect(await service.port()).toBe(port);
  expect(await service.starts()).toBe(2);
  // It answers before it has said so.
  await until(
    () => service.lines,
    (lines) => lines.includes("The new configuration is in force."),
  );
  // The link is printed once, for the address is the same.
  expect(service.lines.filter((line) => line.includes("http://"))).toHaveLength(1);
  // Said again, nothing changes.
  hangUp();
  await new Promise((next) => setTimeout(next, 200));
  expect(await service.starts()).toBe(2);
});

test("a file that was changed is noticed without a signal, once nobody writes it any more", async () => {
  const service = await running(berlin);
  const draft = join(service.home, "config.yaml.new");
  writeFileSync(draft, kathmandu);
  renameSync(draft, join(service.home, "config.yaml"));
  await until(service.zone, is("Asia/Kathmandu"));
  expect(await service.starts()).toBe(2);
});

test("field 59: a running instance keeps the last good one, says every error once, and takes the next good one", async () => {
  const service = await running(berlin);
  service.configure('zone: Europe/Berlinn\nnight: { window: "22:00-22:00" }\n');
  hangUp();
  const file = refusalPath(service.home);
  await until(
    () => existsSync(file),
    (there) => there,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  hangUp();
  await new Promise((next) => setTimeout(next, 200));
  expect(await service.zone()).toBe("Europe/Berlin");
  expect(await service.starts()).toBe(1);
  for (const told of [
    "config.yaml:1: zone: must be",
    "config.yaml:2: night.window: must not start and end",
  ]) {
    expect(service.lines.filter((line) => line.includes(told))).toHaveLength(1);
    expect(service.log().split(told)).toHaveLength(2);
  }

  // Commands work on with the earlier one, and say so.
  const findings = await examine({ home: service.home, env: {} });
  const levels = findings.filter(({ about }) => about.startsWith("configuration"));
  expect(levels.filter(({ level }) => level === "fail").length).toBeGreaterThanOrEqual(2);
  expect(levels.at(-1)).toEqual({
    about: "configuration in force",
    level: "warn",
    text: expect.stringMatching(
      /^refused since \d\d:\d\d, still running with the earlier one: .*Berlinn.*; /,
    ),
  });

  service.configure(kathmandu);
  hangUp();
  await until(service.zone, is("Asia/Kathmandu"));
  expect(existsSync(file)).toBe(false);
});

test("a file that is put back as it was ends the refusal without a new start", async () => {
  const service = await running(berlin);
  rmSync(join(service.home, "config.yaml"));
  hangUp();
  const there = () => existsSync(refusalPath(service.home));
  await until(there, (refused) => refused);
  expect(readRefusal(service.home)?.lines).toEqual([expect.stringContaining("config.yaml: is gone")]);
  service.configure(berlin);
  hangUp();
  await until(there, (refused) => !refused);
  expect(await service.starts()).toBe(1);
});

test("a good configuration that the service cannot start with is refused like a bad one", async () => {
  const blocker = createServer();
  await new Promise<void>((done) => {
    blocker.listen(0, "127.0.0.1", done);
  });
  afterwards(() => void blocker.close());
  const address = blocker.address();
  const taken = typeof address === "object" ? address?.port : undefined;
  const service = await running(berlin);
  const port = await service.port();
  service.configure(`zone: Asia/Kathmandu\nchannels: { inbox: { port: ${taken} } }\n`);
  hangUp();
  await until(
    () => existsSync(refusalPath(service.home)),
    (refused) => refused,
  );
  expect(readRefusal(service.home)?.lines).toEqual([expect.stringContaining(`port ${taken} is in use`)]);
  await until(service.zone, is("Europe/Berlin"));
  expect(await service.port()).toBe(port);
});

test("what a service that was killed refused counts for nothing", () => {
  const home = aHome();
  const left = { sinceAt: 0, zone: "UTC", lines: ["x"], inForce: null, startedAt: "1", host: hostname() };
  writeFileSync(refusalPath(home), JSON.stringify({ ...left, pid: process.pid }));
  expect(readRefusal(home)).toBeUndefined();
  writeFileSync(refusalPath(home), '{"sinceAt":');
  expect(readRefusal(home)).toBeUndefined();
});
