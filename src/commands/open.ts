import { existsSync } from "node:fs";
import type { Owlpost } from "../app/api.ts";
import { type Config, configErrorLines, loadConfig } from "../app/config.ts";
import { openHome, refusalPath } from "../app/home.ts";
import type { Store } from "../domain/store.ts";
import { fail, plain, say } from "./print.ts";
import type { Call, Exit } from "./verb.ts";

/** Makes or checks the home. Undefined when all is well, else the exit code; the reason is printed. */
export async function checkHome(call: Call): Promise<Exit | undefined> {
  const checked = openHome(call.home);
  if (!checked.ok) return fail(call, 2, "bad-home", checked.message);
  if (checked.tightened)
    await say(call, `The home ${call.home} was open to other accounts; it is closed now (mode 0700).`);
  return undefined;
}

/** The configuration, or the exit code when it is refused; every error is printed at once. */
export async function readConfig(call: Call): Promise<Config | Exit> {
  const loaded = await loadConfig(call.home, call.io.env);
  if (loaded.ok) return loaded.config;
  const lines = configErrorLines(loaded.file, loaded.errors);
  if (!call.json) {
    await call.io.stderr.write(`${lines.join("\n")}\n`);
    return 2;
  }
  return fail(call, 2, "bad-configuration", lines.join("\n"), { file: loaded.file, errors: loaded.errors });
}

/**
 * The configuration that counts: where a running service refused the newer one, that is the earlier one, so that a slip in
 * the file stops no loop at night. The slip is told.
 */
async function configThatCounts(call: Call, tell: boolean): Promise<Config | Exit> {
  if (!existsSync(refusalPath(call.home))) return readConfig(call);
  const { configInForce, readRefusal, refusalText } = await import("../app/config-refusal.ts");
  const refusal = readRefusal(call.home);
  if (!refusal) return readConfig(call);
  if (tell) await say(call, `configuration: ${plain(refusalText(refusal, Date.now()))}`);
  return (await configInForce(call.home, refusal, call.io.env)) ?? readConfig(call);
}

/**
 * Opens the home in this process, runs `use`, closes it. The running service is nudged after each commit; where none
 * runs, the airlock's files are brought up to date here.
 * `brief` is for an ask that does not wait: every commit is on disk by then, so the files are left to the next command or
 * service, and the store to the end of the process. Both would cost it more than the ask itself.
 * `tellsRefusal` is for a command that itself tells of a configuration that the service refused.
 */
export async function withOwlpost(
  call: Call,
  use: (owlpost: Owlpost & { readonly store: Store }, config: Config) => Promise<Exit>,
  { brief = false, tellsRefusal = false }: { readonly brief?: boolean; readonly tellsRefusal?: boolean } = {},
): Promise<Exit> {
  const refused = await checkHome(call);
  if (refused !== undefined) return refused;
  const config = await configThatCounts(call, !tellsRefusal);
  if (typeof config === "number") return config;
  const { openLocal } = await import("../app/local.ts");
  const local = await openLocal(call.home, config);
  try {
    return await use(local.owlpost, config);
  } finally {
    if (brief) await local.heard();
    else await local.close((text) => void say(call, text));
  }
}
