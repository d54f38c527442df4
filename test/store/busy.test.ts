import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { patiently } from "../../src/store/busy.ts";
import { aPath } from "./builders.ts";

describe("a read of a file that another connection has for itself", () => {
  function aHeldFile(): { holder: Database.Database; read: () => Promise<unknown> } {
    const path = aPath();
    const holder = new Database(path);
    holder.exec("CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('owl'); BEGIN EXCLUSIVE");
    const reader = new Database(path, { timeout: 1 });
    return { holder, read: async () => reader.prepare("SELECT word FROM words").pluck().get() };
  }

  it("is tried again while the event loop turns", async () => {
    const { holder, read } = aHeldFile();
    // Only a timer of this very event loop lets the file go.
    setTimeout(() => holder.close(), 30);
    expect(await patiently(read, 5_000)).toBe("owl");
  });

  it("ends with the fault itself when its time is over, and any other fault ends it at once", async () => {
    const { holder, read } = aHeldFile();
    await expect(patiently(read, 20)).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    holder.close();
    let tries = 0;
    const broken = (): Promise<never> => {
      tries += 1;
      return Promise.reject(new Error("not a lock"));
    };
    await expect(patiently(broken, 5_000)).rejects.toThrow("not a lock");
    expect(tries).toBe(1);
  });
});
