import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
let id: string;
beforeEach(async () => {
  desk = aDesk();
  id = await desk.ask();
});
afterEach(() => desk.remove());

/** Exit code and JSON of a command line. */
async function json(...line: string[]): Promise<Record<string, unknown> & { exit: number }> {
  const { exit, json } = await desk.run([...line, "--json"]);
  return { exit, ...json };
}

const airlock = (...names: string[]): string => join(desk.home, "airlocks", "default", ...names);

test("the owner stops a run: the loop takes it, confirms it, and is not told again", async () => {
  expect(await json("abort", "a3f2")).toMatchObject({ exit: 0, accepted: true, state: "aborted" });
  expect(await json("status", id)).toMatchObject({
    state: "cancelled",
    why: expect.stringMatching(/^run a3f2 was stopped from the command line on /),
  });
  expect(await json("abort", "a3f2")).toMatchObject({
    exit: 0,
    accepted: true,
    repeated: true,
    ack: expect.stringMatching(/^Already recorded/),
  });
  expect(await json("status")).toMatchObject({ aborts: [{ run: "a3f2", project: "default", via: "cli" }] });

  const took = await json("take", "--run", "a3f2", "--claim", "one");
  expect(took).toMatchObject({ exit: 0, taken: [], aborts: [{ run: "a3f2", via: "cli", claim: "one" }] });
  expect(took).toHaveProperty("aborts.0.at", expect.stringMatching(/Z$/));
  expect(existsSync(airlock("answers", "abort-a3f2.yaml"))).toBe(true);
  expect(await json("take", "--claim", "one")).toEqual(took);
  expect(await json("take", "--claim", "two")).toMatchObject({ exit: 4, aborts: [] });
  expect(await json("abort", "a3f2")).toHaveProperty("ack", expect.stringContaining("its loop was told at"));
  expect(await json("confirm", "one")).toEqual({ exit: 0, confirmed: [], aborts: ["a3f2"] });
  expect(await json("confirm", "one")).toEqual({ exit: 0, confirmed: [], aborts: ["a3f2"] });
  expect(await json("take")).toMatchObject({ exit: 4, taken: [], aborts: [] });
  expect(await json("status")).toMatchObject({ aborts: [] });
});

test("in text: what is to stop, by whom, and how it is confirmed", async () => {
  const stopped = await desk.run(["abort", "a3f2"]);
  expect([stopped.exit, stopped.out]).toEqual([0, ""]);
  expect(stopped.err).toContain(`Cancelled: ${id}.`);
  const status = await desk.run(["status"]);
  expect(status.out).toMatch(
    /To stop \(1\)\n {2}run a3f2 {2}from the command line on .*, its loop has not come by yet/,
  );
  const took = await desk.run(["take", "--claim", "one"]);
  expect(took.exit).toBe(0);
  expect(took.out).toMatch(/^abort {2}a3f2 {2}from the command line on /);
  expect(took.err).toContain("Confirm with: owlpost confirm one");
  expect((await desk.run(["confirm", "one"])).err).toContain("run a3f2 stops");
  expect((await desk.run(["status"])).out).not.toContain("To stop");
});

test("take --files writes the file, confirms, and removes the request of the task", async () => {
  await json("abort", "a3f2");
  mkdirSync(airlock("take"), { recursive: true });
  writeFileSync(airlock("take", "012-fix-auth"), "");
  expect(await json("take", "--task", "012-fix-auth", "--files")).toMatchObject({
    exit: 0,
    aborts: [{ run: "a3f2" }],
  });
  expect(existsSync(airlock("answers", "abort-a3f2.yaml"))).toBe(true);
  expect(existsSync(airlock("take", "012-fix-auth"))).toBe(false);
  expect(await json("status")).toMatchObject({ aborts: [] });
});

test("take --files that cannot write the file confirms nothing: exit 1", async () => {
  await json("abort", "a3f2");
  mkdirSync(airlock("answers", "abort-a3f2.yaml", "in-the-way"), { recursive: true });
  expect(await json("take", "--files")).toMatchObject({ exit: 1, unwritten: ["abort-a3f2"] });
  expect(await json("status")).toMatchObject({ aborts: [{ run: "a3f2" }] });
});

test("an ask of that run is stored as cancelled: exit 0 and the reason; waiting for it ends at once", async () => {
  await json("abort", "a3f2");
  const file = desk.file("late.json", JSON.stringify(aDocument({ task: "013-late" })));
  expect(await json("ask", file)).toMatchObject({
    exit: 0,
    state: "cancelled",
    channels: [],
    why: expect.stringContaining("run a3f2 was stopped"),
  });
  const told = await desk.run(["ask", file]);
  expect([told.exit, told.err]).toEqual([
    0,
    expect.stringContaining("is stored and cancelled: run a3f2 was stopped"),
  ]);
  const waited = await json("ask", file, "--wait", "10m");
  expect(waited).toMatchObject({ exit: 3, error: "not-open", state: "cancelled" });
  // Whoever waits for an answer is not the loop: the order is still there for it.
  expect(await json("take")).toMatchObject({ exit: 0, aborts: [{ run: "a3f2" }] });
});

test("field 66: fail closed for destructive verbs: no agent, and no run that is not alive", async () => {
  const agent = await desk.run(["abort", "a3f2", "--json"], { env: { OWLPOST_AS: "agent" } });
  expect([agent.exit, agent.json]).toMatchObject([3, { accepted: false, reason: "not-allowed" }]);
  expect(await json("abort", "b7d0")).toMatchObject({
    exit: 3,
    accepted: false,
    reason: "bad-command",
    ack: "Nothing was stopped: no run “b7d0” is alive. Alive: a3f2.",
  });
  expect((await desk.run(["abort"])).exit).toBe(2);
  expect((await desk.run(["abort", "a3f2", "b7d0"])).exit).toBe(2);
  expect(await json("status", id)).toMatchObject({ state: "pending" });
  expect(await json("take")).toMatchObject({ exit: 4, aborts: [] });
});
