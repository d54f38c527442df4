import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
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
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${pidSpace()}/${ticks}`;
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

/** Where a pid means the same process: this start of the kernel, and the container in it. */
function pidSpace(): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
}

/**
 * Does the process that wrote this record still run? It can be looked at from where its pid means the same: on the same
 * host, or, whatever the host is called by now, under the same kernel. A record from elsewhere counts as alive.
 */
export function isServiceAlive(record: Pick<ServiceRecord, "pid" | "startedAt" | "host">): boolean {
  const here = record.host === hostname() || isSameSpace(record.startedAt);
  return here ? processStart(record.pid) === record.startedAt : true;
}

function isSameSpace(startedAt: string): boolean {
  return process.platform === "linux" && startedAt.startsWith(`${pidSpace()}/`);
}
