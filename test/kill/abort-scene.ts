import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GivenEntry } from "./ledger.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

type Told = GivenEntry & { readonly aborts: readonly string[] };

/**
 * The owner stops two runs: one whose loop takes by command, dies, and takes again, and one whose loop takes by file. No
 * question of theirs stays open, and each loop is told until it has said so, and then never again.
 */
export const abort: Scene = {
  endings: {
    romeo: { state: "cancelled", outcome: "cancelled" },
    sierra: { state: "cancelled", outcome: "cancelled" },
    tango: { state: "applied", outcome: "answered", option: "1" },
    uniform: { state: "cancelled", outcome: "cancelled" },
    victor: { state: "cancelled", outcome: "cancelled" },
    whiskey: { state: "posted" },
  },
  async play(play: Play) {
    const romeo = await play.ask("romeo", { key: "key-romeo" });
    await play.ask("sierra", {});
    const tango = await play.ask("tango", { key: "key-tango" });
    await play.ask("victor", { key: "key-victor", project: "repo", more: { run: "b7d0" } });
    await play.settle();
    await play.until("romeo is posted", async () => (await play.state(romeo)) !== "pending");
    await play.press("the first", tango, "1");

    const stop = (run: string) => play.step(`stop ${run}`, () => play.service().owlpost.abort(run, "cli"));
    assert.equal((await stop("a3f2")).accepted, true);
    assert.equal((await stop("b7d0")).accepted, true);
    await play.ask("uniform", { key: "key-uniform" });

    const first = await takeAll(play, "lost", "claim-lost");
    assert.deepEqual([first.given.length, first.aborts], [1, ["a3f2"]]);
    assert.deepEqual((await takeAll(play, "held", "claim-held")).aborts, []);
    await play.advance("the lease is over", 11);
    const second = await takeAll(play, "again", "claim-again");
    assert.deepEqual([second.given.length, second.aborts], [1, ["a3f2"]]);
    assert.deepEqual(await play.confirm("claim-lost"), []);
    assert.deepEqual(await play.confirm("claim-again"), [tango, "a3f2"]);
    assert.deepEqual((await takeAll(play, "nothing left", "claim-end")).aborts, []);

    await takeByFile(play);
    // A new loop under the same id asks as ever.
    await play.ask("whiskey", { key: "key-whiskey" });

    const events = await play.service().store.events(0, 10_000);
    const count = (kind: string, run: string) =>
      events.filter((event) => event.kind === kind && event.data.run === run).length;
    for (const [run, taken] of [
      ["a3f2", 2],
      ["b7d0", 1],
    ] as const) {
      const counts = ["run.aborted", "run.abort-taken", "run.abort-confirmed"].map((kind) =>
        count(kind, run),
      );
      assert.deepEqual(counts, [1, taken, 1]);
    }
    assert.deepEqual(await play.service().store.aborts(), []);
  },
};

/** The loop's call of the project `default`. */
function takeAll(play: Play, name: string, claim: string): Promise<Told> {
  return play.step(`take ${name}`, async () => {
    const { taken, aborts } = await play.service().owlpost.take({ project: "default", claim });
    const given = taken.map(({ id, outcome, option = "", digest }) => ({ id, outcome, option, digest }));
    return { claim, given, aborts: aborts.map(({ run }) => run) };
  });
}

async function takeByFile(play: Play): Promise<void> {
  const airlock = join(play.repository, ".owlpost");
  const request = join(airlock, "take", "victor");
  const told = join(airlock, "answers", "abort-b7d0.yaml");
  await play.step("request victor", async () => {
    if (!existsSync(told) && !existsSync(request)) await play.write(request, "b7d0\n");
  });
  await play.until("the request victor is served", async () => !existsSync(request));
  const order = await play.step("learn to stop b7d0", async () => readFileSync(told, "utf8"));
  assert.match(order, /^run: "?b7d0"?$/m);
  await play.step("obey", async () => rmSync(told, { force: true }));
}
