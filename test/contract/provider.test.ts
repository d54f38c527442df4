import { join } from "node:path";
import Database from "better-sqlite3";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig } from "../builders.ts";
import { aClock, afterwards, aHome } from "../homes.ts";
import { providerContract } from "./provider.ts";

providerContract("SQLite", async () => {
  const home = aHome();
  const clock = aClock();
  // Every task is made in a moment of its own.
  const now = (): number => {
    clock.advance(1);
    return clock.now();
  };
  const owlpost = await openOwlpost({ home, config: aConfig(), now, host: "owl" });
  afterwards(() => owlpost.close());
  const actor = { kind: "person", name: "eric" } as const;
  return {
    provider: await owlpost.board({ board: "shop", actor, issuer: "eric" }),
    nobody: await owlpost.board({ board: "shop", actor, issuer: undefined }),
    issuer: "eric",
    async breakSchema() {
      const db = new Database(join(home, "owlpost.db"));
      db.exec("ALTER TABLE tasks DROP COLUMN quality_verdict");
      db.close();
    },
  };
});
