import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { passAirlocks, startAirlock } from "../../src/app/airlock/airlock.ts";
import { openDrop } from "../../src/app/airlock/drop.ts";
import { askDropped } from "../../src/app/airlock/dropped-file.ts";
import { lookOf } from "../../src/app/airlock/files.ts";
import { placeOf } from "../../src/app/airlock/place.ts";
import { openTroubles } from "../../src/app/airlock/troubles.ts";
import type { AskRequest } from "../../src/app/api.ts";
import { silentLog } from "../../src/app/log.ts";
import { aDocument, aTestHome, type TestHome } from "./airlock-home.ts";

let home: TestHome;
let airlock: ReturnType<typeof startAirlock>;
beforeEach(async () => {
  home = await aTestHome();
  airlock = startAirlock(home.settings);
  await airlock.poke();
});
afterEach(async () => {
  await airlock.close();
  await home.close();
});

const questions = (...names: string[]): string => home.path("default", "questions", ...names);
const drop = (name: string, document: unknown): void => writeFileSync(questions(name), stringify(document));
const folder = (): string[] => readdirSync(questions()).sort();

/** Two looks, more than a second apart on the test's own clock. */
async function looks(): Promise<void> {
  await airlock.poke();
  home.pass(1_500);
  await airlock.poke();
}
async function asked(): Promise<string[]> {
  return (await home.store.questions({ limit: 1_000 })).map((stored) => stored.question.id).sort();
}

describe("a dropped file is an ask", () => {
  it("named as its question: the mirror takes its place", async () => {
    drop("q-a3f2-012-fix-auth-7.yaml", aDocument());
    await looks();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-7"]);
    expect(folder()).toEqual(["q-a3f2-012-fix-auth-7.yaml"]);
    expect(home.yaml("default", "questions", "q-a3f2-012-fix-auth-7.yaml")).toMatchObject({
      state: "pending",
    });
  });

  it.each([
    ["login.yaml", stringify],
    ["login.yml", stringify],
    ["login.json", JSON.stringify],
  ])("%s: a ticket takes its place, so that the asker learns the id", async (name, write) => {
    writeFileSync(questions(name), write(aDocument()));
    await looks();
    const id = "q-a3f2-012-fix-auth-1";
    expect(home.yaml("default", "questions", name)).toEqual({ id, state: "asked", file: `${id}.yaml` });
    expect(folder()).toEqual([name, `${id}.yaml`].sort());
    await looks();
    await looks();
    expect(await asked()).toEqual([id]);
  });

  it("belongs to the project of its airlock, whatever it says itself", async () => {
    drop("a.yaml", aDocument({ project: "elsewhere" }));
    await looks();
    expect((await home.owlpost.question("q-a3f2-012-fix-auth-1"))?.question.project).toBe("default");
  });

  it("is found without a poke, by its real name after a rename", async () => {
    await airlock.close();
    airlock = startAirlock({ ...home.settings, clock: () => performance.now() });
    await airlock.poke();
    writeFileSync(questions(".writing.tmp"), stringify(aDocument()));
    renameSync(questions(".writing.tmp"), questions("a.yaml"));
    const endsAt = Date.now() + 8_000;
    while ((await asked()).length === 0 && Date.now() < endsAt)
      await new Promise((done) => setTimeout(done, 50));
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1"]);
  });

  it("leaves names alone that are not dropped questions", async () => {
    for (const name of [".hidden.yaml", "a.yaml.tmp", "notes.md", "a.rejected.yaml"]) drop(name, aDocument());
    const before = folder();
    await looks();
    expect(await asked()).toEqual([]);
    expect(folder()).toEqual(before);
  });

  it("a document with a state is a mirror, not an ask", async () => {
    drop("a.yaml", aDocument({ state: "pending" }));
    await looks();
    expect(await asked()).toEqual([]);
    expect(folder()).toEqual(["a.yaml"]);
  });
});

describe("half-written files are not read", () => {
  it("waits until two looks a second apart are the same", async () => {
    const text = stringify(aDocument());
    writeFileSync(questions("a.yaml"), text.slice(0, 60));
    await airlock.poke();
    home.pass(900);
    await airlock.poke();
    expect(folder()).toEqual(["a.yaml"]);
    appendFileSync(questions("a.yaml"), text.slice(60));
    home.pass(900);
    await airlock.poke();
    expect(await asked()).toEqual([]);
    home.pass(1_100);
    await airlock.poke();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1"]);
  });

  it("an empty file is one that is about to be written", async () => {
    writeFileSync(questions("a.yaml"), "");
    await looks();
    await looks();
    expect(folder()).toEqual(["a.yaml"]);
    writeFileSync(questions("a.yaml"), stringify(aDocument()));
    await looks();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1"]);
  });
});

