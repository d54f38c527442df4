import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ServiceRecord } from "../domain/store.ts";

/**
 * When the kernel started the process of that pid, as text that only ever compares equal for the same process;
 * undefined when there is no such process. A reused pid has another start time.
 */
export function processStart(pid: number): string | undefined {
  try {
    // Field 22 of /proc/<pid>/stat; the command name before it may hold blanks and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    if (process.platform === "linux") return undefined;
  }
  try {
    const out = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      timeout: 2_000,
    });
    return out.trim() === "" ? undefined : out.trim();
  } catch {
    return undefined;
  }
}

/** Does the process that wrote this record still run? A record of another host counts as alive: it cannot be looked at. */
export function isServiceAlive(record: ServiceRecord): boolean {
  if (record.host !== hostname()) return true;
  return processStart(record.pid) === record.startedAt;
}
