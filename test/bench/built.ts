import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./home.ts";

/** `dist/cli.js`, built when it is missing or older than its sources. */
export async function builtCli(): Promise<string> {
  const dist = join(root(), "dist");
  const sources = pathToFileURL(join(root(), "scripts", "sources.mjs")).href;
  const { sourcesState } = (await import(sources)) as { sourcesState: () => string };
  const stamp = join(dist, ".sources");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sourcesState()) {
    const built = spawnSync(process.execPath, [join(root(), "scripts", "build.mjs")], { stdio: "inherit" });
    if (built.status !== 0) throw new Error("the product could not be built");
  }
  return join(dist, "cli.js");
}

/** The folder of the built page. */
export async function builtPage(): Promise<string> {
  return join(await builtCli(), "..", "page");
}

/** Starts `owlpost serve` on a home of its own, and resolves when it listens. `channels`: YAML, two spaces in. */
export async function serveHome(home: string, channels = ""): Promise<ChildProcess> {
  writeFileSync(join(home, "config.yaml"), `channels:\n  inbox:\n    port: 0\n${channels}`);
  const child = spawn(process.execPath, [await builtCli(), "serve", "--home", home], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  await new Promise<void>((listening, failed) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      if (said.includes("listening")) listening();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("exit", (code) => failed(new Error(`owlpost serve ended with ${code}: ${said}`)));
  });
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  child.removeAllListeners("exit");
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
}
