import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openOwlpost } from "../../src/app/owlpost.ts";
import { aConfig, aDocument } from "../builders.ts";
import { aQuickHome } from "../homes.ts";
import { aTaskLine } from "./board-line.ts";
import { readBoard } from "./board-rows.ts";
import { inspectBoardScene } from "./inspect-board-scene.ts";
import type { Entry } from "./ledger.ts";
import type { TaskEnding } from "./scene.ts";

const tasks: Readonly<Record<string, TaskEnding>> = {
  hub: { status: "In Progress", log: ["imported", "claimed"] },
  waits: { status: "Ready", log: ["imported"] },
  free: { status: "Ready", log: ["imported"] },
  parked: { status: "Blocked", log: ["imported", "claimed", "parked"] },
  whole: { status: "Done", log: ["imported", "cascaded Done"] },
  part: { status: "Done", log: ["imported", "claimed", "moved Done"] },
};
const ledger: readonly Entry[] = [
  {
    name: "board claim hub",
    value: { did: "claim", id: "hub", status: "In Progress", revision: 2, token: "t-hub" },
  },
  { name: "board move part", value: { did: "move", id: "part", status: "Done", revision: 3 } },
];

/** A board with a bit of everything, whose file is spoiled and then inspected. */
async function inspected(spoil: string): Promise<string[]> {
  const home = aQuickHome();
  const owlpost = await openOwlpost({ home, config: aConfig() });
  const path = join(home, "owlpost.db");
  try {
    const board = await owlpost.board({
      board: "default",
      actor: { kind: "person", name: "eric" },
      issuer: "eric",
    });
    await board.importText(
      [
        aTaskLine("hub"),
        aTaskLine("waits", { blockedBy: ["hub"] }),
        aTaskLine("free"),
        aTaskLine("parked"),
        aTaskLine("whole", { status: "Backlog" }),
        aTaskLine("part", { parentTask: "whole" }),
      ].join("\n"),
    );
    await board.claim({ id: "hub", token: "t-hub" });
    await board.claim({ id: "parked", token: "t-parked" });
    await owlpost.ask({ document: aDocument({ task: "parked" }), project: "default" });
    await board.claim({ id: "part", token: "t-part" });
    await board.updateTask("part", { status: "Done", agentOutput: "It is done." }, { claim: "t-part" });
    const database = new Database(path);
    database.pragma("foreign_keys = OFF");
    database.exec(spoil);
    database.close();
    return await inspectBoardScene(path, owlpost.store, { tasks }, ledger);
  } finally {
    await owlpost.close();
  }
}

describe("the inspection of a board", () => {
  it("finds nothing where nothing is wrong", async () => {
    expect(await inspected("")).toEqual([]);
  });

  it.each([
    ["UPDATE tasks SET open_blockers = 0 WHERE id = 'waits'", "waits says 0 open blockers, it has 1"],
    ["UPDATE task_dependencies SET counts = 0", "waits does not count its blocker hub, which is In Progress"],
    ["UPDATE tasks SET open_blockers = 0 WHERE id = 'waits'", "waits is offered, and cannot be begun"],
    ["UPDATE tasks SET open_blockers = 1 WHERE id = 'free'", "free is never offered"],
    [
      "INSERT INTO unsettled_blockers SELECT n FROM tasks WHERE id = 'hub'",
      "hub is not through with its dependants",
    ],
    [
      "INSERT INTO task_dependencies SELECT (SELECT n FROM tasks WHERE id = 'hub'), n, 1 FROM tasks WHERE id = 'waits'",
      "hub waits for itself",
    ],
    [
      "UPDATE tasks SET done_children = 0 WHERE id = 'whole'",
      "whole says 1,0,0 children (all, open, Done), it has 1,0,1",
    ],
    [
      "UPDATE tasks SET status = 'Done' WHERE id = 'hub'",
      "hub: its log ends in In Progress, its row is Done",
    ],
    ["UPDATE tasks SET status = 'Done' WHERE id = 'hub'", "hub is Done, and claimed"],
    ["UPDATE tasks SET status = 'Ready' WHERE id = 'part'", "part is Ready, not Done"],
    [
      "UPDATE tasks SET claim = NULL, lease_until_at = NULL WHERE id = 'hub'",
      /^hub: its log ends with claim \w+, its row with undefined$/,
    ],
    ["UPDATE tasks SET claim = 't-hub', lease_until_at = 9 WHERE id = 'free'", "free is Ready, and claimed"],
    [
      "UPDATE tasks SET claim = 't-hub', lease_until_at = 9 WHERE id = 'free'",
      "one claim holds both hub and free",
    ],
    ["UPDATE tasks SET lease_until_at = 9 WHERE id = 'parked'", "parked is Blocked, and its lease runs"],
    ["DELETE FROM parkings", "parked stands still for q-a3f2-parked-1, and the board does not know it"],
    ["UPDATE tasks SET status = 'Ready' WHERE id = 'parked'", "q-a3f2-parked-1 parks parked, which is Ready"],
    [
      "UPDATE questions SET state = 'applied', outcome = 'answered'",
      "q-a3f2-parked-1 parks parked, and is applied answered",
    ],
    [
      "UPDATE tasks SET error_message = '' WHERE id = 'parked'",
      "parked is parked for q-a3f2-parked-1, and does not say so: ",
    ],
    ["UPDATE tasks SET context = '' WHERE id = 'whole'", "whole: 1 cascades, and 0 notes of them"],
    [
      "DELETE FROM events WHERE kind = 'task.cascaded'",
      "whole: imported; it had to be: imported, cascaded Done",
    ],
    ["DELETE FROM events WHERE task = 'free'", "free is in no log"],
    [
      "DELETE FROM events WHERE kind = 'task.claimed' AND task = 'hub'",
      "board claim hub was acknowledged, and did not happen",
    ],
    [
      "INSERT INTO events (at, kind, task, project, data) SELECT at + 1, kind, task, project, replace(data, 'Ready', 'In Progress') FROM events WHERE kind = 'task.claimed' AND task = 'hub'",
      /^hub: claimed \(\d+\) while \w+ holds it$/,
    ],
    [
      "INSERT INTO events (at, kind, task, project, data) SELECT at, kind, task, project, data FROM events WHERE kind = 'task.moved'",
      /^part: task.moved \(\d+\) comes from In Progress, it was Done$/,
    ],
    [
      "UPDATE tasks SET revision = 1 WHERE id = 'part'",
      "board move part was acknowledged as revision 3, part has 1",
    ],
    ["DELETE FROM tasks WHERE id = 'free'", "free is gone, not Ready"],
  ])("finds what this spoils: %s", async (spoil, wrong) => {
    const found = await inspected(spoil);
    expect(
      found.some((each) => (typeof wrong === "string" ? each === wrong : wrong.test(each))) ? wrong : found,
    ).toBe(wrong);
  });
});

it("reads the board of a file as it lies there", async () => {
  const home = aQuickHome();
  await (await openOwlpost({ home, config: aConfig() })).close();
  expect(readBoard(join(home, "owlpost.db"))).toMatchObject({
    tasks: [],
    dependencies: [],
    unsettled: [],
    parkings: [],
  });
});
