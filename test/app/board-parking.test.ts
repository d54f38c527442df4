import { describe, expect, test } from "vitest";
import type { Board } from "../../src/app/board/api.ts";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { decideSweep } from "../../src/core/sweep.ts";
import type { QuestionId } from "../../src/domain/ids.ts";
import type { StoredTask } from "../../src/domain/task.ts";
import { aConfig, aDocument, hour, minute } from "../builders.ts";
import { passFor, wholeSpec } from "../contract/provider.ts";
import { aClock, afterwards, aHome } from "../homes.ts";

async function aLoop() {
  const clock = aClock();
  const owlpost = await openOwlpost({ home: aHome(), config: aConfig(), now: clock.now, host: "owl" });
  afterwards(() => owlpost.close());
  const actor = { kind: "person", name: "eric" } as const;
  const board = await owlpost.board({ board: "default", actor, issuer: "eric" });
  async function ask(changes: Record<string, unknown> = {}): Promise<string> {
    const asked = await owlpost.ask({
      document: aDocument({ default: { action: "skip_spec", at: "6h" }, ...changes }),
    });
    if (!asked.ok) throw new Error(JSON.stringify(asked));
    return asked.id;
  }
  const look = async (): Promise<StoredTask> => {
    const stored = await board.stored("012-fix-auth");
    if (!stored) throw new Error("the task is gone");
    return stored;
  };
  const status = async (): Promise<string> => (await look()).task.status;
  const choose = (question: string, key = "1") => owlpost.decide({ verb: "choose", question, key }, "cli");
  const sweep = async (): Promise<void> => {
    const at = clock.now();
    await owlpost.store.sweep(at, 50, (snapshot) => decideSweep(snapshot, at));
  };
  return { owlpost, board, clock, ask, look, status, choose, sweep };
}

/** A task that is worked on under the claim `work`. */
async function aWorker() {
  const loop = await aLoop();
  await begun(loop.board);
  return loop;
}

async function begun(board: Board): Promise<void> {
  await board.createTask({
    ...wholeSpec,
    id: "012-fix-auth",
    qualityVerdict: passFor(wholeSpec),
    status: "Ready",
  });
  const claimed = await board.claim({ id: "012-fix-auth", token: "work" });
  if (!claimed.ok) throw new Error(claimed.message);
}

