import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Asked, AskOutcome } from "../../src/app/api.ts";
import type { Config } from "../../src/app/config.ts";
import { aConfig, aDocument } from "../builders.ts";

/** The folder of this run; `run.ts` removes it. */
export function benchFolder(): string {
  return setting("BENCH_FOLDER");
}

/** The checkout. */
export function root(): string {
  return setting("BENCH_ROOT");
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start this with npm run bench`);
  return value;
}

export function newHome(): string {
  const home = mkdtempSync(join(benchFolder(), "home-"));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
}

/** A home whose questions go to the inbox and to one phone. */
export function benchConfig(changes: Partial<Config> = {}): Config {
  return aConfig({ deliver: ["inbox", "peer"], channels: { inbox: { port: 0 }, peer: {} }, ...changes });
}

/** What an agent asks in earnest: a context as long as it may be, facts of the engine, a wall-clock deadline. */
export function benchDocument(n: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const opening = `Attempt ${n}: sessions must survive a browser restart and the schema may not change. `;
  const rest =
    "The middleware in `src/auth/session.ts` reads the cookie before the token is renewed. ".repeat(8);
  return aDocument({
    task: `${String(n % 100).padStart(3, "0")}-fix-auth`,
    run: `n${Math.floor(n / 5000)}`,
    title: `Token refresh strategy for the auth middleware, attempt ${n}?`,
    context: `${opening}${rest}`.slice(0, 600).trimEnd(),
    facts: {
      branch: "owl/012-fix-auth",
      command: "npm test -- tests/auth.spec.ts",
      exit_code: 1,
      output_tail: "FAIL tests/auth.spec.ts\n  expected 200, got 401\n",
    },
    ...changes,
  });
}

export function mustAsk(outcome: AskOutcome): Asked {
  if (!outcome.ok) throw new Error(`the ask was refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** The same again and again, made before anything is timed. */
export function benchDocuments(count: number): readonly Record<string, unknown>[] {
  return Array.from({ length: count }, (_, n) => benchDocument(n));
}

export function at<Value>(values: readonly Value[], index: number): Value {
  const value = values[index];
  if (value === undefined) throw new Error(`only ${values.length} were prepared`);
  return value;
}

export type Bare = {
  /** One row, one commit. */
  insert(): void;
  /** So many rows in one commit. */
  insertMany(count: number): void;
  close(): void;
};

/**
 * What everything is compared with: one row, one durable commit, the same driver on the same disk, nothing else. The
 * row holds the text of a question, since that must reach the disk in any design.
 */
export function bareInsert(home: string): Bare {
  const db = new Database(join(home, "bare.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE rows (n INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT");
  const statement = db.prepare("INSERT INTO rows (at, text) VALUES (?, ?)");
  const text = JSON.stringify(benchDocument(0));
  const insert = (): void => {
    statement.run(Date.now(), text);
  };
  return {
    insert,
    insertMany: db.transaction((count: number) => {
      for (let left = count; left > 0; left -= 1) insert();
    }),
    close: () => db.close(),
  };
}
