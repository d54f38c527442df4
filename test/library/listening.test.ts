import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Owlpost as AppOwlpost } from "../../src/app/api.ts";
import { openOwlpost as openApp } from "../../src/app/owlpost.ts";
import { type Decision, type OwlpostClient, openOwlpost } from "../../src/library/index.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { afterwards, aHome, until } from "../homes.ts";

/** The same home as the rest of owlpost has it, with a clock that the test puts forward. */
async function anApp(home: string) {
  const clock = { ahead: 0 };
  const app = await openApp({ home, config: aConfig(), now: () => Date.now() + clock.ahead, host: "owl" });
  afterwards(() => app.close());
  const ask = async (task: string, more: { action?: string; key?: string } = {}): Promise<string> => {
    const asked = await app.ask({
      document: aDocument({ task, default: { action: more.action ?? "skip_spec", at: "12h" } }),
      ...(more.key === undefined ? {} : { key: more.key }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    return asked.id;
  };
  const answer = (question: string, key = "1") => app.decide({ verb: "choose", question, key }, "cli");
  return { app, clock, ask, answer };
}

let home: string;
let client: OwlpostClient;
let app: AppOwlpost;
let desk: Awaited<ReturnType<typeof anApp>>;
beforeEach(async () => {
  home = aHome();
  desk = await anApp(home);
  app = desk.app;
  client = await openOwlpost({ home, as: "owner" });
});
afterEach(() => client.close());

function listen(options: Parameters<OwlpostClient["onDecision"]>[0] = {}) {
  const heard: Decision[] = [];
  const errors: unknown[] = [];
  const stop = client.onDecision({ onError: (error) => void errors.push(error), ...options }, (decision) => {
    heard.push(decision);
  });
  return { heard, errors, stop };
}

describe("what is decided is heard", () => {
  test("beside any number of questions that nobody answered and that stay parked", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 120; at += 1) ids.push(await desk.ask(`old-${at}`, { action: "stay_parked" }));
    const id = await desk.ask("new");
    await desk.answer(id);
    desk.clock.ahead += 13 * hour;
    await app.sweep();
    const { heard } = listen();
    await until(
      () => heard.length,
      (count) => count > 0,
    );
    expect(heard.map((each) => each.id)).toEqual([id]);
  });

  test("beside any number of answers of other tasks, and in any number", async () => {
    for (let at = 0; at < 130; at += 1) await desk.answer(await desk.ask(`other-${at}`));
    const id = await desk.ask("mine");
    await desk.answer(id);
    const mine = listen({ task: "mine" });
    await until(
      () => mine.heard.length,
      (count) => count > 0,
    );
    mine.stop();
    expect(mine.heard.map((each) => each.id)).toEqual([id]);
    const all = listen();
    await until(
      () => all.heard.length,
      (count) => count === 130,
    );
  });
});

describe("a listener", () => {
  test("that takes longer than the lease is given its decision once", async () => {
    const id = await desk.ask("long");
    await desk.answer(id);
    const heard: string[] = [];
    const errors: unknown[] = [];
    client.onDecision({ onError: (error) => void errors.push(error) }, async (decision) => {
      heard.push(decision.id);
      desk.clock.ahead += 11 * minute;
      await app.sweep();
      expect((await app.question(id))?.state).toBe("answered");
    });
    await until(
      async () => (await app.question(id))?.claim?.confirmedAt,
      (at) => at !== undefined,
    );
    expect([heard, errors]).toEqual([[id], []]);
  });

  test("hears the answer that was changed while it worked on the old one for too long", async () => {
    const id = await desk.ask("long");
    await desk.answer(id);
    const heard: unknown[] = [];
    client.onDecision({}, async ({ option }) => {
      heard.push(option);
      if (heard.length > 1) return;
      desk.clock.ahead += 11 * minute;
      await app.sweep();
      await app.decide({ verb: "override", question: id, key: "2" }, "cli");
    });
    await until(
      async () => (await app.question(id))?.claim?.confirmedAt,
      (at) => at !== undefined,
    );
    expect(heard).toEqual(["1", "2"]);
  });

  test("may close what it listens to, and its decision is confirmed all the same", async () => {
    const id = await desk.ask("last");
    await desk.answer(id);
    await new Promise<void>((done) => {
      client.onDecision({}, async () => {
        await client.close();
        done();
      });
    });
    await client.close();
    expect((await app.question(id))?.claim?.confirmedAt).toBeDefined();
    await expect(client.take()).rejects.toThrow(/the store was closed.*: open it again/);
  });
});

describe("the board's task", () => {
  test("goes on under the claim of whoever takes its answer, by take and by onDecision", async () => {
    const board = await app.board({
      board: "default",
      actor: { kind: "person", name: "eric" },
      issuer: "eric",
    });
    for (const id of ["one", "two"]) {
      const spec = { ...wholeSpec, id, qualityVerdict: passFor(wholeSpec), status: "Ready" } as const;
      await board.createTask(spec);
      const claimed = await board.claim({ id, token: `work-${id}` });
      if (!claimed.ok) throw new Error(claimed.message);
      await desk.answer(await desk.ask(id));
    }
    const { decisions } = await client.take({ task: "one", taskClaim: "work-one" });
    expect(decisions).toHaveLength(1);
    const { heard } = listen({ task: "two", taskClaim: "work-two" });
    await until(
      () => heard.length,
      (count) => count > 0,
    );
    for (const id of ["one", "two"])
      expect(await board.stored(id)).toMatchObject({
        task: { status: "In Progress" },
        claim: { token: `work-${id}` },
      });
  });
});

describe("what an agent's hook asked", () => {
  test("is left to it by a take and by a listener that name neither its task nor its run", async () => {
    const own = await desk.ask("shop", { key: "hook:claude-code:s1:t1:0:d" });
    const may = await desk.ask("shop", { key: "hook:permission:r" });
    const other = await desk.ask("other");
    for (const id of [own, may, other]) await desk.answer(id);
    const { heard } = listen();
    await until(
      () => heard.length,
      (count) => count > 0,
    );
    const { decisions } = await client.take({ project: "default" });
    expect([...heard.map(({ id }) => id), ...decisions.map(({ id }) => id)]).toEqual([other]);
    const named = await client.take({ task: "shop" });
    expect(named.decisions.map(({ id }) => id)).toEqual([own]);
    const permission = await client.take({ question: may });
    expect(permission.decisions.map(({ id }) => id)).toEqual([may]);
  });
});