describe("idempotent", () => {
  it("a kill after the ask was stored: the same file, found again, is the same question", async () => {
    drop("a.yaml", aDocument());
    await airlock.close();
    const place = placeOf({ home: home.folder, airlocks: {} }, "default");
    const { lstatSync } = await import("node:fs");
    const look = lookOf(lstatSync(questions("a.yaml"), { bigint: true }));
    const killed = askDropped(place, "a.yaml", look, {
      store: home.store,
      now: () => 0,
      untold: new Map(),
      refresh: async () => undefined,
      owlpost: {
        ask: async (request: AskRequest) => {
          await home.owlpost.ask(request);
          throw new Error("killed");
        },
      },
    });
    await expect(killed).rejects.toThrow("killed");
    expect(home.read("default", "questions", "a.yaml")).toContain("Which token store");
    airlock = startAirlock(home.settings);
    await looks();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1"]);
    expect(home.yaml("default", "questions", "a.yaml")).toMatchObject({ id: "q-a3f2-012-fix-auth-1" });
  });

  it("a store that fails is tried again, and told of once", async () => {
    drop("a.yaml", aDocument());
    await airlock.close();
    let fails = 3;
    airlock = startAirlock({
      ...home.settings,
      owlpost: {
        ...home.owlpost,
        ask: async (request) => {
          fails -= 1;
          if (fails >= 0) throw new Error("the disk is full");
          return home.owlpost.ask(request);
        },
      },
    });
    for (let n = 0; n < 5; n += 1) await looks();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1"]);
    expect(home.logged.filter((line) => line.includes("the disk is full"))).toHaveLength(1);
  });

  it("the same name with a new text is a new question", async () => {
    drop("a.yaml", aDocument());
    await looks();
    drop("a.yaml", aDocument({ title: "And the other table?" }));
    await looks();
    await looks();
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-1", "q-a3f2-012-fix-auth-2"]);
    expect(home.yaml("default", "questions", "a.yaml")).toMatchObject({ id: "q-a3f2-012-fix-auth-2" });
  });

  it("the same question dropped over its mirror gets its mirror back", async () => {
    drop("q-a3f2-012-fix-auth-7.yaml", aDocument());
    await looks();
    rmSync(questions("q-a3f2-012-fix-auth-7.yaml"));
    await looks();
    drop("q-a3f2-012-fix-auth-7.yaml", aDocument());
    const troubles = openTroubles(silentLog);
    const refreshed: string[] = [];
    const scanner = openDrop({
      store: home.store,
      owlpost: home.owlpost,
      now: () => 0,
      clock: () => performance.now(),
      troubles,
      untold: new Map(),
      refresh: async (id) => void refreshed.push(id),
    });
    const place = placeOf({ home: home.folder, airlocks: {} }, "default");
    scanner.hint("default", "q-a3f2-012-fix-auth-7.yaml");
    await scanner.scan(place);
    await new Promise((done) => setTimeout(done, 1_050));
    await scanner.scan(place);
    expect(refreshed).toEqual(["q-a3f2-012-fix-auth-7"]);
  });
});

