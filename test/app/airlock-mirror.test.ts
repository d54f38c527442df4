import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { passAirlocks, startAirlock } from "../../src/app/airlock/airlock.ts";
import { openMirror } from "../../src/app/airlock/mirror.ts";
import { openTroubles } from "../../src/app/airlock/troubles.ts";
import { silentLog } from "../../src/app/log.ts";
import { aDocument, aTestHome, type TestHome } from "./airlock-home.ts";

let home: TestHome;
beforeEach(async () => {
  home = await aTestHome();
});
afterEach(() => home.close());

async function ask(given: Record<string, unknown> = {}, project?: string): Promise<string> {
  const asked = await home.owlpost.ask({
    document: aDocument(given),
    ...(project === undefined ? {} : { project }),
  });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}
const mirror = (): Promise<void> => passAirlocks(home.settings);

describe("the mirror of a question", () => {
  it("is the whole question and where it stands, refreshed at each move", async () => {
    const id = await ask({ facts: { command: "npm test", exit_code: 1 } });
    await mirror();
    expect(home.yaml("default", "questions", `${id}.yaml`)).toMatchObject({
      id,
      project: "default",
      task: "012-fix-auth",
      run: "a3f2",
      kind: "decide",
      title: "Which token store for the login fix?",
      options: [{ key: "1", recommended: true }, { key: "2" }],
      default: { action: "skip_spec", at: "06:00" },
      facts: { command: "npm test", exit_code: 1 },
      state: "pending",
      revision: 1,
      asked_at: "2026-11-30T00:00:00.000Z",
      deadline_at: "2026-11-30T05:00:00.000Z",
      zone: "Europe/Berlin",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    home.pass(60_000);
    await home.owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
    await home.owlpost.take({ task: "012-fix-auth", run: "a3f2", claim: "a-secret-token" });
    await mirror();
    const taken = home.yaml("default", "questions", `${id}.yaml`);
    expect(taken).toMatchObject({
      state: "applied",
      outcome: "answered",
      answer: { option: "2", via: "cli", host: "tower", at: "2026-11-30T00:01:00.000Z" },
      claim: { run: "a3f2", taken_at: "2026-11-30T00:01:00.000Z" },
    });
    expect(home.read("default", "questions", `${id}.yaml`)).not.toContain("a-secret-token");
  });

  it("says on its first line what it is and how to answer", async () => {
    const id = await ask();
    await mirror();
    const head = () => home.read("default", "questions", `${id}.yaml`).split("\n").slice(0, 2);
    expect(head()).toEqual([
      "# A mirror, written by owlpost at each move; changes made here are not read.",
      `# To answer: owlpost answer ${id} KEY`,
    ]);
    await home.owlpost.cancel(id, "the spec was removed");
    await mirror();
    expect(head().join("\n")).not.toContain("To answer");
  });

  it("is never read back: a changed mirror changes nothing and is written over at the next move", async () => {
    const id = await ask();
    await mirror();
    writeFileSync(
      home.path("default", "questions", `${id}.yaml`),
      `id: ${id}\nstate: answered\nanswer: {option: "1"}\n`,
    );
    await mirror();
    home.pass(2_000);
    await mirror();
    expect((await home.owlpost.question(id))?.state).toBe("pending");
    await home.owlpost.decide({ verb: "skip", question: id }, "inbox");
    await mirror();
    expect(home.yaml("default", "questions", `${id}.yaml`)).toMatchObject({
      state: "answered",
      outcome: "skipped",
    });
  });

  it("stands in the airlock of its own project, and events of no project in none", async () => {
    const id = await ask({}, "site");
    await home.store.append([{ type: "log", event: { kind: "service.started", data: {} } }], 1);
    await mirror();
    expect(home.names("site", "questions")).toEqual([`${id}.yaml`]);
    expect(home.lines("site").map((line) => line.kind)).toEqual(["question.asked"]);
    expect(home.names()).toEqual(["default", "site"]);
    expect(home.names("default")).not.toContain("events.jsonl");
  });

  it("lies in the configured folder, open as a repository is", async () => {
    const repository = mkdtempSync(join(tmpdir(), "repository-"));
    const other = await aTestHome({ airlocks: { site: join(repository, ".owlpost") } });
    try {
      const asked = await other.owlpost.ask({ document: aDocument() });
      await passAirlocks(other.settings);
      const file = join(repository, ".owlpost", "questions", `${asked.ok ? asked.id : ""}.yaml`);
      expect(statSync(file).mode & 0o777).toBe(0o644);
    } finally {
      await other.close();
      rmSync(repository, { recursive: true, force: true });
    }
  });
});

describe("events and notes", () => {
  it("each stands once, whatever was repeated after a kill before the cursor moved", async () => {
    const id = await ask();
    await home.owlpost.decide({ verb: "steer", target: id, text: "use the old table" }, "cli");
    await home.owlpost.decide({ verb: "steer", target: "run:a3f2", text: "stop at midnight" }, "inbox");
    await mirror();
    const before = [
      home.read("default", "events.jsonl"),
      home.read("default", "steering", "012-fix-auth.md"),
    ];
    for (const cursor of ["{}", "broken", '{"events":{"at":1,"behind":{}},"notes":{"at":0,"behind":{}}}']) {
      await home.store.setCursor("mirror", cursor, 0);
      await mirror();
    }
    expect([
      home.read("default", "events.jsonl"),
      home.read("default", "steering", "012-fix-auth.md"),
    ]).toEqual(before);
    const seqs = home.lines().map((line) => line.seq);
    expect(seqs).toEqual([...new Set(seqs)]);
    expect(home.read("default", "steering", "012-fix-auth.md")).toBe(
      `<!-- owlpost note 1, 2026-11-30 -->\nHuman reply from the command line on tower @ 01:00 (${id}):\n\`\`\`\nuse the old table\n\`\`\`\n`,
    );
    expect(home.read("default", "steering", "run.md")).toBe(
      "<!-- owlpost note 2, 2026-11-30 -->\nHuman reply in the local inbox on tower @ 01:00 (run a3f2):\n```\nstop at midnight\n```\n",
    );
  });

  it("holds more than one page", async () => {
    for (let n = 0; n < 130; n += 1) await ask({ task: `task-${n}` });
    await mirror();
    expect(home.names("default", "questions")).toHaveLength(130);
    expect(home.lines()).toHaveLength(130);
  });

  it("two mirrors at once, as in two processes, write every event once", async () => {
    for (let n = 0; n < 20; n += 1) await ask({ task: `task-${n}` });
    await Promise.all([mirror(), mirror(), mirror()]);
    expect(home.lines().map((line) => line.seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

describe("a mirror while somebody waits for something else", () => {
  const open = (more: Partial<Parameters<typeof openMirror>[0]>) =>
    openMirror({
      home: home.folder,
      airlocks: {},
      zone: home.settings.config.zone,
      store: home.store,
      now: () => 0,
      troubles: openTroubles(silentLog),
      ...more,
    });

  it("stays out of the way, says until when, and loses nothing", async () => {
    const id = await ask();
    let rushMs = 250;
    const patient = open({ rushMs: () => rushMs });
    expect(await patient.run()).toBe(250);
    expect(existsSync(home.path("default"))).toBe(false);
    rushMs = 0;
    expect(await patient.run()).toBeUndefined();
    expect(home.names("default", "questions")).toEqual([`${id}.yaml`]);
  });

  it("goes on between two pages where it stopped", async () => {
    for (let n = 0; n < 120; n += 1) await ask({ task: `task-${n}` });
    const rush = [0, 40, 0, 0, 0];
    const patient = open({ rushMs: () => rush.shift() ?? 0 });
    expect(await patient.run()).toBe(40);
    const early = home.lines().length;
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(120);
    expect(await patient.run()).toBeUndefined();
    expect(home.lines().map((line) => line.seq)).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
  });

  it("writes a question once, however many pages tell of it", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await ask({ task: `task-${n}` }));
    for (const id of ids) await home.owlpost.decide({ verb: "choose", question: id, key: "2" }, "cli");
    const wrote: string[] = [];
    await open({ wrote: (_project, id) => wrote.push(id) }).run();
    expect(wrote.sort()).toEqual(ids.sort());
    expect(home.lines()).toHaveLength(240);
    expect(home.yaml("default", "questions", `${ids[0]}.yaml`)).toMatchObject({ state: "answered" });
  });
});

describe("an airlock that cannot be written", () => {
  it("holds up nobody else, is told of once, and loses nothing", async () => {
    mkdirSync(home.path("site"), { recursive: true });
    const elsewhere = join(home.folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, home.path("site", "questions"));
    for (let n = 0; n < 120; n += 1) await ask({ task: `site-${n}` }, "site");
    await home.owlpost.decide({ verb: "steer", target: "t1", text: "note", project: "site" }, "cli");
    const id = await ask();
    const airlock = startAirlock(home.settings);
    await airlock.poke();
    await airlock.poke();
    await airlock.poke();
    expect(home.names("default", "questions")).toEqual([`${id}.yaml`]);
    const told = home.logged.filter((line) => line.includes("is a symbolic link"));
    expect(told).toHaveLength(1);
    rmSync(home.path("site", "questions"));
    await airlock.poke();
    await airlock.poke();
    expect(home.names("site", "questions")).toHaveLength(120);
    expect(
      home
        .lines("site")
        .map((line) => line.kind)
        .at(-1),
    ).toBe("steering.noted");
    expect(home.lines("site")).toHaveLength(121);
    expect(home.names("site", "steering")).toEqual(["t1.md"]);
    await airlock.close();
  });

  it("a page that fails for one project moves on for the others", async () => {
    const bad = await ask({}, "bad");
    await mirror();
    rmSync(home.path("bad", "events.jsonl"));
    symlinkSync(join(home.folder, "nowhere"), home.path("bad", "events.jsonl"));
    await home.owlpost.decide({ verb: "skip", question: bad }, "cli");
    const troubles = openTroubles(silentLog);
    const { home: folder, config, store } = home.settings;
    const stuck = openMirror({
      home: folder,
      airlocks: {},
      zone: config.zone,
      store,
      now: () => 0,
      troubles,
    });
    expect(await stuck.run()).toBe(2_000);
    const good = await ask();
    expect(await stuck.run()).toBe(2_000);
    expect(home.names("default", "questions")).toEqual([`${good}.yaml`]);
    rmSync(home.path("bad", "events.jsonl"));
    expect(await stuck.run()).toBeUndefined();
    expect(home.lines("bad").map((line) => line.kind)).toEqual(["question.answered"]);
  });
});
