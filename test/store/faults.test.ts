import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../src/domain/store.ts";
import { storeFault } from "../../src/store/faults.ts";

describe("faults", () => {
  it.each([
    ["SQLITE_FULL", "disk-full", "free some space"],
    ["SQLITE_READONLY_DBMOVED", "read-only", "make its folder and disk writable"],
    ["SQLITE_IOERR_FSYNC", "io", "may or may not have been written"],
    ["SQLITE_BUSY_SNAPSHOT", "busy", "do the same again in a moment"],
    ["SQLITE_LOCKED", "busy", "do the same again in a moment"],
    ["SQLITE_CORRUPT", "corrupt", "put a backup in its place"],
    ["SQLITE_NOTADB", "corrupt", "put a backup in its place"],
    ["SQLITE_CANTOPEN", "cannot-open", "check that its folder exists"],
    ["SQLITE_CONSTRAINT_UNIQUE", "conflict", "look at the present state"],
    ["SQLITE_NOMEM", "no-memory", "free some"],
    ["SQLITE_MISMATCH", "store", "the store failed"],
  ])("%s is %s", (code, name, advice) => {
    const cause = new Database.SqliteError("inside", code);
    const fault = storeFault(cause, "owlpost.db");
    expect(fault).toBeInstanceOf(StoreError);
    expect(fault).toMatchObject({ code: name, cause });
    expect(String(fault)).toContain(advice);
    expect(String(fault)).toContain(`(owlpost.db, ${code})`);
  });

  it.each([
    ["ENOSPC", "disk-full"],
    ["EROFS", "read-only"],
    ["EACCES", "cannot-open"],
  ])("%s of the operating system is %s", (code, name) => {
    const cause = Object.assign(new Error("inside"), { code });
    expect(storeFault(cause, "owlpost.db")).toMatchObject({ name: "StoreError", code: name });
  });

  it("what others threw comes through as it is", () => {
    const named = new StoreError("conflict", "x");
    const own = new TypeError("a bug");
    expect(storeFault(named, "owlpost.db")).toBe(named);
    expect(storeFault(own, "owlpost.db")).toBe(own);
    expect(storeFault("text", "owlpost.db")).toBe("text");
  });
});
