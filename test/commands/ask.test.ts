import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const good = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify(aDocument({ default: { action: "skip_spec", at: "12h" }, ...changes }));

describe("an ask that is taken", () => {
  test("for people: the id on stdout and nothing else, the rest on stderr", async () => {
    const { exit, out, err } = await desk.run(["ask", desk.file("q.json", good())]);
    expect([exit, out]).toEqual([0, "q-a3f2-012-fix-auth-1\n"]);
    expect(err).toContain("is stored and open until");
    expect(statSync(desk.home).mode & 0o777).toBe(0o700);
  });

  test("for programs: id, state, digest, deadline, channels", async () => {
    const { exit, json, err } = await desk.run(["ask", "--json", "-"], { stdin: good() });
    expect([exit, err]).toEqual([0, ""]);
    expect(json).toEqual({
      id: "q-a3f2-012-fix-auth-1",
      task: "012-fix-auth",
      project: "default",
      state: "pending",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      channels: ["inbox"],
    });
  });

  test("YAML, with flags for task, run and project", async () => {
    const { task: _task, run: _run, ...rest } = aDocument({ default: { action: "skip_spec", at: "12h" } });
    const yaml = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    const flags = ["--task", "014-import", "--run", "b1", "--project", "shop"];
    const { json } = await desk.run(["ask", "--json", "-", ...flags], { stdin: yaml.join("\n") });
    expect([json.id, json.project]).toEqual(["q-b1-014-import-1", "shop"]);
  });

  test("the same key is the same ask", async () => {
    const first = await desk.run(["ask", "--json", "--key", "k", "-"], { stdin: good() });
    const again = await desk.run(["ask", "--json", "--key", "k", "-"], { stdin: good() });
    expect([again.json.id, again.json.repeated]).toEqual([first.json.id, true]);
    const other = await desk.run(["ask", "--json", "-"], { stdin: good() });
    expect(other.json.id).not.toBe(first.json.id);
  });

  test("a changed default is told", async () => {
    const stdin = good({ default: { action: "take_recommended", at: "12h" }, auto_default: true });
    const { json } = await desk.run(["ask", "--json", "-"], { stdin });
    expect(json.default_changed).toBe(true);
    const people = await desk.run(["ask", "-"], { stdin });
    expect(people.err).toContain("config.yaml does not say auto_default: true");
  });

  test("an agent's engine fields are dropped, and told", async () => {
    const { json } = await desk.run(["ask", "--json", "-"], { stdin: good(), env: { OWLPOST_AS: "agent" } });
    expect(json.dropped).toEqual(expect.arrayContaining(["run", "iteration", "progress"]));
  });

  test("the project of the airlock that holds the current directory", async () => {
    const repository = join(desk.folder, "shop");
    mkdirSync(join(repository, "src"), { recursive: true });
    mkdirSync(desk.home, { mode: 0o700 });
    const airlocks = { shop: join(repository, ".owlpost"), other: join(desk.folder, "other") };
    desk.file("home/config.yaml", JSON.stringify({ airlocks }));
    const inside = await desk.run(["ask", "--json", "-"], { stdin: good(), cwd: join(repository, "src") });
    const outside = await desk.run(["ask", "--json", "-"], { stdin: good() });
    expect([inside.json.project, outside.json.project]).toEqual(["shop", "default"]);
  });
});

