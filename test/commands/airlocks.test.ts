import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;

/** Two repositories, each with its airlock, as two projects. */
beforeEach(() => {
  desk = aDesk();
  mkdirSync(desk.home, { mode: 0o700 });
  for (const project of ["a", "b"]) mkdirSync(join(desk.folder, project, ".owlpost"), { recursive: true });
  const airlocks = ["a", "b"].map((project) => `  ${project}: ${join(desk.folder, project, ".owlpost")}`);
  desk.file("home/config.yaml", `airlocks:\n${airlocks.join("\n")}\n`);
});

afterEach(() => desk.remove());

const repository = (project: string): { cwd: string } => ({ cwd: join(desk.folder, project) });

async function answered(project: string): Promise<string> {
  const id = await desk.ask({ project, run: `r${project}` });
  await desk.run(["answer", id, "1"]);
  return id;
}

function ids(json: Record<string, unknown>): unknown[] {
  return (json.taken as { id: string }[]).map((each) => each.id);
}

test("inside a repository only its own project is taken, elsewhere every project", async () => {
  const [a, b] = [await answered("a"), await answered("b")];
  expect(ids((await desk.run(["take", "--json"], repository("a"))).json)).toEqual([a]);
  expect(ids((await desk.run(["take", "--json"])).json)).toEqual([b]);
});

test("a note that is written inside a repository goes to its airlock", async () => {
  expect((await desk.run(["steer", "012-fix-auth", "look", "at", "this"], repository("b"))).exit).toBe(0);
  const file = join(desk.folder, "b", ".owlpost", "steering", "012-fix-auth.md");
  expect(readFileSync(file, "utf8")).toContain("look at this");
  const blank = await desk.run(["steer", "012-fix-auth", " "], repository("b"));
  expect([blank.exit, blank.err]).toEqual([3, expect.stringContaining("A note needs some words.")]);
});

test("an airlock that is gone swallows nobody's answer: what was taken is printed, the fault is told", async () => {
  const [a, b] = [await answered("a"), await answered("b")];
  rmSync(join(desk.folder, "b"), { recursive: true });
  const taken = await desk.run(["take", "--json", "--claim", "c1"]);
  expect(taken.exit).toBe(0);
  expect(ids(taken.json)).toEqual([a, b]);
  expect(taken.json.unwritten).toEqual([b]);
  expect(readFileSync(join(desk.folder, "a", ".owlpost", "answers", `${a}.yaml`), "utf8")).toContain(a);
  const told = await desk.run(["take", "--claim", "c1"]);
  expect(told.err).toContain(`The files of ${b} (project b) could not be written`);
  // Files were promised and could not be given, so nothing is confirmed and the same take can be repeated.
  const again = await desk.run(["take", "--json", "--files", "--claim", "c1"]);
  expect([again.exit, ids(again.json)]).toEqual([1, [a, b]]);
  expect((await desk.run(["status", "--json", a])).json).toMatchObject({ state: "applied" });
  mkdirSync(join(desk.folder, "b", ".owlpost"), { recursive: true });
  const people = await desk.run(["take", "--claim", "c1"]);
  expect([people.exit, people.err]).toEqual([0, expect.stringContaining("Confirm with: owlpost confirm c1")]);
  expect((await desk.run(["take", "--json", "--files", "--claim", "c1"])).exit).toBe(0);
});

test("a name that can belong to no question is bad usage, not nothing yet", async () => {
  for (const flags of [
    ["--task", "Bad Task"],
    ["--run", "night-7"],
    ["--project", "../x"],
  ]) {
    expect((await desk.run(["take", ...flags])).exit).toBe(2);
  }
});

test("an agent's --run is not kept", async () => {
  const stdin = JSON.stringify({
    ...JSON.parse(readFileSync("test/commands/../cases/questions/contract.json", "utf8"))[0].question,
    default: { action: "skip_spec", at: "2d" },
  });
  const asked = await desk.run(["ask", "--json", "--run", "b9", "-"], {
    stdin,
    env: { OWLPOST_AS: "agent" },
  });
  expect(asked.json.id).toBe("q-local-012-fix-auth-1");
  expect(asked.json.dropped).toEqual(expect.arrayContaining(["run", "iteration", "progress"]));
});
