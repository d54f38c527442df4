import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { timeWords } from "../core/wording.ts";
import type { Instant } from "../domain/ids.ts";
import { writeWhole } from "./airlock/files.ts";
import type { Config } from "./config.ts";
import { defaultConfig } from "./config-values.ts";
import { type Environment, refusalPath } from "./home.ts";
import { isServiceAlive, processStart } from "./service-lock.ts";

/**
 * A configuration that the running service could not take up. It lies in `<home>/config.refused` (mode 0600) for as long
 * as that service runs with the earlier one.
 */
export type Refusal = {
  /** When the first look at it failed; a further bad one does not move it. */
  readonly sinceAt: Instant;
  /** The zone in force. */
  readonly zone: string;
  /** Every error, each one sentence without a secret. */
  readonly lines: readonly string[];
  /** `config.yaml` as it is in force; null where the defaults are, absent where it could not be read any more. */
  readonly inForce?: string | null;
};

type Stored = Refusal & { readonly pid: number; readonly startedAt: string; readonly host: string };

/** Where commands see it. */
export async function writeRefusal(home: string, refusal: Refusal): Promise<void> {
  const startedAt = processStart(process.pid) ?? "";
  const stored: Stored = { ...refusal, pid: process.pid, startedAt, host: hostname() };
  await writeWhole(refusalPath(home), `${JSON.stringify(stored)}\n`, 0o600);
}

export async function removeRefusal(home: string): Promise<void> {
  await rm(refusalPath(home), { force: true });
}

/** What the running service refused; undefined when it did not, or when the service that did is gone. */
export function readRefusal(home: string): Refusal | undefined {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(refusalPath(home), "utf8"));
  } catch {
    return undefined;
  }
  return isStored(read) && isServiceAlive(read) ? read : undefined;
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== "object" || value === null) return false;
  const { sinceAt, zone, lines, inForce, pid, startedAt, host } = value as Readonly<Record<string, unknown>>;
  return (
    [sinceAt, pid].every(Number.isSafeInteger) &&
    [zone, startedAt, host].every((each) => typeof each === "string") &&
    Array.isArray(lines) &&
    lines.every((line) => typeof line === "string") &&
    (inForce === undefined || inForce === null || typeof inForce === "string")
  );
}

/** `refused since 14:02, still running with the earlier one: config.yaml:3: …`. */
export function refusalText({ sinceAt, zone, lines }: Refusal, now: Instant): string {
  return `refused since ${timeWords(sinceAt, zone, now)}, still running with the earlier one: ${lines.join("; ")}`;
}

/** The configuration that the service still runs with; undefined where this command cannot read it. */
export async function configInForce(
  home: string,
  { inForce }: Refusal,
  env: Environment,
): Promise<Config | undefined> {
  if (inForce === undefined) return undefined;
  if (inForce === null) return defaultConfig();
  const { readConfig } = await import("./config-read.ts");
  const read = await readConfig(inForce, env);
  return read.ok ? { file: join(home, "config.yaml"), ...read.config } : undefined;
}
