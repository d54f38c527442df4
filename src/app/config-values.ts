import { readlinkSync } from "node:fs";
import type { QuietHours } from "../core/quiet-hours.ts";
import type { ChannelId } from "../domain/ids.ts";

/** What `config.yaml` says, checked, with every default filled in. Holds secrets: never log it whole. */
export type Config = {
  /** The file it was read from; absent where there is none. */
  readonly file?: string;
  /** IANA zone of every wall-clock time. */
  readonly zone: string;
  readonly minLeadMs: number;
  readonly leaseMs: number;
  /** May a question's default take its recommendation? */
  readonly autoDefault: boolean;
  /** Absent: no quiet hours. */
  readonly night?: {
    readonly hours: QuietHours;
    /** Does the work of a night stay on a branch, and nothing merges or pushes by itself? */
    readonly isolated: boolean;
    /** May a default take its recommendation at night? */
    readonly autoDefault: boolean;
  };
  /** How long a question that is asked again in the morning waits. */
  readonly againDeadlineMs: number;
  /** Judges whether a task says enough; absent: people alone do. */
  readonly reviewer?: Reviewer;
  /** How long a hook of an agent waits for an answer. */
  readonly hookDeadlineMs: number;
  /** Project to absolute folder. */
  readonly airlocks: Readonly<Record<string, string>>;
  /** Every listed channel gets its copy at once. */
  readonly deliver: readonly ChannelId[];
  /** Settings of each channel, as its own schema gave them back. Always holds `inbox`. */
  readonly channels: Readonly<Record<ChannelId, Readonly<Record<string, unknown>>>>;
};

/** A program that judges specs: JSON in, JSON out. */
export type Reviewer = {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** One word, for the verdict's line. */
  readonly name: string;
  readonly timeLimitMs: number;
  readonly mode: "live" | "cache-only" | "cache-aware";
  /** Names of variables that it gets beside the usual ones. */
  readonly env: readonly string[];
};

export type ConfigError = {
  /** Key path such as `channels.inbox.port`; empty for the file as a whole. */
  readonly path: string;
  readonly line?: number;
  readonly message: string;
};

export const defaultMinLeadMs = 10 * 60_000;
export const defaultLeaseMs = 10 * 60_000;
export const defaultAgainDeadlineMs = 12 * 3_600_000;
export const defaultReviewMs = 5 * 60_000;
export const defaultHookDeadlineMs = 15 * 60_000;
export const defaultInboxPort = 7373;

/** The configuration of a home without `config.yaml`: the system's zone, the local inbox alone. */
export function defaultConfig(): Config {
  return {
    zone: systemZone(),
    minLeadMs: defaultMinLeadMs,
    leaseMs: defaultLeaseMs,
    autoDefault: false,
    againDeadlineMs: defaultAgainDeadlineMs,
    hookDeadlineMs: defaultHookDeadlineMs,
    airlocks: {},
    deliver: ["inbox"],
    channels: { inbox: { port: defaultInboxPort } },
  };
}

/** The zone this machine is set to. Its link is looked at first: asking Intl costs a command half its start-up time. */
export function systemZone(): string {
  if (process.env.TZ === undefined) {
    const named = /\/zoneinfo\/(?:posix\/|right\/)?([A-Za-z].*)$/.exec(linkTarget("/etc/localtime"))?.[1];
    if (named) return named;
  }
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return !zone || zone === "Etc/Unknown" ? "UTC" : zone;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
