import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Gives the platform a core of its own and its bots the others, where there are several and `taskset` is there (util-linux).
 * A real platform is on another machine. On one machine Linux wakes a server on the core of the client that has just
 * written to it, though another one is idle, and there it waits until the client has nothing more to do.
 */
export function apart(platform: number, bots: readonly (number | undefined)[]): void {
  const last = availableParallelism() - 1;
  if (last < 1) return;
  keepTo("0", platform);
  for (const bot of bots) if (bot !== undefined) keepTo(`1-${last}`, bot);
}

function keepTo(cores: string, pid: number): void {
  spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores, String(pid)], { stdio: "ignore" });
}
