import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { silentLog } from "../src/app/log.ts";
import { type Service, type ServiceOptions, startService } from "../src/app/service.ts";
import { aConfig, evening } from "./builders.ts";

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Runs when the test is over, the latest first. */
export function afterwards(close: () => Promise<void> | void): void {
  closing.push(close);
}

/** A fresh, empty home that is removed after the test. */
export function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), "owlpost-home-"));
  afterwards(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** In memory where there is such a place: thousands of commits, and no disk is looked at here. */
export function aQuickHome(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return aHome();
  const home = mkdtempSync(join(memory, "owlpost-home-"));
  afterwards(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A clock that stands still until it is moved. */
export function aClock(start = evening): { now: () => number; advance(ms: number): void } {
  let at = start;
  return {
    now: () => at,
    advance(ms: number) {
      at += ms;
    },
  };
}

/** A page folder that is enough for a service whose page nobody looks at. */
function emptyPage(home: string): string {
  const folder = join(home, "page");
  mkdirSync(folder, { recursive: true });
  for (const name of ["index.html", "inbox.js", "inbox.css"]) writeFileSync(join(folder, name), "");
  return folder;
}

/** The real service on a real store; it is closed after the test. */
export async function aService(
  changes: Partial<ServiceOptions> = {},
): Promise<Service & { readonly home: string }> {
  const home = changes.home ?? aHome();
  const service = await startService({
    home,
    config: aConfig(),
    log: silentLog,
    assets: emptyPage(home),
    random: () => 0.5,
    ...changes,
  });
  afterwards(() => service.close());
  return { ...service, home };
}

/** Waits until something holds; fails after fifteen seconds with what it last saw. */
export async function until<Value>(
  look: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  const end = Date.now() + 15_000;
  let value = await look();
  while (!holds(value)) {
    if (Date.now() > end) throw new Error(`did not come true; last seen: ${JSON.stringify(value)}`);
    await new Promise((next) => setTimeout(next, 10));
    value = await look();
  }
  return value;
}