describe("asking parks", () => {
  test("a task that can be deleted meanwhile: its questions are cancelled", async () => {
    const { owlpost, board, ask, look } = await aWorker();
    const first = await ask();
    const second = await ask({ title: "And another thing about the tokens?" });
    expect((await look()).parkedFor).toEqual([first, second]);
    expect(await board.deleteTask("012-fix-auth")).toMatchObject({ ok: true });
    for (const id of [first, second])
      expect(await owlpost.question(id)).toMatchObject({
        state: "cancelled",
        why: "the task 012-fix-auth was deleted",
      });
    expect(await board.getTask("012-fix-auth")).toBeUndefined();
  });

  test("a task that is In Progress: Blocked, its message names the question, and its lease stands still", async () => {
    const { ask, look, clock, board } = await aWorker();
    clock.advance(4 * minute);
    const id = await ask();
    const { task, claim, parkedFor } = await look();
    expect(task).toMatchObject({ status: "Blocked", errorMessage: `Waiting for an answer: ${id}` });
    expect(claim).toMatchObject({ token: "work", leaseUntilAt: null, leftMs: 6 * minute });
    expect(parkedFor).toEqual([id]);
    clock.advance(5 * hour);
    expect(await look()).toMatchObject({ task: { status: "Blocked" }, claim: { token: "work" } });
    expect(await board.next()).toEqual([]);
  });

  test("nothing where the task is not on the board, not of that project, or not In Progress", async () => {
    const { ask, board, owlpost } = await aLoop();
    await ask({ task: "099-unknown" });
    const made = await board.createTask({ title: "Idle", id: "012-fix-auth" });
    await ask();
    expect(await board.getTask("012-fix-auth")).toEqual(made.ok ? made.task : undefined);
    expect((await owlpost.events(0, 99)).filter(({ kind }) => kind.startsWith("task.p"))).toEqual([]);
  });

  test("an answer that is taken under the same claim lets it go on with what was left of its lease", async () => {
    const { owlpost, ask, choose, look, status, clock, board } = await aWorker();
    clock.advance(4 * minute);
    const id = await ask();
    clock.advance(hour);
    await choose(id);
    expect(await status()).toBe("Blocked");
    const { taken } = await owlpost.take({ claim: "take-1", works: "work" });
    expect(taken).toHaveLength(1);
    const { task, claim } = await look();
    expect(task).toMatchObject({ status: "In Progress", errorMessage: "" });
    expect(claim).toMatchObject({ token: "work", leaseUntilAt: clock.now() + 6 * minute });
    const done = await board.updateTask(
      "012-fix-auth",
      { status: "Done", agentOutput: "It is done." },
      { claim: "work" },
    );
    expect(done.ok).toBe(true);
  });

  test("the token of the take itself may be that claim", async () => {
    const { owlpost, ask, choose, status } = await aWorker();
    await choose(await ask());
    await owlpost.take({ claim: "work" });
    expect(await status()).toBe("In Progress");
  });

  test("whoever has asked and waited goes on", async () => {
    const { owlpost, ask, choose, status } = await aWorker();
    await choose(await ask());
    await owlpost.take({ claim: "wait:1", works: "asker" });
    expect(await status()).toBe("In Progress");
  });

  test("under any other claim it is Ready again, and the old claim is worth nothing", async () => {
    const { owlpost, ask, choose, look, board } = await aWorker();
    await choose(await ask());
    await owlpost.take({ claim: "another", works: "mine" });
    const { task, claim } = await look();
    expect(task).toMatchObject({ status: "Ready", dispatchedAt: null, errorMessage: "" });
    expect(claim).toBeNull();
    const late = await board.updateTask("012-fix-auth", { agentOutput: "It is done." }, { claim: "work" });
    expect(late).toMatchObject({ ok: false, reason: "claim-lost" });
    expect((await board.next()).map(({ stored }) => stored.task.id)).toEqual(["012-fix-auth"]);
  });

  test("a skip leaves it Blocked, before and after it is taken; never Done", async () => {
    const { owlpost, ask, look } = await aWorker();
    const id = await ask();
    await owlpost.decide({ verb: "skip", question: id }, "cli");
    const message = `skipped from the command line on owl: ${id}`;
    expect((await look()).task).toMatchObject({ status: "Blocked", errorMessage: message });
    await owlpost.take({ claim: "work" });
    expect(await look()).toMatchObject({ task: { status: "Blocked", errorMessage: message }, claim: null });
  });

  test("the skip default leaves it Blocked and says by when nobody answered", async () => {
    const { owlpost, ask, look, clock, sweep } = await aWorker();
    const id = await ask();
    clock.advance(6 * hour + minute);
    await sweep();
    const message = `no answer by 2026-07-07 05:00: ${id}`;
    expect((await look()).task).toMatchObject({ status: "Blocked", errorMessage: message });
    await owlpost.take({ claim: "work" });
    expect(await look()).toMatchObject({ task: { status: "Blocked", errorMessage: message }, claim: null });
  });

  test("a recommendation that is taken by default lets it go on", async () => {
    const clock = aClock();
    const config = aConfig({ autoDefault: true });
    const owlpost = await openOwlpost({ home: aHome(), config, now: clock.now, host: "owl" });
    afterwards(() => owlpost.close());
    const actor = { kind: "person", name: "eric" } as const;
    const board = await owlpost.board({ board: "default", actor, issuer: "eric" });
    await begun(board);
    const action = { auto_default: true, default: { action: "take_recommended", at: "1h" } };
    expect((await owlpost.ask({ document: aDocument(action) })).ok).toBe(true);
    clock.advance(2 * hour);
    await owlpost.take({ claim: "work" });
    expect((await board.stored("012-fix-auth"))?.task.status).toBe("In Progress");
  });

  test("stay_parked stays parked, and a late answer lets it go on", async () => {
    const { owlpost, ask, look, status, clock, sweep, choose } = await aWorker();
    const id = await ask({ default: { action: "stay_parked", at: "1h" } });
    clock.advance(2 * hour);
    await sweep();
    await owlpost.take({ claim: "nothing" });
    expect((await look()).task).toMatchObject({
      status: "Blocked",
      errorMessage: `Waiting for an answer: ${id}`,
    });
    await choose(id);
    await owlpost.take({ claim: "work" });
    expect(await status()).toBe("In Progress");
  });

  test("a retry makes it Ready at once", async () => {
    const { owlpost, ask, look, status } = await aWorker();
    await owlpost.decide({ verb: "retry", question: await ask() }, "cli");
    expect(await look()).toMatchObject({ task: { status: "Ready" }, claim: null });
    await owlpost.take({ claim: "work" });
    expect(await status()).toBe("Ready");
  });

  test("two questions: it goes on when both are answered and taken", async () => {
    const { owlpost, ask, choose, look, status } = await aWorker();
    const first = await ask();
    const second = await ask({ title: "And where do the tokens lie?" });
    expect((await look()).parkedFor).toEqual([first, second]);
    await choose(first);
    await owlpost.take({ claim: "take-1", works: "work" });
    expect((await look()).task).toMatchObject({
      status: "Blocked",
      errorMessage: `Waiting for an answer: ${second}`,
    });
    await choose(second);
    await owlpost.take({ claim: "take-2", works: "work" });
    expect(await status()).toBe("In Progress");
  });

  test("two questions, one of them skipped: it stays Blocked whatever the other brings", async () => {
    const { owlpost, ask, choose, look } = await aWorker();
    const first = await ask();
    const second = await ask({ title: "And where do the tokens lie?" });
    await owlpost.decide({ verb: "skip", question: first }, "cli");
    await choose(second);
    await owlpost.take({ claim: "work" });
    expect(await look()).toMatchObject({ task: { status: "Blocked" }, claim: null });
  });

  test("it names every question that it stands still for, whatever has become of the others", async () => {
    const { owlpost, ask, choose, look } = await aWorker();
    const first = await ask();
    const second = await ask({ title: "And where do the tokens lie?" });
    const message = async () => (await look()).task.errorMessage;
    await choose(first);
    expect(await message()).toBe(`Waiting for an answer: ${second}; Answered, and not taken yet: ${first}`);
    await owlpost.decide({ verb: "skip", question: second }, "cli");
    expect(await message()).toMatch(
      new RegExp(`^Answered, and not taken yet: ${first}; skipped from the command line.*: ${second}$`),
    );
    await owlpost.take({ claim: "take", question: second as QuestionId });
    expect(await message()).toBe(`Answered, and not taken yet: ${first}`);
    await owlpost.take({ claim: "take-2", question: first as QuestionId });
    expect(await message()).toBe(`An earlier question left it Blocked: ${second}`);
  });

  test("what a question has left Blocked waits for the next one that is asked about it", async () => {
    const { owlpost, ask, choose, look, status } = await aWorker();
    await owlpost.decide({ verb: "skip", question: await ask() }, "cli");
    await owlpost.take({ claim: "work" });
    const again = await ask({ title: "Once more: which strategy for `src/auth`?" });
    expect((await look()).task.errorMessage).toBe(`Waiting for an answer: ${again}`);
    await choose(again);
    await owlpost.take({ claim: "another" });
    expect(await status()).toBe("Ready");
  });

  test("a question that is cancelled leaves it Blocked and says why", async () => {
    const { owlpost, ask, look } = await aWorker();
    const id = await ask();
    await owlpost.cancel(id, "asked by mistake");
    expect((await look()).task).toMatchObject({
      status: "Blocked",
      errorMessage: `${id} was cancelled: asked by mistake`,
    });
  });

  test("an answer that was changed before it was taken counts", async () => {
    const { owlpost, ask, look, status } = await aWorker();
    const id = await ask();
    await owlpost.decide({ verb: "skip", question: id }, "cli");
    await owlpost.decide({ verb: "override", question: id, key: "2" }, "cli");
    expect((await look()).task.errorMessage).toBe(`Answered, and not taken yet: ${id}`);
    await owlpost.take({ claim: "work" });
    expect(await status()).toBe("In Progress");
  });

  test("a task that is over takes its question with it", async () => {
    const { owlpost, ask, board } = await aWorker();
    const id = await ask();
    expect((await board.updateTask("012-fix-auth", { status: "Cancelled" })).ok).toBe(true);
    expect(await owlpost.question(id)).toMatchObject({
      state: "cancelled",
      why: "the task 012-fix-auth is Cancelled",
    });
  });

  test("a person may put it back by hand, and the answer then finds nothing to move", async () => {
    const { owlpost, ask, choose, board, status } = await aWorker();
    const id = await ask();
    expect((await board.updateTask("012-fix-auth", { status: "Ready" })).ok).toBe(true);
    await choose(id);
    await owlpost.take({ claim: "work" });
    expect(await status()).toBe("Ready");
  });

  test("every move of the task is in the log", async () => {
    const { owlpost, ask, choose } = await aWorker();
    const id = await ask();
    await choose(id);
    await owlpost.take({ claim: "work" });
    const moves = (await owlpost.events(0, 99)).filter(({ kind }) => kind.startsWith("task."));
    expect(moves.map(({ kind, data }) => [kind, data.from, data.to, data.question])).toEqual([
      ["task.created", undefined, undefined, undefined],
      ["task.claimed", "Ready", "In Progress", undefined],
      ["task.parked", "In Progress", "Blocked", id],
      ["task.freed", "Blocked", "In Progress", id],
    ]);
  });
});
