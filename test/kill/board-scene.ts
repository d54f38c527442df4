import assert from "node:assert/strict";
import { aTaskLine } from "./board-line.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

const waiting = ["w1", "w2", "w3", "w4", "w5"];
const behind = ["g1", "g2", "g3", "g4", "g5"];

/**
 * A board without any question: a plan is imported, its hub ends, begins again and is cancelled, so that everything that
 * waits for it is told three times in chunks; claims are kept, given back, lost and won again; parts finish their whole;
 * a gate that others wait for is deleted, in chunks again.
 */
export const board: Scene = {
  endings: {},
  tasks: {
    hub: {
      status: "Cancelled",
      log: ["imported", "claimed", "moved Done", "moved Backlog", "moved Cancelled"],
    },
    whole: {
      status: "Done",
      log: ["imported", "cascaded Done", "cascaded In Progress", "cascaded Done"],
    },
    "part-a": { status: "Done", log: ["imported", "claimed", "moved Done"] },
    "part-b": {
      status: "Cancelled",
      log: ["imported", "moved Cancelled", "moved Backlog", "moved Cancelled"],
    },
    w1: { status: "Ready", log: ["imported", "edited", "claimed", "released"] },
    w2: { status: "Done", log: ["imported", "claimed", "lapsed", "claimed", "moved Done"] },
    w3: { status: "Ready", log: ["imported"] },
    w4: { status: "Ready", log: ["imported"] },
    w5: { log: ["imported", "deleted"] },
    late: { status: "Backlog", log: ["created"] },
    gate: { log: ["imported", "deleted"] },
    ...Object.fromEntries(behind.map((id) => [id, { status: "Ready", log: ["imported"] }])),
  },
  async play(play: Play) {
    const { tasks } = play;
    await tasks.bring("the plan", [
      aTaskLine("hub"),
      ...waiting.map((id) =>
        aTaskLine(id, { blockedBy: ["hub"], createdAt: `2026-07-02T08:00:0${id.slice(1)}Z` }),
      ),
      aTaskLine("whole", { status: "Backlog" }),
      ...["part-a", "part-b"].map((id) =>
        aTaskLine(id, { parentTask: "whole", createdAt: "2026-07-03T08:00:00Z" }),
      ),
    ]);
    await tasks.create("late", { blockedBy: ["hub" as never, "w1" as never] });
    assert.equal((await tasks.claim("the first", "claim-hub")).id, "hub");
    await tasks.edit("a priority", "w1", { priority: "Low", dueDate: "2026-12-24" });
    await tasks.beat("hub", "hub", "claim-hub");
    await tasks.move("hub done", "hub", "Done", {
      claim: "claim-hub",
      fields: { agentOutput: "It is done." },
    });
    await tasks.move("hub again", "hub", "Backlog");
    assert.equal((await tasks.claim("w1 too early", "claim-early", "w1")).reason, "not-dispatch-ready");
    await tasks.move("hub never", "hub", "Cancelled");

    assert.equal((await tasks.claim("the next", "claim-w1")).id, "w1");
    await tasks.release("w1", "w1", "claim-w1");
    await tasks.claim("part-a", "claim-a", "part-a");
    const output = { fields: { agentOutput: "It is done." } };
    await tasks.move("part-a done", "part-a", "Done", { claim: "claim-a", ...output });
    await tasks.move("part-b never", "part-b", "Cancelled");
    await tasks.move("part-b again", "part-b", "Backlog");
    await tasks.move("part-b never ever", "part-b", "Cancelled");

    await tasks.claim("w2", "claim-lost", "w2");
    await play.advance("the lease is over", 11);
    await play.step("w2 came back", () =>
      play.until("w2 is Ready again", async () => (await tasks.status("w2")) === "Ready"),
    );
    const late = await tasks.move("w2 too late", "w2", "Done", { claim: "claim-lost", ...output });
    assert.equal(late.reason, "claim-lost");
    assert.equal((await tasks.claim("w2 again", "claim-w2", "w2")).id, "w2");
    await tasks.move("w2 done", "w2", "Done", { claim: "claim-w2", ...output });
    await tasks.remove("w5", "w5");
    await tasks.bring("a gate", [
      aTaskLine("gate", { status: "Backlog" }),
      ...behind.map((id) =>
        aTaskLine(id, { blockedBy: ["gate"], createdAt: `2026-07-04T08:00:0${id.slice(1)}Z` }),
      ),
    ]);
    await tasks.remove("the gate", "gate");
    assert.deepEqual(await tasks.next(), ["w1", "w3", "w4", ...behind]);
  },
};
