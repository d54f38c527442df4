import assert from "node:assert/strict";
import { aTaskLine } from "./board-line.ts";
import type { GivenEntry } from "./ledger.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

const ids = ["mill", "forge", "kiln", "loom", "slip", "wharf", "barn"] as const;

/** Workers ask: each task stands still for its question, and goes on, goes back or stays as its question ends. */
export const parking: Scene = {
  endings: {
    mill: { state: "applied", outcome: "answered", option: "1" },
    forge: { state: "applied", outcome: "answered", option: "2" },
    kiln: { state: "applied", outcome: "skipped" },
    loom: { state: "default_applied", outcome: "defaulted" },
    slip: { state: "applied", outcome: "retried" },
    wharf: { state: "cancelled", outcome: "cancelled" },
    barn: { state: "cancelled", outcome: "cancelled" },
  },
  tasks: {
    mill: { status: "Done", log: ["imported", "claimed", "parked", "freed In Progress", "moved Done"] },
    forge: { status: "In Progress", log: ["imported", "claimed", "parked", "freed Ready", "claimed"] },
    kiln: { status: "Blocked", log: ["imported", "claimed", "parked", "left-blocked"] },
    loom: { status: "Blocked", log: ["imported", "claimed", "parked", "left-blocked"] },
    slip: { status: "Ready", log: ["imported", "claimed", "parked", "freed Ready"] },
    wharf: { status: "Cancelled", log: ["imported", "claimed", "parked", "moved Cancelled"] },
    barn: { log: ["imported", "claimed", "parked", "deleted"] },
  },
  async play(play: Play) {
    const { tasks } = play;
    await tasks.bring(
      "the work",
      ids.map((id) => aTaskLine(id)),
    );
    for (const id of ids) await tasks.claim(id, `work-${id}`, id);
    const asked = new Map<string, string>();
    for (const id of ids) {
      const more = id === "loom" ? { more: { default: { action: "skip_spec", at: "30m" } } } : {};
      asked.set(id, await play.ask(id, { key: `key-${id}`, ...more }));
    }
    assert.deepEqual(await play.step("look", () => tasks.next()), []);
    assert.equal((await tasks.claim("nothing", "claim-nothing")).reason, "nothing-ready");
    await play.settle();
    const of = (id: string) => asked.get(id) as Parameters<Play["state"]>[0];
    for (const id of ids)
      await play.until(`${id} is posted`, async () => (await play.state(of(id))) !== "pending");
    await play.press("mill", of("mill"), "1");
    await play.press("forge", of("forge"), "2");
    await play.press("kiln", of("kiln"), "skip");
    await play.press("slip", of("slip"), "retry");
    await play.until("slip is Ready", async () => (await tasks.status("slip")) === "Ready");
    await tasks.move("wharf never", "wharf", "Cancelled");
    await tasks.remove("barn", "barn");
    await play.advance("the deadline of loom", 31);
    await play.until("loom has expired", async () => (await play.state(of("loom"))) !== "posted");

    // A parked claim is no lease: half an hour later it still stands.
    await take(play, "mill", "take-mill", "work-mill");
    await take(play, "forge", "take-forge", "somebody else");
    for (const id of ["kiln", "loom", "slip"]) await take(play, id, `take-${id}`);
    for (const id of ["mill", "forge", "kiln", "loom", "slip"]) await play.confirm(`take-${id}`);
    const output = { fields: { agentOutput: "It is done." } };
    const done = await tasks.move("mill done", "mill", "Done", { claim: "work-mill", ...output });
    assert.equal(done.status, "Done");
    await tasks.claim("forge again", "again-forge", "forge");
    const lost = await tasks.move("forge lost", "forge", "Done", { claim: "work-forge", ...output });
    assert.equal(lost.reason, "claim-lost");
    assert.deepEqual(await tasks.next(), ["slip"]);
  },
};

/** The boundary call of a worker that says under which claim it works. */
function take(play: Play, task: string, claim: string, works?: string): Promise<GivenEntry> {
  return play.step(`take ${task}`, async () => {
    const { taken } = await play
      .service()
      .owlpost.take({ task, claim, ...(works === undefined ? {} : { works }) });
    assert.equal(taken.length, 1);
    const given = taken.map(({ id, outcome, option, digest }) => ({
      id,
      outcome,
      ...(option === undefined ? {} : { option }),
      digest,
    }));
    return { claim, given };
  });
}
