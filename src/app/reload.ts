import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { redact } from "../core/redact.ts";
import type { Instant } from "../domain/ids.ts";
import { type Config, configErrorLines, type LoadedConfig, loadConfig } from "./config.ts";
import { removeRefusal, writeRefusal } from "./config-refusal.ts";
import type { Environment } from "./home.ts";
import type { Log } from "./log.ts";

export type ReloadOptions = {
  readonly home: string;
  readonly config: Config;
  readonly env: Environment;
  readonly log: Log;
  readonly now: () => Instant;
  /** Lines for the person at the terminal. */
  readonly print: (line: string) => void;
};

/** A configuration with its text: null where there is no file, undefined where it could not be read. */
export type Next = { readonly config: Config; readonly text: string | null | undefined };

export type Reload = {
  /** Reads `config.yaml` again. Undefined where nothing is to be taken up: it says the same, or it is refused. */
  reread(): Promise<Next | undefined>;
  /** The service runs with it. */
  taken(next: Next): Promise<void>;
  /** The service could not be started with it and runs with the earlier one. */
  failed(error: unknown): Promise<void>;
  /** The service ends, and what it refused with it. */
  close(): Promise<void>;
};

/** Keeps the last good configuration, and says once what is wrong with a newer one. */
export async function startReload(options: ReloadOptions): Promise<Reload> {
  const { home, env, log, now, print } = options;
  const file = join(home, "config.yaml");
  let inForce: Next = { config: options.config, text: options.config.file ? readText(file) : null };
  let sinceAt: Instant | undefined;
  let told = "";
  // Left by a service that was killed.
  await removeRefusal(home);

  async function refuse(lines: readonly string[]): Promise<void> {
    sinceAt ??= now();
    const text = lines.join("\n");
    if (text !== told) {
      for (const line of lines) {
        log.error({ line }, "the configuration is refused; still running with the earlier one");
      }
      print("The new configuration is refused; owlpost still runs with the earlier one:");
      for (const line of lines) print(`  ${line}`);
    }
    told = text;
    await write({
      sinceAt,
      zone: inForce.config.zone,
      lines,
      ...(inForce.text === undefined ? {} : { inForce: inForce.text }),
    });
  }

  /** That it cannot be shown to commands (the disk is full) stops no service. */
  async function write(refusal: Parameters<typeof writeRefusal>[1]): Promise<void> {
    await writeRefusal(home, refusal).catch((error: unknown) =>
      log.warn({ err: error }, "that the configuration is refused could not be written down"),
    );
  }

  async function clear(): Promise<void> {
    sinceAt = undefined;
    told = "";
    await removeRefusal(home);
  }

  return {
    async reread() {
      // A service that runs with the defaults was given them, or never had a file.
      const gone = !existsSync(file);
      if (gone && inForce.config.file === undefined) {
        await clear();
        return undefined;
      }
      if (gone) {
        await refuse([`${file}: is gone; put it back, or stop owlpost and start it again without one`]);
        return undefined;
      }
      const text = readText(file);
      const loaded: LoadedConfig = await loadConfig(home, env);
      if (!loaded.ok) {
        await refuse(configErrorLines(loaded.file, loaded.errors));
        return undefined;
      }
      const { config } = loaded;
      if (JSON.stringify(config) !== JSON.stringify(inForce.config)) return { config, text };
      inForce = { config, text };
      if (sinceAt !== undefined) {
        log.info({}, "the configuration is again the one in force");
        print("The configuration is again the one that owlpost runs with.");
      }
      await clear();
      return undefined;
    },
    async taken(next) {
      inForce = next;
      await clear();
    },
    failed: (error) => refuse([redact(error instanceof Error ? error.message : String(error)).text]),
    close: () => removeRefusal(home),
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