describe("a question that is not asked", () => {
  it("breaks the contract: every rule stands beside it, once, and it is left untouched", async () => {
    const text = stringify(aDocument({ title: "", options: [] }));
    writeFileSync(questions("bad.yaml"), text);
    await looks();
    expect(home.yaml("default", "questions", "bad.rejected.yaml")).toMatchObject({
      file: "bad.yaml",
      error: "rejected",
      broken: expect.arrayContaining([
        expect.objectContaining({ rule: "title-missing", field: "title", mend: expect.any(String) }),
        expect.objectContaining({ rule: "options-too-few" }),
      ]),
    });
    expect(home.read("default", "questions", "bad.yaml")).toBe(text);
    await looks();
    await airlock.close();
    await passAirlocks(home.settings);
    airlock = startAirlock(home.settings);
    await looks();
    await looks();
    expect(await home.events("question.rejected")).toHaveLength(1);
  });

  it("mended and saved again, it is asked and the note beside it goes", async () => {
    drop("bad.yaml", aDocument({ title: "" }));
    await looks();
    expect(folder()).toEqual(["bad.rejected.yaml", "bad.yaml"]);
    drop("bad.yaml", aDocument());
    await looks();
    expect(folder()).toEqual(["bad.yaml", "q-a3f2-012-fix-auth-1.yaml"]);
  });

  it("no YAML: line and column are named", async () => {
    writeFileSync(questions("bad.yaml"), "title: x\noptions: [1, 2\ndefault: }\n");
    writeFileSync(questions("latin.yaml"), Buffer.from([0x74, 0x3a, 0x20, 0xe9, 0x0a]));
    await looks();
    expect(home.yaml("default", "questions", "bad.rejected.yaml")).toMatchObject({
      error: "unreadable",
      line: 3,
      column: expect.any(Number),
      message: expect.stringMatching(/^bad\.yaml:3:\d+: /),
    });
    expect(home.yaml("default", "questions", "latin.rejected.yaml")).toMatchObject({
      error: "unreadable",
      message: "latin.yaml: not UTF-8; save it as UTF-8",
    });
    await looks();
    expect(await home.events("question.rejected")).toHaveLength(2);
  });

  it("an id that is not the one of its name, and an id that is taken", async () => {
    drop("q-a3f2-012-fix-auth-7.yaml", aDocument({ id: "q-a3f2-012-fix-auth-8" }));
    await looks();
    expect(home.yaml("default", "questions", "q-a3f2-012-fix-auth-7.rejected.yaml")).toMatchObject({
      broken: [{ rule: "field-invalid", field: "id", found: "q-a3f2-012-fix-auth-8" }],
    });
    drop("first.yaml", aDocument({ id: "q-a3f2-012-fix-auth-9" }));
    await looks();
    drop("second.json", aDocument({ id: "q-a3f2-012-fix-auth-9", title: "Another one?" }));
    await looks();
    expect(home.yaml("default", "questions", "second.json.rejected.yaml")).toMatchObject({
      error: "id-conflict",
      id: "q-a3f2-012-fix-auth-9",
    });
    expect(await asked()).toEqual(["q-a3f2-012-fix-auth-9"]);
  });

  it("links, folders and second names are refused once, by name, and never read", async () => {
    const secret = join(home.folder, "secret.yaml");
    writeFileSync(secret, stringify(aDocument()));
    symlinkSync(secret, questions("link.yaml"));
    linkSync(secret, questions("second.yaml"));
    mkdirSync(questions("folder.yaml"));
    await looks();
    await airlock.close();
    airlock = startAirlock(home.settings);
    await looks();
    expect(await asked()).toEqual([]);
    const events = await home.events("question.rejected");
    expect(events.map((event) => [event.data.file, event.data.reason]).sort()).toEqual([
      ["folder.yaml", "not-a-file"],
      ["link.yaml", "link"],
      ["second.yaml", "hard-link"],
    ]);
    expect(home.yaml("default", "questions", "link.rejected.yaml")).toMatchObject({
      error: "refused",
      message: "it is a symbolic link; put the file itself there",
    });
  });

  it("more than 1 MiB is not read", async () => {
    writeFileSync(questions("big.yaml"), `tried: ${"x".repeat(1024 * 1024)}\n`);
    await looks();
    expect(home.yaml("default", "questions", "big.rejected.yaml")).toMatchObject({ reason: "too-large" });
  });

  it("aliases cannot blow it up, and no document at all is a document", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (let n = 0; n < 12; n += 1)
      bomb.push(
        `${"bcdefghijklm"[n]}: &${"bcdefghijklm"[n]} [${Array(9).fill(`*${"abcdefghijkl"[n]}`).join(",")}]`,
      );
    writeFileSync(questions("bomb.yaml"), bomb.join("\n"));
    for (const [name, text] of Object.entries({ list: "- a\n", word: "hello\n", two: "a: 1\n---\nb: 2\n" }))
      writeFileSync(questions(`${name}.yaml`), text);
    await looks();
    expect(folder().filter((name) => name.endsWith(".rejected.yaml"))).toHaveLength(4);
    expect(await asked()).toEqual([]);
  });
});

describe("a folder with many questions", () => {
  it("finds what was dropped while nobody looked, beside hundreds of mirrors", async () => {
    for (let n = 0; n < 300; n += 1) await home.owlpost.ask({ document: aDocument({ task: `task-${n}` }) });
    await airlock.poke();
    await airlock.close();
    drop("late.yaml", aDocument());
    drop("q-a3f2-012-fix-auth-7.yaml", aDocument());
    airlock = startAirlock(home.settings);
    await looks();
    expect(await asked()).toHaveLength(302);
    expect(home.yaml("default", "questions", "late.yaml")).toMatchObject({ state: "asked" });
    expect((await home.owlpost.question("q-a3f2-012-fix-auth-7"))?.state).toBe("pending");
  });
});
