import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { passAirlocks, startAirlock } from "../../src/app/airlock/airlock.ts";
import { writeAnswer } from "../../src/app/airlock/answer.ts";
import type { Owlpost, Taken } from "../../src/app/api.ts";
import { defaultConfig } from "../../src/app/config.ts";
import { aDocument, aTestHome, midnight, type TestHome } from "./airlock-home.ts";

let home: TestHome;
beforeEach(async () => {
  home = await aTestHome();
  await passAirlocks(home.settings);
});
afterEach(() => home.close());

const request = (task = "012-fix-auth"): string => home.path("default", "take", task);

async function ask(given: Record<string, unknown> = {}): Promise<string> {
  const asked = await home.owlpost.ask({ document: aDocument(given) });
  if (!asked.ok) throw new Error(JSON.stringify(asked));
  return asked.id;
}

/** A request that is old enough not to be about to be written. */
function takeFile(content = "", task?: string): void {
  writeFileSync(request(task), content);
  utimesSync(request(task), new Date(), new Date(Date.now() - 5_000));
}

/** A pass in which `owlpost` fails as given; in a process of its own, as after a kill. */
async function pass(failing: Partial<Pick<Owlpost, "take" | "confirm">> = {}): Promise<void> {
  await passAirlocks({ ...home.settings, owlpost: { ...home.owlpost, ...failing } });
}

const steering = (): string => home.read("default", "steering", "012-fix-auth.md");

describe("a take request", () => {
  it("gets the answer, confirmed, and goes", async () => {
    const id = await ask();
    home.pass(60_000);
    await home.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    await pass();
    expect(home.names("default", "answers")).toEqual([]);
    takeFile();
    await pass();
    const stored = await home.owlpost.question(id);
    expect(home.yaml("default", "answers", `${id}.yaml`)).toEqual({
      id,
      task: "012-fix-auth",
      outcome: "answered",
      option: "1",
      label: "Rotate once",
      via: "cli",
      at: "2026-11-30T00:01:00.000Z",
      digest: stored?.digest,
    });
    expect(existsSync(request())).toBe(false);
    expect(stored?.state).toBe("applied");
    expect(stored?.claim?.confirmedAt).toBeDefined();
    expect(home.yaml("default", "questions", `${id}.yaml`)).toMatchObject({ state: "applied" });
    expect(steering()).toMatch(
      /^<!-- owlpost answer [0-9a-f]{16}, 2026-11-30 -->\nHuman reply from the command line on tower @ 01:01 \(q-a3f2-012-fix-auth-1\):\n```\n1 — Rotate once\n```\n$/,
    );
  });

  it("goes without an answer when there is nothing yet", async () => {
    const id = await ask();
    takeFile();
    await pass();
    expect(existsSync(request())).toBe(false);
    expect(home.names("default", "answers")).toEqual([]);
    expect((await home.owlpost.question(id))?.state).toBe("pending");
  });

  it("may name the run whose answers it wants", async () => {
    const mine = await ask({ run: "a3f2" });
    const other = await ask({ run: "b4" });
    for (const id of [mine, other]) await home.owlpost.decide({ verb: "skip", question: id }, "inbox");
    takeFile("a3f2\n");
    await pass();
    expect(home.names("default", "answers")).toEqual([`${mine}.yaml`]);
  });

  it("takes nothing of another task or another project", async () => {
    const id = await ask({ task: "013-other" });
    await home.owlpost.decide({ verb: "skip", question: id }, "inbox");
    takeFile();
    await pass();
    expect(home.names("default", "answers")).toEqual([]);
    mkdirSync(home.path("site", "take"), { recursive: true });
    writeFileSync(home.path("site", "take", "013-other"), "");
    utimesSync(home.path("site", "take", "013-other"), 1, 1);
    await pass();
    expect(home.names("default", "answers")).toEqual([]);
  });

  it("gives what a deadline decided, attributed to nobody", async () => {
    const id = await ask();
    home.pass(6 * 3_600_000);
    takeFile();
    await pass();
    expect(home.yaml("default", "answers", `${id}.yaml`)).toMatchObject({
      outcome: "defaulted",
      via: "deadline",
      at: "2026-11-30T05:00:00.000Z",
    });
    expect(steering()).toMatch(
      /^<!-- .+ -->\nNo answer to q-a3f2-012-fix-auth-1 by 06:00: spec skipped\.\n$/,
    );
    expect(steering()).not.toMatch(/human|user|you/i);
  });

  it("free text, skip and retry stand in the fence as a person said them", async () => {
    const free = await ask({ title: "One?" });
    const skip = await ask({ title: "Two?" });
    const retry = await ask({ title: "Three?" });
    await home.owlpost.decide({ verb: "answer", question: free, text: "use ```redis```\u202e" }, "inbox");
    await home.owlpost.decide({ verb: "skip", question: skip }, "inbox");
    await home.owlpost.decide({ verb: "retry", question: retry }, "inbox");
    takeFile();
    await pass();
    expect(home.yaml("default", "answers", `${free}.yaml`)).toMatchObject({ text: "use ```redis```\u202e" });
    expect(steering()).toContain(
      `Human reply in the local inbox on tower @ 01:00 (${free}):\n\`\`\`\`\nuse \`\`\`redis\`\`\`⟨U+202E⟩\n\`\`\`\`\n`,
    );
    expect(steering()).toContain(`(${skip}):\n\`\`\`\nskip\n\`\`\`\n`);
    expect(steering()).toContain(`(${retry}):\n\`\`\`\nretry\n\`\`\`\n`);
  });

  it("is told of when it cannot be served: a name that is no task is rejected, a link or other content left alone", async () => {
    const id = await ask();
    await home.owlpost.decide({ verb: "skip", question: id }, "inbox");
    writeFileSync(home.path("default", "take", "No Task"), "");
    symlinkSync(join(home.folder, "owlpost.db"), request("link"));
    takeFile("rm -rf\n");
    const airlock = startAirlock(home.settings);
    await airlock.poke();
    await airlock.poke();
    expect(home.names("default", "take")).toEqual(["012-fix-auth", "No Task.rejected", "link"]);
    expect((await home.owlpost.question(id))?.state).toBe("answered");
    expect(home.logged).toHaveLength(3);
    await airlock.close();
  });

  it("is served soon after it was made, without a poke", async () => {
    const id = await ask();
    await home.owlpost.decide({ verb: "choose", question: id, key: "2" }, "inbox");
    const airlock = startAirlock(home.settings);
    await airlock.poke();
    writeFileSync(request(), "");
    const endsAt = Date.now() + 8_000;
    while (existsSync(request()) && Date.now() < endsAt) await new Promise((done) => setTimeout(done, 20));
    expect(home.yaml("default", "answers", `${id}.yaml`)).toMatchObject({ option: "2" });
    await airlock.close();
  });
});

