import assert from "node:assert/strict";
import { tooMany } from "../telegram/bot-api.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";
import { eric, mara, stranger } from "./telegram-desk.ts";

/** Longer than the outage, so that what nobody answers is still open after it. */
const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/**
 * Telegram end to end with the real adapter: replies lost after they were processed, resets, pauses asked for, taps while
 * nothing runs, and an outage of eight hours.
 */
export const telegram: Scene = {
  platform: "telegram",
  endings: {
    xray: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    yankee: { state: "applied", outcome: "skipped" },
    quail: { state: "applied", outcome: "answered", option: "2" },
    zebra: { state: "applied", outcome: "answered", option: "2" },
    nova: { state: "applied", outcome: "answered", option: "1" },
    zulu: { state: "posted" },
  },
  async play(play: Play) {
    const { people } = play;
    const xray = await play.ask("xray", { key: "key-xray", ...longDefault });
    const [yankee] = await Promise.all([
      play.ask("yankee", longDefault),
      play.ask("zulu", { key: "key-zulu", ...longDefault }),
    ]);
    for (const task of ["xray", "yankee", "zulu"]) await people.seen(task);
    await people.press("a stranger", xray, "2", stranger);
    await people.press("the first", xray, "1");
    await people.press("too late", xray, "2", mara, mara);
    await people.press("the same again", xray, "1", mara, mara);
    await people.press("a skip", yankee, "/skip", mara, mara);
    assert.equal((await play.take("the first two", "claim-telegram")).given.length, 2);
    await play.confirm("claim-telegram");
    await play.resolve(xray, "done");
    await people.seen("yankee", "▶ Picked up");

    await people.fault("a post is done and its reply lost", {
      method: "sendMessage",
      how: "swallow",
      times: 1,
      chat: eric,
    });
    await people.fault("a post is not even read", {
      method: "sendMessage",
      how: "reset",
      times: 1,
      chat: mara,
    });
    const quail = await play.ask("quail", { key: "key-quail", ...longDefault });
    await people.press("on the message that nobody knows of", quail, "2");
    await play.advance("they are tried again", 1);
    await people.fault("a pause is asked for", { method: "editMessageText", how: tooMany(1), times: 1 });
    await people.fault("an edit is done and its reply lost", {
      method: "editMessageText",
      how: "swallow",
      times: 1,
      chat: mara,
    });
    await people.fault("a toast is done and its reply lost", {
      method: "answerCallbackQuery",
      how: "swallow",
      times: 1,
    });
    await people.fault("a poll is cut", { method: "getUpdates", how: "swallow", times: 1 });
    await people.fault("and once more a reply is lost", {
      method: "sendMessage",
      how: "swallow",
      times: 1,
      chat: eric,
    });
    const zebra = await play.ask("zebra", longDefault);
    const nova = await play.ask("nova", { key: "key-nova", ...longDefault });
    await people.seen("zebra");
    await people.seen("nova");

    // Within the time for which Telegram keeps a tap.
    await play.close();
    await people.tap("while nothing runs", zebra, "2");
    await play.advance("a short absence", 2);
    await play.open();
    await play.until("the tap is taken in", async () => (await play.state(zebra)) !== "posted");

    // And beyond it: whoever tapped is asked to tap again.
    await play.close();
    await people.tap("in vain", nova, "1");
    await play.advance("a long absence", 4);
    await play.open();
    await people.seen("zulu", "I was away from");
    await people.press("once more", nova, "1", mara, mara);

    await play.close();
    await play.advance("a night without a line", 8 * 60);
    await play.open();
    await play.until("the night is known", async () =>
      (await play.service().owlpost.events(0, 10_000)).some(
        ({ kind, data }) => kind === "channel.away" && Number(data.to) - Number(data.from) > 7 * 3_600_000,
      ),
    );
    assert.equal((await play.take("the other three", "claim-night")).given.length, 3);
    await play.confirm("claim-night");
    await play.advance("whatever waits may go", 5);
  },
};
