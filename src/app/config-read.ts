import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type * as z from "zod";
import { parseDuration } from "../core/time.ts";
import { channelIds, channelSettings } from "./channel-files.ts";
import { configIssues, type Found } from "./config-issues.ts";
import { readNight } from "./config-night.ts";
import { type ConfigDocument, configSchema, unavailable } from "./config-schema.ts";
import { type ConfigText, type Path, pathText, readConfigText } from "./config-text.ts";
import {
  type Config,
  type ConfigError,
  defaultAgainDeadlineMs,
  defaultHookDeadlineMs,
  defaultInboxPort,
  defaultLeaseMs,
  defaultMinLeadMs,
  defaultReviewMs,
  type Reviewer,
  systemZone,
} from "./config-values.ts";
import type { Environment } from "./home.ts";
import { nearestKey } from "./nearest-key.ts";

const minuteMs = 60_000;
/** A timer of Node, which agents stop hooks by, ends at once when it is longer than 24.8 days. */
const mostHookMs = 24 * 24 * 60 * minuteMs;

export type ReadConfig =
  | { readonly ok: true; readonly config: Omit<Config, "file"> }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

/** Checks a whole `config.yaml` and names every error at once, each with its place. No value of a secret is ever repeated. */
export async function readConfig(text: string, env: Environment): Promise<ReadConfig> {
  const parsed = readConfigText(text, env);
  if (!parsed.ok) return { ok: false, errors: parsed.errors };
  const { source } = parsed;
  const found: Found[] = [...source.missing];

  const checked = configSchema.safeParse(source.value);
  if (!checked.success) found.push(...configIssues(checked.error.issues, configSchema, [], source));
  const document: ConfigDocument = checked.success ? checked.data : (source.value as ConfigDocument);

  for (const key of unavailable) {
    if (Object.hasOwn(source.value, key)) {
      found.push({ path: [key], message: "is not available in this version of owlpost: take it out" });
    }
  }
  const channels = await readChannels(document.channels, source, found);
  checkDeliver(document.deliver, Object.keys(channels), found);
  const zone = document.zone ?? systemZone();
  const night = readNight(document.night, zone, document.zone !== undefined, found);
  const airlocks = readAirlocks(document.airlocks, env, found);
  const minLeadMs = durationMs(document.min_lead, defaultMinLeadMs);
  // Without a word about it, it is never shorter than the owner wants to be given.
  const hookDeadlineMs = durationMs(document.hook?.deadline, Math.max(defaultHookDeadlineMs, minLeadMs));
  if (hookDeadlineMs < minLeadMs)
    found.push({ path: ["hook", "deadline"], message: "is shorter than min_lead: no hook could ask" });
  else if (
    document.hook?.deadline !== undefined &&
    (hookDeadlineMs < minuteMs || hookDeadlineMs > mostHookMs)
  )
    found.push({ path: ["hook", "deadline"], message: "must be from 1m to 24d: no agent waits for longer" });
  if (found.length > 0) return { ok: false, errors: placed(found, source) };

  return {
    ok: true,
    config: {
      zone,
      minLeadMs,
      leaseMs: durationMs(document.lease, defaultLeaseMs),
      autoDefault: document.auto_default ?? false,
      ...(night ? { night } : {}),
      ...(document.reviewer ? { reviewer: readReviewer(document.reviewer) } : {}),
      againDeadlineMs: durationMs(document.again_deadline, defaultAgainDeadlineMs),
      hookDeadlineMs,
      airlocks,
      deliver: document.deliver ?? Object.keys(channels),
      channels,
    },
  };
}

function readReviewer({
  command,
  name,
  time_limit,
  mode,
  env,
}: NonNullable<ConfigDocument["reviewer"]>): Reviewer {
  const [program = "", ...words] = command;
  return {
    command: [program, ...words],
    name:
      name ??
      basename(program)
        .replaceAll(/[^\w.:-]+/g, "-")
        .slice(0, 40),
    timeLimitMs: durationMs(time_limit, defaultReviewMs),
    mode: mode ?? "cache-aware",
    env: env ?? [],
  };
}

async function readChannels(
  written: unknown,
  source: ConfigText,
  found: Found[],
): Promise<Config["channels"]> {
  const channels: Record<string, Readonly<Record<string, unknown>>> = {};
  if (isMap(written)) {
    const known = channelIds();
    for (const [id, value] of Object.entries(written)) {
      const path: Path = ["channels", id];
      if (!known.includes(id)) {
        const near = nearestKey(id, known);
        const meant = near ? `did you mean ${near}? ` : "";
        found.push({ path, message: `there is no such channel: ${meant}known: ${known.join(", ")}` });
        continue;
      }
      const settings = await channelSettings(id);
      const checked = settings.safeParse(value ?? {});
      if (checked.success) channels[id] = checked.data as Readonly<Record<string, unknown>>;
      else {
        found.push(...configIssues(checked.error.issues, settings as z.ZodType, path, source));
        channels[id] = {};
      }
    }
  }
  return channels.inbox ? channels : { ...channels, inbox: { port: defaultInboxPort } };
}

function checkDeliver(deliver: unknown, configured: readonly string[], found: Found[]): void {
  if (!Array.isArray(deliver)) return;
  const seen = new Set<unknown>();
  for (const [index, id] of deliver.entries()) {
    const path: Path = ["deliver", index];
    if (typeof id !== "string") continue;
    if (seen.has(id)) found.push({ path, message: "is listed twice" });
    else if (!configured.includes(id)) {
      const near = nearestKey(id, configured);
      const meant = near ? `did you mean ${near}? ` : "";
      found.push({
        path,
        message: `is not configured below channels: ${meant}configured: ${configured.join(", ")}`,
      });
    }
    seen.add(id);
  }
}

function readAirlocks(written: unknown, env: Environment, found: Found[]): Config["airlocks"] {
  const airlocks: Record<string, string> = {};
  if (!isMap(written)) return airlocks;
  for (const [project, path] of Object.entries(written)) {
    if (typeof path !== "string") continue;
    const whole = path.startsWith("~/") ? join(env.HOME || homedir(), path.slice(2)) : resolve(path);
    const twin = Object.entries(airlocks).find(([, other]) => other === whole);
    if (twin)
      found.push({ path: ["airlocks", project], message: `is the same folder as that of ${twin[0]}` });
    airlocks[project] = whole;
  }
  return airlocks;
}

function placed(found: readonly Found[], source: ConfigText): ConfigError[] {
  return found
    .map(({ path, message, key }) => {
      const line = source.line(path, key);
      return { path: pathText(path), ...(line === undefined ? {} : { line }), message };
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function durationMs(text: string | undefined, fallback: number): number {
  return text === undefined ? fallback : (parseDuration(text) ?? fallback);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