describe("a take that is killed half-way", () => {
  const killed = (): Promise<never> => Promise.reject(new Error("killed"));

  it.each([
    ["before anything was taken", { take: killed }],
    [
      "after the take was stored",
      { take: (request: Parameters<Owlpost["take"]>[0]) => home.owlpost.take(request).then(killed) },
    ],
    ["before the claim was confirmed", { confirm: killed }],
    [
      "after the claim was confirmed",
      { confirm: (claim: string) => home.owlpost.confirm(claim).then(killed) },
    ],
  ])("%s: done once more, it is the same take", async (_, failing) => {
    const id = await ask();
    await home.owlpost.decide({ verb: "answer", question: id, text: "use redis" }, "cli");
    takeFile();
    await pass(failing);
    expect(existsSync(request())).toBe(true);
    home.pass(1_000);
    await pass();
    expect(existsSync(request())).toBe(false);
    expect(home.yaml("default", "answers", `${id}.yaml`)).toMatchObject({ text: "use redis" });
    expect(steering().match(/Human reply/g)).toHaveLength(1);
    expect(await home.events("question.applied")).toHaveLength(1);
    expect(await home.events("question.confirmed")).toHaveLength(1);
  });

  it("an answer that was taken, lapsed, changed and taken again has a note of each", async () => {
    const id = await ask();
    await home.owlpost.decide({ verb: "choose", question: id, key: "1" }, "cli");
    takeFile();
    await pass({ confirm: killed });
    home.pass(11 * 60_000);
    await home.owlpost.status();
    await home.owlpost.decide({ verb: "override", question: id, key: "2" }, "inbox");
    takeFile("", "012-fix-auth");
    await pass();
    expect(home.yaml("default", "answers", `${id}.yaml`)).toMatchObject({
      option: "2",
      outcome: "overridden",
    });
    expect(steering()).toMatch(/```\n1 — Rotate once\n```\n[\s\S]+```\n2 — Keep both\n```\n$/);
  });
});

