import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { watchConfig } from "./config-watch.ts";
import type { Environment } from "./home.ts";
import { packageRoot } from "./home.ts";
import { openLog } from "./log.ts";
import { type Next, startReload } from "./reload.ts";
import { type Service, startService } from "./service.ts";
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
  /** The folder of the built page. Default: the package's own. */
  readonly assets?: string;
  /** Lines for the person at the terminal. */
  readonly print: (line: string) => void;
};

/** By then what a start does is done; the second time for a machine that was busy at the first. */
const startedMs = [5_000, 20_000];

/**
 * Runs the service until SIGINT or SIGTERM (or for one pass), then stops cleanly. On SIGHUP, and when `config.yaml` is
 * another one, it is started again in place with the new configuration; a bad one changes nothing.
 */
export async function runService(options: RunOptions): Promise<void> {
  const { home, print } = options;
  const log = await openLog(home);
  const calls = listen();
  const { stopped } = calls;
  const { takeOver } = options;
  const watch = watchConfig(home);
  const onLook = (): void => {
    if (watch.look()) calls.reread();
  };
  // One pass is for a timer: nobody looks at its page.
  const assets = options.assets ?? join(packageRoot(), "dist", "page");
  const page = options.once ? {} : { assets, onLook };
  const start = (config: Config): Promise<Service> =>
    startService({ home, config, log, takeOver, stopped, ...page });

  let { config } = options;
  let service: Service | undefined;
  try {
    service = await start(config);
    if (options.sample && config.file === undefined) await fileSample(service, print);
    if (options.once) {
      await service.settle();
      return;
    }
    await greet(service, print);
    for (const ms of startedMs) setTimeout(spareMemory, ms).unref();
    const reload = await startReload({ home, config, env: options.env, log, now: Date.now, print });
    try {
      while (await calls.wanted()) {
        const next = await reload.reread();
        if (next) await takeUp(next);
      }
    } finally {
      await reload.close();
    }
    log.info({ signal: await stopped }, "stopping");
    print("Stopping; every question is safe on disk.");

    async function takeUp(next: Next): Promise<void> {
      log.info({}, "taking up the new configuration");
      const port = service?.port;
      await service?.close().catch((error: unknown) => log.error({ err: error }, "not closed in order"));
      service = undefined;
      let fault: unknown;
      try {
        service = await startAny(start, [keepPort(next.config, config, port), next.config]);
      } catch (error) {
        fault = error;
      }
      if (service) {
        config = next.config;
        await reload.taken(next);
        print("The new configuration is in force.");
      } else {
        service = await startAny(start, [keepPort(config, config, port), config]);
        await reload.failed(fault);
      }
      if (service.port !== port) await greet(service, print);
    }
  } catch (error) {
    log.error({ err: error }, "the service ends");
    throw error;
  } finally {
    await service?.close();
    calls.close();
    log.flush?.();
  }
}

/** The signals that a service heeds, from before anything is opened: a stop during a long start is a clean one too. */
function listen() {
  let stop: (signal: string) => void = () => undefined;
  const stopped = new Promise<string>((done) => {
    stop = done;
  });
  let pending = false;
  let ring: () => void = () => undefined;
  const reread = (): void => {
    pending = true;
    ring();
  };
  const end = (signal: string): void => stop(signal);
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  process.on("SIGHUP", reread);
  return {
    /** Resolves with the signal that ends the service. */
    stopped,
    reread,
    /** Resolves with true when the configuration is to be read again, with false when the service is to end. */
    async wanted(): Promise<boolean> {
      const rung = new Promise<true>((done) => {
        ring = () => done(true);
        if (pending) done(true);
      });
      const goOn = await Promise.race([stopped.then(() => false), rung]);
      pending = false;
      return goOn;
    },
    close(): void {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      process.off("SIGHUP", reread);
    },
  };
}

/** A port that the system gave stays the same, so that open pages find the service again. */
function keepPort(next: Config, earlier: Config, port: number | undefined): Config {
  const { inbox } = next.channels;
  if (port === undefined || inbox?.port !== 0 || earlier.channels.inbox?.port !== 0) return next;
  return { ...next, channels: { ...next.channels, inbox: { ...inbox, port } } };
}

/** The first of these configurations that a service starts with; rejects with the fault of the last. */
async function startAny(
  start: (config: Config) => Promise<Service>,
  configs: readonly Config[],
): Promise<Service> {
  let fault: unknown;
  for (const config of new Set(configs)) {
    try {
      return await start(config);
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

async function greet(service: Service, print: (line: string) => void): Promise<void> {
  const link = await service.owlpost.inboxLink();
  if (!link) {
    print("owlpost is listening. Stop with Ctrl-C.");
    return;
  }
  print("owlpost is listening. Open your inbox (this link works once, for 10 minutes):");
  print(`  ${link}`);
  print("A fresh link at any time: owlpost inbox. Stop with Ctrl-C.");
}

async function fileSample({ owlpost }: Service, print: (line: string) => void): Promise<void> {
  const { counts } = await owlpost.status();
  if (Object.values(counts).some((count) => count > 0)) return;
  const text = readFileSync(join(packageRoot(), "config", "samples", "first-question.yaml"), "utf8");
  const asked = await owlpost.ask({ text, origin: "first-question.yaml", key: "sample" });
  if (asked.ok) print(`A sample question waits for an answer: ${asked.id}`);
}
