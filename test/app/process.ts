import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** One `owlpost` process of its own. */
export function owlpost(home: string, args: readonly string[], stdin = ""): Promise<Ended> {
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing: npm run build");
  return run(process.execPath, [cli, ...args, "--home", home, "--json"], stdin);
}

/** Any process, to its end, as the owner and without what the tests' own Node was started with. */
export function run(command: string, args: readonly string[], stdin = ""): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, OWLPOST_AS: "", NODE_OPTIONS: "" } });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
  });
}