describe("writing an answer", () => {
  const taken = (given: Partial<Taken> = {}): Taken => ({
    id: "q-a3f2-012-1" as Taken["id"],
    task: "012-fix-auth",
    project: "default",
    outcome: "answered",
    option: "1",
    via: "telegram",
    by: "eric",
    told: "answered",
    at: midnight,
    digest: "0",
    claim: "c",
    steeringFile: "",
    ...given,
  });
  const settings = () => ({ home: home.folder, airlocks: {}, zone: "UTC" });

  it("at once from many sides adds one note", async () => {
    await Promise.all(Array.from({ length: 5 }, () => writeAnswer(taken(), settings())));
    expect(steering().match(/Human reply via telegram @ 00:00 by eric/g)).toHaveLength(1);
  });

  it("says what was said beside a choice under it", async () => {
    const { option: _none, ...verb } = taken({ id: "q-a3f2-012-2" as Taken["id"], outcome: "skipped" });
    await writeAnswer(taken({ label: "Rotate once", text: "but keep it short" }), settings());
    await writeAnswer({ ...verb, text: "not this week" }, settings());
    expect(steering()).toContain("(q-a3f2-012-1):\n```\n1 — Rotate once\nbut keep it short\n```\n");
    expect(steering()).toContain("(q-a3f2-012-2):\n```\nskip\nnot this week\n```\n");
  });

  it("never leaves the home, whatever a project is called", async () => {
    await expect(writeAnswer(taken({ project: "../outside" }), settings())).rejects.toThrow(
      "no project name",
    );
    expect(existsSync(join(home.folder, "outside"))).toBe(false);
  });
});

describe("a mirror that is killed at any moment", () => {
  it("loses nothing and doubles nothing", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const id = await ask({ task: `task-${n}` });
      ids.push(id);
      await home.owlpost.decide({ verb: "steer", target: id, text: `note ${n}` }, "cli");
      await home.owlpost.decide({ verb: "steer", target: "run:a3f2", text: `run ${n}` }, "cli");
    }
    const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../../src/", name));
    const program = `
      const { passAirlocks } = await import(${source("app/airlock/airlock.ts")});
      const { openOwlpost } = await import(${source("app/owlpost.ts")});
      const config = ${JSON.stringify({ ...defaultConfig(), zone: "Europe/Berlin" })};
      const owlpost = await openOwlpost({ home: ${JSON.stringify(home.folder)}, config });
      await passAirlocks({ owlpost, store: owlpost.store, config, home: ${JSON.stringify(home.folder)} });`;
    const runNotes = (): number => {
      const path = home.path("default", "steering", "run.md");
      return existsSync(path)
        ? (home.read("default", "steering", "run.md").match(/^Human reply/gm) ?? []).length
        : 0;
    };
    const reached: (() => boolean)[] = [
      () => home.names("default", "questions").length >= 3,
      () => home.names("default", "questions").length >= 30,
      () => existsSync(home.path("default", "events.jsonl")),
      () => runNotes() >= 1,
      () => runNotes() >= 15,
      () => runNotes() >= 35,
    ];
    for (const here of reached) {
      const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
      const ended = new Promise<string | null>((done) => child.once("exit", (_, signal) => done(signal)));
      while (!here() && child.exitCode === null) await new Promise((done) => setTimeout(done, 1));
      child.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
    }
    await pass();
    expect(home.names("default", "questions").filter((name) => !name.startsWith("."))).toEqual(
      ids.map((id) => `${id}.yaml`).sort(),
    );
    const last = await home.store.lastEvent();
    expect(home.lines().map((line) => line.seq)).toEqual(Array.from({ length: last }, (_, n) => n + 1));
    const run = home.read("default", "steering", "run.md");
    expect(run.match(/^run \d+$/gm)).toEqual(ids.map((_, n) => `run ${n}`));
    for (let n = 0; n < 40; n += 1) {
      expect(home.read("default", "steering", `task-${n}.md`).match(/^Human reply/gm)).toHaveLength(1);
    }
  }, 60_000);
});
