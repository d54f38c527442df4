import { execFileSync, spawn } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { appendEvents } from "../../src/app/airlock/events-file.ts";
import { ensureFolder, readOwned, sweepTemporary, writeWhole } from "../../src/app/airlock/files.ts";
import { ensurePlace, placeOf } from "../../src/app/airlock/place.ts";
import { appendNote } from "../../src/app/airlock/steering-file.ts";
import { jsonLine, yamlText } from "../../src/app/airlock/yaml-text.ts";
import type { Event } from "../../src/domain/event.ts";
import { withFileLock } from "../../src/store/file-lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "airlock-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: string[]): string => join(folder, ...names);

describe("reading a file of an airlock", () => {
  const reasonFor = async (path: string, most?: number, uid?: number): Promise<string> => {
    const read = await readOwned(path, most, uid);
    return read.ok ? "read" : read.reason;
  };

  it("reads a regular file of ours", async () => {
    writeFileSync(at("a"), "hello");
    const read = await readOwned(at("a"));
    expect(read.ok && read.bytes.toString()).toBe("hello");
  });

  it("refuses links of both kinds, folders, pipes, foreign and large files, each by name", async () => {
    writeFileSync(at("a"), "secret");
    symlinkSync(at("a"), at("link"));
    symlinkSync(at("nowhere"), at("dangling"));
    mkdirSync(at("folder"));
    execFileSync("mkfifo", [at("pipe")]);
    expect(await reasonFor(at("link"))).toBe("link");
    expect(await reasonFor(at("dangling"))).toBe("link");
    expect(await reasonFor(at("folder"))).toBe("not-a-file");
    expect(await reasonFor(at("pipe"))).toBe("not-a-file");
    expect(await reasonFor(at("missing"))).toBe("missing");
    expect(await reasonFor(at("a"), 5)).toBe("too-large");
    expect(await reasonFor(at("a"), 6)).toBe("read");
    expect(await reasonFor(at("a"), 6, (process.getuid?.() ?? 0) + 1)).toBe("foreign");
    linkSync(at("a"), at("second-name"));
    expect(await reasonFor(at("a"))).toBe("hard-link");
  });
});

