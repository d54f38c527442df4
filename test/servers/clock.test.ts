import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { Event } from "../../src/domain/event.ts";
import { aConfig, aDocument } from "../builders.ts";
import { afterwards, aHome, until } from "../homes.ts";

const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The library that bends the clock of a process; the folder is named after the machine. */
function fakeTime(): string {
  for (const name of readdirSync("/usr/lib")) {
    const file = join("/usr/lib", name, "faketime", "libfaketimeMT.so.1");
    if (existsSync(file)) return file;
  }
  throw new Error("libfaketime is missing: apt-get install faketime");
}

beforeAll(() => {
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: npm run build");
});

/** A machine whose clock can be set while programs run, as an administrator or a time server does: timers run on evenly. */
function aMachine(home: string) {
  const file = join(home, "clock");
  const env = {
    ...process.env,
    OWLPOST_AS: "",
    NODE_OPTIONS: "",
    LD_PRELOAD: fakeTime(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  const argumentsOf = (args: readonly string[]): string[] => [cli, ...args, "--home", home];
  return {
    /** Ahead of the true time, in hours. Programs that run look at their clock's setting once a second. */
    async set(hours: number): Promise<void> {
      writeFileSync(file, `${hours < 0 ? "-" : "+"}${Math.abs(hours) * 3600}\n`);
      await pause(2_000);
    },
    start: (...args: string[]) => spawn(process.execPath, argumentsOf(args), { env }),
    run(args: readonly string[], input = "") {
      const { status, stdout, stderr } = spawnSync(process.execPath, argumentsOf(args), {
        env,
        input,
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    },
  };
}

test("deadlines and the sweep survive a clock that jumps by three hours while the service runs: each fires once", async () => {
  const home = aHome();
  const machine = aMachine(home);
  await machine.set(0);
  writeFileSync(join(home, "config.yaml"), "zone: Europe/Berlin\nchannels: { inbox: { port: 0 } }\n");
  const service = machine.start("serve");
  afterwards(() => void service.kill("SIGKILL"));
  let said = "";
  for (const stream of [service.stdout, service.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise<number | null>((done) => service.on("exit", done));
  await until(
    () => said,
    (text) => text.includes("is listening"),
  );
  // Only looked through: what it reads has no clock.
  const looker = await openOwlpost({ home, config: aConfig() });
  afterwards(() => looker.close());

  /** Asks through the service, by whose clock the deadline counts. */
  const ask = (task: string, at: string): void => {
    const document = aDocument({ task, default: { action: "skip_spec", at } });
    const asked = machine.run(["ask", "-"], JSON.stringify(document));
    expect([asked.status, asked.stdout]).toEqual([0, `q-a3f2-${task}-1\n`]);
  };
  const fired = async (): Promise<readonly Event[]> =>
    (await looker.events(0, 10_000)).filter(({ kind }) => kind === "question.expired");
  const firedTasks = async (): Promise<string> => (await fired()).map(({ task }) => task).join(" ");
  /** Resolves once these deadlines have fired, in this order, and no other; the sweep looks every 15 s at least. */
  const expectFired = async (...tasks: readonly string[]): Promise<void> => {
    const end = performance.now() + 40_000;
    while ((await firedTasks()) !== tasks.join(" ") && performance.now() < end) await pause(200);
    await pause(2_500);
    expect(await firedTasks()).toBe(tasks.join(" "));
  };

  const began = Date.now();
  ask("one-hour", "1h");
  ask("an-instant", new Date(began + 2 * hourMs).toISOString());
  ask("five-hours", "5h");
  await expectFired();

  // Forward: what has become due fires, by itself.
  await machine.set(3);
  await expectFired("one-hour", "an-instant");

  // Back to where it was: nothing fires again, and what was asked meanwhile keeps its deadline.
  ask("asked-ahead", "1h");
  await machine.set(0);
  ask("asked-back", "1h");
  await expectFired("one-hour", "an-instant");

  // Three hours behind, where every deadline is far away again; one more is asked there.
  await machine.set(-3);
  ask("asked-behind", "1h");
  await expectFired("one-hour", "an-instant");

  // Forward by three hours, twice.
  await machine.set(0);
  await expectFired("one-hour", "an-instant", "asked-behind");
  await machine.set(3);
  ask("the-last", "12h");
  await expectFired("one-hour", "an-instant", "asked-behind", "asked-back");
  await machine.set(6);
  await expectFired("one-hour", "an-instant", "asked-behind", "asked-back", "asked-ahead", "five-hours");

  // Each default is handed out once, whatever the clock of the taker says.
  await machine.set(-3);
  const first = JSON.parse(machine.run(["take", "--json", "--claim", "c"]).stdout) as {
    taken: readonly { task: string; outcome: string }[];
  };
  expect(first.taken.map(({ task, outcome }) => `${task} ${outcome}`).sort()).toEqual(
    ["an-instant", "asked-ahead", "asked-back", "asked-behind", "five-hours", "one-hour"].map(
      (task) => `${task} defaulted`,
    ),
  );
  expect(machine.run(["confirm", "c"]).status).toBe(0);
  await machine.set(3);
  expect(machine.run(["take", "--json"]).status).toBe(4);
  // Each at or after its deadline, by the clock of that moment.
  for (const { question, at } of await fired()) {
    const stored = await looker.question(question ?? "");
    expect(stored?.deadlineAt).toBeLessThanOrEqual(at);
  }
  service.kill("SIGTERM");
  expect(await ended).toBe(0);
}, 240_000);

function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}
