import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { passAirlocks, startAirlock } from "../../src/app/airlock/airlock.ts";
import type { Owlpost } from "../../src/app/api.ts";
import { aDocument, aTestHome, type TestHome } from "./airlock-home.ts";

let home: TestHome;
beforeEach(async () => {
  home = await aTestHome();
  await passAirlocks(home.settings);
  const asked = await home.owlpost.ask({ document: aDocument() });
  expect(asked).toMatchObject({ ok: true });
});
afterEach(() => home.close());

const request = (task = "012-fix-auth"): string => home.path("default", "take", task);
const answers = (): string[] => home.names("default", "answers");
const killed = (): Promise<never> => Promise.reject(new Error("killed"));

/** A request that is old enough not to be about to be written. */
function takeFile(content = "", task?: string): void {
  writeFileSync(request(task), content);
  utimesSync(request(task), new Date(), new Date(Date.now() - 5_000));
}

function pass(failing: Partial<Pick<Owlpost, "take" | "confirm">> = {}): Promise<void> {
  return passAirlocks({ ...home.settings, owlpost: { ...home.owlpost, ...failing } });
}

describe("a file engine whose run is to stop", () => {
  it("finds answers/abort-<run>.yaml at its next take, confirmed; not before, and not twice", async () => {
    await home.owlpost.abort("a3f2", "cli");
    await pass();
    expect(answers()).toEqual([]);
    expect(home.yaml("default", "questions", "q-a3f2-012-fix-auth-1.yaml")).toMatchObject({
      state: "cancelled",
      why: "run a3f2 was stopped from the command line on tower",
    });
    takeFile();
    await pass();
    expect(answers()).toEqual(["abort-a3f2.yaml"]);
    expect(home.yaml("default", "answers", "abort-a3f2.yaml")).toEqual({
      run: "a3f2",
      via: "cli",
      at: "2026-11-30T00:00:00.000Z",
    });
    expect(existsSync(request())).toBe(false);
    expect(await home.store.aborts()).toEqual([]);
    takeFile();
    await pass();
    expect(await home.events("run.abort-taken")).toHaveLength(1);
    expect(home.lines().map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["run.aborted", "run.abort-taken", "run.abort-confirmed"]),
    );
  });

  it.each([
    ["of a task that nobody asked about", "", "099-other", ["abort-a3f2.yaml"]],
    ["that names the run", "a3f2\n", "099-other", ["abort-a3f2.yaml"]],
    ["that names another run", "b7d0\n", "012-fix-auth", []],
  ])("a request %s", async (_, content, task, wanted) => {
    await home.owlpost.abort("a3f2", "cli");
    takeFile(content, task);
    await pass();
    expect(answers()).toEqual(wanted);
    expect(existsSync(request(task))).toBe(false);
  });

  it.each([
    [
      "after the take was stored",
      { take: (given: Parameters<Owlpost["take"]>[0]) => home.owlpost.take(given).then(killed) },
    ],
    ["before the claim was confirmed", { confirm: killed }],
    [
      "after the claim was confirmed",
      { confirm: (claim: string) => home.owlpost.confirm(claim).then(killed) },
    ],
  ])("field 66: killed %s, it is told all the same, and confirmed once", async (_, failing) => {
    await home.owlpost.abort("a3f2", "cli");
    takeFile();
    await pass(failing);
    expect(existsSync(request())).toBe(true);
    home.pass(1_000);
    await pass();
    expect(existsSync(request())).toBe(false);
    expect(answers()).toEqual(["abort-a3f2.yaml"]);
    expect(await home.events("run.abort-taken")).toHaveLength(1);
    expect(await home.events("run.abort-confirmed")).toHaveLength(1);
  });

  it("that could not be told keeps its request, and is told when the way is free", async () => {
    await home.owlpost.abort("a3f2", "cli");
    mkdirSync(home.path("default", "answers", "abort-a3f2.yaml", "in-the-way"), { recursive: true });
    takeFile();
    await pass();
    expect(existsSync(request())).toBe(true);
    expect(await home.events("run.abort-confirmed")).toEqual([]);
    expect((await home.store.aborts()).map(({ run }) => run)).toEqual(["a3f2"]);
  });

  it("drops a question: it is filed as cancelled, and goes to nobody", async () => {
    await home.owlpost.abort("a3f2", "cli");
    const name = "q-a3f2-013-search-1.yaml";
    const airlock = startAirlock(home.settings);
    await airlock.poke();
    writeFileSync(home.path("default", "questions", name), JSON.stringify(aDocument({ task: "013-search" })));
    await airlock.poke();
    home.pass(1_500);
    await airlock.poke();
    await airlock.close();
    expect(home.yaml("default", "questions", name)).toMatchObject({ state: "cancelled" });
    const waiting = await home.store.queue("inbox", "local", 9);
    expect(waiting.map(({ question }) => question)).not.toContain("q-a3f2-013-search-1");
  });
});