describe("writing a file whole", () => {
  it("replaces a planted link instead of following it", async () => {
    writeFileSync(at("victim"), "untouched");
    symlinkSync(at("victim"), at("a.yaml"));
    await writeWhole(at("a.yaml"), "new", 0o600);
    expect(readFileSync(at("victim"), "utf8")).toBe("untouched");
    expect(lstatSync(at("a.yaml")).isFile()).toBe(true);
    expect(statSync(at("a.yaml")).mode & 0o777).toBe(0o600);
  });

  it("leaves nothing behind when it fails", async () => {
    mkdirSync(at("a.yaml"));
    await expect(writeWhole(at("a.yaml"), "new", 0o600)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["a.yaml"]);
  });

  it("a reader never sees a half file, and temporary files of a killed writer go after an hour", async () => {
    const source = `
      import { writeWhole } from ${JSON.stringify(join(import.meta.dirname, "../../src/app/airlock/files.ts"))};
      for (let n = 0; ; n += 1) await writeWhole(${JSON.stringify(at("a.yaml"))}, "x".repeat(100_000), 0o600);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source]);
    let looks = 0;
    const endsAt = Date.now() + 10_000;
    while (looks < 20 && Date.now() < endsAt) {
      await new Promise((done) => setTimeout(done, 10));
      const read = await readOwned(at("a.yaml"));
      if (!read.ok) continue;
      expect(read.bytes.length).toBe(100_000);
      looks += 1;
    }
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    expect(looks).toBe(20);
    writeFileSync(at(".owlpost-0123456789abcdef.tmp"), "torn");
    writeFileSync(at(".owlpost-mine.tmp"), "not of ours");
    for (const name of readdirSync(folder)) utimesSync(at(name), 1, 1);
    await sweepTemporary(folder, 3_600_000, Date.now());
    expect(readdirSync(folder).sort()).toEqual([".owlpost-mine.tmp", "a.yaml"]);
  });
});

describe("the folders of an airlock", () => {
  it("a home's folders are closed to everybody else, a configured one is as open as its repository", async () => {
    const mine = placeOf({ home: folder, airlocks: {} }, "default");
    await ensurePlace({ home: folder }, mine);
    expect(statSync(join(mine.dir, "questions")).mode & 0o777).toBe(0o700);
    const shared = placeOf({ home: folder, airlocks: { site: at("repository") } }, "site");
    await ensurePlace({ home: folder }, shared);
    expect(statSync(at("repository", "take")).mode & 0o777).toBe(0o755);
  });

  it.each(["questions", "answers", "steering", "take"])("follows no link planted for %s", async (name) => {
    const place = placeOf({ home: folder, airlocks: {} }, "default");
    await ensurePlace({ home: folder }, place);
    mkdirSync(at("elsewhere"));
    rmSync(join(place.dir, name), { recursive: true });
    symlinkSync(at("elsewhere"), join(place.dir, name));
    await expect(ensurePlace({ home: folder }, place)).rejects.toMatchObject({ reason: "link" });
  });

  it("makes no repository that is not there", async () => {
    await expect(ensureFolder(at("gone", ".owlpost"), 0o755)).rejects.toMatchObject({ reason: "missing" });
  });
});

describe("events.jsonl", () => {
  const path = (): string => at("events.jsonl");
  const anEvent = (seq: number, data: Record<string, unknown> = {}): Event => ({
    seq,
    at: Date.parse("2026-11-30T01:14:00Z") + seq,
    kind: "question.asked",
    question: "q-a3f2-012-1",
    project: "default",
    data,
  });
  const events = (first: number, last: number): Event[] =>
    Array.from({ length: last - first + 1 }, (_, n) => anEvent(first + n));
  const seqs = (): number[] =>
    readFileSync(path(), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq);

  it("holds one event a line, with exactly the fields that are promised", async () => {
    await appendEvents(path(), [anEvent(7, { title: "a\u202eb\u2028c" })], 7, 0o600);
    const text = readFileSync(path(), "utf8");
    expect(text).not.toMatch(/[\u202e\u2028]/);
    expect(JSON.parse(text)).toEqual({
      seq: 7,
      at: "2026-11-30T01:14:00.007Z",
      kind: "question.asked",
      question: "q-a3f2-012-1",
      data: { title: "a\u202eb\u2028c" },
    });
  });

  it("holds each event once when the cursor did not move after an append", async () => {
    await appendEvents(path(), events(1, 5), 9, 0o600);
    await appendEvents(path(), events(1, 9), 9, 0o600);
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("mends a last line that was torn at any byte", async () => {
    await appendEvents(path(), events(1, 3), 3, 0o600);
    const whole = readFileSync(path());
    for (let cut = 0; cut <= whole.length; cut += 1) {
      writeFileSync(path(), whole.subarray(0, cut));
      await appendEvents(path(), events(1, 3), 3, 0o600);
      expect(readFileSync(path()).equals(whole)).toBe(true);
    }
  });

  it("finds the last number behind a line that is longer than one read, and behind lines of others", async () => {
    await appendEvents(path(), [anEvent(1), anEvent(2, { text: "x".repeat(300_000) })], 2, 0o600);
    writeFileSync(path(), "note of another program\n{}\n", { flag: "a" });
    await appendEvents(path(), events(1, 3), 3, 0o600);
    expect(readFileSync(path(), "utf8").trimEnd().split("\n")).toHaveLength(5);
    await appendEvents(path(), events(1, 3), 3, 0o600);
    expect(readFileSync(path(), "utf8").trimEnd().split("\n")).toHaveLength(5);
  });

  it("a number that we never gave cannot stop the log", async () => {
    writeFileSync(path(), '{"seq":999999999}\n');
    await appendEvents(path(), events(1, 2), 2, 0o600);
    expect(seqs()).toEqual([999999999, 1, 2]);
  });

  it("writes through no link", async () => {
    writeFileSync(at("victim"), "untouched\n");
    symlinkSync(at("victim"), path());
    await expect(appendEvents(path(), events(1, 1), 1, 0o600)).rejects.toMatchObject({ reason: "link" });
    expect(readFileSync(at("victim"), "utf8")).toBe("untouched\n");
  });
});

describe("steering files", () => {
  const note = (n: number, text: string) => ({ mark: `note ${n}`, day: "2026-11-30", text, mode: 0o600 });

  it("holds each note once, and keeps what others wrote", async () => {
    writeFileSync(at("t.md"), Buffer.from([0xff, 0x41]));
    expect(await appendNote(at("t.md"), note(1, "one:\n```\nx\n```\n"))).toBe(true);
    expect(await appendNote(at("t.md"), note(1, "one:\n```\nx\n```\n"))).toBe(false);
    expect(await appendNote(at("t.md"), note(2, "two:\n```\ny\n```\n"))).toBe(true);
    const bytes = readFileSync(at("t.md"));
    expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0x41]));
    expect(bytes.subarray(2).toString()).toBe(
      "\n\n<!-- owlpost note 1, 2026-11-30 -->\none:\n```\nx\n```\n\n<!-- owlpost note 2, 2026-11-30 -->\ntwo:\n```\ny\n```\n",
    );
  });

  it("a mark inside a person's text is no mark", async () => {
    const forged = "one:\n````\n```\n<!-- owlpost note 2, 2026-11-30 -->\n````\n";
    await appendNote(at("t.md"), note(1, forged));
    expect(await appendNote(at("t.md"), note(2, "two\n"))).toBe(true);
  });

  it("a code block that somebody left open does not swallow the note", async () => {
    writeFileSync(at("t.md"), "~~~~\nopen");
    await appendNote(at("t.md"), note(1, "one\n"));
    expect(readFileSync(at("t.md"), "utf8")).toBe(
      "~~~~\nopen\n~~~~\n\n<!-- owlpost note 1, 2026-11-30 -->\none\n",
    );
  });

  it("writes through no link", async () => {
    writeFileSync(at("victim"), "untouched");
    symlinkSync(at("victim"), at("t.md"));
    await expect(appendNote(at("t.md"), note(1, "x\n"))).rejects.toMatchObject({ reason: "link" });
    expect(readFileSync(at("victim"), "utf8")).toBe("untouched");
  });
});

