import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCaseFiles, loadKinds, runFile } from "./case-files.ts";

const cases = join(import.meta.dirname, "../cases");

describe("the case files of this repository", () => {
  it("every kind finds its file, and everything passes", async () => {
    const kinds = await loadKinds();
    const known = new Set<string>();
    for (const file of findCaseFiles(cases).files) {
      const verdicts = await runFile(file, kinds);
      if (!verdicts) continue;
      known.add(kinds.find((kind) => kind.knows(file))?.name ?? "");
      expect(verdicts.length).toBeGreaterThan(0);
      expect(verdicts.filter((verdict) => !verdict.ok)).toEqual([]);
    }
    expect([...known].sort()).toEqual(kinds.map((kind) => kind.name).sort());
    expect(kinds.length).toBeGreaterThanOrEqual(4);
  });
});

describe("npm run conformance", () => {
  let folder = "";
  const run = (...args: readonly string[]) => {
    const program = join(import.meta.dirname, "run.ts");
    return spawnSync(process.execPath, ["--import", "tsx", program, ...args], { encoding: "utf8" });
  };
  const deadline = {
    zone: "UTC",
    askedAt: "2026-07-06T21:00:00.000Z",
    at: "1h",
    minLeadMinutes: 10,
    expect: { utc: "2026-07-06T22:00:00.000Z" },
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "owlpost-cases-"));
    mkdirSync(join(folder, "deep/wire"), { recursive: true });
    const write = (name: string, content: unknown): void =>
      writeFileSync(join(folder, name), JSON.stringify(content));
    write("deep/any-name.json", [
      { id: "good", ...deadline },
      { id: "bad", ...deadline, at: "soon" },
      { id: "odd", ...deadline, zone: "Nowhere", at: "06:00" },
    ]);
    write("moons.json", [{ id: "m1", moon: "full" }]);
    write("deep/wire/expect.json", { "a.json": { reply: null } });
    write("deep/wire/a.json", [{ id: "an input, not a case" }]);
    write("limits.json", { telegram: 4096 });
    writeFileSync(join(folder, "torn.json"), '[{"id":');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("prints what fails, what it cannot read, what it does not know, and the sum", () => {
    const { stdout, status } = run(folder);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^unreadable .*torn\.json: /);
    expect(lines.slice(1, 3)).toEqual([
      'bad: expected {"utc":"2026-07-06T22:00:00.000Z"}, got {"error":"deadline-invalid"}',
      'odd: expected {"utc":"2026-07-06T22:00:00.000Z"}, got threw not an IANA time zone: "Nowhere"',
    ]);
    expect(lines.slice(3)).toEqual([
      "not known: deep/wire/expect.json",
      "not known: moons.json",
      "1 passed, 3 failed",
    ]);
    expect(status).toBe(1);
  });

  it("fails when there was nothing to run", () => {
    const { stdout, status } = run(join(folder, "deep/wire"));
    expect(stdout).toContain("0 passed, 0 failed");
    expect(status).toBe(1);
  });

  it("asks for a folder", () => {
    expect(run().status).toBe(2);
    expect(run(join(folder, "none")).stderr).toContain("npm run conformance -- ");
  });
});
