import { afterEach, beforeEach, expect, test } from "vitest";
import { aDocument } from "../builders.ts";
import { aDesk, type Desk } from "./desk.ts";

let desk: Desk;
beforeEach(() => {
  desk = aDesk();
});
afterEach(() => desk.remove());

const id = "q-a3f2-012-fix-auth-1";
const stdin = JSON.stringify(aDocument({ default: { action: "skip_spec", at: "12h" } }));

test("the answer is taken, handed over and confirmed", async () => {
  const waiting = desk.run(["ask", "--json", "--wait", "20s", "-"], { stdin });
  await asked();
  await desk.run(["answer", id, "2"]);
  const { exit, json } = await waiting;
  expect(exit).toBe(0);
  expect(json).toMatchObject({ id, state: "applied", taken: [{ id, outcome: "answered", option: "2" }] });
  const status = await desk.run(["status", id, "--json"]);
  expect(status.json.taken).toHaveProperty("confirmed_at");
});

test("field 70: a late waiter reads an answer that came before it", async () => {
  await desk.run(["ask", "--key", "k", "-"], { stdin });
  await desk.run(["answer", id, "1"]);
  const { exit, out } = await desk.run(["ask", "--wait", "20s", "--key", "k", "-"], { stdin });
  expect([exit, out]).toEqual([0, "answered: 1 — Refresh-token rotation\n"]);
});

test("nothing in time is exit 4 with the state, and takes nothing", async () => {
  const { exit, json } = await desk.run(["ask", "--json", "--wait", "0s", "-"], { stdin });
  expect([exit, json.id, json.state, json.taken]).toEqual([4, id, "pending", []]);
  await desk.run(["answer", id, "1"]);
  expect((await desk.run(["take", "--json"])).exit).toBe(0);
});

test("after a wait without a key nobody is told to ask once more: that would ring twice", async () => {
  const { err } = await desk.run(["ask", "--wait", "0s", "-"], { stdin });
  expect(err).toContain("Take it later with owlpost take --task 012-fix-auth.");
  expect(err).not.toContain("ask again");
  const keyed = await desk.run(["ask", "--wait", "0s", "--key", "k", "-"], { stdin });
  expect(keyed.err).toContain("or ask again with the same --key and --wait");
});

test("a question that is cancelled is waited for no longer: exit 3", async () => {
  const waiting = desk.run(["ask", "--json", "--wait", "20s", "-"], { stdin });
  await asked();
  await desk.run(["cancel", id, "--why", "not needed"]);
  const { exit, json } = await waiting;
  expect([exit, json.error, json.state]).toEqual([3, "not-open", "cancelled"]);
  expect(json.message).toContain("not needed");
});

test("an answer that another has taken and confirmed is not handed out twice", async () => {
  await desk.run(["ask", "--key", "k", "-"], { stdin });
  await desk.run(["answer", id, "1"]);
  await desk.run(["take", "--claim", "c"]);
  await desk.run(["confirm", "c"]);
  const { exit, json } = await desk.run(["ask", "--json", "--wait", "20s", "--key", "k", "-"], { stdin });
  expect([exit, json.taken]).toEqual([3, []]);
});

test("a reader that went away confirms nothing: the answer comes back when the lease ends", async () => {
  await desk.run(["ask", "--key", "k", "-"], { stdin });
  await desk.run(["answer", id, "1"]);
  const { exit } = await desk.run(["ask", "--json", "--wait", "20s", "--key", "k", "-"], {
    stdin,
    onOut() {
      throw Object.assign(new Error("closed"), { code: "EPIPE" });
    },
  });
  expect(exit).toBe(1);
  const status = await desk.run(["status", id, "--json"]);
  expect(status.json).toMatchObject({ state: "applied", taken: { lease_until: expect.any(String) } });
  expect(status.json.taken).not.toHaveProperty("confirmed_at");
});

/** Resolves when the waiting command has stored its question. */
async function asked(): Promise<void> {
  for (let look = 0; look < 200; look++) {
    if ((await desk.run(["status", id])).exit === 0) return;
    await new Promise((wake) => setTimeout(wake, 25));
  }
  expect.fail("the question was never stored");
}
