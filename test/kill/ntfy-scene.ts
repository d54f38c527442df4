import assert from "node:assert/strict";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

/** Longer than the outage, so that what nobody answers is still open after it. */
const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/**
 * ntfy end to end with the real adapter: posts and edits whose answers are lost, resets, a pause that nobody gave a length,
 * streams that break, forged presses, taps while nothing runs, and an outage of eight hours, within which the server keeps them.
 */
export const ntfy: Scene = {
  platform: "ntfy",
  endings: {
    xray: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    yankee: { state: "applied", outcome: "skipped" },
    quail: { state: "applied", outcome: "answered", option: "2" },
    zebra: { state: "applied", outcome: "answered", option: "2" },
    nova: { state: "applied", outcome: "answered", option: "1" },
    zulu: { state: "posted" },
  },
  async play(play: Play) {
    const { reader } = play;
    const xray = await play.ask("xray", { key: "key-xray", ...longDefault });
    const [yankee] = await Promise.all([
      play.ask("yankee", longDefault),
      play.ask("zulu", { key: "key-zulu", ...longDefault }),
    ]);
    for (const task of ["xray", "yankee", "zulu"]) await reader.seen(task);
    await reader.press("forged", xray, "2", true);
    await reader.press("the first", xray, "1");
    await reader.press("too late", xray, "2");
    await reader.press("the same again", xray, "1");
    await reader.fault("an edit is done and its answer lost", { on: "edit", how: "swallow" });
    await reader.press("a skip", yankee, "/skip");
    await reader.failed("the edit");
    await play.advance("it is made again", 1);
    assert.equal((await play.take("the first two", "claim-ntfy")).given.length, 2);
    await play.confirm("claim-ntfy");
    await play.resolve(xray, "done");
    await reader.seen("yankee", "▶ Picked up");

    await reader.fault("a post is done and its answer lost", { on: "post", how: "swallow" });
    const quail = await play.ask("quail", { key: "key-quail", ...longDefault });
    await reader.seen("quail");
    await reader.press("on the message that nobody knows of", quail, "2");
    await play.advance("it is looked for", 1);
    await reader.fault("a pause is asked for", { on: "post", how: "busy" });
    const zebra = await play.ask("zebra", longDefault);
    await reader.failed("the pause");
    await play.advance("the pause is over", 1);
    await reader.seen("zebra");
    await reader.fault("a post is not even read", { on: "post", how: "reset" });
    await reader.fault("a poll is answered by somebody else", { on: "poll", how: "broken" });
    await reader.cut("the stream breaks");
    const nova = await play.ask("nova", { key: "key-nova", ...longDefault });
    await reader.failed("the rest");
    await play.advance("the second pause is over", 1);
    await reader.seen("nova");

    await play.close();
    await reader.tap("while nothing runs", zebra, "2");
    await play.advance("a short absence", 2);
    await play.open();
    await play.until("the tap is taken in", async () => (await play.state(zebra)) !== "posted");

    await play.close();
    await reader.tap("in the night", nova, "1");
    await play.advance("a night without a line", 8 * 60);
    await play.open();
    await play.until("the tap of the night is taken in", async () => (await play.state(nova)) !== "posted");
    assert.equal((await play.take("the other three", "claim-night")).given.length, 3);
    await play.confirm("claim-night");
    await play.advance("whatever waits may go", 5);
  },
};