describe("an ask that is refused", () => {
  test("a broken contract is exit 2, with every broken rule", async () => {
    const stdin = good({ title: "", options: [] });
    const program = await desk.run(["ask", "--json", "-"], { stdin });
    expect([program.exit, program.json.error]).toEqual([2, "rejected"]);
    const broken = program.json.broken as { rule: string }[];
    expect(broken.map((each) => each.rule)).toEqual(
      expect.arrayContaining(["title-missing", "options-too-few"]),
    );
    for (const each of broken) expect(Object.keys(each).sort()).toEqual(["field", "found", "mend", "rule"]);
    const people = await desk.run(["ask", "-"], { stdin });
    expect([people.exit, people.out]).toEqual([2, ""]);
    expect(people.err).toMatch(/ {2}title-missing\n {4}field {2}title\n {4}found {2}.*\n {4}mend {3}\S/);
  });

  test("YAML that cannot be read: file, line and column", async () => {
    const path = desk.file("q.yaml", 'title: "open\noptions:\n  - : {\n');
    const { exit, err, out } = await desk.run(["ask", path]);
    expect([exit, out]).toEqual([2, ""]);
    expect(err).toMatch(/q\.yaml:\d+:\d+: /);
    const program = await desk.run(["ask", "--json", path]);
    expect([program.exit, program.json.error]).toEqual([2, "unreadable"]);
  });

  test("the same id with another text is exit 3", async () => {
    const id = "q-a3f2-012-fix-auth-7";
    await desk.run(["ask", "-"], { stdin: good({ id }) });
    const { exit, json } = await desk.run(["ask", "--json", "-"], {
      stdin: good({ id, title: "Another `title`?" }),
    });
    expect([exit, json.error, json.id]).toEqual([3, "id-conflict", id]);
  });

  test("files that cannot be read as text", async () => {
    const latin = Buffer.from("title: caf\xe9", "latin1");
    for (const [name, part] of [
      [join(desk.folder, "none.yaml"), "there is no such file"],
      [desk.folder, "it is a folder"],
      [desk.file("large.yaml", "x".repeat(1_048_577)), "is larger than 1 MiB"],
      [desk.file("latin.yaml", latin as unknown as string), "is not UTF-8"],
    ] as const) {
      const { exit, err } = await desk.run(["ask", name]);
      expect([exit, err]).toEqual([2, expect.stringContaining(part)]);
    }
  });

  test("bad configuration is exit 2 and names file, line and key", async () => {
    mkdirSync(desk.home, { mode: 0o700 });
    const file = desk.file("home/config.yaml", "zone: UTC\nleese: 1h\n");
    const people = await desk.run(["ask", "-"], { stdin: good() });
    expect([people.exit, people.err]).toEqual([
      2,
      `${file}:2: leese: is not a known key: did you mean lease?\n`,
    ]);
    const program = await desk.run(["ask", "--json", "-"], { stdin: good() });
    expect([program.exit, program.json.error]).toEqual([2, "bad-configuration"]);
    expect(program.json.errors).toEqual([
      { path: "leese", line: 2, message: "is not a known key: did you mean lease?" },
    ]);
  });

  test("a home that is a folder of other things is refused, an empty one is closed", async () => {
    const other = join(desk.folder, "other");
    mkdirSync(join(other, "papers"), { recursive: true, mode: 0o755 });
    const refused = await desk.run(["ask", "--json", "--home", other, "-"], { stdin: good() });
    expect([refused.exit, refused.json.error, statSync(other).mode & 0o777]).toEqual([2, "bad-home", 0o755]);
    mkdirSync(desk.home, { mode: 0o755 });
    const taken = await desk.run(["ask", "-"], { stdin: good() });
    expect([taken.exit, statSync(desk.home).mode & 0o777]).toEqual([0, 0o700]);
    expect(taken.err).toContain("it is closed now");
  });
});

test("a mistyped key is told with the one that was meant", async () => {
  const mine = aDesk();
  const document = JSON.parse(good()) as Record<string, unknown>;
  const kept = await mine.run(["ask", "-"], { stdin: JSON.stringify({ ...document, treid: "x" }) });
  expect(kept.err).toContain("Not kept: treid (did you mean tried?).");
  const { title, ...rest } = document;
  const refused = await mine.run(["ask", "-"], { stdin: JSON.stringify({ ...rest, titel: title }) });
  expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining("titel (did you mean title?)")]);
  mine.remove();
});

test("a credential that was taken out is told", async () => {
  const mine = aDesk();
  const stdin = JSON.stringify({ ...JSON.parse(good()), tried: `src/a.ts: password=${"hunter"}2222 fails` });
  expect((await mine.run(["ask", "-"], { stdin })).err).toContain(
    "A credential became [redacted] in: tried.",
  );
  mine.remove();
});

test.each([["agent"], ["Agent"], [" agent "], ["agnet"]])(
  "OWLPOST_AS=%j neither serves nor answers",
  async (as) => {
    const mine = aDesk();
    const env = { OWLPOST_AS: as };
    for (const line of [["serve"], ["inbox"], ["answer", "q-a-b-1", "1"]]) {
      const { exit, err } = await mine.run(line, { env });
      expect([exit, err]).toEqual([3, expect.stringContaining("not-allowed")]);
    }
    mine.remove();
  },
);

test("a device without an end is refused like every other large source", async () => {
  const mine = aDesk();
  const { exit, err } = await mine.run(["ask", "/dev/zero"]);
  expect([exit, err]).toEqual([2, expect.stringContaining("/dev/zero is larger than 1 MiB")]);
  mine.remove();
});