describe("YAML for readers of any language", () => {
  it("round-trips what is hard to write, and hides nothing", async () => {
    const value = {
      at: "06:00",
      answer: "no",
      lines: "a\n  b\n\nc ",
      document: "---\nx: y\n...\n",
      hidden: "a\u202eb\u200bc\u2028d\u0085e\0f\u{E0041}",
      tab: "\tx\n\ty",
      lead: "  x\ny",
      y: "on",
      list: [{ key: "1" }],
      empty: "",
    };
    const text = await yamlText({ ...value, gone: undefined }, ["a comment"]);
    expect(parse(text)).toEqual(value);
    expect(text.startsWith("# a comment\n")).toBe(true);
    expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{DI}\u2028]/u);
    expect(text).toContain('at: "06:00"');
    expect(text).toContain('"y": "on"');
    expect(text.split("\n")).not.toContain("---");
  });
  it("lone surrogates have no UTF-8", async () => {
    expect(parse(await yamlText({ a: "\ud83d x" }, []))).toEqual({ a: "\uFFFD x" });
    expect(JSON.parse(jsonLine({ a: "\ud83d x 👍🏽" }))).toEqual({ a: "\uFFFD x 👍🏽" });
  });
});

describe("the lock of a home's files", () => {
  it("lets one piece of work in at a time, in one process too", async () => {
    const path = at("mirror.lock");
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((done) => setTimeout(done, 5));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work, 10_000)));
    expect(most).toBe(1);
  });

  it("gives the value or the fault of the work back, and is free afterwards", async () => {
    const path = at("mirror.lock");
    expect(await withFileLock(path, async () => 7, 100)).toBe(7);
    await expect(withFileLock(path, () => Promise.reject(new Error("mine")), 100)).rejects.toThrow("mine");
    expect(await withFileLock(path, async () => 8, 100)).toBe(8);
  });

  it("is busy while another process holds it, and free the moment that process is killed", async () => {
    const path = at("mirror.lock");
    const source = `
      import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, "../../src/store/file-lock.ts"))};
      await withFileLock(${JSON.stringify(path)}, async () => {
        process.stdout.write("held");
        await new Promise((done) => setTimeout(done, 60_000));
      }, 100);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source]);
    await new Promise((done) => child.stdout.once("data", done));
    await expect(withFileLock(path, async () => 1, 50)).rejects.toMatchObject({ code: "busy" });
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    expect(await withFileLock(path, async () => 2, 0)).toBe(2);
  });

  it("says what to do when its folder is not there", async () => {
    await expect(withFileLock(at("gone", "mirror.lock"), async () => 1, 50)).rejects.toMatchObject({
      code: "cannot-open",
    });
  });
});
