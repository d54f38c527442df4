import Database from "better-sqlite3";
import { boundary } from "./steps.ts";
import { currentPhase } from "./tapped-store.ts";

/** A step before every statement that writes, so that a kill also falls into the middle of a transaction. */
export function tapStatements(): void {
  const probe = new Database(":memory:");
  const prototype = Object.getPrototypeOf(probe.prepare("SELECT 1")) as {
    run(...values: unknown[]): unknown;
    source: string;
  };
  probe.close();
  const run = prototype.run;
  prototype.run = function tapped(this: typeof prototype, ...values: unknown[]): unknown {
    const what = words(this.source);
    if (what.startsWith("SAVEPOINT") || what.startsWith("RELEASE")) return run.apply(this, values);
    boundary(currentPhase(), `sql ${what}:before`);
    const result = run.apply(this, values);
    if (what === "COMMIT") boundary(currentPhase(), "sql COMMIT:after");
    return result;
  };
}

/** `INSERT INTO questions`, `UPDATE questions`, `COMMIT`. */
function words(source: string): string {
  const [verb = "", second = "", third = ""] = source.trim().split(/[\s(]+/);
  return ["INSERT", "DELETE"].includes(verb) ? `${verb} ${third}` : `${verb} ${second}`.trim();
}
