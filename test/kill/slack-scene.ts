import assert from "node:assert/strict";
import { eric, mara, nils } from "../slack/team.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

/** Longer than the outage, so that what nobody answers is still open after it. */
const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/**
 * Slack end to end with the real adapter: replies lost after they were processed, resets, pauses asked for, lines that end,
 * taps and words while nothing runs, and an outage of eight hours.
 */
export const slack: Scene = {
  platform: "slack",
  endings: {
    xray: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    yankee: { state: "applied", outcome: "skipped" },
    quail: { state: "applied", outcome: "answered", option: "2" },
    zebra: { state: "applied", outcome: "answered", option: "2" },
    nova: { state: "applied", outcome: "answered", option: "1" },
    zulu: { state: "posted" },
  },
  async play(play: Play) {
    const { team } = play;
    await team.isHeard();
    const xray = await play.ask("xray", { key: "key-xray", ...longDefault });
    const yankee = await play.ask("yankee", longDefault);
    const zulu = await play.ask("zulu", { key: "key-zulu", ...longDefault });
    for (const task of ["xray", "yankee", "zulu"]) await team.sees(task);
    await team.taps("a stranger", nils, xray, "2");
    await team.taps("the first", eric, xray, "1");
    await team.taps("too late", mara, xray, "2");
    await team.types("a skip in the thread", mara, "!skip", { question: yankee });
    assert.equal((await play.take("the first two", "claim-slack")).given.length, 2);
    await play.confirm("claim-slack");
    await play.resolve(xray, "done");
    await team.sees("yankee", "▶ Picked up");

    await team.fault("a post is done and its reply lost", {
      method: "chat.postMessage",
      how: "swallow",
      times: 1,
    });
    const quail = await play.ask("quail", { key: "key-quail", ...longDefault });
    await team.taps("on the message that nobody knows of", eric, quail, "2");
    await play.advance("it is tried again", 1);
    await team.fault("a post is not even read", { method: "chat.postMessage", how: "reset", times: 1 });
    await team.fault("an edit is told to wait", { method: "chat.update", how: { busy: 1 }, times: 1 });
    await team.fault("an edit is done and its reply lost", {
      method: "chat.update",
      how: "swallow",
      times: 1,
    });
    await team.fault("a receipt is done and its reply lost", {
      method: "response_url",
      how: "swallow",
      times: 1,
    });
    const zebra = await play.ask("zebra", longDefault);
    const nova = await play.ask("nova", { key: "key-nova", ...longDefault });
    await play.advance("they are tried again", 1);
    await team.sees("zebra");
    await team.sees("nova");
    await team.line("the line is recycled", "recycle");
    await team.types("a slip", mara, "9", { question: zebra });
    await team.types("mended by an edit", mara, "2", { edit: "a slip" });
    await team.line("the line breaks", "cut");
    await team.leaves("talk while nobody listens", nils, "I would take 1", { question: zulu });

    await play.close();
    await team.leaves("while nothing runs", eric, "1", { question: nova });
    await team.leavesTap("in vain", mara, zulu, "1");
    await play.advance("an absence", 4);
    await play.open();
    await play.until("the words are taken in", async () => (await play.state(nova)) !== "posted");
    await team.sees("zulu", "I was away from");

    await play.close();
    await play.advance("a night without a line", 8 * 60);
    await play.open();
    await team.isHeard();
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
