import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
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

/** That a session stood still so long ago may be told again. */
const oldMs = 30 * 24 * 3_600_000;

/**
 * That a session has asked something, as an empty file. A session that has asked nothing is told at its stop without
 * opening the store.
 */
export function markSession(home: string, run: string): void {
  mark(home, run, "w");
}

export function hasAsked(home: string, run: string): boolean {
  return existsSync(markOf(home, run));
}

/** Nothing that it asked can still be answered. */
export function forgetSession(home: string, run: string): void {
  unmark(home, run);
}

/**
 * That people were told that a session stands still: once, until something happens in it. False where they were told
 * already; of several hooks at once one gets true.
 */
export function markIdle(home: string, run: string): boolean {
  try {
    mark(home, idle(run), "wx");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

export function isIdleTold(home: string, run: string): boolean {
  return existsSync(markOf(home, idle(run)));
}

/** Something has happened in the session: when it stands still again, that is news. */
export function forgetIdle(home: string, run: string): void {
  if (isIdleTold(home, run)) unmark(home, idle(run));
}

/**
 * Sessions end without a word: in the end it is forgotten that they stood still. That one has asked is not: an answer may
 * come late.
 */
export function forgetOld(home: string, now: number): void {
  const folder = markOf(home, "");
  try {
    for (const name of readdirSync(folder).filter((each) => each.endsWith(idle(""))))
      if (now - statSync(join(folder, name)).mtimeMs > oldMs) unmark(home, name);
  } catch {
    // Another time.
  }
}

function idle(run: string): string {
  return `${run}.idle`;
}

function markOf(home: string, name: string): string {
  return join(home, "hooks", name);
}

function mark(home: string, name: string, flag: "w" | "wx"): void {
  mkdirSync(join(home, "hooks"), { recursive: true, mode: 0o700 });
  writeFileSync(markOf(home, name), "", { mode: 0o600, flag });
}

/** One that cannot be removed costs a notice, and no more. */
function unmark(home: string, name: string): void {
  try {
    unlinkSync(markOf(home, name));
  } catch {
    // It is gone already, or the home cannot be written.
  }
}
