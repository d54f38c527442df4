import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import type { AirlockSettings } from "../../src/app/airlock/airlock.ts";
import type { Owlpost } from "../../src/app/api.ts";
import { defaultConfig } from "../../src/app/config.ts";
import type { Log } from "../../src/app/log.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import type { Event } from "../../src/domain/event.ts";
import type { Store } from "../../src/domain/store.ts";

export const midnight = Date.parse("2026-11-30T00:00:00Z");

export type TestHome = {
  readonly folder: string;
  readonly owlpost: Owlpost;
  readonly store: Store;
  readonly settings: AirlockSettings;
  readonly logged: string[];
  /** Moves both the wall clock and the clock between two looks. */
  pass(ms: number): void;
  path(...names: string[]): string;
  read(...names: string[]): string;
  yaml(...names: string[]): Record<string, unknown>;
  names(...names: string[]): string[];
  /** The lines of `events.jsonl`. */
  lines(project?: string): Record<string, unknown>[];
  events(kind: Event["kind"]): Promise<readonly Event[]>;
  close(): Promise<void>;
};

/** A real home in a temporary folder, with a clock that stands still until it is moved. */
export async function aTestHome(given: { airlocks?: Record<string, string> } = {}): Promise<TestHome> {
  const folder = mkdtempSync(join(tmpdir(), "airlock-"));
  let at = midnight;
  const config = { ...defaultConfig(), zone: "Europe/Berlin", airlocks: given.airlocks ?? {} };
  const owlpost = await openOwlpost({ home: folder, config, now: () => at, host: "tower" });
  const logged: string[] = [];
  const write: Log["warn"] = (fields, message) => void logged.push(`${message}: ${String(fields.why ?? "")}`);
  const path = (...names: string[]): string => join(folder, "airlocks", ...names);
  const read = (...names: string[]): string => readFileSync(path(...names), "utf8");
  return {
    folder,
    owlpost,
    store: owlpost.store,
    settings: {
      owlpost,
      store: owlpost.store,
      config,
      home: folder,
      now: () => at,
      clock: () => at,
      log: { info: () => undefined, warn: write, error: write },
    },
    logged,
    pass: (ms) => {
      at += ms;
    },
    path,
    read,
    yaml: (...names) => parse(read(...names)) as Record<string, unknown>,
    names: (...names) => readdirSync(path(...names)).sort(),
    lines: (project = "default") =>
      read(project, "events.jsonl")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    events: async (kind) => (await owlpost.events(0, 1_000)).filter((event) => event.kind === kind),
    close: async () => {
      await owlpost.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The document of a question that keeps the contract. */
export function aDocument(given: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    task: "012-fix-auth",
    run: "a3f2",
    title: "Which token store for the login fix?",
    context: "012-fix-auth fails in `auth.ts`: the refresh token is rotated twice.",
    options: [
      { key: "1", label: "Rotate once", consequence: "One more migration.", recommended: true },
      { key: "2", label: "Keep both", consequence: "Old sessions stay." },
    ],
    default: { action: "skip_spec", at: "06:00" },
    ...given,
  };
}
