import assert from "node:assert/strict";
import { eric, mara } from "../mail/phone.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

/** Longer than the outage, so that what nobody answers is still open after it. */
const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/**
 * Mail end to end with the real adapter: a reply of the outgoing server that is lost, lines that break, answers while nothing
 * runs, and an outage of eight hours.
 */
export const mail: Scene = {
  platform: "email",
  endings: {
    alder: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    birch: { state: "applied", outcome: "skipped" },
    cedar: { state: "applied", outcome: "answered", option: "2" },
    elder: { state: "posted" },
  },
  async play(play: Play) {
    const { correspondents } = play;
    const alder = await play.ask("alder", { key: "key-alder", ...longDefault });
    const birch = await play.ask("birch", longDefault);
    await correspondents.seen("What about alder?");
    await correspondents.seen("What about birch?");
    await correspondents.write({ name: "the first", from: eric, to: alder, tap: "1" });
    await correspondents.write({ name: "too late", from: mara, to: alder, text: "2" });
    await correspondents.write({ name: "a skip", from: mara, to: birch, tap: "/skip" });
    assert.equal((await play.take("the first two", "claim-mail")).given.length, 2);
    await play.confirm("claim-mail");
    await play.resolve(alder, "done");

    await correspondents.fault("a mail is taken and its reply lost", {
      smtp: { on: "data", how: "swallow" },
    });
    await correspondents.fault("a line breaks before anything is read", { smtp: { on: "to", how: "reset" } });
    const cedar = await play.ask("cedar", { key: "key-cedar", ...longDefault });
    await play.advance("they are tried again", 1);
    await correspondents.seen("What about cedar?");
    await correspondents.fault("whoever listens is thrown out", { kick: true });
    await correspondents.fault("a look is cut", { imap: { on: "UID SEARCH", how: "swallow" } });
    const elder = await play.ask("elder", longDefault);
    await correspondents.seen("What about elder?");

    await play.close();
    await correspondents.leave({
      name: "while nothing runs",
      from: mara,
      to: cedar,
      text: "2\n\nthe smaller one",
    });
    await correspondents.leave({ name: "no such option", from: eric, to: elder, text: "9" });
    await play.advance("a night without a line", 8 * 60);
    await play.open();
    await play.until("the answer is taken in", async () => (await play.state(cedar)) !== "posted");
    assert.equal((await play.take("the third", "claim-night")).given.length, 1);
    await play.confirm("claim-night");
    await play.advance("whatever waits may go", 5);
  },
};
