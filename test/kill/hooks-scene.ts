import assert from "node:assert/strict";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

/**
 * Two channels that only tell, with the real adapters: replies lost after they were taken, lines that break, pauses asked for.
 * What was decided is decided at the machine.
 */
export const hooks: Scene = {
  platform: "hooks",
  endings: {
    oak: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    pine: { state: "cancelled", outcome: "cancelled" },
    rowan: { state: "posted" },
  },
  async play(play: Play) {
    const { weather } = play;
    await weather.fault("a card is taken and its answer lost", { on: "feishu", how: "swallow" });
    await weather.fault("a message is taken and its answer lost", { on: "webhook", how: "swallow" });
    const oak = await play.ask("oak", { key: "key-oak" });
    await play.advance("they are tried again", 1);
    await play.until("oak is posted", async () => (await play.state(oak)) !== "pending");
    await play.settle();
    const pine = await play.ask("pine", {});
    await play.settle();
    await weather.fault("the receiver asks for a pause", {
      on: "webhook",
      how: { status: 429, headers: { "retry-after": "2" } },
    });
    await weather.fault("a line breaks", { on: "feishu", how: "reset" });
    await play.decide("oak 1", { verb: "choose", question: oak, key: "1" });
    await play.settle();
    await play.advance("the pauses are over", 1);
    await play.settle();
    const { given } = await play.take("oak", "claim-hooks");
    assert.equal(given.length, 1);
    await play.confirm("claim-hooks");
    await play.settle();
    await play.resolve(oak, "done");
    await play.cancel(pine, "the task was edited");
    await play.ask("rowan", { key: "key-rowan" });
    await play.notify("the run", "run-complete");
    await play.advance("whatever waits may go", 5);
  },
};
