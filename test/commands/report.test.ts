import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

describe("owlpost report", () => {
  test("tells what there is, as text and as one JSON document", async () => {
    const id = await desk.ask();
    await desk.run(["answer", id, "1"]);
    const people = await desk.run(["report"]);
    expect([people.exit, people.err]).toEqual([0, ""]);
    expect(people.out).toMatch(/^🦉 Morning report\n/);
    expect(people.out).toContain("1 question: 1 answered.");
    expect(people.out).toContain("Answered: option 1 — Refresh-token rotation, from the command line on ");
    const program = await desk.run(["report", "--json"]);
    expect(program.json).toMatchObject({
      answered: [{ id, answer: { option: "1", via: "cli" }, not_taken: [{ key: "2" }] }],
      figures: { questions: 1, outcomes: { answered: 1 } },
    });
  });

  test("an empty home has a quiet night", async () => {
    expect((await desk.run(["report"])).out).toContain("A quiet night: no question was asked");
  });

  test.each(["yesterday", "25:00", "2999-01-01T00:00Z"])("--since %s is refused", async (since) => {
    const { exit, json, err } = await desk.run(["report", "--since", since, "--json"]);
    expect([exit, json.error, err]).toEqual([2, "bad-usage", ""]);
    expect(json.message).toContain(`(found ${since})`);
    const people = await desk.run(["report", "--since", since]);
    expect([people.exit, people.out]).toEqual([2, ""]);
    expect(people.err).toContain("22:00, 12h or 2026-07-06T22:00+02:00");
  });

  test("--html writes one whole file, for the owner's eyes", async () => {
    await desk.ask({ title: "Is <b>this</b> & that right?" });
    const { exit, err, out } = await desk.run(["report", "--html", "night.html"]);
    const path = join(desk.folder, "night.html");
    expect([exit, out, err]).toEqual([0, "", `The report is in ${path}.\n`]);
    const html = readFileSync(path, "utf8");
    expect(html).toContain("Is &lt;b&gt;this&lt;/b&gt; &amp; that right?");
    expect(html).not.toContain("<b>");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = await desk.run(["report", "--html", path, "--json"]);
    expect([again.exit, again.json.html]).toEqual([0, path]);
    expect(readdirSync(desk.folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  });

  test("--html follows no link and replaces nothing that is no file of ours", async () => {
    const secret = desk.file("secret.txt", "mine");
    symlinkSync(secret, join(desk.folder, "link.html"));
    mkdirSync(join(desk.folder, "folder.html"));
    writeFileSync(join(desk.folder, "file"), "");
    for (const [name, part] of [
      ["link.html", "it is a symbolic link"],
      ["folder.html", "it is not a regular file"],
      ["none/night.html", "there is no folder"],
      ["file/night.html", "is no folder"],
    ] as const) {
      const { exit, json } = await desk.run(["report", "--html", name, "--json"]);
      expect([name, exit, json.error]).toEqual([name, 2, "bad-file"]);
      expect(json.message).toContain(part);
    }
    expect(readFileSync(secret, "utf8")).toBe("mine");
    expect((await desk.run(["report", "--html", " "])).exit).toBe(2);
  });

  test("--send queues the digest as a notice of kind morning", async () => {
    const id = await desk.ask();
    const { exit, err, out } = await desk.run(["report", "--send"]);
    expect([exit, out, err]).toEqual([0, "", "The digest goes to inbox.\n"]);
    const events = (await desk.run(["events"])).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const queued = events.filter(({ kind }) => kind === "notice.queued");
    expect(queued).toHaveLength(1);
    expect(queued[0].data.kind).toBe("morning");
    expect(queued[0].data.text).toContain(id);
    expect((await desk.run(["report", "--send", "--json"])).json.sent).toEqual(["inbox"]);
  });
});
