import assert from "node:assert/strict";
import { eric, mara, stranger } from "../github/cast.ts";
import { tooMany } from "../github/server.ts";
import type { Play } from "./play.ts";
import type { Scene } from "./scene.ts";

const longDefault = { more: { default: { action: "skip_spec", at: "20h" } } };

/** GitHub end to end with the real adapter: comments while it runs and while it does not, replies lost after they were processed. */
export const github: Scene = {
  platform: "github",
  endings: {
    raven: { state: "resolved", outcome: "answered", option: "1", result: "done" },
    robin: { state: "applied", outcome: "skipped" },
    finch: { state: "applied", outcome: "answered", option: "2" },
    crane: { state: "posted" },
  },
  async play(play: Play) {
    const { commenters } = play;
    const raven = await play.ask("raven", { key: "key-raven", ...longDefault });
    const robin = await play.ask("robin", longDefault);
    await commenters.sees("What about raven?");
    await commenters.sees("What about robin?");
    await commenters.comment("a stranger", stranger.login, `${raven} 2`);
    await commenters.comment("people talking", mara.login, "1 or 2?");
    await commenters.comment("the first", eric.login, `> [${raven}]\n\n1`);
    await commenters.comment("too late", mara.login, `${raven} 2`);
    await commenters.comment("two at once", mara.login, `/skip ${robin}\n/steer ${robin} no tests, please`);
    assert.equal((await play.take("the first two", "claim-github")).given.length, 2);
    await play.confirm("claim-github");
    await play.resolve(raven, "done");
    await commenters.sees("What about robin?", "▶ Picked up");

    await commenters.fault("a post is done and its reply lost", { on: "post", how: "swallow", times: 1 });
    const finch = await play.ask("finch", { key: "key-finch", ...longDefault });
    await commenters.sees("What about finch?");
    await commenters.fault("a list is cut", { on: "list", how: "swallow", times: 2 });
    await play.close();
    await commenters.leave("while nothing runs", eric.login, `${finch} 2`);
    await play.advance("a short absence", 5);
    await play.open();
    await play.until(
      "it is taken in",
      async () => !["pending", "posted"].includes((await play.state(finch)) ?? ""),
    );
    await commenters.fault("a pause is asked for", { on: "edit", how: tooMany(1), times: 1 });
    await commenters.fault("an edit is done and its reply lost", { on: "edit", how: "swallow", times: 1 });
    await play.advance("they are tried again", 2);
    assert.equal((await play.take("the third", "claim-finch")).given.length, 1);
    await play.confirm("claim-finch");
    await play.ask("crane", longDefault);
    await play.advance("whatever waits may go", 5);
    await commenters.sees("What about crane?");
    await commenters.sees("What about finch?", "▶ Picked up");
  },
  notes: ["no tests, please"],
};
