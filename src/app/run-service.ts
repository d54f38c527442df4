import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Environment } from "./home.ts";
import { packageRoot } from "./home.ts";
import { openLog } from "./log.ts";
import { startService } from "./service.ts";
import { spareMemory } from "./spare-memory.ts";

export type RunOptions = {
  readonly home: string;
  readonly config: Config;
  /** File the sample question when there is no configuration and the store is empty. */
  readonly sample: boolean;
  /** One pass of sweep, send and receive, then stop. */
  readonly once: boolean;
  /** Take the place of a service whose machine cannot be looked at from here. */
  readonly takeOver: boolean;
  readonly env: Environment;
  /** Lines for the person at the terminal. */
  readonly print: (line: string) => void;
};

/** By then what a start does is done; the second time for a machine that was busy at the first. */
const startedMs = [5_000, 20_000];

/** Runs the service until SIGINT or SIGTERM (or for one pass), then stops cleanly. */
export async function runService(options: RunOptions): Promise<void> {
  const { home, config, print } = options;
  const log = await openLog(home);
  // Before anything is opened, so that a stop during a long start is a clean one too.
  const stopped = new Promise<string>((stop) => {
    process.once("SIGINT", () => stop("SIGINT"));
    process.once("SIGTERM", () => stop("SIGTERM"));
  });
  const { takeOver } = options;
  // One pass is for a timer: nobody looks at its page.
  const page = options.once ? {} : { assets: join(packageRoot(), "dist", "page") };
  const service = await startService({ home, config, log, takeOver, stopped, ...page });
  try {
    if (options.sample && config.file === undefined) await fileSample(service.owlpost);
    if (options.once) {
      await service.settle();
      return;
    }
    const link = await service.owlpost.inboxLink();
    if (link) {
      print("owlpost is listening. Open your inbox (this link works once, for 10 minutes):");
      print(`  ${link}`);
      print("A fresh link at any time: owlpost inbox. Stop with Ctrl-C.");
    } else print("owlpost is listening. Stop with Ctrl-C.");
    for (const ms of startedMs) setTimeout(spareMemory, ms).unref();
    const signal = await stopped;
    log.info({ signal }, "stopping");
    print("Stopping; every question is safe on disk.");
  } finally {
    await service.close();
    log.flush?.();
  }

  async function fileSample(owlpost: typeof service.owlpost): Promise<void> {
    const { counts } = await owlpost.status();
    if (Object.values(counts).some((count) => count > 0)) return;
    const text = readFileSync(join(packageRoot(), "config", "samples", "first-question.yaml"), "utf8");
    const asked = await owlpost.ask({ text, origin: "first-question.yaml", key: "sample" });
    if (asked.ok) print(`A sample question waits for an answer: ${asked.id}`);
  }
}
