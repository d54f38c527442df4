import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A session of an agent as a run: `[0-9a-z]{6}`, always the same for the same session. */
export function sessionRun(session: string): string {
  const digest = createHash("sha256").update(session).digest();
  return (digest.readUIntBE(0, 6) % 36 ** 6).toString(36).padStart(6, "0");
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
