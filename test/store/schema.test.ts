import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { migrate, migrations } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/sqlite.ts";
import { aPath, aQuestion, aStore, ask, now } from "./builders.ts";

const golden = fileURLToPath(new URL("../golden/schema.sql", import.meta.url));

function dump(db: Database.Database): string {
  const statements = db
    .prepare<[], string>(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
    )
    .pluck()
    .all();
  return `PRAGMA user_version = ${db.pragma("user_version", { simple: true })};\n\n${statements.join(";\n\n")};\n`;
}

describe("the schema", () => {
  it("is the golden one", async () => {
    const path = aPath();
    await (await openStore(path)).close();
    const db = new Database(path, { readonly: true });
    const schema = dump(db);
    db.close();
    if (process.env.GOLDEN === "write") writeFileSync(golden, schema);
    expect(schema).toBe(readFileSync(golden, "utf8"));
  });

  it("is reached from every earlier one, with what was stored", async () => {
    for (let from = 0; from < migrations.length; from += 1) {
      const path = aPath(`from-${from}.db`);
      const db = new Database(path);
      migrate(db, migrations.slice(0, from));
      db.close();
      await (await aStore(path)).close();
      const after = new Database(path);
      expect(dump(after)).toBe(readFileSync(golden, "utf8"));
      after.close();
    }
  });

  it("the second keeps every message that waits, as it waits", async () => {
    const path = aPath();
    const db = new Database(path);
    migrate(db, migrations.slice(0, 1));
    db.exec(`
      INSERT INTO outbox (channel, destination, id, kind, question, notice_kind, notice_text, attempts, not_before_at,
        created_at)
      VALUES ('telegram', '42', 7, 'post', 'q-a3f2-fix-auth-1', NULL, NULL, 3, ${now + 5}, ${now}),
        ('telegram', '42', 8, 'edit', 'q-a3f2-fix-auth-2', 'away', 'I was away', 0, ${now}, ${now}),
        ('slack', 'C1', 9, 'notice', NULL, 'stalled', 'still here', 1, ${now + 9}, ${now - 1});
      UPDATE counters SET value = 9 WHERE name = 'job';
    `);
    db.close();
    const store = await aStore(path);
    const jobs = await store.nextJobs(now + 9, 9);
    for (const job of jobs) await store.drop(job, [], now);
    expect([...jobs, ...(await store.nextJobs(now + 9, 9))]).toEqual([
      {
        ...{ id: 7, channel: "telegram", destination: "42", kind: "post", question: "q-a3f2-fix-auth-1" },
        ...{ attempts: 3, notBeforeAt: now + 5, createdAt: now, key: "q-a3f2-fix-auth-1/post/7" },
      },
      {
        ...{ id: 9, channel: "slack", destination: "C1", kind: "notice" },
        notice: { kind: "stalled", text: "still here" },
        ...{ attempts: 1, notBeforeAt: now + 9, createdAt: now - 1, key: "notice/notice/9" },
      },
      {
        ...{ id: 8, channel: "telegram", destination: "42", kind: "edit", question: "q-a3f2-fix-auth-2" },
        notice: { kind: "away", text: "I was away" },
        ...{ attempts: 0, notBeforeAt: now, createdAt: now, key: "q-a3f2-fix-auth-2/edit/8" },
      },
    ]);
    const receipt = { channel: "telegram", destination: "7", kind: "receipt" } as const;
    await store.append([{ type: "send", job: receipt }], now);
    // No id is given twice, not even beyond the change of the schema.
    expect((await store.nextJobs(now, 9)).find((job) => job.kind === "receipt")?.id).toBe(10);
  });

  it("reopening changes nothing", async () => {
    const path = aPath();
    const first = await openStore(path);
    const id = await ask(first, aQuestion());
    await first.close();
    const again = await aStore(path);
    expect(await again.question(id)).toEqual(aQuestion());
  });

  it("a newer one is refused by a sentence that says what to do, and left alone", async () => {
    const path = aPath();
    await (await openStore(path)).close();
    const db = new Database(path);
    db.pragma("user_version = 99");
    db.close();
    await expect(openStore(path)).rejects.toMatchObject({
      name: "StoreError",
      code: "newer-schema",
      message: `this home was written by a newer owlpost (schema 99, this one knows ${migrations.length}): update owlpost`,
    });
    const after = new Database(path, { readonly: true });
    expect(after.pragma("user_version", { simple: true })).toBe(99);
    after.close();
  });

  it("a step that fails leaves the schema before it", () => {
    const db = new Database(aPath());
    expect(() => migrate(db, ["CREATE TABLE a (x) STRICT; CREATE TABLE b (x INTEGER) STRICT"])).toThrow();
    expect(dump(db)).toBe("PRAGMA user_version = 0;\n\n;\n");
    db.close();
  });

  it("belongs to its owner alone, also where it did not before", async () => {
    const path = aPath();
    const store = await aStore(path);
    await ask(store, aQuestion());
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    const wide = aPath();
    writeFileSync(wide, "", { mode: 0o644 });
    await aStore(wide);
    expect(statSync(wide).mode & 0o777).toBe(0o600);
  });

  it("every connection is durable and checks what it refers to", async () => {
    const { connect } = await import("../../src/store/connection.ts");
    const db = connect(aPath(), 1_000);
    const pragma = (name: string): unknown => db.pragma(name, { simple: true });
    expect([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")]).toEqual(["wal", 2, 1]);
    expect(pragma("busy_timeout")).toBe(1_000);
    const loose = db.prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict",
    );
    expect(loose.pluck().all()).toEqual(["sqlite_schema"]);
    db.close();
  });
});

describe("faults of opening", () => {
  it("a missing folder, a folder, and a file that is no database", async () => {
    const missing = `${aPath("nowhere")}/owlpost.db`;
    await expect(openStore(missing)).rejects.toMatchObject({ name: "StoreError", code: "cannot-open" });
    expect(existsSync(missing)).toBe(false);
    await expect(openStore(aPath(""))).rejects.toMatchObject({ code: "cannot-open" });
    const text = aPath();
    writeFileSync(text, "this is not a database at all, it is a letter to my aunt\n".repeat(200), {
      mode: 0o600,
    });
    await expect(openStore(text)).rejects.toMatchObject({ code: "corrupt" });
  });
});
