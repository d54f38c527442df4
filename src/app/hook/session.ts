import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A session of an agent as a run: `[0-9a-z]{6}`, always the same for the same session. FNV-1a in two lanes: it keeps sessions
 * apart and no secret, and a hook that has nothing to ask pays for every module that it loads.
 */
export function sessionRun(session: string): string {
  let [one, two] = [0x811c9dc5, 0x01000193];
  for (const byte of Buffer.from(session)) {
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b) ^ (two >>> 13);
  }
  const number = (one >>> 0) * 0x200000 + ((two >>> 0) & 0x1fffff);
  return (number % 36 ** 6).toString(36).padStart(6, "0");
}

/**
 * That a session has asked something, as an empty file. A session that has asked nothing is told at its stop without
 * opening the store.
 */
export function markSession(home: string, run: string): void {
  const folder = join(home, "hooks");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, run), "", { mode: 0o600 });
}

export function hasAsked(home: string, run: string): boolean {
  return existsSync(join(home, "hooks", run));
}

/** Nothing that it asked can still be answered. */
export function forgetSession(home: string, run: string): void {
  rmSync(join(home, "hooks", run), { force: true });
}
